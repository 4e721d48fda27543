//go:build cgo

package duckdb

import "math/bits"

// A bloom is a Bloom filter over the keys of a part: it knows for sure that a key is not
// among them. With partKeys keys it has 32 bits for each and errs for one other key in a million.
// Filters are stored, so what is the bit of what key never changes.
type bloom struct {
	words []uint64
	count int // keys that were added
}

const (
	bloomBitsPerKey = 32
	bloomProbes     = 12
	bloomWords      = partKeys * bloomBitsPerKey / 64
)

func newBloom() *bloom { return &bloom{words: make([]uint64, bloomWords)} }

func (b *bloom) add(k key) {
	b.count++
	for i := range uint64(bloomProbes) {
		word, bit := bloomBit(k, i)
		b.words[word] |= bit
	}
}

// maybe is false only if k was never added.
func (b *bloom) maybe(k key) bool {
	for i := range uint64(bloomProbes) {
		if word, bit := bloomBit(k, i); b.words[word]&bit == 0 {
			return false
		}
	}
	return true
}

// bloomBit is the i-th bit of k. The halves of a key are independent hashes already.
func bloomBit(k key, i uint64) (word int, bit uint64) {
	h := uint64(k.hi) + i*(uint64(k.lo)|1)
	at, _ := bits.Mul64(h, bloomWords*64)
	return int(at / 64), 1 << (at % 64)
}
