// Package statetest generates rows for tests of partials, and the answers that loops over these rows give.
//
//	all := statetest.Observations(rng, 200)
//	cut := statetest.RandomCut(rng)
//	made, err := statetest.Batch(rng, all, cut.Keyed, cut.Stretches).Build(cut.Numbers)
//	got := cut.Answers(cut.Sources(made))
//	want := statetest.Answer(all, cut.Rows()[0])   // equals got[0]
package statetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/state"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// Cell is the length of the cells of partials without keys, in milliseconds. Observations lie in the first 8 cells.
// Stretches with keys do not cross the fourth.
const Cell = 900_000

// An Observation is the content of one row of a store.
type Observation struct {
	At     int64
	Key    string
	Member int64 // 0: none
	Value  int64
	Absent bool // it has no value
}

// Observations returns n observations with few keys, members and values.
func Observations(rng *rand.Rand, n int) []Observation {
	found := make([]Observation, n)
	for i := range found {
		found[i] = Observation{rng.Int64N(8 * Cell), string(rune('a' + rng.IntN(5))), rng.Int64N(12), rng.Int64N(9) - 4,
			rng.IntN(4) == 0}
	}
	return found
}

// Diverse returns observations with keys of any bytes, members that are hashes, and values of any size.
func Diverse(rng *rand.Rand) []Observation {
	keys, members, width := make([]string, 1+rng.IntN(40)), make([]int64, 1+rng.IntN(600)), int64(1)<<rng.IntN(42)
	for i := range keys {
		text := make([]byte, rng.IntN(6))
		for j := range text {
			text[j] = byte(rng.IntN(256))
		}
		keys[i] = string(text)
	}
	for i := range members {
		members[i] = rng.Int64()
	}
	members[0] = 0
	found := make([]Observation, rng.IntN(1500))
	for i := range found {
		found[i] = Observation{rng.Int64N(8 * Cell), keys[rng.IntN(len(keys))], members[rng.IntN(len(members))],
			rng.Int64N(2*width) - width, rng.IntN(4) == 0}
	}
	return found
}

// Aggregates returns an aggregate of each kind, as [Batch] computes them.
func Aggregates() []state.Aggregate {
	return []state.Aggregate{{Name: "rows", Kind: state.Sum}, {Name: "members", Kind: state.Set, Members: "m"},
		{Name: "values", Kind: state.Sample},
		{Name: "texts", Kind: state.TextSet, Members: "t"}, {Name: "least", Kind: state.Least},
		{Name: "greatest", Kind: state.Greatest}}
}

// Batch returns the rows that a statement computes of observations in stretches, with version 1. Equal rows occur once
// or several times.
func Batch(rng *rand.Rand, of []Observation, keyed bool, stretches []calendar.Interval) *state.Computed {
	type row struct {
		cell, member, value int64
		key                 string
		absent              bool
	}
	width := int64(Cell)
	if keyed {
		width = 4 * Cell
	}
	counts := map[row]int64{}
	b := &state.Computed{Stretches: stretches, Versions: slices.Repeat([]uint64{1}, len(stretches)), Cell: 0,
		Width: width, KeyNames: "key",
		Aggregates: Aggregates(), Columns: []int{4, 2, 3, 5, 3, 3}, Count: 4}
	if keyed {
		b.Keys = []int{1}
	}
	columns := []store.Column{{Kind: dialect.Int}, {Kind: dialect.Text}, {Kind: dialect.Int},
		{Kind: dialect.Int, Valid: []bool{}}, {Kind: dialect.Int}, {Kind: dialect.Text}}
	add := func(r row, n int64) {
		columns[0].Ints, columns[1].Texts = append(columns[0].Ints, r.cell), append(columns[1].Texts, r.key)
		columns[2].Ints, columns[3].Ints = append(columns[2].Ints, r.member), append(columns[3].Ints, r.value)
		columns[3].Valid, columns[4].Ints = append(columns[3].Valid, !r.absent), append(columns[4].Ints, n)
		columns[5].Texts = append(columns[5].Texts, strings.TrimPrefix(fmt.Sprint(r.member, "\xff\x00"), "0\xff\x00"))
	}
	for _, o := range of {
		if o.At < stretches[0].From || o.At >= stretches[len(stretches)-1].To {
			continue
		}
		r := row{cell: o.At / width, member: o.Member, value: o.Value, absent: o.Absent}
		if keyed {
			r.key = o.Key
		}
		if rng.IntN(3) == 0 {
			add(r, 1)
		} else {
			counts[r]++
		}
	}
	for r, n := range counts {
		add(r, n)
	}
	b.Rows = &store.Rows{Len: len(columns[0].Ints), Columns: columns}
	return b
}

// Answer returns the numbers of the observations that count: rows, members, a quantile, extremes.
func Answer(of []Observation, counts func(Observation) bool) string {
	rows, members, values := 0, map[int64]bool{}, []int64{}
	for _, o := range of {
		if !counts(o) {
			continue
		}
		rows++
		if o.Member != 0 {
			members[o.Member] = true
		}
		if !o.Absent {
			values = append(values, o.Value)
		}
	}
	slices.Sort(values)
	quantile, least, greatest := int64(state.None), int64(state.None), int64(state.None)
	if n := len(values); n > 0 {
		least, greatest = values[0], values[n-1]
		at := (n - 1) * 750
		low, high := values[at/1000], values[min(at/1000+1, n-1)]
		quantile = low*1000 + (high-low)*int64(at%1000)
	}
	return fmt.Sprintf("%d rows, %d members, %d, %d to %d", rows, len(members), quantile, least, greatest)
}

// A Cut divides the first 8 cells into stretches.
type Cut struct {
	Numbers   *state.Numbering
	Counters  *state.Counters
	Keyed     bool
	Width     int64 // of the rows of the answer, in cells, if there are no keys
	Stretches []calendar.Interval
}

// RandomCut returns a random cut, with or without keys, and with a new numbering.
func RandomCut(rng *rand.Rand) *Cut {
	c := &Cut{Numbers: state.NewNumbering(), Counters: &state.Counters{}, Keyed: rng.IntN(2) == 0, Width: 1 +
		rng.Int64N(8)}
	for from := int64(0); from < 8*Cell; {
		to := min(from+Cell*(1+rng.Int64N(3)), 8*Cell)
		if c.Keyed {
			to = min(from+1+rng.Int64N(3*Cell), (from/(4*Cell)+1)*4*Cell)
		}
		c.Stretches = append(c.Stretches, calendar.Interval{From: from, To: to})
		from = to
	}
	return c
}

// Sources returns the partials of an aggregate, one for each stretch, as sources of an answer. Without keys a row has
// so many cells.
func (c *Cut) Sources(partials []*state.Partial) (of []state.Source) {
	for i, p := range partials {
		s := state.Source{Partial: p}
		for at := c.Stretches[i].From; !c.Keyed && at < c.Stretches[i].To; at += Cell {
			s.Rows = append(s.Rows, int32(at/Cell/c.Width))
		}
		of = append(of, s)
	}
	return of
}

// Rows returns, by number, which observations each row of the answer counts.
func (c *Cut) Rows() []func(Observation) bool {
	var rows []func(Observation) bool
	if c.Keyed {
		for _, key := range c.Numbers.Keys("key") {
			rows = append(rows, func(o Observation) bool { return o.Key == key })
		}
		return rows
	}
	for row := range (7 / c.Width) + 1 {
		rows = append(rows, func(o Observation) bool { return o.At/Cell/c.Width == row })
	}
	return rows
}

// Answers returns the numbers of each row, as [Answer] does, by the sources of all aggregates. It also computes each
// row alone, and says so if that gives another result.
func (c *Cut) Answers(sources [][]state.Source) (all []string) {
	n := len(c.Rows())
	members, texts := c.Numbers.Members(state.Set, "m"), c.Numbers.Members(state.TextSet, "t")
	sums, sets, textSets := state.Sums(n, sources[0]), c.Counters.Counts(n, members, sources[1]),
		c.Counters.Counts(n, texts, sources[3])
	quantiles := state.Quantiles(n, 750, sources[2])
	least, greatest := state.Extremes(state.Least, n, sources[4]), state.Extremes(state.Greatest, n, sources[5])
	for row := range int32(n) {
		if c.Counters.Count(row, members, sources[1]) != sets[row] || textSets[row] != sets[row] ||
			state.Quantile(row, 750, sources[2]) != quantiles[row] {
			all = append(all, "a row alone differs from the same row among all")
			continue
		}
		all = append(all, fmt.Sprintf("%d rows, %d members, %d, %d to %d", sums[row], sets[row], quantiles[row],
			least[row], greatest[row]))
	}
	return all
}
