package codec

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// Places of members, samples and the members of dictionaries are stored as the differences of ascending numbers, in
// Rice codes: the bits of a number above the lowest so many as that many zeros and a one, and those below as
// they are. How many these are follows from how large the differences are on average, so that all of them together
// are hardly more bits than there must be. Of numbers that follow one another closely this is a bit for each that is
// there or is not.

// lowBits returns the number of lower bits that are written unchanged, for n differences with that sum.
func lowBits(sum uint64, n int) uint {
	average := sum / uint64(n)
	return uint(max(bits.Len64(average-average/4), 1) - 1) // of three quarters
}

// A bitWriter writes bits, the lowest first.
type bitWriter struct {
	b    []byte
	last uint64 // bits that are not in b
	n    uint   // how many
}

func (w *bitWriter) write(value uint64, n uint) {
	if n > 32 {
		w.write(value&(1<<32-1), 32)
		value, n = value>>32, n-32
	}
	w.last |= value << w.n
	for w.n += n; w.n >= 8; w.n -= 8 {
		w.b = append(w.b, byte(w.last))
		w.last >>= 8
	}
}

func (w *bitWriter) rice(value uint64, low uint) {
	zeros := value >> low
	for ; zeros >= 32; zeros -= 32 {
		w.write(0, 32)
	}
	w.write(1<<zeros, uint(zeros)+1)
	w.write(value&(1<<low-1), low)
}

// done returns the bits that were written, and starts again.
func (w *bitWriter) done() []byte {
	w.write(0, (8-w.n)%8)
	written := w.b
	w.b = nil
	return written
}

// A bitReader reads what a bitWriter wrote. Once it failed it reads zeros.
type bitReader struct {
	b      []byte
	at     uint // bits that were read
	failed bool
}

// next are the next bits, 56 or more of them; zeros after the end.
func (r *bitReader) next() uint64 {
	from := r.at / 8
	if from+8 <= uint(len(r.b)) {
		return binary.LittleEndian.Uint64(r.b[from:]) >> (r.at % 8)
	}
	var last [8]byte
	if from < uint(len(r.b)) {
		copy(last[:], r.b[from:])
	}
	return binary.LittleEndian.Uint64(last[:]) >> (r.at % 8)
}

func (r *bitReader) skip(n uint) {
	if r.at += n; r.at > 8*uint(len(r.b)) {
		r.at, r.failed = 8*uint(len(r.b)), true
	}
}

func (r *bitReader) read(n uint) uint64 {
	if n > 32 {
		low := r.read(32)
		return low | r.read(n-32)<<32
	}
	value := r.next() & (1<<n - 1)
	r.skip(n)
	return value
}

func (r *bitReader) rice(low uint) uint64 {
	high, next := uint64(0), r.next()
	for next<<8 == 0 && !r.failed { // all that are sure to be next
		r.skip(56)
		high += 56
		next = r.next()
	}
	zeros := uint(bits.TrailingZeros64(next))
	if r.failed || zeros == 64 {
		r.failed = true
		return 0
	}
	if zeros+1+low <= 56 {
		r.skip(zeros + 1 + low)
		return (high+uint64(zeros))<<low | next>>(zeros+1)&(1<<low-1)
	}
	r.skip(zeros + 1)
	return (high+uint64(zeros))<<low | r.read(low)
}

// Other numbers are written with as few bits as most of them need, which is found for all together: of each, how many
// bits more it needs as so many zeros and a one, and its bits. Above wide bits they are written as they are.
const (
	wide      = 40
	asTheyAre = 63
)

func (w *bitWriter) golomb(value uint64, few uint) {
	value += 1 << few
	n := uint(bits.Len64(value)) - 1
	w.write(1<<(n-few), n-few+1)
	w.write(value&(1<<n-1), n)
}

// signed writes a number that is mostly small.
func (w *bitWriter) signed(value int64) {
	n := uint(bits.Len64(uint64(value<<1 ^ value>>63)))
	w.write(uint64(n), 7)
	w.write(uint64(value<<1^value>>63), n)
}

// numbers writes the least of all, how many bits most others need above it, and all.
func (w *bitWriter) numbers(all []int64) {
	if len(all) == 0 {
		return
	}
	least := slices.Min(all)
	w.signed(least)
	var lengths [65]int // how many numbers have so many bits
	longest := uint(0)
	for _, value := range all {
		n := uint(bits.Len64(uint64(value) - uint64(least)))
		lengths[n]++
		longest = max(longest, n)
	}
	few := fewBits(&lengths, longest)
	w.write(uint64(few), 6)
	for _, value := range all {
		if above := uint64(value) - uint64(least); few == asTheyAre {
			w.write(above, 64)
		} else {
			w.golomb(above, few)
		}
	}
}

// fewBits is with how many bits numbers of these lengths take the fewest together, about.
func fewBits(lengths *[65]int, longest uint) uint {
	if longest > wide {
		return asTheyAre
	}
	best, least := uint(0), math.MaxInt
	for few := range longest + 1 {
		all := 0
		for n := range longest + 1 {
			more := 0
			if n > few {
				more = int(n - 1 - few)
			}
			all += lengths[n] * (2*more + 1 + int(few))
		}
		if all < least {
			best, least = few, all
		}
	}
	return best
}

func (r *bitReader) golomb(few uint) uint64 {
	next := r.next()
	zeros := uint(bits.TrailingZeros64(next))
	n := zeros + few
	switch {
	case zeros > wide || n > 2*wide || r.failed:
		r.failed = true
		return 0
	case zeros+1+n <= 56:
		r.skip(zeros + 1 + n)
		return 1<<n + next>>(zeros+1)&(1<<n-1) - 1<<few
	}
	r.skip(zeros + 1)
	return 1<<n + r.read(n) - 1<<few
}

func (r *bitReader) signed() int64 {
	value := r.read(min(uint(r.read(7)), 64))
	return int64(value>>1) ^ -int64(value&1)
}

// numbers reads so many.
func (r *bitReader) numbers(n int) []int64 {
	if n == 0 || n > 8*len(r.b) { // each takes a bit at least
		r.failed = r.failed || n > 0
		return nil
	}
	least, few := uint64(r.signed()), uint(r.read(6))
	all := make([]int64, n)
	for i := range all {
		if few == asTheyAre {
			all[i] = int64(least + r.read(64))
		} else {
			all[i] = int64(least + r.golomb(few))
		}
	}
	return all
}

// end reports whether all was read, and rightly.
func (r *bitReader) end() bool { return !r.failed && (r.at+7)/8 == uint(len(r.b)) }
