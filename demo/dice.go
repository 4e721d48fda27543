package demo

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"time"
)

// dice has the random numbers of one thing, such as a session, a person or an hour. Each thing has its own
// numbers, so that they do not depend on the things generated before it.
type dice struct{ *rand.Rand }

// dice returns the random numbers of the thing named by purpose and parts.
func (g *Generator) dice(purpose string, parts ...int64) dice {
	h := fnv.New128a()
	_, _ = h.Write([]byte(purpose)) // a hash never fails
	_, _ = h.Write(binary.BigEndian.AppendUint64(nil, g.cfg.Seed))
	for _, p := range parts {
		_, _ = h.Write(binary.BigEndian.AppendUint64(nil, uint64(p)))
	}
	sum := h.Sum(nil)
	return dice{rand.New(rand.NewPCG(binary.BigEndian.Uint64(sum), binary.BigEndian.Uint64(sum[8:])))}
}

// chance returns true with probability p.
func (d dice) chance(p float64) bool { return d.Float64() < p }

// between returns a whole number in [low, high].
func (d dice) between(low, high int) int { return low + d.IntN(high-low+1) }

// around returns a log-normal number. Half of the numbers are below median. spread is the standard deviation of
// their logarithm: with 0.5, few numbers exceed three times the median.
func (d dice) around(median, spread float64) float64 {
	return median * math.Exp(spread*d.NormFloat64())
}

// ms returns a number from around in whole milliseconds, limited to [low, high].
func (d dice) ms(median, spread float64, low, high int64) int64 {
	return min(max(int64(d.around(median, spread)), low), high)
}

// moment returns an instant in [from, from+length), a whole number of milliseconds after from.
func (d dice) moment(from time.Time, length time.Duration) time.Time {
	return from.Add(time.Duration(d.Int64N(length.Milliseconds())) * time.Millisecond)
}

// poisson returns a Poisson-distributed number.
func (d dice) poisson(mean float64) int {
	n, p, limit := 0, d.Float64(), math.Exp(-mean)
	for p > limit {
		n++
		p *= d.Float64()
	}
	return n
}

// uuid returns a text with the form of a random UUID (version 4).
func (d dice) uuid() string {
	a, b := d.Uint64(), d.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", uint32(a>>32), uint16(a>>16), a&0xfff, 0x8000|b>>48&0x3fff,
		b&0xffffffffffff)
}

// A weighted choice is drawn in proportion to its weight.
type weighted interface{ weight() float64 }

// pick draws one of choices, which must not be empty.
func pick[T weighted](d dice, choices []T) T {
	total := 0.0
	for _, c := range choices {
		total += c.weight()
	}
	left := d.Float64() * total
	for _, c := range choices {
		if left -= c.weight(); left < 0 {
			return c
		}
	}
	return choices[len(choices)-1]
}

// one draws one of choices, each with the same probability.
func one[T any](d dice, choices []T) T { return choices[d.IntN(len(choices))] }
