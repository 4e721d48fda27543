package reference

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/sightline-analytics/sightline/internal/country"
	"github.com/sightline-analytics/sightline/internal/referrer"
)

var (
	origin = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*`)
	port   = regexp.MustCompile(`:[0-9]*$`)
)

// names knows what codes and domains are called.
type names struct {
	countries map[string]string
	sources   map[string]referrer.Source // by main domain
}

func newNames() *names {
	n := &names{map[string]string{}, map[string]referrer.Source{}}
	for _, c := range country.All() {
		n.countries[c.Code] = c.Name
	}
	for _, s := range referrer.Sources() {
		n.sources[s.Domain] = s
	}
	return n
}

// country is the English name of a code, the code itself if it has none.
func (n *names) country(code string) string {
	if name, ok := n.countries[code]; ok {
		return name
	}
	return code
}

// source is how a referrer domain is shown.
type source struct{ name, referrer, source, domain, kind string }

func (n *names) source(domain string) source {
	if domain == "" {
		return source{"Direct", "direct", "direct", "", "direct"}
	}
	shown := source{domain, "https://" + domain, domain, domain, "other"}
	if s, ok := n.sources[domain]; ok {
		shown.name, shown.kind = s.Name, string(s.Kind)
	}
	return shown
}

// traffic is how the source of a session is shown: its referrer, or a campaign source, which has a
// kind of its own.
func (n *names) traffic(from, kind string) source {
	if kind == "" {
		return n.source(from)
	}
	if s, ok := n.sources[from]; ok {
		return source{s.Name, "https://" + s.Domain, s.Name, s.Domain, kind}
	}
	return source{from, from, from, "", kind}
}

// reduce turns a URL or host into its host and, if the list has it or a parent of
// it, into the main domain of its source.
func (n *names) reduce(value string) string {
	host := hostOf(value)
	best, domain := "", host
	for _, s := range n.sources {
		for _, h := range s.Hosts {
			if (host == h || strings.HasSuffix(host, "."+h)) && len(h) > len(best) {
				best, domain = h, s.Domain
			}
		}
	}
	return domain
}

// hostOf is the host of a URL, or of a text that is a host, in lower case without
// user, port, final dot and one leading www.
func hostOf(value string) string {
	if _, rest, ok := strings.Cut(value, "://"); ok && origin.MatchString(value) {
		value = rest
	}
	value = authority(value)
	if strings.Count(value, ":") == 1 {
		value = port.ReplaceAllString(value, "")
	}
	return bare(value)
}

// authority is what of a text stands before a path, without a user.
func authority(value string) string {
	if i := strings.IndexAny(value, "/?#"); i >= 0 {
		value = value[:i]
	}
	return value[strings.LastIndex(value, "@")+1:]
}

// bare is a host in lower case without final dot and one leading www.
func bare(host string) string {
	return strings.TrimPrefix(strings.TrimSuffix(strings.ToLower(host), "."), "www.")
}

// domainOf is the host of an address with an authority, empty for all other texts.
func domainOf(href string) string {
	if strings.HasPrefix(href, "//") || origin.MatchString(href) {
		_, rest, _ := strings.Cut(href, "//")
		return bare(port.ReplaceAllString(authority(rest), ""))
	}
	return ""
}

// pathOf is the path of a URL, or of a text that is a path: without query, fragment,
// control characters and final slashes. No text is no path.
func pathOf(value string) string {
	if value == "" {
		return ""
	}
	value = origin.ReplaceAllString(value, "")
	if i := strings.IndexAny(value, "?#"); i >= 0 {
		value = value[:i]
	}
	value = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, value)
	value = strings.TrimRight(value, "/")
	if value == "" {
		return "/"
	}
	return value
}

// deviceNames are the names of device ids.
var deviceNames = map[string]string{
	"mobile": "Mobile", "tablet": "Tablet", "desktop": "Desktop", "smarttv": "Smart TV",
	"console": "Console", "wearable": "Wearable", "embedded": "Embedded", "xr": "XR",
}
