package answer

import (
	"encoding/json"
	"strings"

	"github.com/sightline-analytics/sightline/internal/csvtext"
	"github.com/sightline-analytics/sightline/query/catalog"
)

// The prefixes of columns in CSV that Previous and Changes have, such as previous.visitors.
const (
	previousPrefix = "previous."
	changesPrefix  = "changes."
)

// AppendCSV appends the rows of r to b as CSV of RFC 4180 in UTF-8, with lines that end with a line feed, and returns
// the extended slice. The first line has the names of the columns. Cells are as in JSON; null and absent rows are
// empty. A text that a spreadsheet would run as a formula gets an apostrophe before it. With a comparison the columns
// of Previous and Changes follow, as previous.NAME and changes.NAME.
func (r *Result) AppendCSV(b []byte) []byte {
	tables := []csvTable{{of: &r.Data}}
	if r.Previous != nil {
		tables = append(tables, csvTable{of: r.Previous, prefix: previousPrefix})
	}
	if r.Changes != nil {
		tables = append(tables, csvTable{of: r.Changes, prefix: changesPrefix})
	}
	for i := range tables {
		tables[i].cells = tables[i].of.writers()
		for j, name := range tables[i].of.Columns() {
			if i+j > 0 {
				b = append(b, ',')
			}
			b = csvtext.Append(b, csvtext.Safe(tables[i].prefix+name))
		}
	}
	b = append(b, '\n')
	var scratch []byte
	for row := range r.Data.len {
		for i := range tables {
			for j := range tables[i].cells {
				if i+j > 0 {
					b = append(b, ',')
				}
				if !tables[i].of.Absent(row) {
					b, scratch = tables[i].cells[j].appendCSV(b, scratch, row)
				}
			}
		}
		b = append(b, '\n')
	}
	return b
}

type csvTable struct {
	of     *Table
	prefix string
	cells  []cellWriter
}

// appendCSV appends the cell of a row to b. scratch is memory for its JSON.
func (w *cellWriter) appendCSV(b, scratch []byte, row int) (_, _ []byte) {
	if w.Format == catalog.String || w.Format == catalog.Date {
		return csvtext.Append(b, csvtext.Safe(strings.ToValidUTF8(w.Text(row), "\uFFFD"))), scratch
	}
	scratch = append(scratch[:0], w.null...)
	if !w.Null(row) {
		scratch = w.write(w, scratch[:0], row)
	}
	var text string
	switch {
	case string(scratch) == "null":
		return b, scratch
	case scratch[0] == '"' && json.Unmarshal(scratch, &text) == nil:
		return csvtext.Append(b, csvtext.Safe(text)), scratch
	}
	return csvtext.Append(b, string(scratch)), scratch
}

// AppendLines appends the rows of r to b as lines of JSON, and returns the extended slice. With a comparison each row
// has the further members previous and changes.
func (r *Result) AppendLines(b []byte) []byte {
	columns := r.Data.writers()
	var previous, changes []cellWriter
	if r.Previous != nil {
		previous, changes = r.Previous.writers(), r.Changes.writers()
	}
	for row := range r.Data.len {
		b = appendRow(b, &r.Data, columns, row)
		if r.Previous != nil {
			b = append(b[:len(b)-1], `,"previous":`...)
			b = appendRow(b, r.Previous, previous, row)
			b = append(b, `,"changes":`...)
			b = append(appendRow(b, r.Changes, changes, row), '}')
		}
		b = append(b, '\n')
	}
	return b
}
