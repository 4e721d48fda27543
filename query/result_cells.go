package query

import (
	"strconv"
	"time"

	"github.com/sightline-analytics/sightline/store/dialect"
)

// A cellWriter writes the cells of a column as members of JSON objects. What they have in common is
// decided once.
type cellWriter struct {
	*cells
	lead  []byte // what comes before each
	null  string // what is written for null
	write func(c *cells, b []byte, row int) []byte
}

// writers are those of the columns of t.
func (t *Table) writers() []cellWriter {
	const lead = 24 // bytes, about
	all, leads := make([]cellWriter, len(t.columns)), make([]byte, 0, len(t.columns)*lead)
	for i := range t.columns {
		from, c := len(leads), &t.columns[i]
		if i == 0 {
			leads = append(leads, '{')
		} else {
			leads = append(leads, ',')
		}
		leads = append(appendText(leads, c.Name), ':')
		all[i] = cellWriter{cells: c, lead: leads[from:], null: c.null(), write: c.writer()}
	}
	return all
}

// append writes the cell of a row.
func (w *cellWriter) append(b []byte, row int) []byte {
	b = append(b, w.lead...)
	if w.Null(row) {
		return append(b, w.null...)
	}
	return w.write(w.cells, b, row)
}

// null is what JSON shows where c has no value. Texts are never null.
func (c *cells) null() string {
	switch {
	case c.Format == JSON || c.Format == String || c.Format == Date:
		return `""`
	case !c.Zero:
		return "null"
	case c.Format == Boolean:
		return "false"
	}
	return "0"
}

// writer writes the cells of c that have a value.
func (c *cells) writer() func(c *cells, b []byte, row int) []byte {
	switch {
	case c.Format == JSON:
		return func(c *cells, b []byte, row int) []byte { return appendJSON(b, c.text(row)) }
	case c.Format == String || c.Format == Date:
		return func(c *cells, b []byte, row int) []byte { return appendText(b, c.text(row)) }
	case c.Kind == dialect.Float:
		return func(c *cells, b []byte, row int) []byte { return appendRounded(b, c.Floats[row], c.decimals()) }
	case c.Kind != dialect.Int:
		return func(c *cells, b []byte, row int) []byte { return appendText(b, c.Texts[row]) }
	case c.Format == Boolean:
		return func(c *cells, b []byte, row int) []byte { return strconv.AppendBool(b, c.Ints[row] != 0) }
	case c.Format == DateTime:
		return func(c *cells, b []byte, row int) []byte {
			return append(time.UnixMilli(c.Ints[row]).UTC().AppendFormat(append(b, '"'), instantFormat), '"')
		}
	}
	return func(c *cells, b []byte, row int) []byte { return strconv.AppendInt(b, c.Ints[row], 10) }
}
