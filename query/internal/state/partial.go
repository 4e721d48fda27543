// Package state merges answers from the states of their aggregates.
//
//	cache := state.NewCache(256 << 20)
//	shelf := cache.Shelf(website)
//	found, missing := shelf.Find(aggregate, days, versions)   // missing ones are computed: see Computed
//	made, err := shelf.Add(computed)
//	sums := state.Sums(rows, sources)
//
// A partial is the state of one aggregate over the rows of one interval, by the keys that the rows are grouped by: sums, least
// and greatest values, sets, or samples for quantiles. Partials of different intervals merge exactly, in any order: sums add,
// sets unite, and samples are ranked together. So an answer about any range is merged from the partials of its days. Partials of
// a month or a week, which every longer range would merge in the same way, can be rolled up into one.
//
// A [Cache] holds partials in memory, bounded in bytes. Questions that are asked by turns do not push out each other's partials
// again and again. It numbers the keys and the members of sets of each subject, so that merging compares small integers. These
// numbers mean nothing outside a process and are never stored.
package state

import (
	"math"
	"slices"
	"sort"
)

// Kind says how partials of an aggregate merge.
type Kind uint8

// The kinds.
const (
	Sum      Kind = iota // whole numbers, added
	Least                // the least of whole numbers
	Greatest             // the greatest of whole numbers
	Set                  // different whole numbers other than 0, counted
	TextSet              // different texts other than the empty one, counted
	Sample               // whole numbers, of which quantiles are taken
)

// Lists reports whether partials of k hold values of single rows, not only what a statement aggregated.
func (k Kind) Lists() bool { return k >= Set }

// Counts reports whether k is a sum or a count, which is 0 for a row without values.
func (k Kind) Counts() bool { return k == Sum || k == Set || k == TextSet }

// Extreme reports whether k is Least or Greatest.
func (k Kind) Extreme() bool { return k == Least || k == Greatest }

// A Partial is the state of one aggregate over the rows of a stretch, by key. It is immutable; nil is
// the state of no rows.
type Partial struct {
	id      uint64   // within its cache; of rollups 0
	keys    []uint32 // ascending
	values  numbers  // of a Sample those of each key, ascending; else one for each key
	members []uint32 // of a set those of each key, by their numbers
	ends    []uint32 // of a set and a Sample: where those of each key end
	// dense says for each set whether its members are bits. Then members has the number of members, the number of the first word,
	// and the words. It is nil if no set has bits.
	dense []bool
}

// size is about how many bytes p takes.
func (p *Partial) size() int64 {
	return 208 + 4*int64(len(p.keys)+len(p.members)+len(p.ends)+len(p.values.small)) + 8*int64(len(p.values.wide)) + int64(len(p.dense))
}

// span returns where the values or members of the i-th key lie.
func (p *Partial) span(i int) (from, to uint32) {
	if i > 0 {
		from = p.ends[i-1]
	}
	return from, p.ends[i]
}

// find is the index of a key, if p has it.
func (p *Partial) find(key uint32) (int, bool) { return slices.BinarySearch(p.keys, key) }

// A Source is a partial that an answer is merged from.
type Source struct {
	*Partial
	// Rows is the row of the answer that each key counts for, by the key's number; -1: none. Nil: the
	// number of a key is its row.
	Rows []int32
}

func (s Source) row(key uint32) int32 {
	if s.Rows == nil {
		return int32(key)
	}
	return s.Rows[key]
}

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

// Quantile returns the permille/1000 quantile of the samples of a row, interpolated, times 1000;
// None when the row has no samples.
func Quantile(row int32, permille int64, of []Source) int64 {
	return quantile(permille, listsOf(row, of), of)
}

// Quantiles returns the quantile of each row of the answer.
func Quantiles(rows int, permille int64, of []Source) []int64 {
	found := slices.Repeat([]int64{None}, rows)
	byRow(rows, of, nil, func(row uint32, lists []list) { found[row] = quantile(permille, lists, of) })
	return found
}

func quantile(permille int64, lists []list, of []Source) int64 {
	var samples []numbers
	n := int64(0)
	for _, l := range lists {
		samples = append(samples, of[l.source].values.slice(l.from, l.to))
		n += int64(l.to - l.from)
	}
	if n == 0 {
		return None
	}
	at := (n - 1) * permille
	low, next := ranked(samples, at/1000)
	return low*1000 + (next-low)*(at%1000)
}

// ranked is the value with so many others before it in ascending lists together, and the one after
// it; of the last value itself.
func ranked(ascending []numbers, before int64) (value, next int64) {
	low, high := ascending[0].at(0), ascending[0].at(0)
	// In each list, values below from are too small, and values above to cannot be the least any more.
	from, to, cut := make([]int, len(ascending)), make([]int, len(ascending)), make([]int, len(ascending))
	for i, list := range ascending {
		to[i] = list.len()
		low, high = min(low, list.at(0)), max(high, list.at(to[i]-1))
	}
	for low < high {
		middle := low + int64((uint64(high)-uint64(low))/2) // they may lie far apart
		upTo := int64(0)
		for i, list := range ascending {
			cut[i] = from[i] + sort.Search(to[i]-from[i], func(j int) bool { return list.at(from[i]+j) > middle })
			upTo += int64(cut[i])
		}
		if upTo > before {
			high = middle
			copy(to, cut)
		} else {
			low = middle + 1
			copy(from, cut)
		}
	}
	upTo, next := int64(0), int64(math.MaxInt64)
	for i, list := range ascending {
		after := from[i] + sort.Search(list.len()-from[i], func(j int) bool { return list.at(from[i]+j) > low })
		upTo += int64(after)
		if after < list.len() {
			next = min(next, list.at(after))
		}
	}
	if upTo > before+1 || next == math.MaxInt64 {
		next = low
	}
	return low, next
}
