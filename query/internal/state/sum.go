package state

import (
	"math"
	"slices"
)

// Sums returns the sum for each row of the answer.
func Sums(rows int, of []Source) []int64 {
	sums := make([]int64, rows)
	for _, s := range of {
		if s.Partial == nil {
			continue
		}
		values := s.values
		for i, key := range s.keys {
			if row := s.row(key); row >= 0 {
				sums[row] += values.at(i)
			}
		}
	}
	return sums
}

// None is the result of [Extremes] and [Quantile] for a row without a value.
const None = math.MinInt64

// Extremes returns, for each row of the answer, the least value or, if kind is Greatest, the greatest.
func Extremes(kind Kind, rows int, of []Source) []int64 {
	found := slices.Repeat([]int64{None}, rows)
	for _, s := range of {
		if s.Partial == nil {
			continue
		}
		for i, key := range s.keys {
			if row := s.row(key); row >= 0 {
				found[row] = kind.extreme(found[row], s.values.at(i))
			}
		}
	}
	return found
}

// Value returns what [Sums] or [Extremes] return for one row, of sources in which the number of a key is its row.
func Value(kind Kind, row int32, of []Source) int64 {
	found := int64(None)
	if kind == Sum {
		found = 0
	}
	for _, s := range of {
		if s.Partial == nil {
			continue
		}
		if i, ok := s.find(uint32(row)); ok && kind == Sum {
			found += s.values.at(i)
		} else if ok {
			found = kind.extreme(found, s.values.at(i))
		}
	}
	return found
}

// Further returns the least or greatest of two values, as k says. Each may be None.
func (k Kind) Further(a, b int64) int64 { return k.extreme(a, b) }

// extreme returns the least or greatest of two values, each of which may be None.
func (k Kind) extreme(a, b int64) int64 {
	switch {
	case a == None:
		return b
	case b == None:
		return a
	case k == Least:
		return min(a, b)
	}
	return max(a, b)
}
