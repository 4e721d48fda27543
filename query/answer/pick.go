package answer

import (
	"cmp"
	"slices"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// Pick returns the cells of some rows, in the order of rows. A cell is null where rows has -1.
func (c *Cells) Pick(rows []int) Cells {
	picked := Cells{Output: c.Output, Column: store.Column{Kind: c.Kind, Valid: make([]bool, len(rows))}}
	switch c.Kind {
	case dialect.Int:
		picked.Ints = pickValues(&c.Column, c.Ints, rows, picked.Valid)
	case dialect.Float:
		picked.Floats = pickValues(&c.Column, c.Floats, rows, picked.Valid)
	case dialect.Text:
		picked.Texts = pickValues(&c.Column, c.Texts, rows, picked.Valid)
	}
	if !slices.Contains(picked.Valid, false) {
		picked.Valid = nil
	}
	return picked
}

func pickValues[T any](c *store.Column, from []T, rows []int, valid []bool) []T {
	values := make([]T, len(rows))
	for i, row := range rows {
		if row >= 0 && !c.Null(row) {
			values[i], valid[i] = from[row], true
		}
	}
	return values
}

// Pick returns the table of some rows of t, in the order of rows. A row is absent where rows has -1.
func (t Table) Pick(rows []int) Table {
	picked := Table{len: len(rows)}
	if slices.Contains(rows, -1) {
		picked.absent = make([]bool, len(rows))
		for row, found := range rows {
			picked.absent[row] = found < 0
		}
	}
	for _, c := range t.columns {
		picked.columns = append(picked.columns, c.Pick(rows))
	}
	return picked
}

// Sorted lists the rows of t in the order of steps; equal ones stay as they are. Minutes are in the order of time.
func (t Table) Sorted(steps []catalog.Order) []int {
	rows := make([]int, t.len)
	for i := range rows {
		rows[i] = i
	}
	for _, step := range slices.Backward(steps) {
		if c := t.Column(step.Column); c != nil {
			c = c.inTime()
			slices.SortStableFunc(rows, func(a, b int) int { return c.compare(a, b, step.Desc) })
		}
	}
	return rows
}

// inTime returns c with instants in place of the labels of minutes, which local times do not put in order.
func (c *Cells) inTime() *Cells {
	if c.Format != catalog.Date || c.Kind != dialect.Text {
		return c
	}
	instants := make([]int64, len(c.Texts))
	for i, label := range c.Texts {
		at, ok := calendar.InstantOf(label)
		if !ok {
			return c
		}
		instants[i] = at.UnixMilli()
	}
	return &Cells{Output: c.Output, Column: store.Column{Kind: dialect.Int, Ints: instants, Valid: c.Valid}}
}

// compare orders two values of c, unrounded. Null comes last either way, but where it is
// shown as 0 or as an empty text.
func (c *Cells) compare(a, b int, desc bool) int {
	if nullA, nullB := c.Null(a), c.Null(b); (nullA || nullB) && !c.Zero && c.Format != catalog.String {
		switch {
		case !nullB:
			return 1
		case !nullA:
			return -1
		}
		return 0
	}
	var d int
	switch c.Kind {
	case dialect.Int:
		d = cmp.Compare(c.Ints[a], c.Ints[b])
	case dialect.Float:
		d = cmp.Compare(c.Floats[a], c.Floats[b])
	default:
		d = cmp.Compare(c.Texts[a], c.Texts[b])
	}
	if desc {
		return -d
	}
	return d
}
