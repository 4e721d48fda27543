package schema

import "slices"

// A Hash is a column beside the logical ones of a table. It has 63 bits that stand for a text
// where all that counts is whether texts are the same: comparing numbers costs half of what
// comparing ids does. It is 0 for the empty text.
//
// Two of n texts share a number with a chance of about n²/2⁶⁴: of ten million, five in a million.
type Hash struct {
	Name string
	Of   string // the column that has the text
}

// hashes are those of every table that has the text.
var hashes = []Hash{{"session_hash", "session_id"}, {"visitor_hash", "visitor"}}

// Hashes are the hashes of t. How they are computed is each store's own: no answer shows one.
func (t *Table) Hashes() []Hash {
	return slices.DeleteFunc(slices.Clone(hashes), func(h Hash) bool { return !t.Has(h.Of) })
}
