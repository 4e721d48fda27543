package schema

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
)

// A Hash is a column that stores add to the logical columns of a table: a 63-bit hash of a text, for statements that
// only compare for equality. Comparing numbers costs half as much as comparing ids. The hash of the empty text is 0.
// Senders choose ids, so nobody should be able to find two texts with the same hash: use a cryptographic hash with a
// secret key.
//
// Two of n texts have the same hash with a probability of about n²/2⁶⁴: five in a million for ten million
// texts.
type Hash struct {
	Name string
	Of   string // the column with the text
}

// hashes lists the hashes that every table with the text has.
var hashes = []Hash{{"session_hash", "session_id"}, {"visitor_hash", "visitor"}}

// Hashes returns the hashes of t. Each store may use its own hash function, because no answer shows a hash.
func (t *Table) Hashes() []Hash {
	return slices.DeleteFunc(slices.Clone(hashes), func(h Hash) bool { return !t.Has(h.Of) })
}

// HashText returns the hash of a text for a column of [Hash]: the first 63 bits of a SHA-256 of the key and the text.
// The hash of the empty text is 0.
func HashText(key []byte, text string) int64 {
	if text == "" {
		return 0
	}
	sum := sha256.Sum256(append(append(make([]byte, 0, 128), key...), text...))
	return int64(binary.BigEndian.Uint64(sum[:8]) >> 1)
}

// Hash returns 96 bits of a SHA-256 of i, by which a store can recognise rows that it received before.
func (i Identity) Hash() (hi int64, lo int32) {
	text := append(make([]byte, 0, 128), byte(i.Table), i.Kind, 0)
	if i.Keyed {
		text[2] = 1
	}
	text = binary.AppendUvarint(text, uint64(len(i.Subject)))
	text = append(append(text, i.Subject...), i.ID...)
	sum := sha256.Sum256(text)
	return int64(binary.BigEndian.Uint64(sum[:8])), int32(binary.BigEndian.Uint32(sum[8:12]))
}
