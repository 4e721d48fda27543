package partial

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
)

// ErrDamaged: what is stored cannot be read.
var ErrDamaged = errors.New("partial: damaged, or of another format")

// The first byte of what is stored. A change of what the others mean needs a new one.
const (
	stateFormat      = 1
	dictionaryFormat = 2
)

// head is how many bytes are before those that count: the format, and a checksum of the rest.
const head = 1 + 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// An encoder writes what is stored.
type encoder struct{ b []byte }

func newEncoder(format byte) *encoder {
	return &encoder{append(make([]byte, 0, 4096), format, 0, 0, 0, 0)}
}

func (e *encoder) uint(n uint64)  { e.b = binary.AppendUvarint(e.b, n) }
func (e *encoder) int(n int64)    { e.b = binary.AppendVarint(e.b, n) }
func (e *encoder) fixed(n uint64) { e.b = binary.LittleEndian.AppendUint64(e.b, n) }

func (e *encoder) text(s string) {
	e.uint(uint64(len(s)))
	e.b = append(e.b, s...)
}

// done is all that was written, with its checksum.
func (e *encoder) done() []byte {
	binary.LittleEndian.PutUint32(e.b[1:head], crc32.Checksum(e.b[head:], castagnoli))
	return e.b
}

// A reader reads what an encoder wrote. Once it failed it reads zeros.
type reader struct {
	b      []byte // that are left
	failed bool
}

func newReader(format byte, stored []byte) *reader {
	if len(stored) < head || stored[0] != format || binary.LittleEndian.Uint32(stored[1:head]) != crc32.Checksum(stored[head:], castagnoli) {
		return &reader{failed: true}
	}
	return &reader{b: stored[head:]}
}

func (r *reader) fail() { r.b, r.failed = nil, true }

func (r *reader) uint() uint64 {
	if len(r.b) > 0 && r.b[0] < 0x80 {
		n := r.b[0]
		r.b = r.b[1:]
		return uint64(n)
	}
	n, size := binary.Uvarint(r.b)
	if size <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[size:]
	return n
}

// int reads what binary.AppendVarint wrote: twice the number, or of a negative one that of its complement and one more.
func (r *reader) int() int64 {
	n := r.uint()
	return int64(n>>1) ^ -int64(n&1)
}

func (r *reader) fixed() uint64 {
	if len(r.b) < 8 {
		r.fail()
		return 0
	}
	n := binary.LittleEndian.Uint64(r.b)
	r.b = r.b[8:]
	return n
}

// count is how many things follow, each of so many bytes or more.
func (r *reader) count(bytes int) int {
	n := r.uint()
	if n > uint64(len(r.b)/bytes) {
		r.fail()
		return 0
	}
	return int(n)
}

// text is valid as long as what it was read from is.
func (r *reader) text() []byte {
	n := r.count(1)
	text := r.b[:n]
	r.b = r.b[n:]
	return text
}
