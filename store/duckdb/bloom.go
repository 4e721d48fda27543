//go:build cgo

package duckdb

import (
	"encoding/binary"
	"math/bits"
)

// A bloom is a Bloom filter over the keys of a part. If it does not contain a key, the key is certainly not in
// the part. With partKeys keys it has 32 bits per key, and wrongly contains one of a million other keys.
// Filters are stored, so the bits of a key must never change.
type bloom struct {
	words []uint64
	count int // added keys
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

// maybe returns false only if k was never added.
func (b *bloom) maybe(k key) bool {
	for i := range uint64(bloomProbes) {
		if word, bit := bloomBit(k, i); b.words[word]&bit == 0 {
			return false
		}
	}
	return true
}

// bloomBit returns the i-th bit of k. Both parts of a key are independent hashes.
func bloomBit(k key, i uint64) (word int, bit uint64) {
	h := uint64(k.hi) + i*(uint64(k.lo)<<32|1)
	at, _ := bits.Mul64(h, bloomWords*64)
	return int(at / 64), 1 << (at % 64)
}

// A group has the filters of eight parts in one table: byte i has bit i of each of the eight filters. So
// looking up a key that is in none of the parts takes about three memory accesses instead of twelve.
type group struct {
	bits    []byte
	numbers [groupParts]int32
	has     byte // a bit for each part that was not dropped
}

const groupParts = 8

// groupOf returns a group of full parts whose filters are stored.
func groupOf(all []*part) *group {
	g := &group{bits: make([]byte, 64*bloomWords), has: 1<<groupParts - 1}
	for i, one := range all {
		g.numbers[i] = one.number
	}
	for word := range bloomWords {
		for at := 0; at < 64; at += 8 {
			square := uint64(0)
			for i, one := range all {
				square |= one.filter.words[word] >> at & 0xff << (8 * i)
			}
			binary.LittleEndian.PutUint64(g.bits[64*word+at:], transposed(square))
		}
	}
	return g
}

// transposed returns the transpose of a matrix of 8 by 8 bits, with a byte per row (Warren, Hacker's Delight,
// 7-3).
func transposed(square uint64) uint64 {
	for _, step := range []struct {
		by   int
		bits uint64
	}{{7, 0x00aa00aa00aa00aa}, {14, 0x0000cccc0000cccc}, {28, 0x00000000f0f0f0f0}} {
		changed := (square ^ square>>step.by) & step.bits
		square ^= changed ^ changed<<step.by
	}
	return square
}

// maybe appends the numbers of the parts that may contain k to in.
func (g *group) maybe(in []int32, k key) []int32 {
	has := g.has
	for i := uint64(0); i < bloomProbes && has != 0; i++ {
		word, bit := bloomBit(k, i)
		has &= g.bits[64*word+bits.TrailingZeros64(bit)]
	}
	for ; has != 0; has &= has - 1 {
		in = append(in, g.numbers[bits.TrailingZeros8(has)])
	}
	return in
}
