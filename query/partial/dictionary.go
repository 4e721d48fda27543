package partial

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// Sets are stored as places in a dictionary: the members that all sets of one name have on a day, in order.
// It is stored once for all of them. A state names its dictionary by a random number, so that it is never read with
// another. Dictionaries of different days have nothing in common, so what is stored does not tell which day's
// members are the same.

// dictionaryName tells apart the dictionaries of a website.
type dictionaryName struct {
	members string
	of      Stretch
}

// A dictionary is one whose members have numbers.
type dictionary struct {
	id      uint64
	numbers []uint32 // by place
}

// HasDictionary reports whether the dictionary of a stretch is in memory.
func (w *Website) HasDictionary(members string, s Stretch) bool {
	return w.dictionary(dictionaryName{members, s}) != nil
}

func (w *Website) dictionary(name dictionaryName) *dictionary {
	w.cache.mu.Lock()
	defer w.cache.mu.Unlock()
	return w.dictionaries[name]
}

// putDictionary keeps a dictionary in place of one before; nil: it only forgets that.
func (w *Website) putDictionary(name dictionaryName, d *dictionary) {
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

func (d *dictionary) size() int64 { return 128 + 4*int64(len(d.numbers)) }

func (w *Website) forgetDictionaries() {
	w.cache.size -= w.dictionarySize
	w.dictionarySize = 0
	clear(w.dictionaries)
}

// forgetDictionaries forgets those of all websites, and reports whether there were any.
func (c *Cache) forgetDictionaries() (some bool) {
	for _, w := range c.websites {
		some = some || len(w.dictionaries) > 0
		w.forgetDictionaries()
	}
	return some
}

// newDictionary makes a dictionary of numbered members, and what is to be stored of it: its id, how many
// members it has, the last, and how much each is larger than the one before.
func newDictionary(of *members, numbers []uint32) (*dictionary, []byte) {
	slices.SortFunc(numbers, func(a, b uint32) int { return cmp.Compare(uint64(of.values[a]), uint64(of.values[b])) })
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

// A Dictionary is a stored one that was read, and whose members have no numbers yet.
type Dictionary struct {
	id     uint64
	values []int64
}

// ReadDictionary reads a stored dictionary.
func ReadDictionary(stored []byte) (*Dictionary, error) {
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

// KeepDictionaries numbers the members of dictionaries of stretches, and keeps in memory those that are not there yet.
// The caller holds the lock of w.
func (w *Website) KeepDictionaries(members string, of []Stretch, read []*Dictionary) {
	var lists [][]int64
	var names []dictionaryName
	var kept []*dictionary
	for i, d := range read {
		if name := (dictionaryName{members, of[i]}); d != nil && w.dictionary(name) == nil {
			lists, names, kept = append(lists, d.values), append(names, name), append(kept, &dictionary{id: d.id})
		}
	}
	for i, numbers := range w.membersCalled(members).numberLists(lists) {
		kept[i].numbers = numbers
		w.putDictionary(names[i], kept[i])
	}
}
