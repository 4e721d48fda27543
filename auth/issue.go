package auth

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/sightline-analytics/sightline/internal/mistake"
)

// maxText is the maximum length of a key's id, owner and name, in characters.
const maxText = 255

// An Issuer prepares the records of new and rotated keys. Stores use it so that all of them accept
// and refuse the same keys. The zero Issuer is ready to use.
type Issuer struct {
	Prefix string           // prefix of secrets; empty means DefaultPrefix
	Rand   io.Reader        // nil means crypto/rand
	Now    func() time.Time // nil means time.Now
}

// Issue returns k as a store has to save it, and a new secret. It generates an empty id, sets a zero
// CreatedAt to now, and sets Prefix and Start. It clears Old and LastUsed and rounds times to whole
// milliseconds in UTC. The result shares no memory with k. The error wraps [ErrBadKey] if k fails
// [Key.Check].
func (i Issuer) Issue(k Key) (Key, Secret, error) {
	if err := k.Check(); err != nil {
		return Key{}, Secret{}, err
	}
	s, err := NewSecret(i.Rand, i.Prefix)
	if err != nil {
		return Key{}, Secret{}, err
	}
	k = k.Clone()
	if k.ID == "" {
		id, err := base62(i.Rand, 20)
		if err != nil {
			return Key{}, Secret{}, err
		}
		k.ID = "key_" + id
	}
	if k.CreatedAt.IsZero() {
		k.CreatedAt = i.now()
	}
	k.settle()
	k.Old, k.LastUsed = nil, time.Time{}
	k.Prefix, k.Start = s.Prefix(), s.Start()
	return k, s, nil
}

// Amend returns k after change. Only changes to the name, scopes, resources, filters, types, limits,
// expiry and Disabled count; other fields keep their values. The error comes from change, [ErrRevoked], or
// wraps [ErrBadKey] if the result fails [Key.Check].
func (i Issuer) Amend(k Key, change func(*Key) error) (Key, error) {
	if !k.Revoked.IsZero() {
		return Key{}, ErrRevoked
	}
	n := k.Clone()
	if err := change(&n); err != nil {
		return Key{}, err
	}
	if err := n.Check(); err != nil {
		return Key{}, err
	}
	n = n.Clone()
	n.settle()
	n.ID, n.Owner, n.Prefix, n.Start, n.Shares = k.ID, k.Owner, k.Prefix, k.Start, cloneShares(k.Shares)
	n.CreatedAt, n.Revoked, n.Old, n.LastUsed = k.CreatedAt, k.Revoked, slices.Clone(k.Old), k.LastUsed
	return n, nil
}

// settle converts fields to the form in which stores save them.
func (k *Key) settle() {
	for n := range k.Resources {
		k.Resources[n].Owner = ""
	}
	k.CreatedAt, k.Expires, k.Revoked = millis(k.CreatedAt), millis(k.Expires), millis(k.Revoked)
}

func (i Issuer) now() time.Time {
	if i.Now == nil {
		return time.Now()
	}
	return i.Now()
}

// millis truncates t to milliseconds, as stores do, and removes the monotonic clock reading.
func millis(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return time.UnixMilli(t.UnixMilli()).UTC()
}

// Check returns every reason why k cannot be issued, as [FieldErrors], or nil. A key may lack scopes
// or reach no resource.
func (k *Key) Check() error {
	var faults FieldErrors
	if k.Owner == "" {
		faults.add("owner", mistake.Required)
	}
	for _, text := range []struct{ name, value string }{{"id", k.ID}, {"owner", k.Owner}, {"name", k.Name}} {
		switch {
		case !utf8.ValidString(text.value):
			faults.add(text.name, mistake.NotUTF8)
		case utf8.RuneCountInString(text.value) > maxText:
			faults.add(text.name, mistake.Long(maxText))
		case strings.ContainsFunc(text.value, unicode.IsControl):
			faults.add(text.name, mistake.Control)
		}
	}
	faults.checkScopes(k.Scopes, Scopes())
	atMost(&faults, "scopes", k.Scopes, len(Scopes()), quoted)
	if k.All && len(k.Resources) > 0 {
		faults.add("resources", "must be empty if all is true: set either all or resources")
	}
	faults.checkNarrowing(k.Resources, k.Filters, k.Types)
	if l := k.Limits; l != nil && (l.PerMinute < 1 || l.PerMinute > MaxPerMinute) {
		faults.add("perMinute", fmt.Sprintf("must be between 1 and %d, not %d", MaxPerMinute, l.PerMinute))
	}
	if len(k.Shares) > MaxShares {
		faults.add("perMinute", "must be the limit of your key: too many keys made each other with lower limits")
	}
	if size := k.Size(); size > MaxKeyBytes && len(faults) == 0 {
		faults.add("body", fmt.Sprintf("must have at most %d bytes in its name and lists, not %d", MaxKeyBytes, size))
	}
	return faults.err()
}

func (f *FieldErrors) checkScopes(scopes, allowed []Scope) {
	for i, s := range scopes {
		if !slices.Contains(allowed, s) {
			f.add(fmt.Sprintf("scopes[%d]", i), mistake.OneOf(s, allowed...))
		}
	}
}

// maxNesting is the largest number of groups around a filter.
const maxNesting = 5

// checkFilter checks a filter at that place, which has depth groups around it.
func (f *FieldErrors) checkFilter(at string, one Filter, depth int) {
	kinds := 0
	for _, is := range []bool{one.Field != "" || one.Op != "" || len(one.Values) > 0, one.And != nil, one.Or != nil,
		one.Not != nil, one.Did != nil} {
		if is {
			kinds++
		}
	}
	parts := one.Parts()
	withoutValue := one.Op == "exists" || one.Op == "not_exists"
	switch group := one.And != nil || one.Or != nil || one.Not != nil; {
	case group && (kinds > 1 || len(parts) == 0):
		f.add(at, "must have either a field, an op and values, or one of and, or, not and did")
	case depth > maxNesting:
		f.add(at, fmt.Sprintf("may have at most %d groups around it", maxNesting))
	case one.Did != nil && kinds > 1:
		f.add(at, "must have either did or a field, an op and values")
	case one.Did != nil:
		f.checkDid(at+".did", one.Did, depth)
	case !group && (one.Field == "" || one.Op == "" || len(one.Values) == 0 && !withoutValue):
		f.add(at, "must have a field, an op and values")
	// A store would replace invalid UTF-8, and the filter would then match other values.
	case !utf8.ValidString(one.Field + one.Op + strings.Join(one.Values, "")):
		f.add(at, mistake.NotUTF8)
	default:
		atMost(f, at+".values", one.Values, MaxValues, quoted)
		for _, part := range parts {
			f.checkFilter(at, part, depth+1)
		}
	}
}

// checkFilters checks a list of mandatory filters.
func (f *FieldErrors) checkFilters(filters []Filter) {
	if n := countFilters(filters); n > MaxFilters {
		f.add("filters", fmt.Sprintf("may have at most %d filters, not %d", MaxFilters, n))
		return
	}
	texts := make([]string, len(filters))
	for i, one := range filters {
		f.checkFilter(fmt.Sprintf("filters[%d]", i), one, 0)
		js, _ := json.Marshal(one) // filters have only texts
		texts[i] = string(js)
	}
	atMost(f, "filters", texts, MaxFilters, func(string) string { return "the filter" })
}

// countFilters returns the number of filters, also of those in groups and in did.
func countFilters(filters []Filter) int {
	n := len(filters)
	for _, one := range filters {
		n += countFilters(one.Parts())
		if one.Did != nil {
			n += countFilters(one.Did.Filters)
		}
	}
	return n
}

// checkNarrowing checks the fields that narrow keys and tokens.
func (f *FieldErrors) checkNarrowing(resources []Resource, filters []Filter, types []string) {
	for i, r := range resources {
		if ReadScopes(r.Kind) == nil {
			f.add(fmt.Sprintf("resources[%d].kind", i), mistake.OneOf(r.Kind, "website", "link", "schedule"))
		}
		if r.ID == "" || !utf8.ValidString(r.ID) {
			f.add(fmt.Sprintf("resources[%d].id", i), "is required and must be valid UTF-8")
		}
	}
	atMost(f, "resources", resources, MaxResources, func(r Resource) string { return r.Kind + " " + quoted(r.ID) })
	f.checkFilters(filters)
	atMost(f, "types", types, MaxTypes, quoted)
	if slices.Contains(types, "") || !utf8.ValidString(strings.Join(types, "")) {
		f.add("types", "must be names of query types in valid UTF-8")
	}
}
