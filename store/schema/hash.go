package schema

import "slices"

// A Hash is a column that stores add to the logical ones of a table: a 63-bit number in place of a
// text, where only equality matters, since comparing numbers costs half as much as comparing ids. It is
// 0 for the empty text.
//
// Two of n texts share a number with a chance of about n²/2⁶⁴: of ten million, five in a million.
type Hash struct {
	Name string
	Of   string // the column that has the text
}

// hashes are those of every table that has the text.
var hashes = []Hash{{"session_hash", "session_id"}, {"visitor_hash", "visitor"}}

// Hashes are the hashes of t. Each store computes them in its own way: no answer shows one.
func (t *Table) Hashes() []Hash {
	return slices.DeleteFunc(slices.Clone(hashes), func(h Hash) bool { return !t.Has(h.Of) })
}
