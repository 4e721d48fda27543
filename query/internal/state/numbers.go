package state

import (
	"slices"
)

// numbers are whole numbers, in half of the bytes where all are small, as they mostly are.
type numbers struct {
	small []int32
	wide  []int64 // in place of small
}

// numbersOf copies all.
func numbersOf(all []int64) numbers {
	if slices.ContainsFunc(all, func(n int64) bool { return n != int64(int32(n)) }) {
		return numbers{wide: slices.Clone(all)}
	}
	small := make([]int32, len(all))
	for i, n := range all {
		small[i] = int32(n)
	}
	return numbers{small: small}
}

func (n *numbers) len() int { return len(n.small) + len(n.wide) }

func (n *numbers) at(i int) int64 {
	if n.wide != nil {
		return n.wide[i]
	}
	return int64(n.small[i])
}

func (n *numbers) slice(from, to uint32) numbers {
	if n.wide != nil {
		return numbers{wide: n.wide[from:to]}
	}
	return numbers{small: n.small[from:to]}
}
