package codec

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/state"
)

// Sets are stored as places in a dictionary: the members that all sets of one name have on a day, in order. The dictionary is
// stored once for all of them. The same holds for keys that several state sets share. A state names its dictionary by a random
// number, so that it is never read with another one. Dictionaries of different days are independent, so that stored data does not
// reveal which members of two days are the same.

// newDictionary returns a dictionary of numbered members, and its stored bytes: its id, the number of its members, the last one,
// and how much each is larger than the one before.
func newDictionary(of *state.Members, numbers []uint32) (*state.Dictionary, []byte) {
	slices.SortFunc(numbers, of.Compare)
	d := &state.Dictionary{ID: rand.Uint64(), Numbers: numbers} //nolint:gosec // no secret
	e := newEncoder(dictionaryFormat)
	e.fixed(d.ID)
	e.uint(uint64(len(numbers)))
	if len(numbers) > 0 {
		last, before := uint64(of.Value(numbers[len(numbers)-1])), uint64(0)
		e.fixed(last)
		low, w := lowBits(last, len(numbers)), bitWriter{}
		for _, n := range numbers {
			value := uint64(of.Value(n))
			w.rice(value-before-1, low)
			before = value
		}
		e.b = append(e.b, w.done()...)
	}
	return d, e.done()
}

// newKeyDictionary returns a dictionary of numbered keys, and its stored bytes.
func newKeyDictionary(of *state.Texts, numbers []uint32) (*state.Dictionary, []byte) {
	slices.SortFunc(numbers, of.Compare)
	d := keyDictionary(rand.Uint64(), numbers) //nolint:gosec // no secret
	e := newEncoder(keyDictionaryFormat)
	e.fixed(d.ID)
	e.texts(of, numbers)
	return d, e.done()
}

func keyDictionary(id uint64, numbers []uint32) *state.Dictionary {
	return &state.Dictionary{ID: id, Numbers: numbers, Sorted: placesByNumber(numbers)}
}

// sparse is the most places of a table per number that counts. With more, it takes longer to read the table than to sort.
const sparse = 8

// placesByNumber are the places of numbers, which differ, in the order of these.
func placesByNumber(numbers []uint32) []uint32 {
	if len(numbers) == 0 {
		return nil
	}
	places := make([]uint32, 0, len(numbers))
	if most := slices.Max(numbers); int(most) < sparse*len(numbers) {
		at := make([]uint32, most+1) // one more than the place
		for place, n := range numbers {
			at[n] = uint32(place + 1)
		}
		for _, place := range at {
			if place > 0 {
				places = append(places, place-1)
			}
		}
		return places
	}
	for place := range numbers {
		places = append(places, uint32(place))
	}
	slices.SortFunc(places, func(a, b uint32) int { return cmp.Compare(numbers[a], numbers[b]) })
	return places
}

// A Dictionary is a stored one that was read, and whose members or keys have no numbers yet.
type Dictionary struct {
	id     uint64
	values []int64 // of members
	keys   *reader // of keys: what their texts are read from
}

// ReadDictionary reads a stored dictionary.
func ReadDictionary(stored []byte) (*Dictionary, error) {
	if len(stored) > 0 && stored[0] == keyDictionaryFormat {
		r := newReader(keyDictionaryFormat, stored)
		if d := (&Dictionary{id: r.fixed(), keys: r}); !r.failed {
			return d, nil
		}
		return nil, ErrDamaged
	}
	r := newReader(dictionaryFormat, stored)
	d := &Dictionary{id: r.fixed()}
	n := r.uint()
	if n == 0 && !r.failed {
		return d, nil
	}
	last := r.fixed()
	if r.failed || n == 0 || n > 8*uint64(len(r.b)) {
		return nil, ErrDamaged
	}
	d.values = make([]int64, n)
	low, all, value := lowBits(last, int(n)), bitReader{b: r.b}, uint64(0)
	for i := range d.values {
		next := value + all.rice(low) + 1
		if next <= value || all.failed {
			return nil, ErrDamaged
		}
		value = next
		d.values[i] = int64(value)
	}
	if value != last {
		return nil, ErrDamaged
	}
	return d, nil
}

// KeepDictionaries numbers the members of dictionaries of stretches, and holds dictionaries in memory that are new. The caller
// holds the lock of the shelf.
func KeepDictionaries(w Shelf, name string, of []calendar.Interval, read []*Dictionary) {
	var lists [][]int64
	var kept []*state.Dictionary
	var days []calendar.Interval
	for i, d := range read {
		switch {
		case d == nil || w.Dictionary(name, of[i]) != nil:
		case d.keys != nil:
			if numbers, ok := d.keys.numberTexts(w.TextsOf(strings.TrimPrefix(name, ofKeys))); ok && len(d.keys.b) == 0 {
				w.PutDictionary(name, of[i], keyDictionary(d.id, numbers))
			}
		default:
			lists, days, kept = append(lists, d.values), append(days, of[i]), append(kept, &state.Dictionary{ID: d.id})
		}
	}
	if len(kept) == 0 {
		return
	}
	for i, numbers := range w.MembersOf(name).NumberLists(lists) {
		kept[i].Numbers = numbers
		w.PutDictionary(name, days[i], kept[i])
	}
}
