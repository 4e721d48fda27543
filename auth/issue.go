package auth

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// maxText is the most characters that an id, an owner or a name of a key may have.
const maxText = 255

// An Issuer makes what a store needs for a new key and for a rotated one. Stores use it so that all of
// them accept and refuse the same keys. The zero Issuer is ready.
type Issuer struct {
	Prefix string           // begins secrets; empty means DefaultPrefix
	Rand   io.Reader        // nil means crypto/rand
	Now    func() time.Time // nil means time.Now
}

// Issue returns k as a store keeps it, and its secret. An empty id is made, a zero
// CreatedAt becomes now, prefix and start are set, Grace and LastUsed are cleared, instants become
// whole milliseconds in UTC, and nothing is shared with k. Its error wraps [ErrBadKey] when k fails
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
	k.Grace, k.LastUsed = time.Time{}, time.Time{}
	k.Prefix, k.Start = s.Prefix(), s.Start()
	return k, s, nil
}

// Reissue returns k with a new secret; all but prefix, start and Grace stays. grace is how long the old
// secret stays valid: not at all when it is 0, and not past the key's expiry. Its error wraps
// [ErrBadKey] when k is revoked or expired, since a new secret would not work either, and when grace is
// negative.
func (i Issuer) Reissue(k Key, grace time.Duration) (Key, Secret, error) {
	if err := i.renewable(k, grace); err != nil {
		return Key{}, Secret{}, err
	}
	s, err := NewSecret(i.Rand, i.Prefix)
	if err != nil {
		return Key{}, Secret{}, err
	}
	k = k.Clone()
	k.Prefix, k.Start, k.Grace = s.Prefix(), s.Start(), time.Time{}
	if grace > 0 {
		k.Grace = millis(i.now().Add(grace))
	}
	if !k.Expires.IsZero() && k.Grace.After(k.Expires) {
		k.Grace = k.Expires
	}
	return k, s, nil
}

// Amend returns k with the changes that change makes to its name, scopes, resources, filters, types,
// limits, expiry and Disabled. All other fields stay. Its error wraps [ErrBadKey] when k is revoked, or
// when the result fails [Key.Check].
func (i Issuer) Amend(k Key, change func(*Key)) (Key, error) {
	if !k.Revoked.IsZero() {
		return Key{}, fmt.Errorf("%w: it is revoked", ErrBadKey)
	}
	n := k.Clone()
	change(&n)
	if err := n.Check(); err != nil {
		return Key{}, err
	}
	n = n.Clone()
	n.settle()
	n.ID, n.Owner, n.Prefix, n.Start = k.ID, k.Owner, k.Prefix, k.Start
	n.CreatedAt, n.Revoked, n.Grace, n.LastUsed = k.CreatedAt, k.Revoked, k.Grace, k.LastUsed
	return n, nil
}

// settle brings fields into the form in which stores keep them.
func (k *Key) settle() {
	for n := range k.Resources {
		k.Resources[n].Owner = ""
	}
	k.CreatedAt, k.Expires, k.Revoked = millis(k.CreatedAt), millis(k.Expires), millis(k.Revoked)
}

func (i Issuer) renewable(k Key, grace time.Duration) error {
	switch {
	case !k.Revoked.IsZero():
		return fmt.Errorf("%w: it is revoked", ErrBadKey)
	case !k.Expires.IsZero() && !i.now().Before(k.Expires):
		return fmt.Errorf("%w: it is expired", ErrBadKey)
	case grace < 0:
		return fmt.Errorf("%w: grace of %v", ErrBadKey, grace)
	}
	return nil
}

func (i Issuer) now() time.Time {
	if i.Now == nil {
		return time.Now()
	}
	return i.Now()
}

// millis drops what stores do not keep, and the monotonic clock.
func millis(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return time.UnixMilli(t.UnixMilli()).UTC()
}

// Check returns every reason why k cannot be issued, joined, or nil; the error wraps
// [ErrBadKey]. A key without scopes, or that reaches no resource, is no error.
func (k *Key) Check() error {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("%w: "+format, append([]any{ErrBadKey}, args...)...))
	}
	if k.Owner == "" {
		fault("owner is missing")
	}
	for _, text := range []string{k.ID, k.Owner, k.Name} {
		switch {
		case !utf8.ValidString(text):
			fault("id, owner or name is not UTF-8")
		case utf8.RuneCountInString(text) > maxText:
			fault("id, owner or name has more than %d characters", maxText)
		case strings.ContainsFunc(text, unicode.IsControl):
			fault("id, owner or name has control characters")
		}
	}
	for i, s := range k.Scopes {
		if !slices.Contains(Scopes(), s) {
			fault("scopes[%d]: %q is not one of %q", i, s, Scopes())
		}
	}
	if k.All && len(k.Resources) > 0 {
		fault("it is over all resources and over a list of them; say one")
	}
	for i, r := range k.Resources {
		if ReadScopes(r.Kind) == nil || r.ID == "" || !utf8.ValidString(r.ID) {
			fault("resources[%d]: %q %q is no website, link or schedule with an id", i, r.Kind, r.ID)
		}
	}
	for i, f := range k.Filters {
		if f.Field == "" || f.Op == "" || len(f.Values) == 0 {
			fault("filters[%d]: needs a field, an op and values", i)
		}
		// Kept otherwise than it was said, it would not filter what it should.
		if !utf8.ValidString(f.Field + f.Op + strings.Join(f.Values, "")) {
			fault("filters[%d] is not UTF-8", i)
		}
	}
	if slices.Contains(k.Types, "") || !utf8.ValidString(strings.Join(k.Types, "")) {
		fault("types: one is empty or not UTF-8")
	}
	if k.Limits != nil && k.Limits.PerMinute < 1 {
		fault("limits: %d requests per minute", k.Limits.PerMinute)
	}
	return errors.Join(faults...)
}
