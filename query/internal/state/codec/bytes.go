package codec

import (
	"encoding/binary"
	"errors"
	"hash/crc32"

	"github.com/klauspost/compress/zstd"

	"github.com/sightline-analytics/sightline/query/internal/state"
)

// ErrDamaged: what is stored cannot be read.
var ErrDamaged = errors.New("codec: damaged, or of another format")

// Stored bytes are a byte with the format, a checksum of the rest, and one zstd frame. The frame has numbers as
// varints, and texts. A new meaning of these needs a new format.
const (
	stateFormat      = 5
	dictionaryFormat = 6
)

// head is the number of bytes before the frame.
const head = 1 + 4

// maxContent bounds the content of a frame that is read, in bytes. Statements that compute states return less.
const maxContent = 1 << 29

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A writer writes the content of a frame.
type writer struct{ b []byte }

func (w *writer) uint(n uint64) { w.b = binary.AppendUvarint(w.b, n) }

func (w *writer) int(n int64) { w.b = binary.AppendVarint(w.b, n) }

func (w *writer) fixed(n uint64) { w.b = binary.LittleEndian.AppendUint64(w.b, n) }

func (w *writer) bytes(b []byte) {
	w.uint(uint64(len(b)))
	w.b = append(w.b, b...)
}

// ascending writes ascending numbers: the first, and by how much each other one is larger than the number after the one
// before.
func (w *writer) ascending(numbers []uint32) {
	next := uint32(0)
	for _, n := range numbers {
		w.uint(uint64(n - next))
		next = n + 1
	}
}

// texts writes the texts with these numbers, which are in order.
func (w *writer) texts(texts *state.Texts, numbers []uint32) {
	w.uint(uint64(len(numbers)))
	for _, n := range numbers {
		text := texts.Text(n)
		w.uint(uint64(len(text)))
		w.b = append(w.b, text...)
	}
}

// newCompressor returns an encoder that pack needs.
func newCompressor() *zstd.Encoder {
	// cannot fail: the options are valid
	z, _ := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false),
		zstd.WithEncoderLevel(zstd.SpeedBetterCompression))
	return z
}

// pack returns the bytes to store.
func (w *writer) pack(z *zstd.Encoder, format byte) []byte {
	b := z.EncodeAll(w.b, []byte{format, 0, 0, 0, 0})
	binary.LittleEndian.PutUint32(b[1:head], crc32.Checksum(b[head:], castagnoli))
	return b
}

// A reader reads what a writer wrote. Once it failed it reads zeros.
type reader struct {
	b      []byte // that are left
	failed bool
}

// unpack returns a reader of stored bytes. It fails if these are damaged or have another format.
func unpack(format byte, stored []byte) *reader {
	if len(stored) < head || stored[0] != format ||
		binary.LittleEndian.Uint32(stored[1:head]) != crc32.Checksum(stored[head:], castagnoli) {
		return &reader{failed: true}
	}
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxContent))
	if err != nil {
		return &reader{failed: true}
	}
	defer z.Close()
	content, err := z.DecodeAll(stored[head:], nil)
	if err != nil {
		return &reader{failed: true}
	}
	return &reader{b: content}
}

func (r *reader) fail() { r.b, r.failed = nil, true }

// end reports whether everything was read without a failure.
func (r *reader) end() bool { return !r.failed && len(r.b) == 0 }

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

// count returns the number of values that follow, each of which takes at least one byte.
func (r *reader) count() int {
	n := r.uint()
	if n > uint64(len(r.b)) {
		r.fail()
		return 0
	}
	return int(n)
}

// bytes returns bytes that are valid as long as the content.
func (r *reader) bytes() []byte {
	n := r.count()
	some := r.b[:n]
	r.b = r.b[n:]
	return some
}

// ascending appends n ascending numbers below a limit to all.
func (r *reader) ascending(all []uint32, n int, limit int) []uint32 {
	next := uint64(0)
	for range n {
		gap := r.uint()
		if gap >= uint64(limit)-next || r.failed {
			r.fail()
			return all
		}
		all = append(all, uint32(next+gap))
		next += gap + 1
	}
	return all
}

// counts reads n counts, which are at least 1, and returns where the values of each end. All values together take at
// least one byte each.
func (r *reader) counts(n int) (ends []int) {
	ends, all := make([]int, n), uint64(0)
	for i := range ends {
		count := r.uint()
		if all += count; count == 0 || count > uint64(len(r.b)) || all > uint64(len(r.b)) {
			r.fail()
			return nil
		}
		ends[i] = int(all)
	}
	return ends
}

// numberTexts reads texts, which must be in order, and returns their numbers.
func (r *reader) numberTexts(of *state.Texts) []uint32 {
	numbers := make([]uint32, r.count())
	before := ""
	for i := range numbers {
		text := r.bytes()
		if r.failed || i > 0 && string(text) <= before {
			r.fail()
			return nil
		}
		numbers[i] = of.NumberBytes(text)
		before = of.Text(numbers[i])
	}
	return numbers
}
