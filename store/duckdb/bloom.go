//go:build cgo

package duckdb

import (
	sqldriver "database/sql/driver"
	"math/bits"
)

// A bloom is a Bloom filter over the receipts: it knows for sure that a key was not
// received, so that new events, which are nearly all, need no look-up in a table of
// millions of rows. It costs 12 bits a key and errs for about one key in 300 when full.
type bloom struct {
	words    []uint64
	capacity int // keys it is made for
	count    int
}

const (
	bloomBitsPerKey = 12
	bloomProbes     = 6
	bloomLeastKeys  = 1 << 16
)

// newBloom makes room for twice the keys there are.
func newBloom(keys int) *bloom {
	capacity := max(2*keys, bloomLeastKeys)
	return &bloom{words: make([]uint64, capacity*bloomBitsPerKey/64+1), capacity: capacity}
}

// full reports whether b holds what it was made for; it goes on working, but errs more.
func (b *bloom) full() bool { return b.count >= b.capacity }

func (b *bloom) add(k key) {
	b.count++
	for i := range uint64(bloomProbes) {
		word, bit := b.bit(k, i)
		b.words[word] |= bit
	}
}

// maybe is false only if k was never added.
func (b *bloom) maybe(k key) bool {
	for i := range uint64(bloomProbes) {
		if word, bit := b.bit(k, i); b.words[word]&bit == 0 {
			return false
		}
	}
	return true
}

// bit is the i-th bit of k. The halves of a key are independent hashes already.
func (b *bloom) bit(k key, i uint64) (word int, bit uint64) {
	h := uint64(k.hi) + i*(uint64(k.lo)|1)
	at, _ := bits.Mul64(h, uint64(len(b.words))*64)
	return int(at / 64), 1 << (at % 64)
}

// readBloom makes a filter of all receipts.
func readBloom(c engine) (*bloom, error) {
	var keys int64
	err := c.each("SELECT count(*) FROM receipts", nil, func(v []sqldriver.Value) error { return scan(v, &keys) })
	if err != nil {
		return nil, err
	}
	b := newBloom(int(keys))
	err = c.each("SELECT hi, lo FROM receipts", nil, func(v []sqldriver.Value) error {
		var k key
		if err := scan(v, &k.hi, &k.lo); err != nil {
			return err
		}
		b.add(k)
		return nil
	})
	return b, err
}
