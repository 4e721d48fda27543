package partial

import (
	"cmp"
	"encoding/binary"
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
// members it has, how many bytes each takes, and how much each is larger than the one before.
func newDictionary(of *members, numbers []uint32) (*dictionary, []byte) {
	slices.SortFunc(numbers, func(a, b uint32) int { return cmp.Compare(uint64(of.values[a]), uint64(of.values[b])) })
	d := &dictionary{id: rand.Uint64(), numbers: numbers} //nolint:gosec // no secret
	most, before := uint64(0), uint64(0)
	for _, n := range numbers {
		value := uint64(of.values[n])
		most, before = max(most, value-before), value
	}
	width := 1
	for most>>(8*width) > 0 && width < 8 {
		width++
	}
	e := newEncoder(dictionaryFormat)
	e.fixed(d.id)
	e.uint(uint64(len(numbers)))
	e.uint(uint64(width))
	before = 0
	for _, n := range numbers {
		value := uint64(of.values[n])
		e.fixedOf(value-before, width)
		before = value
	}
	return d, e.done()
}

// readDictionary numbers the members of a stored dictionary.
func readDictionary(stored []byte, of *members) (*dictionary, error) {
	r := newReader(dictionaryFormat, stored)
	d := &dictionary{id: r.fixed()}
	n, width := r.uint(), int(r.uint())
	if r.failed || width < 1 || width > 8 || n != uint64(len(r.b)/width) || len(r.b)%width != 0 {
		return nil, ErrDamaged
	}
	d.numbers = make([]uint32, n)
	value, rest := uint64(0), r.b
	for i := range d.numbers {
		var step uint64
		if len(rest) >= 8 {
			step = binary.LittleEndian.Uint64(rest) << (64 - 8*width) >> (64 - 8*width)
		} else {
			var last [8]byte
			copy(last[:], rest[:width])
			step = binary.LittleEndian.Uint64(last[:])
		}
		if value+step < value || step == 0 {
			return nil, ErrDamaged
		}
		value += step
		d.numbers[i] = of.number(int64(value))
		rest = rest[width:]
	}
	return d, nil
}
