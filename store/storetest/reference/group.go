package reference

import "slices"

// groups collects a T for every row of an answer, named by the texts of its keys.
type groups[T any] struct {
	list []*group[T]
	by   map[string]*group[T]
}

type group[T any] struct {
	combination []string // values of groupBy
	key         []string // of the type itself
	tally       T
}

// find returns a group, nil if there is none.
func (g *groups[T]) find(combination []string, key ...string) *group[T] {
	return g.by[joined(append(slices.Clip(combination), key...))]
}

// open returns a group and makes it if there is none.
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

// A filled is the tallies of one combination: of every bucket of a series, of the
// whole range otherwise.
type filled[T any] []T

// fill makes the groups of a series or of totals: one per combination that one of
// rows has, or one for all without groupBy.
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

// at is the tally that an instant counts to, nil if the combination has none.
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

// lay writes one row per combination and bucket, date after the combination.
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

// among returns the rows of the site that pick takes and that pass.
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
