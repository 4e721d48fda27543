package answer

import (
	"strconv"
	"time"

	"github.com/sightline-analytics/sightline/internal/jsontext"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A cellWriter writes the cells of a column as members of JSON objects. It decides once about everything that the cells
// share.
type cellWriter struct {
	*Cells
	lead   []byte // what comes before each
	null   string // what is written for null
	places int    // decimals at most
	write  func(w *cellWriter, b []byte, row int) []byte
}

// writers returns a writer for each column of t.
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
		all[i] = cellWriter{Cells: c, lead: leads[from:], null: c.null(), places: c.decimals(), write: c.writer()}
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

// null returns the JSON of a cell without a value. Texts are never null.
func (c *Cells) null() string {
	switch {
	case c.Format == catalog.JSON || c.Format == catalog.String || c.Format == catalog.Date:
		return `""`
	case !c.Zero:
		return "null"
	case c.Format == catalog.Boolean:
		return "false"
	}
	return "0"
}

// writer writes the cells of c that have a value.
func (c *Cells) writer() func(w *cellWriter, b []byte, row int) []byte {
	switch {
	case c.Format == catalog.JSON:
		return func(w *cellWriter, b []byte, row int) []byte { return appendJSON(b, w.Text(row)) }
	case c.plain && c.Format == catalog.String:
		return func(w *cellWriter, b []byte, row int) []byte {
			return append(append(append(b, '"'), w.Texts[row]...), '"')
		}
	case c.Format == catalog.String || c.Format == catalog.Date:
		return func(w *cellWriter, b []byte, row int) []byte { return appendText(b, w.Text(row)) }
	case c.Kind == dialect.Float:
		return func(w *cellWriter, b []byte, row int) []byte { return appendRounded(b, w.Floats[row], w.places) }
	case c.Kind != dialect.Int:
		return func(w *cellWriter, b []byte, row int) []byte { return appendText(b, w.Texts[row]) }
	case c.Format == catalog.Boolean:
		return func(w *cellWriter, b []byte, row int) []byte { return strconv.AppendBool(b, w.Ints[row] != 0) }
	case c.Format == catalog.DateTime:
		return func(w *cellWriter, b []byte, row int) []byte {
			return append(time.UnixMilli(w.Ints[row]).UTC().AppendFormat(append(b, '"'), jsontext.Instant), '"')
		}
	}
	return func(w *cellWriter, b []byte, row int) []byte { return strconv.AppendInt(b, w.Ints[row], 10) }
}
