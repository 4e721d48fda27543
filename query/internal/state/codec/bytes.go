package codec

import (
	"encoding/binary"
	"errors"
	"hash/crc32"

	"github.com/sightline-analytics/sightline/query/internal/state"
)

// ErrDamaged: what is stored cannot be read.
var ErrDamaged = errors.New("codec: damaged, or of another format")

// The first byte of stored bytes is their format. A new meaning of the others needs a new format.
const (
	stateFormat         = 3
	dictionaryFormat    = 2
	keyDictionaryFormat = 4
)

// head is the number of bytes before the content: the format, and a checksum of the rest.
const head = 1 + 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// An encoder writes what is stored.
type encoder struct{ b []byte }

func newEncoder(format byte) *encoder {
	return &encoder{append(make([]byte, 0, 4096), format, 0, 0, 0, 0)}
}

func (e *encoder) uint(n uint64) { e.b = binary.AppendUvarint(e.b, n) }

func (e *encoder) fixed(n uint64) { e.b = binary.LittleEndian.AppendUint64(e.b, n) }

func (e *encoder) bytes(b []byte) {
	e.uint(uint64(len(b)))
	e.b = append(e.b, b...)
}

// texts writes the texts with these numbers, which are in order. Of each it writes how many bytes at the end of the one before
// are dropped, and the bytes that replace them; in one byte if both numbers are small.
func (e *encoder) texts(texts *state.Texts, numbers []uint32) {
	before := ""
	e.uint(uint64(len(numbers)))
	for _, n := range numbers {
		same, text := 0, texts.Text(n)
		for same < min(len(text), len(before)) && text[same] == before[same] {
			same++
		}
		less, more := len(before)-same, len(text)-same
		if less < manyBytes && more < manyBytes {
			e.b = append(e.b, byte(less<<4|more))
		} else {
			e.b = append(e.b, manyBytes<<4)
			e.uint(uint64(less))
			e.uint(uint64(more))
		}
		e.b = append(e.b, text[same:]...)
		before = text
	}
}

// manyBytes and more are not written in half a byte.
const manyBytes = 15

// done returns the bytes that were written, with their checksum.
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

func (r *reader) fixed() uint64 {
	if len(r.b) < 8 {
		r.fail()
		return 0
	}
	n := binary.LittleEndian.Uint64(r.b)
	r.b = r.b[8:]
	return n
}

// count returns the number of values that follow, each of which takes at least so many bytes.
func (r *reader) count(bytes int) int {
	n := r.uint()
	if n > uint64(len(r.b)/bytes) {
		r.fail()
		return 0
	}
	return int(n)
}

// bytes returns bytes that are valid as long as the bytes that r reads.
func (r *reader) bytes() []byte { return r.some(r.count(1)) }

func (r *reader) some(n int) []byte {
	some := r.b[:n]
	r.b = r.b[n:]
	return some
}

// numberTexts numbers texts, and reports whether they are in order.
func (r *reader) numberTexts(of *state.Texts) (numbers []uint32, ok bool) {
	numbers = make([]uint32, r.count(1))
	var text []byte
	for i := range numbers {
		if len(r.b) == 0 {
			r.fail()
			return nil, false
		}
		less, more := uint64(r.b[0]>>4), uint64(r.b[0]&15)
		r.b = r.b[1:]
		if less == manyBytes {
			less, more = r.uint(), r.uint()
		}
		if less > uint64(len(text)) || more > uint64(len(r.b)) || i > 0 && more == 0 || less > 0 && r.b[0] <= text[uint64(len(text))-less] {
			r.fail()
			return nil, false
		}
		text = append(text[:uint64(len(text))-less], r.some(int(more))...)
		numbers[i] = of.NumberBytes(text)
	}
	return numbers, !r.failed
}
