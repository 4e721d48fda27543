package answer

import (
	"fmt"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/sightline-analytics/sightline/internal/jsontext"
	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// DefaultMaxAnswer is the largest size of an answer, in bytes of JSON, when Config says nothing.
const DefaultMaxAnswer = 32 << 20

// A Budget bounds the bytes of JSON that the parameters of an answer take together. The requests of a
// batch share one. It is safe for concurrent use.
type Budget struct {
	most  int64
	left  atomic.Int64
	claim func(bytes int64) error // may be nil
}

// NewBudget returns a Budget of that many bytes.
func NewBudget(bytes int64) *Budget {
	b := &Budget{most: bytes}
	b.left.Store(bytes)
	return b
}

// Claiming makes b call claim with the memory that each part of an answer takes, as soon as its rows are known: for the
// rows, and for the JSON that is made of them. If claim fails, the part fails with the code Unavailable and this cause.
// claim may be called in several goroutines at once, also after the request has ended: equal requests share their work.
func (b *Budget) Claiming(claim func(bytes int64) error) *Budget {
	b.claim = claim
	return b
}

// Fresh returns a Budget like b of which nothing is taken.
func (b *Budget) Fresh() *Budget { return NewBudget(b.most).Claiming(b.claim) }

func (b *Budget) claimed(bytes int64) *ask.Error {
	if b.claim == nil {
		return nil
	}
	if err := b.claim(bytes); err != nil {
		return &ask.Error{Code: ask.Unavailable, Err: err,
			Message: "Too many answers are in memory at the moment; try again later"}
	}
	return nil
}

// Take takes size bytes for a part of an answer that the caller encodes. Its error is an [*Error] with the code
// [TooLarge] when fewer bytes are left.
func (b *Budget) Take(size int64) error {
	if err := b.Reserve(size); err != nil {
		return err
	}
	return nil
}

// Max returns the bytes that b allows in all.
func (b *Budget) Max() int64 { return b.most }

// Used returns the bytes that were taken.
func (b *Budget) Used() int64 { return b.most - b.left.Load() }

// Reserve is Take with the type of its error.
func (b *Budget) Reserve(size int64) *ask.Error {
	if b.left.Add(-size) < 0 {
		b.left.Add(size)
		return b.TooLarge(nil)
	}
	return b.claimed(size)
}

// TooLarge returns the error of an answer that does not fit, because of cause.
func (b *Budget) TooLarge(cause error) *ask.Error {
	return &ask.Error{Code: ask.TooLarge, Err: cause,
		Message: fmt.Sprintf("The answer would be larger than %d MiB in all; "+
			"lower limit, ask for fewer parameters, or for a shorter range", b.most>>20)}
}

// TakeFor takes the size of t, which t remembers. Its rows take as much memory as their JSON, or less.
func (b *Budget) TakeFor(t *Table) *ask.Error {
	t.most = t.size()
	if err := b.Reserve(t.most); err != nil {
		return err
	}
	return b.claimed(t.most)
}

// roomInJSON returns the bytes that t takes in JSON, exactly or at most. It returns 0 if neither is known.
func (t *Table) roomInJSON() int {
	if t.encoded != nil {
		return len(t.encoded)
	}
	return int(t.most)
}

// size returns the most bytes that t can take in JSON.
func (t *Table) size() int64 {
	size := int64(len(`[]`) + t.len*len(`},`))
	for i := range t.columns {
		c := &t.columns[i]
		size += int64(t.len)*int64(len(c.Name)+len(`{"":`)) + c.size(t.len)
	}
	return size
}

// size returns the most bytes that the first cells of c can take. It notes whether they are plain.
func (c *Cells) size(rows int) (size int64) {
	const number, instant, null = 24, len(jsontext.Instant) + 2, 4
	switch {
	case c.Format == catalog.DateTime:
		return int64(rows) * int64(instant)
	case c.Kind == dialect.Int && c.Format != catalog.Boolean && c.Format != catalog.Date &&
		c.Format != catalog.String && c.Format != catalog.JSON:
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

// intSize returns the most bytes that n can take: the number of its digits, or one more.
func intSize(n int64) int64 {
	left, sign := uint64(n), int64(0) // the magnitude
	if n < 0 {
		left, sign = -left, 1
	}
	const log2 = 1233 // of 4096, the decimal logarithm of 2
	return sign + 1 + int64(bits.Len64(left)*log2>>12)
}

// textSize returns the most bytes that s can take in JSON.
func textSize(s string) int64 {
	size, at := len(s)+len(`""`), plainLen(s)
	for i := at; i < len(s); i++ {
		size += int(beside[s[i]])
	}
	return int64(size)
}

// plainLen returns how many of the first bytes of s JSON shows unchanged, or a smaller number.
func plainLen(s string) (n int) {
	const each, high = 0x0101010101010101, 0x8080808080808080 // of eight bytes
	for ; n+8 <= len(s); n += 8 {
		x := uint64(s[n]) | uint64(s[n+1])<<8 | uint64(s[n+2])<<16 | uint64(s[n+3])<<24 |
			uint64(s[n+4])<<32 | uint64(s[n+5])<<40 | uint64(s[n+6])<<48 | uint64(s[n+7])<<56
		quote, slash := x^'"'*each, x^'\\'*each
		if (x|(x-' '*each)|(quote-each)|(slash-each))&high != 0 {
			return n
		}
	}
	return n
}

// beside has the most bytes that JSON adds to each byte of a text.
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

// maxEncoded is the size in bytes up to which Encode encodes.
const maxEncoded = 1 << 20

// Encode returns t with its JSON, unless that is large: then it is only made in the response, to save a copy.
func (t Table) Encode() Table {
	if t.most <= maxEncoded {
		t.encoded = slices.Clone(t.AppendJSON(make([]byte, 0, t.most)))
	}
	return t
}

// Held is about how many bytes of memory t takes.
func (t *Table) Held() int64 {
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
