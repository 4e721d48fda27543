// Package state merges answers from the states of their aggregates.
//
//	made, err := computed.Build(numbering)         // partials, by aggregate and stretch
//	sums := state.Sums(rows, sources)              // of a Sum, by row of the answer
//	visitors := counters.Counts(rows, members, sources)  // of a Set
//	durations := state.Quantiles(rows, 500, sources)     // of a Sample
//
// A partial is the state of one aggregate over the rows of one interval, by the keys that the rows are grouped by:
// sums, least and greatest values, sets, or samples for quantiles. Partials of different intervals merge exactly, in
// any order: sums add, sets unite, and samples are ranked together. So an answer about any range is merged from the
// partials of its days. [RollUp] makes one partial of several.
//
// A [Numbering] numbers the keys and the members of sets of one subject, so that merging compares small integers. These
// numbers mean nothing outside a process and are never stored. Partials merge only with partials of the same numbering.
//
// Package state/memory holds partials in memory, and package state/codec encodes them as bytes.
package state

import (
	"errors"
	"slices"
)

// ErrTooLarge: the rows are not worth keeping, since they are too many or have too many keys.
var ErrTooLarge = errors.New("state: too much to keep")

// Kind says how partials of an aggregate merge.
type Kind uint8

// The kinds.
const (
	Sum      Kind = iota // whole numbers, added
	Least                // the least of whole numbers
	Greatest             // the greatest of whole numbers
	Set                  // different whole numbers other than 0, counted
	TextSet              // different texts other than the empty one, counted
	Sample               // whole numbers, of which quantiles are taken
)

// Lists reports whether partials of k hold values of single rows, not only what a statement aggregated.
func (k Kind) Lists() bool { return k >= Set }

// Counts reports whether k is a sum or a count, which is 0 for a row without values.
func (k Kind) Counts() bool { return k == Sum || k == Set || k == TextSet }

// Extreme reports whether k is Least or Greatest.
func (k Kind) Extreme() bool { return k == Least || k == Greatest }

// An Aggregate says what partials hold the state of.
type Aggregate struct {
	// Name identifies what is computed from the rows of a subject: the value, the rows that count, and
	// the keys.
	Name string
	Kind Kind
	// Members names what a set counts. Sets of one name share the numbers of their members.
	Members string
}

// A Partial is the state of one aggregate over the rows of a stretch, by key. It is immutable; nil is
// the state of no rows.
type Partial struct {
	ID      uint64   // given by the memory that holds the partial; 0: none
	keys    []uint32 // ascending
	values  numbers  // of a Sample those of each key, ascending; else one for each key
	members []uint32 // of a set those of each key, by their numbers
	ends    []uint32 // of a set and a Sample: where those of each key end
	// dense says for each set whether its members are bits. Then members has the number of members, the number of the
	// first word, and the words. It is nil if no set has bits.
	dense []bool
}

// Size is about how many bytes p takes.
func (p *Partial) Size() int64 {
	return 208 + 4*int64(len(p.keys)+len(p.members)+len(p.ends)+len(p.values.small)) + 8*int64(len(p.values.wide)) +
		int64(len(p.dense))
}

// span returns where the values or members of the i-th key lie.
func (p *Partial) span(i int) (from, to uint32) {
	if i > 0 {
		from = p.ends[i-1]
	}
	return from, p.ends[i]
}

// find is the index of a key, if p has it.
func (p *Partial) find(key uint32) (int, bool) { return slices.BinarySearch(p.keys, key) }

// A Source is a partial that an answer is merged from.
type Source struct {
	*Partial
	// Rows is the row of the answer that each key counts for, by the key's number; -1: none. Nil: the
	// number of a key is its row.
	Rows []int32
}

func (s Source) row(key uint32) int32 {
	if s.Rows == nil {
		return int32(key)
	}
	return s.Rows[key]
}

// Keys returns the numbers of the keys of p, ascending. The result must not be changed.
func (p *Partial) Keys() []uint32 { return p.keys }

// Value returns the number of the i-th key. p is not of a set nor a Sample.
func (p *Partial) Value(i int) int64 { return p.values.at(i) }

// AppendSample appends the values of the i-th key of a Sample, ascending.
func (p *Partial) AppendSample(i int, all []int64) []int64 {
	from, to := p.span(i)
	for at := from; at < to; at++ {
		all = append(all, p.values.at(int(at)))
	}
	return all
}

// AppendMembers appends the numbers of the members of the i-th key of a set, each once.
func (p *Partial) AppendMembers(i int, all []uint32) []uint32 {
	from, to := p.span(i)
	return list{0, from, to, p.dense != nil && p.dense[i]}.appendMembers(all, []Source{{Partial: p}})
}

// Equal reports whether p and q, which have a number for each key, have the same numbers.
func (p *Partial) Equal(q *Partial) bool {
	return slices.Equal(p.keys, q.keys) && slices.Equal(p.values.small, q.values.small) &&
		slices.Equal(p.values.wide, q.values.wide)
}
