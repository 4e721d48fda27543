package auth

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/internal/listing"
	"github.com/sightline-analytics/sightline/internal/mistake"
)

// Bounds of keys. Stores count the keys of an owner in the transaction that adds or changes one.
const (
	MaxKeys      = 1000      // keys of an owner that are neither revoked nor expired
	MaxEndedKeys = 1000      // revoked and expired keys of an owner; beyond it those that ended first are removed
	MaxKeysBytes = 16 << 20  // [Key.Size] of all keys of an owner that are neither revoked nor expired
	MaxKeyBytes  = 64 << 10  // [Key.Size] of a key
	MaxResources = 1000      // resources of a key or a panel token
	MaxTypes     = 200       // query types of a key or a panel token
	MaxFilters   = 100       // mandatory filters of a key or a panel token, also in groups and in did
	MaxValues    = 1000      // values of a mandatory filter
	MaxPerMinute = 1_000_000 // requests per minute of a key with limits of its own
)

// ErrBound: an owner would have more keys than [MaxKeys], or larger ones than [MaxKeysBytes]. The error is a
// [BoundError].
var ErrBound = mistake.ErrBound

// A BoundError says which bound a new or changed key would exceed. It wraps [ErrBound].
type BoundError = mistake.BoundError

// A Page is a part of the list of an owner's keys, by creation time, then id.
type Page = listing.Page

// Position returns the place of k in the list of its owner's keys.
func (k Key) Position() listing.Position { return listing.Position{At: k.CreatedAt, ID: k.ID} }

// Size returns the bytes of the name of k and of the JSON of its lists.
func (k *Key) Size() int64 {
	size := len(k.Name)
	for _, list := range []any{k.Scopes, k.Resources, k.Filters, k.Types} {
		js, _ := json.Marshal(list) // the lists have only texts
		size += len(js)
	}
	return int64(size)
}

// Ended returns when k was revoked or expires, whichever comes first, and whether k is revoked or expired at now.
func (k *Key) Ended(now time.Time) (time.Time, bool) {
	at := k.Revoked
	if !k.Expires.IsZero() && (at.IsZero() || k.Expires.Before(at)) {
		at = k.Expires
	}
	return at, !k.Revoked.IsZero() || !at.IsZero() && !at.After(now)
}

// NeedsRoom reports whether k takes more of the room of its owner than before, which is nil for a new key. Then a store
// calls [CheckRoom]. So a key can always be narrowed.
func (k *Key) NeedsRoom(before *Key, now time.Time) bool {
	if _, ended := k.Ended(now); ended {
		return false
	}
	if before == nil {
		return true
	}
	_, ended := before.Ended(now)
	return ended || k.Size() > before.Size()
}

// CheckRoom returns a [BoundError] if an owner cannot have so many keys of this size, all keys that are neither revoked
// nor expired counted. A store calls it before it commits a new or changed key.
func CheckRoom(number, size int64) error {
	return errors.Join(mistake.Within("an owner", "keys", number, MaxKeys),
		mistake.Within("an owner", "bytes of keys", size, MaxKeysBytes))
}

// atMost adds a mistake if a list has too many members, and one for each member that occurs before. name describes a
// member.
func atMost[T comparable](f *FieldErrors, field string, list []T, most int, name func(T) string) {
	if len(list) > most {
		f.add(field, fmt.Sprintf("may have at most %d members, not %d", most, len(list)))
		return
	}
	first := make(map[T]int, len(list))
	for i, one := range list {
		if at, repeated := first[one]; repeated {
			f.add(fmt.Sprintf("%s[%d]", field, i), fmt.Sprintf("must not repeat %s of %s[%d]", name(one), field, at))
			continue
		}
		first[one] = i
	}
}

// quoted returns text in quotes, cut to a length that fits a message.
func quoted[T ~string](text T) string { return fmt.Sprintf("%+.64q", string(text)) }
