package query

import (
	"fmt"
	"slices"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// finish makes the table of p from what its statement returned, and reports whether
// rows follow those that are shown. Rows of a series come as the database has them:
// they are filled, ordered and paged here. All others come ordered and paged, with one
// row more than the limit when there is one.
func finish(p *plan, rows *store.Rows) (Table, bool, *Error) {
	if mistake := checkRows(p, rows); mistake != nil {
		return Table{}, false, mistake
	}
	if p.Type.Shape == Series {
		return finishSeries(p, rows)
	}
	t := Table{len: min(rows.Len, p.Limit)}
	for i, c := range p.columns() {
		t.columns = append(t.columns, cells{c, rows.Columns[i]})
	}
	for i := range t.columns {
		switch c := &t.columns[i]; {
		case c.Format == Date:
			c.Column = bucketLabels(c.Column, p.Grain)
		case c.PreciseFor != "":
			t.roundOthers(c)
		}
	}
	return t, rows.Len > p.Limit, nil
}

// checkRows holds an answer against what was asked for.
func checkRows(p *plan, rows *store.Rows) *Error {
	cols := p.columns()
	if got, want := len(rows.Columns), len(cols); got != want {
		return broken("the store returned %d columns, not %d", got, want)
	}
	for i := range rows.Columns {
		c := &rows.Columns[i]
		var n int
		switch c.Kind {
		case dialect.Int:
			n = len(c.Ints)
		case dialect.Float:
			n = len(c.Floats)
		case dialect.Text:
			n = len(c.Texts)
		}
		if n < rows.Len || c.Valid != nil && len(c.Valid) < rows.Len {
			return broken("column %d has %d values for %d rows", i, n, rows.Len)
		}
		if (cols[i].Format == String || cols[i].Format == JSON) != (c.Kind == dialect.Text) {
			return broken("column %q of format %s has kind %d", cols[i].Name, cols[i].Format, c.Kind)
		}
	}
	return nil
}

// broken is a store that did not keep its promise.
func broken(format string, args ...any) *Error {
	return &Error{Code: Internal, Message: "The query failed", Err: fmt.Errorf("query: "+format, args...)}
}

// bucketLabels turns bucket numbers into dates.
func bucketLabels(numbers store.Column, grain calendar.Grain) store.Column {
	texts := make([]string, len(numbers.Ints))
	for i, n := range numbers.Ints {
		texts[i] = calendar.Label(n, grain)
	}
	return store.Column{Kind: dialect.Text, Texts: texts, Valid: numbers.Valid}
}

// finishSeries fills, orders and pages the rows of a series.
func finishSeries(p *plan, rows *store.Rows) (Table, bool, *Error) {
	s := newSeries(p, rows)
	if mistake := s.assign(); mistake != nil {
		return Table{}, false, mistake
	}
	spots := s.ordered()
	from := min(p.Offset, len(spots))
	to := len(spots)
	if p.Limit > 0 {
		to = min(from+p.Limit, to)
	}
	more := to < len(spots) && from < to
	return s.table(spots[from:to]), more, nil
}

// table gathers the rows at spots.
func (s *series) table(spots []seriesRow) Table {
	t := Table{len: len(spots)}
	for i, c := range s.columns {
		var values store.Column
		switch {
		case i == s.date:
			values = s.dates(spots)
		case i < len(s.plan.Group):
			values = s.keys(i, spots)
		default:
			values = gather(&s.rows.Columns[i], spots)
		}
		t.columns = append(t.columns, cells{c, values})
	}
	return t
}

func (s *series) dates(spots []seriesRow) store.Column {
	texts := make([]string, len(spots))
	for i, sp := range spots {
		texts[i] = s.buckets[sp.bucket].Label
	}
	return store.Column{Kind: dialect.Text, Texts: texts}
}

func (s *series) keys(column int, spots []seriesRow) store.Column {
	texts := make([]string, len(spots))
	for i, sp := range spots {
		texts[i] = s.combinations[sp.combination][column]
	}
	return store.Column{Kind: dialect.Text, Texts: texts}
}

// gather picks the values of the rows at spots; a spot without row is null.
func gather(c *store.Column, spots []seriesRow) store.Column {
	picked := store.Column{Kind: c.Kind, Valid: make([]bool, len(spots))}
	switch c.Kind {
	case dialect.Int:
		picked.Ints = pick(c, c.Ints, spots, picked.Valid)
	case dialect.Float:
		picked.Floats = pick(c, c.Floats, spots, picked.Valid)
	case dialect.Text:
		picked.Texts = pick(c, c.Texts, spots, picked.Valid)
	}
	if !slices.Contains(picked.Valid, false) {
		picked.Valid = nil
	}
	return picked
}

func pick[T any](c *store.Column, from []T, spots []seriesRow, valid []bool) []T {
	values := make([]T, len(spots))
	for i, sp := range spots {
		if sp.row >= 0 && !c.Null(sp.row) {
			values[i], valid[i] = from[sp.row], true
		}
	}
	return values
}

// roundOthers rounds to two decimals the values of c in rows that none of the table's
// texts marks as ones that need more.
func (t *Table) roundOthers(c *cells) {
	fine := func(row int) bool {
		return slices.ContainsFunc(t.columns, func(other cells) bool {
			return other.Format == String && other.Texts[row] == c.PreciseFor
		})
	}
	c.Floats = slices.Clone(c.Floats)
	for row := range t.len {
		if !fine(row) {
			c.Floats[row] = round(c.Floats[row], 2)
		}
	}
}
