package query

import (
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A Table is rows by column: immutable, and encoded as a JSON array of objects. The
// zero Table has no rows.
type Table struct {
	columns []cells
	len     int
}

// cells are one column of a Table: values as the store gave them, unrounded.
type cells struct {
	column
	store.Column
}

// Len is the number of rows.
func (t Table) Len() int { return t.len }

// Columns lists the names of the columns, in order.
func (t Table) Columns() []string {
	names := make([]string, len(t.columns))
	for i := range t.columns {
		names[i] = t.columns[i].Name
	}
	return names
}

// Value is the cell of a column, by name, in a row from 0, as the JSON shows it: a
// string (dates too), an int64, a float64 (rounded), a bool, a time.Time in UTC, or
// nil for null and for a column or row that is not there.
func (t Table) Value(row int, name string) any {
	at := slices.IndexFunc(t.columns, func(c cells) bool { return c.Name == name })
	if at < 0 || row < 0 || row >= t.len {
		return nil
	}
	return t.columns[at].value(row)
}

func (c *cells) value(row int) any {
	if c.Format == String || c.Format == Date {
		return c.text(row)
	}
	if c.Null(row) {
		if c.Zero {
			return c.zero()
		}
		return nil
	}
	switch {
	case c.Kind == dialect.Float && !finite(c.Floats[row]):
		return nil
	case c.Kind == dialect.Float:
		return round(c.Floats[row], c.decimals())
	case c.Kind != dialect.Int:
		return c.Texts[row]
	case c.Format == Boolean:
		return c.Ints[row] != 0
	case c.Format == DateTime:
		return time.UnixMilli(c.Ints[row]).UTC()
	case c.Format == Number:
		return float64(c.Ints[row])
	}
	return c.Ints[row]
}

// zero is the value of a cell that counted nothing.
func (c *cells) zero() any {
	switch c.Format {
	case Number:
		return 0.0
	case Boolean:
		return false
	}
	return int64(0)
}

// text is a cell of a text column, which is never null.
func (c *cells) text(row int) string {
	if c.Kind != dialect.Text || c.Null(row) {
		return ""
	}
	return c.Texts[row]
}

// decimals is how many of them are shown.
func (c *cells) decimals() int {
	if c.Format == Number {
		return c.Decimals
	}
	return 0
}

// Equal reports whether t and o show the same: columns, order and values.
func (t Table) Equal(o Table) bool {
	return t.len == o.len && slices.Equal(t.Columns(), o.Columns()) &&
		string(t.AppendJSON(nil)) == string(o.AppendJSON(nil))
}
