package codec

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/state"
)

// Sets are stored as places in a dictionary: the members that all sets of one name have on a day, in order. The
// dictionary is stored once for all of them. A state names its dictionary by a random number, so that it is never read
// with another one. Dictionaries of different days are independent, so that stored data does not reveal which members
// of two days are the same.

// newDictionary returns a dictionary of numbered members, and the content to store: its id, the number of its members,
// and how much each is larger than the one before.
func newDictionary(of *state.Members, numbers []uint32) (*state.Dictionary, *writer) {
	slices.SortFunc(numbers, of.Compare)
	d, w := &state.Dictionary{ID: rand.Uint64(), Numbers: numbers}, &writer{} //nolint:gosec // no secret
	w.fixed(d.ID)
	w.uint(uint64(len(numbers)))
	before := uint64(0)
	for _, n := range numbers {
		value := uint64(of.Value(n))
		w.uint(value - before)
		before = value
	}
	return d, w
}

// placesOf returns the places of the members of a dictionary, by their numbers.
func placesOf(numbers []uint32) map[uint32]uint32 {
	places := make(map[uint32]uint32, len(numbers))
	for place, n := range numbers {
		places[n] = uint32(place)
	}
	return places
}

// A Dictionary is a stored one that was read, and whose members have no numbers yet.
type Dictionary struct {
	id     uint64
	values []int64
}

// ReadDictionary reads a stored dictionary. Its error is ErrDamaged.
func ReadDictionary(stored []byte) (*Dictionary, error) {
	r := unpack(dictionaryFormat, stored)
	d := &Dictionary{id: r.fixed()}
	d.values = make([]int64, r.count())
	before := uint64(0)
	for i := range d.values {
		value := before + r.uint()
		if value <= before || r.failed { // 0 is no member
			return nil, ErrDamaged
		}
		d.values[i], before = int64(value), value
	}
	if !r.end() {
		return nil, ErrDamaged
	}
	return d, nil
}

// Between returns the members before and after a member, and whether d has it. The first member has 0 before it, and
// the last one [math.MaxInt64] after it.
func (d *Dictionary) Between(member int64) (before, after int64, has bool) {
	place, has := slices.BinarySearch(d.values, member)
	if !has {
		return 0, 0, false
	}
	after = math.MaxInt64
	if place > 0 {
		before = d.values[place-1]
	}
	if place < len(d.values)-1 {
		after = d.values[place+1]
	}
	return before, after, true
}

// Replaced returns the content to store of d with another member in the place of one that it has. The other one lies
// between the same members, so states with this dictionary stay readable.
func (d *Dictionary) Replaced(member, other int64) []byte {
	w := &writer{}
	w.fixed(d.id)
	w.uint(uint64(len(d.values)))
	before := int64(0)
	for i, value := range d.values {
		if value == member {
			value, d.values[i] = other, other
		}
		w.uint(uint64(value - before))
		before = value
	}
	z := newCompressor()
	defer func() { _ = z.Close() }() // it has no stream to write
	return w.pack(z, dictionaryFormat)
}

// Keep numbers the members of a dictionary of a stretch, and holds it in memory. The caller holds the lock of
// w.
func (d *Dictionary) Keep(w Memory, members string, of calendar.Interval) *state.Dictionary {
	numbered := &state.Dictionary{ID: d.id, Numbers: make([]uint32, len(d.values))}
	all := w.MembersOf(members)
	all.Reserve(len(d.values))
	for place, value := range d.values {
		numbered.Numbers[place] = all.Number(value)
	}
	w.PutDictionary(members, of, numbered)
	return numbered
}
