// Package answer has the answers to requests: tables of rows by column, what was computed, and their JSON.
//
//	response, err := engine.Run(ctx, access, request)
//	for _, result := range response.Data {
//		for row := range result.Data.Len() {
//			fmt.Println(result.Data.Value(row, "visitors"))
//		}
//	}
//
// A [Budget] bounds the bytes of JSON of an answer.
package answer

import (
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A Response answers one request.
type Response struct {
	Success bool     `json:"success"`
	QueryID string   `json:"queryId,omitempty"`
	Data    []Result `json:"data"`
	Meta    Meta     `json:"meta"`
}

// A Result answers one parameter. Exactly one of Data and Error counts, by Success;
// a failed one has an empty Data.
type Result struct {
	Parameter string      `json:"parameter"` // the type's name
	ID        string      `json:"id,omitempty"`
	Success   bool        `json:"success"`
	Data      Table       `json:"data"`
	Previous  *Table      `json:"previous,omitempty"` // compared: beside each row that of the other period, or null
	Changes   *Table      `json:"changes,omitempty"`  // compared: by how many percent its metrics differ from Previous
	Totals    *Single     `json:"totals,omitempty"`   // the numbers over all rows, also those of other pages
	Error     string      `json:"error,omitempty"`
	Code      ask.Code    `json:"code,omitempty"`
	Meta      *ResultMeta `json:"meta,omitempty"`
	Cause     error       `json:"-"` // of Error, for logs only
}

// ResultMeta says what was computed.
type ResultMeta struct {
	From         Instant  `json:"from"`
	To           Instant  `json:"to"`                     // exclusive
	Until        *Instant `json:"until,omitempty"`        // how far the range has come, when it is not over
	Partial      bool     `json:"partial,omitempty"`      // the range is not over
	PartialFrom  string   `json:"partialFrom,omitempty"`  // the date of the first bucket of a series that has not begun
	PartialFirst bool     `json:"partialFirst,omitempty"` // the first bucket of a series began before the range
	Timezone     string   `json:"timezone"`
	Granularity  string   `json:"granularity"`
	Limit        *int     `json:"limit"` // null for a series without one
	Rows         int      `json:"rows"`
	HasMore      bool     `json:"hasMore"`
	Previous     *Period  `json:"previous,omitempty"` // the period that rows are compared with
	// Unequal lists the dates of the weeks and months of a compared series that have no Changes, because one of the
	// pair is cut by its range and they hold different numbers of days; ascending.
	Unequal []string `json:"unequal,omitempty"`
	// ExpiredBefore is the end of the last day of the answer whose rows were removed because of their age; nil if none
	// were. Where totals of these days do not give the answer, it counts only the rows that are left, and Notes says
	// so.
	ExpiredBefore *Instant `json:"expiredBefore,omitempty"`
	// DailyIdentity, of a type that tells it; empty: most ids of visitors stay the same
	Identity string   `json:"identity,omitempty"`
	Notes    []string `json:"notes,omitempty"` // what a caller may have got wrong, though there is an answer
}

// DailyIdentity says that over half of the pageviews and custom events of a range have visitor ids that change each
// day.
const DailyIdentity = "daily"

// A Period describes the other period of a comparison.
type Period struct {
	Compare ask.Compare `json:"compare"`
	// StartDate and EndDate are the first day and the last one that counts, at least in part. Of a period that begins
	// or ends at a time, they are local times with their difference from UTC, such as 2026-10-25T02:30+02:00; the end
	// is exclusive.
	StartDate string  `json:"startDate"`
	EndDate   string  `json:"endDate"`
	From      Instant `json:"from"`
	To        Instant `json:"to"` // exclusive; if the range is not over, the same elapsed time
}

// An Instant is a time whose JSON is ISO 8601 in UTC with milliseconds, as in rows.
type Instant struct{ time.Time }

// MarshalJSON implements json.Marshaler.
func (t Instant) MarshalJSON() ([]byte, error) {
	return t.appendJSON(nil), nil
}

// Meta says what a request was resolved to.
type Meta struct {
	Parameters      []string `json:"parameters"`
	TotalParameters int      `json:"total_parameters"`
	WebsiteIDs      []string `json:"website_ids,omitempty"` // of several websites; nil of one
	Page            int      `json:"page"`
	Limit           int      `json:"limit"`
	FiltersApplied  int      `json:"filters_applied"`
	// StartDate and EndDate are as they were asked; of presets, and of the ranges of all parameters, dates or local
	// times as in Period.
	StartDate   string `json:"startDate"`
	EndDate     string `json:"endDate"`
	Timezone    string `json:"timezone"`
	Granularity string `json:"granularity"`
}

// A Table is rows by column: immutable, and encoded as a JSON array of objects. The
// zero Table has no rows.
type Table struct {
	columns []Cells
	len     int
	absent  []bool         // rows that are null; nil: none
	encoded []byte         // as JSON; nil: not yet
	most    int64          // bytes in JSON; 0: not counted
	zone    *time.Location // of dates; nil: not known
}

// Cells are one column of a Table: values as the store gave them, unrounded.
type Cells struct {
	*catalog.Output // of a type, which shares it; nil: it is not shown
	store.Column
	plain bool // it is known that no text needs escapes in JSON
}

// Len is the number of rows.
func (t Table) Len() int { return t.len }

// NewTable returns the table of these columns, each of which has at least that many rows.
func NewTable(rows int, columns []Cells) Table { return Table{len: rows, columns: columns} }

// Moved returns t with the column at from moved to the place to. A table without columns stays as it is.
func (t Table) Moved(from, to int) Table {
	if len(t.columns) > 0 {
		moved := t.columns[from]
		t.columns = slices.Insert(slices.Delete(slices.Clone(t.columns), from, from+1), to, moved)
	}
	return t
}

// Named returns t with a column of names behind the column of that name, if there is one. shown describes the names.
func (t Table) Named(column string, shown *catalog.Output, name func(id string) string) Table {
	at := slices.IndexFunc(t.columns, func(c Cells) bool { return c.Output != nil && c.Name == column })
	if at < 0 {
		return t
	}
	names := Cells{Output: shown, Column: store.Column{Kind: dialect.Text, Texts: make([]string, t.len)}}
	for row := range t.len {
		names.Texts[row] = name(t.columns[at].Text(row))
	}
	t.columns = slices.Insert(slices.Clone(t.columns), at+1, names)
	return t
}

// ColumnAt returns the i-th column.
func (t *Table) ColumnAt(i int) *Cells { return &t.columns[i] }

// Absent reports whether a row is null: in Previous and Changes, a row that the other period lacks.
func (t Table) Absent(row int) bool { return t.absent != nil && t.absent[row] }

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
	c := t.Column(name)
	if c == nil || row < 0 || row >= t.len || t.Absent(row) {
		return nil
	}
	return c.value(row)
}

// Column returns the column called name, or nil.
func (t Table) Column(name string) *Cells {
	for i := range t.columns {
		if t.columns[i].Name == name {
			return &t.columns[i]
		}
	}
	return nil
}

func (c *Cells) value(row int) any {
	if c.Format == catalog.String || c.Format == catalog.Date {
		return c.Text(row)
	}
	if c.Null(row) {
		if c.Zero {
			return zeroOf(c.Format)
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
	case c.Format == catalog.Boolean:
		return c.Ints[row] != 0
	case c.Format == catalog.DateTime:
		return time.UnixMilli(c.Ints[row]).UTC()
	case c.Format == catalog.Number:
		return float64(c.Ints[row])
	}
	return c.Ints[row]
}

// zeroOf returns the value of a cell that counted nothing.
func zeroOf(format catalog.Format) any {
	switch format {
	case catalog.Number:
		return 0.0
	case catalog.Boolean:
		return false
	}
	return int64(0)
}

// Text is a cell of a text column, which is never null.
func (c *Cells) Text(row int) string {
	if c.Kind != dialect.Text || c.Null(row) {
		return ""
	}
	return c.Texts[row]
}

// decimals returns the number of decimals shown.
func (c *Cells) decimals() int {
	if c.Format == catalog.Number {
		return c.Decimals
	}
	return 0
}

// Equal reports whether t and o show the same: columns, order and values.
func (t Table) Equal(o Table) bool {
	return t.len == o.len && slices.Equal(t.Columns(), o.Columns()) &&
		string(t.AppendJSON(nil)) == string(o.AppendJSON(nil))
}
