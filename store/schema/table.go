package schema

import (
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// A TableID identifies a logical table. Stores store the numbers, so a new table must come last.
type TableID uint8

// The logical tables, in the order in which a batch is stored.
const (
	Events TableID = iota
	Errors
	Vitals
	Spans
	Visits
	Checks
	Blocked
	NumTables
)

// String returns the table's name in statements.
func (t TableID) String() string { return tables[t].name }

// Of returns the kind of subject that the rows of the table belong to.
func (t TableID) Of() store.SubjectKind { return tables[t].of }

// A Table is a logical table.
type Table struct {
	ID TableID
	// Columns are all columns except the subject. event_id and time come first.
	Columns []Column

	name  string
	of    store.SubjectKind
	items func(*store.Batch) int
	add   func(*store.Batch) // appends an empty item
	rows  func(Row) int      // rows per item; nil means 1
	kind  func(Row) uint8    // Identity.Kind of an item; nil means 0
	head  func(Row) head
}

// A head points to the fields that all rows have.
type head struct {
	subject, id, imports *string
	time                 *time.Time
	keyed                bool
}

// Tables returns all logical tables. The index of a table is its ID.
func Tables() []Table { return slices.Clone(tables[:]) }

// TablesOf returns the logical tables with rows of a kind of subject.
func TablesOf(kind store.SubjectKind) []Table {
	return slices.DeleteFunc(Tables(), func(t Table) bool { return t.of != kind })
}

// Has reports whether t has a column with that name, apart from the subject.
func (t *Table) Has(column string) bool {
	return slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Name == column })
}

// Rows returns the number of rows of an item of b: one per sample for a vital, else one.
func (t *Table) Rows(b *store.Batch, item int) int {
	if t.rows == nil {
		return 1
	}
	return t.rows(Row{Batch: b, Item: item})
}

// Len returns the number of items of b that belong to t.
func (t *Table) Len(b *store.Batch) int { return t.items(b) }

// Add appends an item with one row to b.
func (t *Table) Add(b *store.Batch, subject string) Row {
	t.add(b)
	r := Row{Batch: b, Item: t.items(b) - 1}
	*t.head(r).subject = subject
	return r
}

// Subject returns the id of the website, link or monitor that r belongs to.
func (t *Table) Subject(r Row) string { return *t.head(r).subject }

// SetSubject sets the id of the website, link or monitor that r belongs to.
func (t *Table) SetSubject(r Row, id string) { *t.head(r).subject = id }

// SetImports sets the field Imports of r.
func (t *Table) SetImports(r Row, imports string) { *t.head(r).imports = imports }

// begin returns a table with the items that slice returns for a batch. columns follow event_id and time, and imports
// comes last.
func begin[T any](id TableID, name string, of store.SubjectKind, slice func(*store.Batch) *[]T, at func(Row) head,
	columns ...[]Column) Table {
	return Table{
		ID: id, name: name, of: of, head: at,
		Columns: append([]Column{
			text("event_id", func(r Row) *string { return at(r).id }).asKey(),
			instant("time", func(r Row) *time.Time { return at(r).time }).asKey(),
		}, append(slices.Concat(columns...), importsOf(at))...),
		items: func(b *store.Batch) int { return len(*slice(b)) },
		add:   func(b *store.Batch) { *slice(b) = append(*slice(b), *new(T)) },
	}
}
