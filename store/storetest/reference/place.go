package reference

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"

	"github.com/sightline-analytics/sightline/internal/country"
	"github.com/sightline-analytics/sightline/internal/referrer"
)

var (
	origin = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*`)
	port   = regexp.MustCompile(`:[0-9]*$`)
)

// names has the names of codes and domains.
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

// country returns the English name of a code, or the code if it has no name.
func (n *names) country(code string) string {
	if name, ok := n.countries[code]; ok {
		return name
	}
	return code
}

// A source has the shown columns of a referrer domain.
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

// traffic returns the shown columns of a session's source: of its referrer, or of a campaign source with its
// kind.
func (n *names) traffic(from, kind string) source {
	if kind == "" {
		return n.source(from)
	}
	if s, ok := n.sources[from]; ok {
		return source{s.Name, "https://" + s.Domain, s.Name, s.Domain, kind}
	}
	return source{from, from, from, "", kind}
}

// reduce returns the main domain of the source of an address or host, or its host if no source lists it.
func (n *names) reduce(value string) string {
	host := hostOf(value)
	_, path, _ := strings.Cut(strings.TrimPrefix(pathOf(value), host), "/")
	segment, _, _ := strings.Cut(path, "/")
	page := host + "/" + segment
	best, domain := "", host
	for _, s := range n.sources {
		if slices.Contains(s.Alone, host) || slices.Contains(s.Alone, page) {
			return s.Domain
		}
		for _, h := range s.Hosts {
			if (host == h || strings.HasSuffix(host, "."+h)) && len(h) > len(best) {
				best, domain = h, s.Domain
			}
		}
	}
	return domain
}

// addresses matches the schemes of addresses that may be referrers.
var addresses = regexp.MustCompile(`^(?i:https?|android-app|ios-app)://`)

// bareHosts matches texts that are a host without a scheme, with optional port and path.
var bareHosts = regexp.MustCompile(`^(//)?\.*[^./?#@ :]+\.[^/?#@ :]*(:[0-9]*)?([/?].*)?$`)

// hostOf returns the host of an address, or of a text that is a host, in lower-case ASCII. It removes user,
// port, final dot and one leading www. It returns "" for other texts.
func hostOf(value string) string {
	switch {
	case addresses.MatchString(value):
		_, value, _ = strings.Cut(value, "://")
	case bareHosts.MatchString(value):
		value = strings.TrimPrefix(value, "//")
	default:
		return ""
	}
	value = authority(value)
	if strings.Count(value, ":") == 1 {
		value = port.ReplaceAllString(value, "")
	}
	host := strings.ToLower(value)
	if ascii, err := idna.Punycode.ToASCII(host); err == nil {
		host = ascii
	}
	return strings.TrimPrefix(strings.TrimSuffix(host, "."), "www.")
}

// unicodeOf returns a host, or an address with a host, in its readable form.
func unicodeOf(text string) string {
	labels := strings.Split(text, ".")
	for i, label := range labels {
		scheme := ""
		if i == 0 && strings.HasPrefix(label, "https://") {
			scheme, label = "https://", strings.TrimPrefix(label, "https://")
		}
		if strings.HasPrefix(label, "xn--") {
			if shown, err := idna.Punycode.ToUnicode(label); err == nil {
				labels[i] = scheme + shown
			}
		}
	}
	return strings.Join(labels, ".")
}

// authority returns the part of a text before a path, without a user.
func authority(value string) string {
	if i := strings.IndexAny(value, "/?#"); i >= 0 {
		value = value[:i]
	}
	return value[strings.LastIndex(value, "@")+1:]
}

// bare returns a host in lower case, without final dot and one leading www.
func bare(host string) string {
	return strings.TrimPrefix(strings.TrimSuffix(strings.ToLower(host), "."), "www.")
}

// domainOf returns the host of an address with an authority, and an empty text for other texts.
func domainOf(href string) string {
	if strings.HasPrefix(href, "//") || origin.MatchString(href) {
		_, rest, _ := strings.Cut(href, "//")
		return bare(port.ReplaceAllString(authority(rest), ""))
	}
	return ""
}

// pathOf returns the path of a URL, or of a text that is a path: decoded, without query, fragment, control
// characters and final slashes. An empty text stays empty.
func pathOf(value string) string {
	if value == "" {
		return ""
	}
	if i := strings.IndexAny(value, "?#"); i >= 0 {
		value = value[:i]
	}
	value = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, value)
	value = strings.TrimRight(origin.ReplaceAllString(decoded(value), ""), "/")
	if value == "" {
		return "/"
	}
	return value
}

var (
	unreserved = regexp.MustCompile(`(?i)%(4[1-9A-F]|5[0-9A]|6[1-9A-F]|7[0-9A]|3[0-9]|2D|2E|5F|7E)`)
	escapes    = regexp.MustCompile(`(%[89A-Fa-f][0-9A-Fa-f])+|%[0-7][0-9A-Fa-f]`)
	invisible  = regexp.MustCompile(`[\p{Cc}\p{Cf}]`)
)

// decoded returns a path, or a part of one, in NFC, with readable escapes decoded: first escapes of unreserved
// characters, repeatedly, then escapes of characters outside ASCII.
func decoded(text string) string {
	for unreserved.MatchString(text) {
		text = unreserved.ReplaceAllStringFunc(text, func(escape string) string {
			plain, _ := url.PathUnescape(escape)
			return plain
		})
	}
	text = escapes.ReplaceAllStringFunc(norm.NFC.String(text), func(escape string) string {
		plain, err := url.PathUnescape(escape)
		if err == nil && utf8.ValidString(plain) && plain[0] >= 0x80 && !invisible.MatchString(plain) {
			return plain
		}
		return strings.ToUpper(escape)
	})
	return norm.NFC.String(text)
}

// deviceNames maps device ids to names.
var deviceNames = map[string]string{
	"mobile": "Mobile", "tablet": "Tablet", "desktop": "Desktop", "smarttv": "Smart TV",
	"console": "Console", "wearable": "Wearable", "embedded": "Embedded", "xr": "XR",
}
