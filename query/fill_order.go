package query

import (
	"cmp"
	"slices"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// ordered lists all spots of s in the order of its plan, then by date, then by
// combination.
func (s *series) ordered() []seriesRow {
	spots := make([]seriesRow, 0, len(s.combinations)*len(s.buckets))
	for b := range s.buckets {
		for c := range s.combinations {
			spots = append(spots, seriesRow{c, b, s.at[c][b]})
		}
	}
	var steps []func(a, b seriesRow) int
	for _, o := range s.plan.Sort {
		if step := s.compareBy(o); step != nil {
			steps = append(steps, step)
		}
	}
	if len(steps) == 0 {
		return spots
	}
	slices.SortStableFunc(spots, func(a, b seriesRow) int {
		for _, step := range steps {
			if d := step(a, b); d != 0 {
				return d
			}
		}
		return 0
	})
	return spots
}

// compareBy compares spots by one column, unrounded; null comes last either way.
func (s *series) compareBy(o order) func(a, b seriesRow) int {
	at := slices.IndexFunc(s.columns, func(c column) bool { return c.Name == o.column })
	var compare func(a, b seriesRow) int
	switch {
	case at < 0:
		return nil
	case at == s.date:
		compare = func(a, b seriesRow) int { return cmp.Compare(a.bucket, b.bucket) }
	case at < len(s.plan.Group):
		compare = func(a, b seriesRow) int {
			return cmp.Compare(s.combinations[a.combination][at], s.combinations[b.combination][at])
		}
	default:
		return s.compareValues(at, o.desc)
	}
	return func(a, b seriesRow) int { return directed(compare(a, b), o.desc) }
}

func (s *series) compareValues(at int, desc bool) func(a, b seriesRow) int {
	zero := s.columns[at].Zero || s.columns[at].Format == String
	c := &s.rows.Columns[at]
	return func(a, b seriesRow) int {
		nullA, nullB := isNull(c, a.row) && !zero, isNull(c, b.row) && !zero
		switch {
		case nullA && nullB:
			return 0
		case nullA:
			return 1
		case nullB:
			return -1
		}
		return directed(compareCells(c, a.row, b.row), desc)
	}
}

func isNull(c *store.Column, row int) bool { return row < 0 || c.Null(row) }

// compareCells compares two values of c; one that is not there is 0 or empty.
func compareCells(c *store.Column, a, b int) int {
	switch c.Kind {
	case dialect.Int:
		return cmp.Compare(cell(c, c.Ints, a), cell(c, c.Ints, b))
	case dialect.Float:
		return cmp.Compare(cell(c, c.Floats, a), cell(c, c.Floats, b))
	}
	return cmp.Compare(cell(c, c.Texts, a), cell(c, c.Texts, b))
}

func cell[T any](c *store.Column, values []T, row int) T {
	if isNull(c, row) {
		var nothing T
		return nothing
	}
	return values[row]
}

func directed(d int, desc bool) int {
	if desc {
		return -d
	}
	return d
}
