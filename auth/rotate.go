package auth

import (
	"fmt"
	"slices"
	"time"
)

// MaxOldSecrets is the maximum number of old secrets of a key that are valid at the same time.
const MaxOldSecrets = 5

// An OldSecret describes a secret that a rotation replaced.
type OldSecret struct {
	Start string    // its first 8 characters
	Until time.Time // the secret is invalid from this time on
}

// Digests holds the digests of a key's secrets, which a store saves next to the key.
type Digests struct {
	Current Digest
	Old     []Digest // digests of the secrets in Key.Old, in the same order
}

// Accept reports whether d is the digest of k's current secret or of an old one in its grace period. It
// compares d with all of them, each in constant time.
func (s Digests) Accept(k *Key, d Digest, now time.Time) bool {
	accepted := s.Current.Equal(d)
	for i, old := range s.Old {
		if old.Equal(d) && i < len(k.Old) && now.Before(k.Old[i].Until) {
			accepted = true
		}
	}
	return accepted
}

// Reissue returns k with a new secret, and the digests of its old secrets. The caller sets Digests.Current.
// Only Prefix, Start and Old change. The replaced secret stays valid for grace, but not beyond the key's
// expiry. Older secrets keep their own grace periods; beyond [MaxOldSecrets] the oldest one becomes invalid.
// A rotation without grace invalidates all old secrets at once, since it follows a leak. The error wraps
// [ErrRevoked], [ErrExpired] or, if grace is negative, [ErrBadKey].
func (i Issuer) Reissue(k Key, known Digests, grace time.Duration) (Key, Digests, Secret, error) {
	if err := i.renewable(k, grace); err != nil {
		return Key{}, Digests{}, Secret{}, err
	}
	s, err := NewSecret(i.Rand, i.Prefix)
	if err != nil {
		return Key{}, Digests{}, Secret{}, err
	}
	k = k.Clone()
	now, old, digests := i.now(), k.Old, Digests{}
	k.Old = nil
	keep := func(one OldSecret, d Digest) {
		if len(k.Old) < MaxOldSecrets && now.Before(one.Until) {
			k.Old, digests.Old = append(k.Old, one), append(digests.Old, d)
		}
	}
	if grace > 0 {
		until := millis(now.Add(grace))
		if !k.Expires.IsZero() && until.After(k.Expires) {
			until = k.Expires
		}
		keep(OldSecret{Start: k.Start, Until: until}, known.Current)
		for n := range min(len(old), len(known.Old)) {
			keep(old[n], known.Old[n])
		}
	}
	k.Prefix, k.Start = s.Prefix(), s.Start()
	return k, digests, s, nil
}

func (i Issuer) renewable(k Key, grace time.Duration) error {
	switch {
	case !k.Revoked.IsZero():
		return ErrRevoked
	case !k.Expires.IsZero() && !i.now().Before(k.Expires):
		return ErrExpired
	case grace < 0:
		return FieldErrors{{Field: "grace", Message: fmt.Sprintf("must not be negative, not %v", grace)}}
	}
	return nil
}

// OldSecrets returns the old secrets of k that are valid at now, the newest first.
func (k *Key) OldSecrets(now time.Time) []OldSecret {
	return slices.DeleteFunc(slices.Clone(k.Old), func(o OldSecret) bool { return !now.Before(o.Until) })
}
