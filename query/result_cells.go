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
	lead   []byte // what comes before each
	null   string // what is written for null
	places int    // decimals at most
	write  func(w *cellWriter, b []byte, row int) []byte
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
		all[i] = cellWriter{cells: c, lead: leads[from:], null: c.null(), places: c.decimals(), write: c.writer()}
	}
	return all
}

// append writes the cell of a row.
func (w *cellWriter) append(b []byte, row int) []byte {
	b = append(b, w.lead...)
	if w.Null(row) {
		return append(b, w.null...)
	}
	return w.write(w, b, row)
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
func (c *cells) writer() func(w *cellWriter, b []byte, row int) []byte {
	switch {
	case c.Format == JSON:
		return func(w *cellWriter, b []byte, row int) []byte { return appendJSON(b, w.text(row)) }
	case c.plain && c.Format == String:
		return func(w *cellWriter, b []byte, row int) []byte {
			return append(append(append(b, '"'), w.Texts[row]...), '"')
		}
	case c.Format == String || c.Format == Date:
		return func(w *cellWriter, b []byte, row int) []byte { return appendText(b, w.text(row)) }
	case c.Kind == dialect.Float:
		return func(w *cellWriter, b []byte, row int) []byte { return appendRounded(b, w.Floats[row], w.places) }
	case c.Kind != dialect.Int:
		return func(w *cellWriter, b []byte, row int) []byte { return appendText(b, w.Texts[row]) }
	case c.Format == Boolean:
		return func(w *cellWriter, b []byte, row int) []byte { return strconv.AppendBool(b, w.Ints[row] != 0) }
	case c.Format == DateTime:
		return func(w *cellWriter, b []byte, row int) []byte {
			return append(time.UnixMilli(w.Ints[row]).UTC().AppendFormat(append(b, '"'), instantFormat), '"')
		}
	}
	return func(w *cellWriter, b []byte, row int) []byte { return strconv.AppendInt(b, w.Ints[row], 10) }
}
