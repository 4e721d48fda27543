package query

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/sightline-analytics/sightline/store/dialect"
)

// DefaultMaxAnswer is the largest size of an answer, in bytes of JSON, when Config says nothing.
const DefaultMaxAnswer = 32 << 20

// A Budget bounds the bytes of JSON that the parameters of an answer take together. The requests of a
// batch share one. It is safe for concurrent use.
type Budget struct {
	most int64
	left atomic.Int64
}

// NewBudget returns a Budget of that many bytes.
func NewBudget(bytes int64) *Budget {
	b := &Budget{most: bytes}
	b.left.Store(bytes)
	return b
}

// take takes so many bytes, if they are left.
func (b *Budget) take(size int64) *Error {
	if b.left.Add(-size) < 0 {
		b.left.Add(size)
		return b.tooLarge(nil)
	}
	return nil
}

func (b *Budget) tooLarge(cause error) *Error {
	return &Error{Code: TooLarge, Err: cause, Message: fmt.Sprintf("The answer would be larger than %d MiB in all; "+
		"lower limit, ask for fewer parameters, or for a shorter range", b.most>>20)}
}

// takeFor takes the size of t, which t remembers.
func (b *Budget) takeFor(t *Table) *Error {
	t.most = t.size()
	return b.take(t.most)
}

// roomInJSON is how many bytes t takes in JSON: at most, or exactly. It is 0 where neither is known.
func (t *Table) roomInJSON() int {
	if t.encoded != nil {
		return len(t.encoded)
	}
	return int(t.most)
}

// size is how many bytes t takes in JSON at most.
func (t *Table) size() int64 {
	size := int64(len(`[]`) + t.len*len(`},`))
	for i := range t.columns {
		c := &t.columns[i]
		size += int64(t.len)*int64(len(c.Name)+len(`{"":`)) + c.size(t.len)
	}
	return size
}

// size is how many bytes the first cells of c take at most. It notes whether they are plain.
func (c *cells) size(rows int) (size int64) {
	const number, instant, null = 24, len(instantFormat) + 2, 4
	switch {
	case c.Format == DateTime:
		return int64(rows) * int64(instant)
	case c.Kind == dialect.Int && c.Format != Boolean && c.Format != Date && c.Format != String && c.Format != JSON:
		for row, n := range c.Ints[:rows] {
			if c.Null(row) {
				size += null
			} else {
				size += intSize(n)
			}
		}
		return size
	case c.Kind == dialect.Text:
		var plain int64
		for _, text := range c.Texts[:rows] {
			size += textSize(text)
			plain += int64(len(text) + len(`""`))
		}
		c.plain = size == plain
		return size
	}
	return int64(rows) * number
}

// intSize is how many bytes n takes.
func intSize(n int64) int64 {
	size, left := int64(1), uint64(n) //nolint:gosec // the magnitude
	if n < 0 {
		size, left = 2, -left
	}
	for ; left >= 10; left /= 10 {
		size++
	}
	return size
}

// textSize is how many bytes s takes in JSON at most.
func textSize(s string) int64 {
	size := len(s) + 2
	for i := range len(s) {
		size += int(beside[s[i]])
	}
	return int64(size)
}

// beside is how many bytes come beside a byte of a text at most, in JSON.
var beside = func() (more [256]uint8) {
	for b := range more {
		switch {
		case b < ' ': // \u0000
			more[b] = 5
		case b == '"' || b == '\\':
			more[b] = 1
		case b >= 0x80: // what is not UTF-8 becomes \ufffd, and U+2028 is escaped
			more[b] = 2
		}
	}
	return more
}()

// encode is t with its JSON.
func (t Table) encode() Table {
	t.encoded = slices.Clone(t.AppendJSON(make([]byte, 0, t.most)))
	return t
}

// held is about how many bytes of memory t takes.
func (t *Table) held() int64 {
	const column, text, number = 300, 16, 8
	size := int64(cap(t.encoded) + len(t.absent) + column*len(t.columns))
	for i := range t.columns {
		c := &t.columns[i].Column
		size += int64(cap(c.Ints)+cap(c.Floats))*number + int64(cap(c.Valid)) + int64(cap(c.Texts))*text
		for _, s := range c.Texts {
			size += int64(len(s))
		}
	}
	return size
}
