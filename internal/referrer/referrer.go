// Package referrer knows where traffic comes from: a table of well-known sources, and
// the rules that lead from a referrer to one of them.
package referrer

import (
	_ "embed"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/sightline-analytics/sightline/internal/address"
)

// Kind says what sort of site a source is.
type Kind string

// The kinds of source. What is in no list is Other.
const (
	Search Kind = "search"
	Social Kind = "social"
	Email  Kind = "email"
	Paid   Kind = "paid"
	AI     Kind = "ai"
	Other  Kind = "other"
)

// A Source is one entry of the table.
type Source struct {
	Name   string // as shown: Google
	Domain string // the main domain, unique: google.com
	Kind   Kind
	Hosts  []string // all hosts that mean it, Domain first; read only
}

// Sources returns the whole table in the order of the file. The slice is the caller's,
// the Hosts in it are shared.
func Sources() []Source { return slices.Clone(loaded().sources) }

// Lookup returns the source whose host is the longest one that is host or a parent of
// it on a label boundary. host is as address.Host makes it. No entry of the table is a
// public suffix, so nothing above the registrable domain is ever found.
func Lookup(host string) (Source, bool) {
	t := loaded()
	for host != "" {
		if i, ok := t.byHost[host]; ok {
			return t.sources[i], true
		}
		_, host, _ = strings.Cut(host, ".")
	}
	return Source{}, false
}

// Named returns the source of that name, in any case.
func Named(name string) (Source, bool) {
	t := loaded()
	i, ok := t.byName[strings.ToLower(name)]
	if !ok {
		return Source{}, false
	}
	return t.sources[i], true
}

// Domain reduces a referrer, a URL or a host, to what is stored: "" for direct traffic,
// the main domain of a listed source, else the host. Direct are no referrer, the words
// direct, (direct) and none in any case, this machine, and the website itself with its
// subdomains. websiteDomain may be empty.
func Domain(ref, websiteDomain string) string {
	ref = address.Clean(ref)
	switch strings.ToLower(ref) {
	case "", "direct", "(direct)", "none":
		return ""
	}
	host := address.Host(ref)
	if host == "" || local(host) || within(host, address.Host(websiteDomain)) {
		return ""
	}
	if s, ok := Lookup(host); ok {
		return s.Domain
	}
	return host
}

// local reports whether host is this machine.
func local(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// within reports whether host is domain or below it.
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
	byHost  map[string]int // index into sources
	byName  map[string]int // the same, by names in lower case
}

// loaded reads the table on first use. A test reads every line of the file.
var loaded = sync.OnceValue(func() table { return parse(file) })

// parse reads lines of "name | kind | main domain and hosts".
func parse(text string) table {
	t := table{byHost: make(map[string]int, 1024), byName: map[string]int{}}
	for line := range strings.Lines(text) {
		part := strings.Split(line, "|")
		if strings.HasPrefix(line, "#") || len(part) != 3 {
			continue
		}
		s := Source{
			Name:  strings.TrimSpace(part[0]),
			Kind:  Kind(strings.TrimSpace(part[1])),
			Hosts: strings.Fields(part[2]),
		}
		if len(s.Hosts) == 0 {
			continue
		}
		s.Domain = s.Hosts[0]
		for _, h := range s.Hosts {
			t.byHost[h] = len(t.sources)
		}
		t.byName[strings.ToLower(s.Name)] = len(t.sources)
		t.sources = append(t.sources, s)
	}
	return t
}
