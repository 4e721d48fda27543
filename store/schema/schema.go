package schema

import (
	"database/sql"
	"time"

	"github.com/sightline-analytics/sightline/internal/address"
	"github.com/sightline-analytics/sightline/store"
)

// A Kind is the kind of a column's values. A store has one type for each.
type Kind uint8

// The kinds of column. Texts are never null: an absent text is empty. Numbers are whole, and only a Measure may
// be null.
const (
	Text           Kind = iota // most values differ, such as ids
	LowCardinality             // a text with few distinct values
	Compressed                 // a long text that is rarely read
	Instant                    // milliseconds since 1970 in UTC
	Integer                    // 64 bits
	Small                      // 0 to 255
	Measure                    // 64 bits, null when absent
	Condition                  // a truth value, in SealedTables only: of the type that conditions have in the database
)

// IsText reports whether values of k are texts; the others are numbers.
func (k Kind) IsText() bool { return k <= Compressed }

// Imports is the column with the imports of a row, in every table: see store.Batch.
const Imports = "imports"

// A Row identifies a row of a table: an item of a batch or, for vitals, one sample of an item.
type Row struct {
	Batch  *store.Batch
	Item   int // its position in the table's slice of Batch
	Sample int // 0 in all tables but vitals
}

func (r Row) event() *store.Event     { return &r.Batch.Events[r.Item] }
func (r Row) error() *store.Error     { return &r.Batch.Errors[r.Item] }
func (r Row) vital() *store.Vital     { return &r.Batch.Vitals[r.Item] }
func (r Row) sample() *store.Sample   { return &r.vital().Samples[r.Sample] }
func (r Row) span() *store.Span       { return &r.Batch.Spans[r.Item] }
func (r Row) visit() *store.Visit     { return &r.Batch.Visits[r.Item] }
func (r Row) check() *store.Check     { return &r.Batch.Checks[r.Item] }
func (r Row) blocked() *store.Blocked { return &r.Batch.Blocked[r.Item] }

// A Column is one column of a logical table.
type Column struct {
	Name string
	Kind Kind
	// Key columns distinguish the rows of one subject.
	Key bool

	most      int64 // the largest value of a Small
	ofSample  bool
	json      bool              // its escapes are checked like characters
	text      func(Row) *string // where the value is; nil for numbers and derived texts
	derived   func(Row) string
	unread    bool
	local     bool
	number    func(Row) store.Measure
	setNumber func(Row, store.Measure)
}

// Derived reports whether c is computed from other columns of the row. Copies leave such columns out.
func (c *Column) Derived() bool { return c.derived != nil }

// Exported reports whether exports have c: it is not derived, and means something in another installation.
func (c *Column) Exported() bool { return c.derived == nil && !c.local }

// Unread reports whether no statement reads c. Stores may omit such a column.
func (c *Column) Unread() bool { return c.unread }

// OfSample reports whether each sample of an item has its own value of c, and not the item.
func (c *Column) OfSample() bool { return c.ofSample }

// Text returns the value of r in a text column.
func (c *Column) Text(r Row) string {
	if c.text == nil {
		return c.derived(r)
	}
	return *c.text(r)
}

// SetText sets the value of r in a text column. It ignores derived columns.
func (c *Column) SetText(r Row, value string) {
	if c.text != nil {
		*c.text(r) = value
	}
}

// Number returns the value of r in a number column.
func (c *Column) Number(r Row) store.Measure { return c.number(r) }

// SetNumber sets the value of r in a number column.
func (c *Column) SetNumber(r Row, value store.Measure) { c.setNumber(r, value) }

// asKey returns c as a key column.
func (c Column) asKey() Column {
	c.Key = true
	return c
}

func text(name string, at func(Row) *string) Column {
	return Column{Name: name, Kind: Text, text: at}
}

func lowCardinality(name string, at func(Row) *string) Column {
	return Column{Name: name, Kind: LowCardinality, text: at}
}

func compressed(name string, at func(Row) *string) Column {
	return Column{Name: name, Kind: Compressed, text: at}
}

// letters is a derived column: a host as people read it, if that differs from its ASCII form, else empty. So text
// operators find parts of bücher.example in xn--bcher-kva.example, and rows are ordered by the names that they show.
func letters(name string, host func(Row) string) Column {
	return Column{Name: name, Kind: LowCardinality, derived: func(r Row) string {
		stored := host(r)
		if shown := address.Shown(stored); shown != stored {
			return shown
		}
		return ""
	}}
}

// jsonObject is a column with JSON, whose strings hold what texts may hold.
func jsonObject(name string, at func(Row) *string) Column {
	return Column{Name: name, Kind: Compressed, text: at, json: true}
}

// importsOf returns the column with the imports of a row, for the tables whose rows have the given heads.
func importsOf(at func(Row) head) Column {
	c := lowCardinality(Imports, func(r Row) *string { return at(r).imports })
	c.local = true
	return c
}

func integer(name string, at func(Row) *int64) Column {
	return Column{Name: name, Kind: Integer,
		number:    func(r Row) store.Measure { return store.Known(*at(r)) },
		setNumber: func(r Row, value store.Measure) { *at(r) = value.V }}
}

func instant(name string, at func(Row) *time.Time) Column {
	return Column{Name: name, Kind: Instant,
		number:    func(r Row) store.Measure { return store.Known(at(r).UnixMilli()) },
		setNumber: func(r Row, value store.Measure) { *at(r) = time.UnixMilli(value.V).UTC() }}
}

// small returns a column of numbers from 0 to most.
func small[V ~uint8](name string, most V, at func(Row) *V) Column {
	return Column{Name: name, Kind: Small, most: int64(most),
		number:    func(r Row) store.Measure { return store.Known(int64(*at(r))) },
		setNumber: func(r Row, value store.Measure) { *at(r) = V(value.V) }}
}

// flag returns a column with 1 for true and 0 for false.
func flag(name string, at func(Row) *bool) Column {
	return Column{Name: name, Kind: Small, most: 1,
		number: func(r Row) store.Measure {
			if *at(r) {
				return store.Known(1)
			}
			return store.Known(0)
		},
		setNumber: func(r Row, value store.Measure) { *at(r) = value.V != 0 }}
}

func measure(name string, at func(Row) *store.Measure) Column {
	return Column{Name: name, Kind: Measure,
		number:    func(r Row) store.Measure { return *at(r) },
		setNumber: func(r Row, value store.Measure) { *at(r) = value }}
}

// maybeInstant returns a column of milliseconds since 1970, or null.
func maybeInstant(name string, at func(Row) *sql.Null[time.Time]) Column {
	return Column{Name: name, Kind: Measure,
		number: func(r Row) store.Measure {
			if v := at(r); v.Valid {
				return store.Known(v.V.UnixMilli())
			}
			return store.Measure{}
		},
		setNumber: func(r Row, value store.Measure) {
			*at(r) = sql.Null[time.Time]{}
			if value.Valid {
				*at(r) = sql.Null[time.Time]{V: time.UnixMilli(value.V).UTC(), Valid: true}
			}
		}}
}

// maybeBool returns a column with 1, 0 or null.
func maybeBool(name string, at func(Row) *sql.Null[bool]) Column {
	return Column{Name: name, Kind: Measure,
		number: func(r Row) store.Measure {
			v := at(r)
			if v.Valid && v.V {
				return store.Known(1)
			}
			return store.Measure{Valid: v.Valid}
		},
		setNumber: func(r Row, value store.Measure) {
			*at(r) = sql.Null[bool]{V: value.V != 0, Valid: value.Valid}
		}}
}
