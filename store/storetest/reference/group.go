package reference

import "slices"

// groups collects a T for every row of an answer, identified by the texts of its keys.
type groups[T any] struct {
	list   []*group[T]
	by     map[string]*group[T]
	merged bool // there is one group, for all keys
}

type group[T any] struct {
	combination []string // values of groupBy
	key         []string // values of the type's key columns
	tally       T
}

// tallies returns empty groups for the rows of an answer, whose keys have width texts. In totals, they have one group.
func tallies[T any](a *evaluation, width int) *groups[T] {
	g := &groups[T]{}
	if a.merged {
		g.open(nil, make([]string, width)...)
		g.merged = true
	}
	return g
}

// find returns a group, or nil if it does not exist.
func (g *groups[T]) find(combination []string, key ...string) *group[T] {
	if g.merged {
		return g.list[0]
	}
	return g.by[joined(append(slices.Clip(combination), key...))]
}

// open returns a group, and creates it if it does not exist.
func (g *groups[T]) open(combination []string, key ...string) *group[T] {
	if found := g.find(combination, key...); found != nil {
		return found
	}
	made := &group[T]{combination: combination, key: key}
	if g.by == nil {
		g.by = map[string]*group[T]{}
	}
	g.by[joined(append(slices.Clip(combination), key...))] = made
	g.list = append(g.list, made)
	return made
}

// A filled has the tallies of one combination: one per bucket for a series, otherwise one for the whole range.
type filled[T any] []T

// fill creates the groups of a series or of totals: one for each combination in rows, or one if the question
// has no groupBy.
func fill[T any](a *evaluation, rows []*row) *groups[filled[T]] {
	var g groups[filled[T]]
	size := 1
	if a.kind.Series {
		size = len(a.period.labels)
	}
	if len(a.groupBy) == 0 {
		g.open(nil).tally = make(filled[T], size)
		return &g
	}
	for _, r := range rows {
		if c := a.combination(r); g.find(c) == nil {
			g.open(c).tally = make(filled[T], size)
		}
	}
	return &g
}

// at returns the tally in which an instant counts, or nil if the combination does not exist.
func at[T any](a *evaluation, g *groups[filled[T]], combination []string, ms int64) *T {
	found := g.find(combination)
	if found == nil {
		return nil
	}
	if !a.kind.Series {
		return &found.tally[0]
	}
	return &found.tally[a.period.bucket(ms)]
}

// lay builds a table with one row per combination and bucket. The date follows the combination.
func lay[T any](a *evaluation, g *groups[filled[T]], show func(*T) []value) *table {
	t := a.table()
	if a.kind.Series {
		t.keys = append([]string{"date"}, a.groupBy...)
	}
	for _, one := range g.list {
		for i := range one.tally {
			cells := texts(one.combination)
			if a.kind.Series {
				cells = append(cells, text(a.period.labels[i]))
			}
			t.rows = append(t.rows, append(cells, show(&one.tally[i])...))
		}
	}
	return t
}

// among returns the rows of the site that pick selects and that pass the filters.
func (a *evaluation) among(pick func(*row) bool) []*row {
	var list []*row
	for _, r := range a.site.rows {
		if pick(r) && a.passes(r) {
			list = append(list, r)
		}
	}
	return list
}

func of(kinds ...rowKind) func(*row) bool {
	return func(r *row) bool {
		return slices.Contains(kinds, r.kind)
	}
}
