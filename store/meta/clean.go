package meta

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/sightline-analytics/sightline/store"
)

const (
	maxText   = 255  // characters in ids and labels
	maxURL    = 2048 // bytes
	maxDomain = 253  // bytes
	maxRules  = 200  // entries in each list of a website's rules
)

// faults cleans the fields of a record, and collects the problems with them.
type faults []error

func (f *faults) addf(format string, args ...any) {
	*f = append(*f, fmt.Errorf(format, args...))
}

// err returns the problems of a record as one error, or nil if there are none. sort is the kind of the record.
func (f faults) err(sort string) error {
	if len(f) == 0 {
		return nil
	}
	return fmt.Errorf("store/meta: %s: %w: %w", sort, store.ErrInvalid, errors.Join(f...))
}

// id checks a given id, which must be printable and without spaces. It generates an id if given is empty.
func (f *faults) id(prefix, given string) string {
	if given == "" {
		return prefix + "_" + strings.ToLower(rand.Text())
	}
	f.text("id", given)
	if strings.ContainsFunc(given, unicode.IsSpace) {
		f.addf("id must not contain spaces, but %q does", given)
	}
	return given
}

func (f *faults) required(field, given string) string {
	if given == "" {
		f.addf("%s is required", field)
	}
	f.text(field, given)
	return given
}

// label trims and checks a text that people read.
func (f *faults) label(field, given string) string {
	given = strings.TrimSpace(given)
	f.text(field, given)
	return given
}

func (f *faults) text(field, given string) {
	switch {
	case !utf8.ValidString(given):
		f.addf("%s must be UTF-8", field)
	case utf8.RuneCountInString(given) > maxText:
		f.addf("%s may have at most %d characters", field, maxText)
	case strings.ContainsFunc(given, unicode.IsControl):
		f.addf("%s must not contain control characters", field)
	}
}

// address checks that given is an absolute URL, with one of schemes if any are given.
func (f *faults) address(field, given string, schemes ...string) string {
	given = strings.TrimSpace(given)
	u, err := url.Parse(given)
	switch {
	case given == "":
		f.addf("%s is required", field)
	case len(given) > maxURL:
		f.addf("%s may have at most %d bytes", field, maxURL)
	case err != nil || u.Host == "" || !utf8.ValidString(given):
		f.addf("%s must be an absolute URL, not %q", field, given)
	case len(schemes) > 0 && !slices.Contains(schemes, u.Scheme):
		f.addf("%s must begin with %s, not %s", field, strings.Join(schemes, " or "), u.Scheme)
	}
	return given
}

// domain returns the host in a domain, an address, or any part of an address that includes the host.
func (f *faults) domain(given string) string {
	host := hostOf(given)
	switch {
	case strings.TrimSpace(given) == "":
		f.addf("domain is required")
	case !isHost(host):
		f.addf("domain must be a host, not %q", given)
	}
	return host
}

func isHost(host string) bool {
	bad := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune(".-_:", r)
	}
	return host != "" && len(host) <= maxDomain && utf8.ValidString(host) && !strings.ContainsFunc(host, bad)
}

// origins reduces each origin to a host, *.host or *, except for null and origins of apps. It does not change
// given.
func (f *faults) origins(given []string) []string {
	f.atMost("allowed origins", len(given))
	var cleaned []string
	for _, one := range given {
		if app, ok := appOrigin(one); ok {
			cleaned = append(cleaned, app)
			continue
		}
		host := hostOf(one)
		if host != "*" && !isHost(strings.TrimPrefix(host, "*.")) {
			f.addf("allowed origin: %q must be a host, *.host, *, null or the origin of an app such as capacitor://localhost", one)
		}
		cleaned = append(cleaned, host)
	}
	return cleaned
}

// appOrigin returns an origin that only matches as a whole, such as null or the origin of an app, and true. It
// returns false for any other text.
func appOrigin(text string) (string, bool) {
	text = strings.TrimSuffix(strings.ToLower(strings.TrimSpace(text)), "/")
	if text == store.NullOrigin {
		return text, true
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" || u.Scheme == "http" || u.Scheme == "https" || u.Host == "" || u.String() != u.Scheme+"://"+u.Host {
		return "", false
	}
	return text, true
}

// networks sets the host bits of each network to zero. It does not change given.
func (f *faults) networks(field string, given []netip.Prefix) []netip.Prefix {
	f.atMost(field+"es", len(given))
	var cleaned []netip.Prefix
	for _, one := range given {
		if !one.IsValid() || one.Addr().Is4In6() { // an IPv4-mapped network would contain no IPv4 address
			f.addf("%s: %v is not an IPv4 or IPv6 network", field, one)
		}
		cleaned = append(cleaned, one.Masked())
	}
	return cleaned
}

func (f *faults) atMost(field string, n int) {
	if n > maxRules {
		f.addf("%s may have at most %d entries, not %d", field, maxRules, n)
	}
}

// hostOf removes scheme, user, port, path, query, trailing dots and the brackets of IPv6. It is more lenient than
// a URL parser, because people type hosts in many ways.
func hostOf(text string) string {
	text = strings.ToLower(strings.TrimSpace(text))
	if scheme, after, ok := strings.Cut(text, "://"); ok && !strings.ContainsAny(scheme, "/?#") {
		text = after
	}
	text = strings.TrimPrefix(text, "//")
	if i := strings.IndexAny(text, `/?#\`); i >= 0 {
		text = text[:i]
	}
	text = text[strings.LastIndexByte(text, '@')+1:]
	if inner, ok := strings.CutPrefix(text, "["); ok {
		host, _, _ := strings.Cut(inner, "]")
		return host
	}
	// One colon begins a port. Several colons are an IPv6 address without brackets.
	if host, _, ok := strings.Cut(text, ":"); ok && strings.Count(text, ":") == 1 {
		text = host
	}
	return strings.TrimRight(text, ".")
}

// created returns at, or the current time if at is zero, as the database stores it: in UTC, in whole milliseconds.
func (s *Store) created(at time.Time) time.Time {
	if at.IsZero() {
		at = s.cfg.Now()
	}
	return instant(at.UnixMilli())
}

func instant(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
