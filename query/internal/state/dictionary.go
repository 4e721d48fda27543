package state

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/query/calendar"
)

// Sets are stored as places in a dictionary: the members that all sets of one name have on a day, in order. The dictionary is
// stored once for all of them. The same holds for keys that several state sets share. A state names its dictionary by a random
// number, so that it is never read with another one. Dictionaries of different days are independent, so that stored data does not
// reveal which members of two days are the same.

// dictionaryName tells apart the dictionaries of a website.
type dictionaryName struct {
	members string
	of      calendar.Interval
}

// A dictionary is one whose members have numbers.
type dictionary struct {
	id      uint64
	numbers []uint32 // by place
	sorted  []uint32 // of keys: the places, by number
}

// HasDictionary reports whether the dictionary of a stretch is in memory.
func (w *Shelf) HasDictionary(members string, s calendar.Interval) bool {
	return w.dictionary(dictionaryName{members, s}) != nil
}

func (w *Shelf) dictionary(name dictionaryName) *dictionary {
	w.cache.mu.Lock()
	defer w.cache.mu.Unlock()
	return w.dictionaries[name]
}

// putDictionary keeps a dictionary in place of one before; nil: it only forgets that.
func (w *Shelf) putDictionary(name dictionaryName, d *dictionary) {
	c := w.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	grown := int64(0)
	if before := w.dictionaries[name]; before != nil {
		grown -= before.size()
		delete(w.dictionaries, name)
	}
	if d != nil {
		grown += d.size()
		w.dictionaries[name] = d
	}
	w.dictionarySize += grown
	if c.websites[w.subject] == w {
		c.size += grown
		c.shrink()
	}
}

func (d *dictionary) size() int64 { return 128 + 4*int64(len(d.numbers)+len(d.sorted)) }

func (w *Shelf) forgetDictionaries() {
	w.cache.size -= w.dictionarySize
	w.dictionarySize = 0
	clear(w.dictionaries)
}

// forgetDictionaries drops the dictionaries of all websites, and reports whether there were any.
func (c *Cache) forgetDictionaries() (some bool) {
	for _, w := range c.websites {
		some = some || len(w.dictionaries) > 0
		w.forgetDictionaries()
	}
	return some
}

// newDictionary returns a dictionary of numbered members, and its stored bytes: its id, the number of its members, the last one,
// and how much each is larger than the one before.
func newDictionary(of *members, numbers []uint32) (*dictionary, []byte) {
	slices.SortFunc(numbers, of.compare)
	d := &dictionary{id: rand.Uint64(), numbers: numbers} //nolint:gosec // no secret
	e := newEncoder(dictionaryFormat)
	e.fixed(d.id)
	e.uint(uint64(len(numbers)))
	if len(numbers) > 0 {
		last, before := uint64(of.values[numbers[len(numbers)-1]]), uint64(0)
		e.fixed(last)
		low, w := lowBits(last, len(numbers)), bitWriter{}
		for _, n := range numbers {
			value := uint64(of.values[n])
			w.rice(value-before-1, low)
			before = value
		}
		e.b = append(e.b, w.done()...)
	}
	return d, e.done()
}

// newKeyDictionary returns a dictionary of numbered keys, and its stored bytes.
func newKeyDictionary(of *keys, numbers []uint32) (*dictionary, []byte) {
	slices.SortFunc(numbers, of.compare)
	d := keyDictionary(rand.Uint64(), numbers) //nolint:gosec // no secret
	e := newEncoder(keyDictionaryFormat)
	e.fixed(d.id)
	e.texts(of.texts, numbers)
	return d, e.done()
}

func keyDictionary(id uint64, numbers []uint32) *dictionary {
	return &dictionary{id, numbers, placesByNumber(numbers)}
}

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
// holds the lock of w.
func (w *Shelf) KeepDictionaries(name string, of []calendar.Interval, read []*Dictionary) {
	var lists [][]int64
	var kept []*dictionary
	var names []dictionaryName
	for i, d := range read {
		one := dictionaryName{name, of[i]}
		switch {
		case d == nil || w.dictionary(one) != nil:
		case d.keys != nil:
			if numbers, ok := d.keys.numberTexts(w.keysCalled(strings.TrimPrefix(name, ofKeys))); ok && len(d.keys.b) == 0 {
				w.putDictionary(one, keyDictionary(d.id, numbers))
			}
		default:
			lists, names, kept = append(lists, d.values), append(names, one), append(kept, &dictionary{id: d.id})
		}
	}
	if len(kept) == 0 {
		return
	}
	for i, numbers := range w.membersCalled(name).numberLists(lists) {
		kept[i].numbers = numbers
		w.putDictionary(names[i], kept[i])
	}
}
