package state

import (
	"math"
	"slices"
)

// The members of many days are numbered together, a part of all hashes at a time, so that the part of the table that they use
// stays near the processor. They get the same numbers as day by day: members that are new on a day follow one another, and their
// sets take few bytes.

// numberedAtOnce is about how many values are in a part.
const numberedAtOnce = 1 << 13

// A numbering numbers lists of values, each of which is ascending as unsigned numbers.
type numbering struct {
	*Members
	lists   [][]int64
	numbers [][]uint32 // by list: at first new values have them in the order in which they were found
	known   int        // values that had numbers before
	ends    [][]int    // by part and list: up to where the list was numbered
	begins  [][]int    // by part and list: how many values had numbers; and at the end of the part
}

// NumberLists numbers lists of values, in their order.
func (m *Members) NumberLists(lists [][]int64) [][]uint32 {
	nb := &numbering{Members: m, lists: lists, numbers: make([][]uint32, len(lists)), known: len(m.values), ends: [][]int{make([]int, len(lists))}}
	all := 0
	for i, list := range lists {
		nb.numbers[i] = make([]uint32, len(list))
		all += len(list)
	}
	if len(lists) == 1 || all < nb.known/4 { // to give all their numbers anew would take longer
		m.reserve(all)
		nb.find(math.MaxUint64)
		return nb.numbers
	}
	parts := uint64(all/numberedAtOnce + 1)
	m.reserve(nb.different(parts))
	for part := range parts - 1 {
		nb.find((part + 1) * (math.MaxInt64 / parts)) // hashes have 63 bits
	}
	nb.find(math.MaxUint64)
	if len(m.values) > nb.known {
		nb.order()
	}
	return nb.numbers
}

// different is about how many different values there are: as many of all as of those below a part of all hashes.
func (nb *numbering) different(parts uint64) int {
	different, some, all := newMembers(), 0, 0
	different.factor = inAnyOrder()
	for _, list := range nb.lists {
		n, _ := slices.BinarySearchFunc(list, math.MaxInt64/parts, func(value int64, to uint64) int {
			if uint64(value) < to {
				return -1
			}
			return 1
		})
		for _, value := range list[:n] {
			different.Number(value)
		}
		some, all = some+n, all+len(list)
	}
	if some < numberedAtOnce/2 {
		return all // few, or no hashes
	}
	return min(all, int(float64(len(different.values))/float64(some)*float64(all)*1.05))
}

// find finds the numbers of values up to one, which no part before had.
func (nb *numbering) find(upTo uint64) {
	const many = 64
	var there [many]uint32
	before := nb.ends[len(nb.ends)-1]
	ends, begins := make([]int, len(nb.lists)), make([]int, 0, len(nb.lists)+1)
	for i, list := range nb.lists {
		begins = append(begins, len(nb.values))
		at, numbers := before[i], nb.numbers[i]
		for n := many; n == many; at += n {
			some := list[at:min(at+many, len(list))]
			// The processor waits for memory once for all of them.
			for n = 0; n < len(some) && uint64(some[n]) <= upTo; n++ {
				there[n] = nb.slots[nb.slot(some[n])]
			}
			for j, value := range some[:n] {
				if slot := there[j]; slot > 0 && nb.values[slot-1] == value {
					numbers[at+j] = slot - 1
				} else {
					numbers[at+j] = nb.Number(value)
				}
			}
		}
		ends[i] = at
	}
	nb.ends, nb.begins = append(nb.ends, ends), append(nb.begins, append(begins, len(nb.values)))
}

// order gives new values their numbers in the order of lists, and within a list in the order of values.
func (nb *numbering) order() {
	slots := make([]uint32, len(nb.values)+1) // what becomes of a slot
	for n := range nb.known {
		slots[n+1] = uint32(n + 1)
	}
	values := slices.Grow(slices.Clone(nb.values[:nb.known]), cap(nb.values)-nb.known)
	for i := range nb.lists {
		for _, begins := range nb.begins {
			for n := begins[i]; n < begins[i+1]; n++ {
				values = append(values, nb.values[n])
				slots[n+1] = uint32(len(values))
			}
		}
	}
	nb.values = values
	for part := range nb.begins {
		for i, numbers := range nb.numbers {
			some := numbers[nb.ends[part][i]:nb.ends[part+1][i]]
			for j, n := range some {
				some[j] = slots[n+1] - 1
			}
		}
	}
	for at, slot := range nb.slots {
		nb.slots[at] = slots[slot]
	}
}
