package reference

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A stage has the numbers of one step of a funnel.
type stage struct {
	persons int
	times   []int64 // from the first step, ms; the least of each person
}

// funnel has a row for each step. With groupBy, a person counts for the value of their earliest event of step 1.
func (a *evaluation) funnel() *table {
	steps := a.deeds()
	window, _ := a.q.window() // checked before
	var g groups[[]stage]
	if len(a.groupBy) == 0 {
		g.open(nil).tally = make([]stage, len(steps))
	}
	for _, chain := range a.persons() {
		matches := make([][]bool, len(steps)) // of each step, for each event
		for k, d := range steps {
			for _, r := range chain {
				matches[k] = append(matches[k], a.names.is(d, r))
			}
		}
		first := slices.Index(matches[0], true)
		if a.q.Order == "any" {
			first = slices.IndexFunc(chain, func(r *row) bool {
				return slices.ContainsFunc(steps, func(d *deed) bool { return a.names.is(d, r) })
			})
		}
		if first < 0 {
			continue
		}
		one := g.open(a.combination(chain[first]))
		if one.tally == nil {
			one.tally = make([]stage, len(steps))
		}
		for k := range steps {
			least, ok := a.leastTime(chain, matches, k)
			if ok && (window == 0 || least <= window) {
				one.tally[k].persons++
				one.tally[k].times = append(one.tally[k].times, least)
			}
		}
	}
	slices.SortFunc(g.list, func(x, y *group[[]stage]) int {
		return cmp.Or(y.tally[0].persons-x.tally[0].persons,
			slices.CompareFunc(x.combination, y.combination, strings.Compare))
	})
	t := a.ranked("step")
	t.block = len(steps)
	if i := columnOf(t.columns, "visitors"); a.q.Within == "session" {
		t.columns[i].Name = "sessions"
	}
	for _, one := range g.list {
		for k := range one.tally {
			t.rows = append(t.rows, append(a.stageCells(one, k), count(len(t.rows))))
		}
	}
	return t
}

// stageCells returns the cells of step k, counted from 0.
func (a *evaluation) stageCells(one *group[[]stage], k int) []value {
	n, first := one.tally[k].persons, one.tally[0].persons
	before, stepRate := n, whole(100)
	if k > 0 {
		before = one.tally[k-1].persons
		stepRate = ratio(100*n, before)
	}
	return append(texts(one.combination), count(k+1), text(a.stepName(k)), count(n),
		ratio(100*n, first), stepRate, count(before-n), seconds(quantile(one.tally[k].times, 50)))
}

func (a *evaluation) stepName(k int) string {
	if a.q.Order == "any" {
		return fmt.Sprintf("%d of %d", k+1, len(a.q.Steps))
	}
	return cmp.Or(a.q.Steps[k].Name, a.q.Steps[k].String())
}

// leastTime returns the least time in which somebody with these events reaches row k, counted from 0.
func (a *evaluation) leastTime(events []*row, matches [][]bool, k int) (least int64, ok bool) {
	switch {
	case a.q.Order == "any":
		return leastOfAnyOrder(events, matches, k+1)
	case len(a.q.Exclude) > 0:
		return a.leastAllowed(events, matches[:k+1])
	}
	return leastTime(events, matches[:k+1])
}

// leastOfAnyOrder returns the least time between two events, or 0 for one, such that the events from one to the other
// match so many different steps.
func leastOfAnyOrder(events []*row, matches [][]bool, steps int) (least int64, ok bool) {
	for i := range events {
		did := make([]bool, len(matches))
		for j := i; j < len(events); j++ {
			n := 0
			for k := range matches {
				if did[k] = did[k] || matches[k][j]; did[k] {
					n++
				}
			}
			if took := events[j].at - events[i].at; n >= steps {
				if !ok || took < least {
					least, ok = took, true
				}
				break
			}
		}
	}
	return least, ok
}

// leastAllowed is leastTime for chains without an excluded event between the steps that it is excluded between.
func (a *evaluation) leastAllowed(events []*row, steps [][]bool) (least int64, ok bool) {
	for i, first := range events {
		if !steps[0][i] {
			continue
		}
		at := []int{i} // the events that may be the last of a chain so far
		for k := 1; k < len(steps); k++ {
			next := map[int]bool{}
			for _, from := range at {
				for j := from + 1; j < len(events); j++ {
					if steps[k][j] {
						next[j] = true
					}
					if a.excluded(k, events[j]) {
						break
					}
				}
			}
			at = slices.Sorted(maps.Keys(next))
		}
		if len(at) > 0 {
			if took := events[at[0]].at - first.at; !ok || took < least {
				least, ok = took, true
			}
		}
	}
	return least, ok
}

// excluded reports whether r is excluded behind step k, counted from 1.
func (a *evaluation) excluded(k int, r *row) bool {
	return slices.ContainsFunc(a.q.Exclude, func(e Exclusion) bool {
		return e.After == k && a.names.is(a.names.deed(&e.Action), r)
	})
}

// persons returns the events of each visitor, or of each session, that are in the range and pass the filters, in order.
func (a *evaluation) persons() [][]*row {
	var lists [][]*row
	if a.q.Within == "session" {
		for _, s := range a.site.sessions {
			lists = append(lists, slices.DeleteFunc(slices.Clone(s.events), func(r *row) bool { return !a.passes(r) }))
		}
		return lists
	}
	for visitor, rows := range a.site.byVisitor {
		if visitor == "" {
			continue
		}
		list := slices.DeleteFunc(slices.Clone(rows), func(r *row) bool { return !r.counted() || !a.passes(r) })
		slices.SortFunc(list, before)
		lists = append(lists, list)
	}
	return lists
}

// leastTime returns the least time from the first to the last event of a chain: different events in order, one for each
// step. ok is false if there is no chain. For each first event, the earliest next events make the shortest chain.
func leastTime(events []*row, steps [][]bool) (least int64, ok bool) {
	for i, first := range events {
		if !steps[0][i] {
			continue
		}
		last, next := first, 1
		for j := i + 1; j < len(events) && next < len(steps); j++ {
			if steps[next][j] {
				last, next = events[j], next+1
			}
		}
		if took := last.at - first.at; next == len(steps) && (!ok || took < least) {
			least, ok = took, true
		}
	}
	return least, ok
}
