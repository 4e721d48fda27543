package query

import (
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/query/expr"
	"github.com/sightline-analytics/sightline/store"
)

// A Type is one query type: a named choice of dimensions and metrics. Everything
// callers see of it follows from this row: validation, SQL, metadata, docs.
type Type struct {
	Name     string
	Title    string
	About    string // one sentence
	Category string
	Tags     []string
	Chart    string // table, timeseries, bar, pie, metric

	Of      store.SubjectKind // whose rows it counts
	Rows    string            // the table it is about; its metrics win over those of other tables
	With    []string          // further tables that columns come from
	By      []string          // dimensions that make a row; none: one row of totals
	Each    bool              // no counting: a row of the answer is a row of the table
	Series  bool              // a row per day or hour, gaps filled
	Columns []string          // in order: "name", or "name=definition"
	Order   []string          // output columns, "-" before descending ones
	Values  []string          // of its dimension, in the order of rows; instead of Order
	All     bool              // each of Values has a row, also where nothing counts
	Last    time.Duration     // counts the time until now instead of the range
	Today   bool              // counts the local day until now instead of the range
	Key     []string          // output columns that break ties, ascending; after them the dimensions of By do
	Share   string            // the metric that percentage is a share of; empty: the first of Order
	Require string            // a field that must be filtered by, with eq
	Having  string            // a metric of Rows that is not 0 in every row
	Either  bool              // rows of any of its tables make a row; otherwise those of Rows do
	Named   string            // rows whose dimension of this name is empty are left out, of shares too
}

// Format is how a column is written in JSON.
type Format string

// The formats of columns.
const (
	String   Format = "string"
	Integer  Format = "integer" // whole number
	Number   Format = "number"  // rounded half away from zero to Decimals, no trailing zeros; may be null
	Boolean  Format = "boolean"
	Date     Format = "date"     // YYYY-MM-DD, hourly YYYY-MM-DD HH:00:00, local
	DateTime Format = "datetime" // ISO 8601, milliseconds, Z; may be null
	JSON     Format = "json"     // an object or array as it is stored
)

// A field is what callers filter and group on. Its Name is all they see of it.
type field struct {
	Name    string
	Column  expr.Ident // stored column, of rows and of session facts alike
	Session bool       // the value is the session's; the row's own where there is none
	Match   match
	Default string // what an absent value is taken for
	Own     owners // of a Session field: those that have a value themselves

	computed expr.Expr // of a row t or a session s, instead of Column
	number   bool      // a whole number, for types' own dimensions
}

// owners are rows of websites that may have a field of a session themselves.
type owners uint8

// The owners of fields.
const (
	noRow owners = iota
	eventRow
	anyRow
)

// match is how values are held against a field.
type match uint8

// The ways to match.
const (
	exact      match = iota // as text, case-sensitive
	anyCase                 // any case
	byPath                  // eq, ne, in, not_in normalise the value like a path
	byCountry               // code or English name, any case
	byReferrer              // host or name of a source; "direct"
)

// definition is a Type, checked and looked up by NewRegistry.
type definition struct {
	Type
	table      *table
	by         []*field          // of By
	columns    []column          // output columns in order
	terms      []*term           // behind each of columns
	exprs      []expr.Expr       // each of columns, over the relation j or, of a list, over a row
	named      *field            // of Named
	having     []*term           // of Having
	parts      map[string]*term  // metrics that columns are made of, by the names they use
	metrics    []*term           // the aggregates behind all of them, each once, in the order of their use
	used       []*table          // whose rows metrics count, its own first
	owned      bool              // rows of the tables beside its own make no row of the answer
	fields     map[string]*field // what callers may filter on, by name
	filterable []string          // the names of fields, in order of the catalogue
	groupable  []string          // fields that groupBy may name
	sortable   []string          // output columns that sortBy may name
	order      []order
}

// column is one output column of a definition.
type column struct {
	Name     string
	Label    string
	About    string
	Unit     string // %, s, ms; empty for counts and texts
	Format   Format
	Decimals int    // of Number
	FinerFor string // a value of the type's dimension; in rows of others Number has two decimals
	Zero     bool   // nothing is 0; otherwise nothing is null (texts are never null)
}

// column is the place of the output column called name, or -1.
func (d *definition) column(name string) int {
	return slices.IndexFunc(d.columns, func(c column) bool { return c.Name == name })
}

// dimension is the field that a Ref of name stands for: one of By, or any that the
// rows have when the answer lists rows. It is nil when name is a metric.
func (d *definition) dimension(name string) *field {
	f := dimension(name)
	if f == nil || slices.Contains(d.by, f) || d.Each && d.table.has(f) {
		return f
	}
	return nil
}

// byClock says whether d counts the time until now instead of the range.
func (d *definition) byClock() bool { return d.Last > 0 || d.Today }

// groups says whether f may lead the rows. Rows that stand for one thing each, a
// session or a person, are not grouped. A session is one session of its fields, but of
// many paths.
func (d *definition) groups(f *field) bool {
	if d.Each || d.Having != "" {
		return false
	}
	if f.Session || d.Of != store.KindWebsite {
		return true
	}
	counted := slices.ContainsFunc(d.used, func(tb *table) bool { return tb.shape == sessionRows })
	return f.Name == "path" && !counted
}
