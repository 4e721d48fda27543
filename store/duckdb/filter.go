//go:build cgo

package duckdb

import (
	sqldriver "database/sql/driver"
	"math/bits"
)

// A filter is a Bloom filter over the receipts: it knows for sure that a key was not
// received, so that new events, which are nearly all, need no look-up in a table of
// millions of rows. It costs 12 bits a key and errs for about one key in 300 when full.
type filter struct {
	words    []uint64
	capacity int // keys it is made for
	count    int
}

const (
	filterBitsPerKey = 12
	filterProbes     = 6
	filterLeast      = 1 << 16
)

// newFilter makes room for twice the keys there are.
func newFilter(keys int) *filter {
	capacity := max(2*keys, filterLeast)
	return &filter{words: make([]uint64, capacity*filterBitsPerKey/64+1), capacity: capacity}
}

// full reports whether f holds what it was made for; it goes on working, but errs more.
func (f *filter) full() bool { return f.count >= f.capacity }

func (f *filter) add(k key) {
	f.count++
	for i := range uint64(filterProbes) {
		word, bit := f.place(k, i)
		f.words[word] |= bit
	}
}

// maybe is false only if k was never added.
func (f *filter) maybe(k key) bool {
	for i := range uint64(filterProbes) {
		if word, bit := f.place(k, i); f.words[word]&bit == 0 {
			return false
		}
	}
	return true
}

// place is the i-th bit of k. The halves of a key are independent hashes already.
func (f *filter) place(k key, i uint64) (word int, bit uint64) {
	h := uint64(k.hi) + i*(uint64(k.lo)|1)
	at, _ := bits.Mul64(h, uint64(len(f.words))*64)
	return int(at / 64), 1 << (at % 64)
}

// readFilter makes a filter of all receipts.
func readFilter(c *conn) (*filter, error) {
	var keys int64
	err := c.each("SELECT count(*) FROM receipts", nil, func(v []sqldriver.Value) error { return scan(v, &keys) })
	if err != nil {
		return nil, err
	}
	f := newFilter(int(keys))
	err = c.each("SELECT hi, lo FROM receipts", nil, func(v []sqldriver.Value) error {
		var k key
		if err := scan(v, &k.hi, &k.lo); err != nil {
			return err
		}
		f.add(k)
		return nil
	})
	return f, err
}
