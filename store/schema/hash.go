package schema

import "slices"

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
