package store

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sightline-analytics/sightline/internal/mistake"
)

// A WebsiteManager lists and changes the websites of a service. meta.Store and [MemoryDirectory] are two.
type WebsiteManager interface {
	// WebsitePage lists websites of owner, by creation time, then id.
	WebsitePage(ctx context.Context, owner string, page Page) ([]Website, error)
	// Website returns one website as it is stored now, or an error that wraps ErrNotFound.
	Website(ctx context.Context, id string) (Website, error)
	// CreateWebsite stores w and returns it as it is stored: see [CleanWebsite]. An empty id is generated, and a zero
	// CreatedAt becomes the current time. Its error wraps ErrInvalid if the website is invalid, or [ErrBound].
	CreateWebsite(ctx context.Context, w Website) (Website, error)
	// ChangeWebsite changes a website by amend, and returns the stored result, cleaned as CreateWebsite does. Its id,
	// owner and CreatedAt stay. It may call amend more than once, and amend must not use the manager. Its error wraps
	// ErrNotFound, ErrInvalid or [ErrBound].
	ChangeWebsite(ctx context.Context, id string, amend func(*Website)) (Website, error)
	// RemoveWebsite removes a website. Its rows stay stored, and its id is never given to another owner. Its error
	// wraps ErrNotFound.
	RemoveWebsite(ctx context.Context, id string) error
}

// The bounds of websites.
const (
	MaxLabel = 255 // characters in texts that people read
	MaxRules = 200 // entries in each list of Rules
	// days, if Rules.RetentionDays is not 0: a few are needed to compute totals, and to recognise repeated events
	MinRetention = 7
	MaxRetention = 36_500

	maxDomain = 253 // bytes
)

// A FieldError is a field of a record that cannot be stored as given.
type FieldError struct {
	Field   string // its name in JSON, such as allowedOrigins[1]
	Name    string // its name in sentences
	Message string // what is wrong, after the name
}

// FieldErrors are all mistakes of a record. They wrap ErrInvalid.
type FieldErrors []FieldError

// Error returns a sentence for each mistake, one per line.
func (e FieldErrors) Error() string {
	lines := make([]string, len(e))
	for i, one := range e {
		lines[i] = one.Name + " " + one.Message
	}
	return strings.Join(lines, "\n")
}

// Mistakes returns the first 100 mistakes, with the names of fields in JSON.
func (e FieldErrors) Mistakes() []mistake.FieldError {
	var all mistake.List
	for _, one := range e {
		all.Add(one.Field, one.Message)
	}
	return all
}

// Unwrap returns ErrInvalid.
func (e FieldErrors) Unwrap() error { return ErrInvalid }

// CleanWebsite cleans the fields of w: the domain and allowed origins become bare hosts in lower case (whole URLs are
// accepted), an empty name becomes the domain, and networks lose their host bits. It does not change the lists of w in
// place, and leaves id, owner and CreatedAt as they are, but refuses an id with an [IDFault]. Its error is
// [FieldErrors].
func CleanWebsite(w *Website) error {
	var c cleaner
	if fault := IDFault(w.ID); w.ID != "" && fault != "" {
		c.add("id", "id", "%s", fault)
	}
	w.Domain = c.domain(w.Domain)
	w.Name = strings.TrimSpace(w.Name)
	if fault := LabelFault(w.Name); fault != "" {
		c.add("name", "name", "%s", fault)
	}
	w.Name = cmp.Or(w.Name, w.Domain)
	r := &w.Rules
	if r.MonthlyEvents < 0 {
		c.add("monthlyEvents", "monthly events", "must be at least 0, not %d", r.MonthlyEvents)
	}
	if days := r.RetentionDays; days != 0 && (days < MinRetention || days > MaxRetention) {
		c.add("retentionDays", "retention", "must be 0 or between %d and %d days, not %d", MinRetention, MaxRetention,
			days)
	}
	r.AllowedOrigins = c.origins(r.AllowedOrigins)
	r.AllowedAddresses = c.networks("allowedAddresses", "allowed address", r.AllowedAddresses)
	r.BlockedAddresses = c.networks("blockedAddresses", "blocked address", r.BlockedAddresses)
	if len(c) == 0 {
		return nil
	}
	return FieldErrors(c)
}

// IDFault returns what is wrong with an id of a website, link, monitor or owner, or an empty text. Ids stand in
// addresses, commands and lists, so no id may look like another one, or like a part of an address.
func IDFault(id string) string {
	fault := LabelFault(id)
	switch {
	case fault != "":
		return fault
	case id == "":
		return "is required"
	case strings.Trim(id, ".") == "":
		return "must not have only dots"
	case strings.ContainsFunc(id, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsGraphic(r) }):
		return fmt.Sprintf("must not contain spaces or invisible characters, but %q does", id)
	case strings.ContainsAny(id, `/\?#%,`):
		return fmt.Sprintf("must not contain any of / \\ ? # %% and commas, but %q does", id)
	}
	return ""
}

// misleading reports whether a character changes the direction or the lines of the text around it.
func misleading(r rune) bool {
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' || r == '\u2028' || r == '\u2029'
}

// LabelFault returns what is wrong with a text that people read, or an empty text.
func LabelFault(text string) string {
	switch {
	case !utf8.ValidString(text):
		return "must be UTF-8"
	case utf8.RuneCountInString(text) > MaxLabel:
		return fmt.Sprintf("may have at most %d characters", MaxLabel)
	case strings.ContainsFunc(text, unicode.IsControl):
		return "must not contain control characters"
	case strings.ContainsFunc(text, misleading):
		return "must not contain characters that change the direction of text, or line separators"
	}
	return ""
}

// A cleaner collects the mistakes of a website.
type cleaner FieldErrors

func (c *cleaner) add(field, name, format string, args ...any) {
	*c = append(*c, FieldError{field, name, fmt.Sprintf(format, args...)})
}

// domain returns the host in a domain, an address, or any part of an address that includes the host.
func (c *cleaner) domain(given string) string {
	host := hostOf(given)
	switch {
	case strings.TrimSpace(given) == "":
		c.add("domain", "domain", "is required")
	case !isHost(host):
		c.add("domain", "domain", "must be a host, not %q", given)
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
func (c *cleaner) origins(given []string) []string {
	c.atMost("allowedOrigins", "allowed origins", len(given))
	var cleaned []string
	for i, one := range given {
		if app, ok := appOrigin(one); ok && len(app) <= maxDomain {
			cleaned = append(cleaned, app)
			continue
		}
		host := hostOf(one)
		if host != "*" && !isHost(strings.TrimPrefix(host, "*.")) {
			c.add(fmt.Sprintf("allowedOrigins[%d]", i), "allowed origin:",
				"%q must be a host, *.host, *, null or the origin of an app such as capacitor://localhost", one)
		}
		cleaned = append(cleaned, host)
	}
	repeats(c, "allowedOrigins", "allowed origin:", cleaned)
	return cleaned
}

// appOrigin returns an origin that only matches as a whole, such as null or the origin of an app, and true. It
// returns false for any other text.
func appOrigin(text string) (string, bool) {
	text = strings.TrimSuffix(strings.ToLower(strings.TrimSpace(text)), "/")
	if text == NullOrigin {
		return text, true
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" || u.Scheme == "http" || u.Scheme == "https" || u.Host == "" ||
		u.String() != u.Scheme+"://"+u.Host {
		return "", false
	}
	return text, true
}

// networks sets the host bits of each network to zero. It does not change given.
func (c *cleaner) networks(field, name string, given []netip.Prefix) []netip.Prefix {
	c.atMost(field, name+"es", len(given))
	var cleaned []netip.Prefix
	for i, one := range given {
		if !one.IsValid() || one.Addr().Is4In6() { // an IPv4-mapped network would contain no IPv4 address
			c.add(fmt.Sprintf("%s[%d]", field, i), name+":", "%v is not an IPv4 or IPv6 network", one)
		}
		cleaned = append(cleaned, one.Masked())
	}
	repeats(c, field, name+":", cleaned)
	return cleaned
}

// repeats adds a mistake for each member that occurs before.
func repeats[T comparable](c *cleaner, field, name string, list []T) {
	first := make(map[T]int, len(list))
	for i, one := range list {
		if at, repeated := first[one]; repeated && len(*c) < MaxRules {
			c.add(fmt.Sprintf("%s[%d]", field, i), name, "%v must not be given twice: %s[%d] has it", one, field, at)
		} else {
			first[one] = i
		}
	}
}

func (c *cleaner) atMost(field, name string, n int) {
	if n > MaxRules {
		c.add(field, name, "may have at most %d entries, not %d", MaxRules, n)
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
