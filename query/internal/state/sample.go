package state

import (
	"math"
	"slices"
	"sort"
)

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

// RowSources are the sources of a row.
type RowSources struct {
	Row int32
	Of  []Source
}

// QuantileOf is [Quantile] of the samples of several rows together, which may be of different subjects.
func QuantileOf(permille int64, rows []RowSources) int64 {
	var samples []numbers
	for _, r := range rows {
		samples = append(samples, samplesOf(listsOf(r.Row, r.Of), r.Of)...)
	}
	return quantileOf(permille, samples)
}

func quantile(permille int64, lists []list, of []Source) int64 {
	return quantileOf(permille, samplesOf(lists, of))
}

func samplesOf(lists []list, of []Source) (samples []numbers) {
	for _, l := range lists {
		samples = append(samples, of[l.source].values.slice(l.from, l.to))
	}
	return samples
}

// quantileOf returns the quantile of ascending lists together.
func quantileOf(permille int64, samples []numbers) int64 {
	n := int64(0)
	for _, s := range samples {
		n += int64(s.len())
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
