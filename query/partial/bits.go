package partial

import (
	"encoding/binary"
	"math/bits"
)

// Places of members, samples and the members of dictionaries are stored as the differences of ascending numbers, in
// Rice codes: the bits of a number above the lowest so many as that many zeros and a one, and those below as
// they are. How many these are follows from how large the differences are on average, so that all of them together
// are hardly more bits than there must be. Of numbers that follow one another closely this is a bit for each that is
// there or is not.

// lowBits is how many lower bits are written as they are of n differences that sum up to so much.
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

// done is all that was written, and begins anew.
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
