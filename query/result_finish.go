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
			t.roundOthers(c, p.Type.dimensionColumn())
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

// roundOthers rounds to two decimals the values of c in rows whose dimension, in the column
// called by, is not the one that needs more.
func (t *Table) roundOthers(c *cells, by string) {
	of := t.column(by)
	c.Floats = slices.Clone(c.Floats)
	for row := range t.len {
		if of == nil || of.text(row) != c.PreciseFor {
			c.Floats[row] = round(c.Floats[row], 2)
		}
	}
}
