// Package referrer finds the source of traffic from a referrer or a campaign:
//
//	referrer.Domain("https://www.google.com/search?q=x", "shop.example") // "google.com"
//	source, ok := referrer.Lookup("google.com")                          // Google, search
//	domain, kind := referrer.Campaign("newsletter", "email", false)      // "newsletter", email
//	referrer.Host("android-app://com.Example.App/")                      // "com.example.app"
//
// It has a table of well-known sources, and the rules for matching them.
package referrer

import (
	_ "embed"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/sightline-analytics/sightline/internal/address"
)

// Kind is the kind of site of a source.
type Kind string

// The kinds of sources. Sources that are not in the table are Other.
const (
	Search Kind = "search"
	Social Kind = "social"
	Email  Kind = "email"
	Paid   Kind = "paid"
	AI     Kind = "ai"
	Other  Kind = "other"
)

// A Source is an entry of the table.
type Source struct {
	Name   string // as shown: Google
	Domain string // the unique main domain: google.com
	Kind   Kind
	Hosts  []string // hosts of the source, including their subdomains; must not be changed
	Alone  []string // hosts without their subdomains, and pages in the form host/segment; must not be changed
	Short  []string // names in campaigns, in lower case; must not be changed
}

// Sources returns the whole table in the order of the file, in a new slice. The slices in its elements are
// shared.
func Sources() []Source { return slices.Clone(loaded().sources) }

// Lookup returns the source that lists host, or the longest parent of host that is listed with its subdomains. host
// must be a result of address.Host, or a main domain of the table. No entry is a public suffix, so Lookup finds nothing
// above a registrable domain.
func Lookup(host string) (Source, bool) {
	t := loaded()
	if i, ok := t.alone[host]; ok {
		return t.sources[i], true
	}
	for host != "" {
		if i, ok := t.hosts[host]; ok {
			return t.sources[i], true
		}
		_, host, _ = strings.Cut(host, ".")
	}
	return Source{}, false
}

// Named returns the source with this name or short name, in any case.
func Named(name string) (Source, bool) {
	t := loaded()
	i, ok := t.names[strings.ToLower(name)]
	if !ok {
		return Source{}, false
	}
	return t.sources[i], true
}

// IsDirect reports whether s means traffic without a source, in any case.
func IsDirect(s string) bool {
	switch strings.ToLower(s) {
	case "", "direct", "(direct)", "none", "(none)":
		return true
	}
	return false
}

// Domain returns the stored form of a referrer: empty for direct traffic, the main domain of a listed source, else the
// host. Direct traffic is everything without a [Host], this machine, and the website itself with its subdomains, also
// in Google Translate. websiteDomain may be empty.
func Domain(ref, websiteDomain string) string {
	host := address.Untranslated(Host(ref))
	if host == "" || local(host) || within(host, address.Host(websiteDomain)) {
		return ""
	}
	if t := loaded(); t.paged[host] {
		segment, _, _ := strings.Cut(strings.TrimPrefix(address.Path(afterHost(ref)), "/"), "/")
		if i, ok := t.alone[host+"/"+segment]; ok {
			return t.sources[i].Domain
		}
	}
	if s, ok := Lookup(host); ok {
		return s.Domain
	}
	return host
}

// Host returns the host of a referrer in the form of address.Host. Referrers are URLs with the schemes http,
// https, android-app and ios-app, and host names with a dot. For all other texts the result is empty, such as
// null, about:client, data URLs, and words that mean direct traffic.
func Host(ref string) string {
	ref = address.Clean(ref)
	scheme, _, ok := strings.Cut(ref, "://")
	switch scheme = strings.ToLower(scheme); {
	case IsDirect(ref):
		return ""
	case ok && (scheme == "http" || scheme == "https" || scheme == "android-app" || scheme == "ios-app"):
		return address.Host(ref)
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(ref, "//"), "/")
	name, _, _ = strings.Cut(name, "?")
	name, port, _ := strings.Cut(name, ":")
	if !strings.Contains(strings.Trim(name, "."), ".") || strings.ContainsAny(name, "@ #") ||
		strings.Trim(port, "0123456789") != "" {
		return ""
	}
	return address.Host(name)
}

// afterHost returns the part of a referrer after the authority.
func afterHost(ref string) string {
	if _, rest, ok := strings.Cut(ref, "://"); ok {
		ref = rest
	}
	if i := strings.IndexByte(ref, '/'); i >= 0 {
		return ref[i:]
	}
	return ""
}

// Campaign returns the source of a campaign and its kind. source is the text of utm_source, ref or source. The
// returned domain is the main domain if the table lists the text as a host, a name or a short name. Otherwise it
// is the text in lower case. It is empty for empty texts and for words that mean direct traffic. medium is
// utm_medium, and ad says that the visit has one of the PaidClickIDs. The kind is that of mail if the medium names
// mail, then Paid for a PaidMedium or an ad, then Social if the medium names it. Otherwise the table defines it.
func Campaign(source, medium string, ad bool) (domain string, kind Kind) {
	source = strings.ToLower(address.Clean(source))
	if IsDirect(source) {
		return "", ""
	}
	domain, kind = source, Other
	s, ok := Named(source)
	if host := Host(source); !ok && host != "" {
		s, ok = Lookup(host)
	}
	if ok {
		domain, kind = s.Domain, s.Kind
	}
	switch medium = strings.ToLower(address.Clean(medium)); {
	case medium == "email" || medium == "e-mail" || medium == "newsletter":
		kind = Email
	case ad || PaidMedium(medium):
		kind = Paid
	case medium == "social" || medium == "sm":
		kind = Social
	}
	return domain, kind
}

// local reports whether host is this machine.
func local(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// within reports whether host is domain or one of its subdomains.
func within(host, domain string) bool {
	if domain == "" {
		return false
	}
	rest, ok := strings.CutSuffix(host, domain)
	return ok && (rest == "" || strings.HasSuffix(rest, "."))
}

//go:embed sources.txt
var file string

type table struct {
	sources []Source
	hosts   map[string]int  // hosts including their subdomains: index into sources
	alone   map[string]int  // hosts without their subdomains, and pages
	paged   map[string]bool // hosts with pages in alone
	names   map[string]int  // names and short names in lower case
}

// loaded parses the table on first use. A test checks every line of the file.
var loaded = sync.OnceValue(func() table { return parse(file) })

// parse parses lines of "name | kind | main domain and hosts | short names". The last part may be
// absent.
func parse(text string) table {
	t := table{hosts: make(map[string]int, 1024), alone: make(map[string]int, 512), paged: map[string]bool{},
		names: map[string]int{}}
	for line := range strings.Lines(text) {
		part := strings.Split(line, "|")
		if strings.HasPrefix(line, "#") || len(part) < 3 {
			continue
		}
		t.add(Source{Name: strings.TrimSpace(part[0]), Kind: Kind(strings.TrimSpace(part[1]))}, strings.Fields(part[2]),
			strings.Fields(strings.Join(part[3:], " ")))
	}
	return t
}

// add adds a source with its hosts in the form of the file, the main domain first.
func (t *table) add(s Source, hosts, short []string) {
	i := len(t.sources)
	for _, h := range hosts {
		h, alone := strings.CutPrefix(h, "=")
		if s.Domain == "" {
			s.Domain = h
		}
		if !alone {
			s.Hosts = append(s.Hosts, h)
			t.hosts[h] = i
			continue
		}
		s.Alone = append(s.Alone, h)
		t.alone[h] = i
		if host, _, page := strings.Cut(h, "/"); page {
			t.paged[host] = true
		}
	}
	s.Short = short
	for _, name := range append([]string{strings.ToLower(s.Name)}, short...) {
		t.names[name] = i
	}
	t.sources = append(t.sources, s)
}
