// Package visitorid hashes the ids of visitors that senders choose:
//
//	salt, err := salts.Salt(ctx, day)
//	ids := visitorid.NewHasher(salt)
//	stored := ids.Hash("web_shop", "the id in the browser")
//
// The same id of another website, or of a day with another salt, has another hash. Without the salt nobody can compute
// it.
package visitorid

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"hash"
)

// A Hasher hashes ids with the salt of a UTC day. It is for one goroutine.
type Hasher struct{ salted hash.Hash }

// NewHasher returns a Hasher with a salt, which must not be empty.
func NewHasher(salt []byte) *Hasher { return &Hasher{hmac.New(sha256.New, salt)} }

// Hash returns the text that is stored for an id of a website: 64 hexadecimal digits. Neither may have control
// characters.
func (h *Hasher) Hash(website, id string) string {
	h.salted.Reset()
	h.salted.Write([]byte(website + "\x00" + id))
	return hex.EncodeToString(h.salted.Sum(nil))
}
