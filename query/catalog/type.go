package catalog

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store"
)

// A Type is one query type: a named choice of dimensions and metrics. Validation, SQL,
// metadata and docs all follow from this row. Tables are listed in the package's
// documentation, dimensions and metrics in docs/definitions.md.
type Type struct {
	Name          string // required, as are the four after it
	Title         string
	Description   string // one sentence
	Category      string
	Visualization string // table, timeseries, bar, pie, metric
	Tags          []string
	// words by which people look for it, in lower case without separators. The error about such a name suggests the
	// type, or of several types with the word the first that the caller may ask for
	AlsoCalled []string

	Subject store.SubjectKind // whose rows it reads; required
	Source  string            // the table that it reads; required
	Joins   []string          // further tables that columns come from; a metric that Source has, too, is that of Source
	Window  Window            // the time that it counts instead of the request's range; 0: the range

	Shape      Shape    // required
	Dimensions []string // of a Breakdown: a row for each combination of their values
	Columns    []string // of the answer, in order: "name" of a dimension or metric, or "shown=name"; required
	// a combination of dimensions that only Joins have is a row of the answer, too; false: only combinations of Source
	// are
	OuterJoin bool
	SkipEmpty string // a dimension: rows without a value of it are left out, of shares too
	OnlyEmpty string // a field of sessions: rows with a value of it are left out, of shares too
	SkipZero  string // a metric of Source: rows in which it is 0 are left out
	ShareOf   string // the column that percentage is a share of; empty: the first of Order
	// a dimension: percentage is the share among the rows with the same value of it; empty: among all rows
	ShareIn string

	Order []string // columns, "-" before descending ones; required of a Breakdown without Values and a List
	// a metric of Source: rows are ordered by it before all else, the greatest first, and then by groupBy. Callers
	// cannot change the order. Instead of Order
	LedBy    string
	TieBreak []string // columns, ascending, that order equal rows; after them Dimensions do
	Values   []string // of its one dimension, in the order of rows; instead of Order
	// each of Values has a row, also where nothing counts; or each combination, if the dimensions are parts of local
	// time
	ZeroFill bool
	Limit    int // rows of an answer that asks for no limit, not of a Series; 0: 100

	RequiredFilter string // a field that must be filtered by, with eq; empty: none

	// parts of a parameter, by their names in a request, that it must have, such as goals: see ask.Parameter.Parts
	Needs   []string
	MayHave []string // further ones that it may have

	TellsIdentity bool // its answer says if most ids of visitors in the range change each day
}

// Takes reports whether parameters of ty may have a part.
func (ty *Type) Takes(part string) bool {
	return slices.Contains(ty.Needs, part) || slices.Contains(ty.MayHave, part)
}

// asks reports whether parameters of ty ask about goals, a funnel, retention or paths.
func (ty *Type) asks() bool { return len(ty.Needs)+len(ty.MayHave) > 0 }

// behaviourCost is what a parameter that asks about goals, a funnel, retention or paths costs.
const behaviourCost = 5

// Cost returns how many ordinary parameters one of ty counts for, where requests are limited. One that explains a
// change counts for so many per dimension.
func (ty *Type) Cost() int {
	tb := TableNamed(ty.Source)
	if explains := tb != nil && tb.Rows == ChangeRows; ty.asks() && !explains {
		return behaviourCost
	}
	return 1
}

// Shape says what the rows of an answer stand for.
type Shape string

// The shapes.
const (
	Totals    Shape = "totals"    // one row over everything
	Breakdown Shape = "breakdown" // a row per combination of dimensions
	Series    Shape = "series"    // a row per day or hour, gaps filled
	List      Shape = "list"      // a row per row of the source, nothing counted
)

// A Window is time that ends now: a length in whole milliseconds, or Today.
type Window time.Duration

// Today is the window that begins at local midnight.
const Today Window = -1

// Format says how a column is written in JSON.
type Format string

// The formats of columns.
const (
	String  Format = "string"
	Integer Format = "integer" // whole number
	Number  Format = "number"  // rounded half away from zero, without trailing zeros; may be null
	Boolean Format = "boolean"
	// YYYY-MM-DD, hourly YYYY-MM-DD HH:00:00, of minutes YYYY-MM-DDThh:mm+hh:mm, local
	Date     Format = "date"
	DateTime Format = "datetime" // ISO 8601, milliseconds, Z; may be null
	JSON     Format = "json"     // an object or array as it is stored
)

// A Field can be filtered and grouped by. Callers only see its Name.
type Field struct {
	Name    string
	Shown   string     // its name in answers and dimensions; empty: Name
	About   string     // what it is, for people
	Column  expr.Ident // stored column, of rows and of session facts alike
	Session bool       // the value is the session's; the row's own where there is none
	Match   Match
	Ops     []ask.Op   // that filters may use; nil: all
	Default string     // what an absent value is taken for
	Carried carriers   // of a Session field: those that have a value themselves
	Hash    expr.Ident // stored number in place of the text, which costs less to compare
	Texts   Texts      // what its stored texts look like
	Letters *Field     // its text as people read it, empty where that is the text itself; nil if it always is

	property string    // the key of a property, instead of Column
	computed expr.Expr // of a row t or a session s, instead of Column
	Number   bool      // a whole number, for types' own dimensions
	Clock    Clock     // instead of a value of the row
	table    *Table    // of a host's dimension: the only table that has it; otherwise nil
}

// Clock says which part of the local time of a row, or of the start of a session, a dimension shows. The compiler
// computes it, since it depends on the zone of the request.
type Clock uint8

// The clocks. The zero Clock is of a field that tells no time.
const (
	HourOfDay Clock = iota + 1 // 0 to 23
	Weekday                    // 1 Monday to 7 Sunday
)

// EndsLate reports whether f depends on events of a session that may come after the others: on its first and last
// pageview, not on its first page event.
func (f *Field) EndsLate() bool { return f.Session && f.Carried == carriedByNone && f != Website }

// numbers returns the numbers that the clock can show, ascending.
func (c Clock) numbers() []int64 {
	first, last := int64(0), int64(23)
	if c == Weekday {
		first, last = 1, 7
	}
	var all []int64
	for n := first; n <= last; n++ {
		all = append(all, n)
	}
	return all
}

// Own reports whether a host defined f.
func (f *Field) Own() bool { return f.table != nil }

// IsProperty reports whether f is a property of rows.
func (f *Field) IsProperty() bool { return f.property != "" }

// ShownAs returns the name by which answers show f.
func (f *Field) ShownAs() string { return cmp.Or(f.Shown, f.Name) }

// Identity tells f apart from fields of other programs that have the same name.
func (f *Field) Identity() string {
	if f.property != "" {
		return fmt.Sprintf("%s%q", PropertyPrefix, f.property)
	}
	if f.Own() {
		return f.Name + " = " + f.computed.String()
	}
	return f.Name
}

// Alias is the name of f in statements. No text of a caller is in it.
func (f *Field) Alias() expr.Ident {
	if f.property == "" {
		return expr.Ident(f.ShownAs())
	}
	hash := sha256.Sum256([]byte(f.property))
	return expr.Ident("property_" + hex.EncodeToString(hash[:16]))
}

// PropertyNamed returns the field that is the property with that key, or nil if name does not begin with property:.
func PropertyNamed(name string) *Field {
	key, ok := ask.PropertyKey(name)
	if !ok {
		return nil
	}
	return &Field{Name: name, property: key}
}

// carriers are the rows of websites that may carry a field of a session themselves.
type carriers uint8

// The carriers of fields.
const (
	carriedByNone carriers = iota
	carriedByEvents
	carriedByAll
)

// Match says how values are compared with a field.
type Match uint8

// The ways to match.
const (
	Exact      Match = iota // as text, case-sensitive
	AnyCase                 // any case
	ByPath                  // eq, ne, in, not_in normalise the value like a path
	ByCountry               // code or English name, any case
	ByReferrer              // host or name of a source; "direct"
)

// BoundType is a Type, checked and looked up by NewRegistry.
type BoundType struct {
	Type
	Table           *Table
	DimensionFields []*Field                // of Dimensions
	Outputs         []Output                // output columns in order
	OutputMetrics   []*BoundMetric          // behind each of columns
	OutputExprs     []expr.Expr             // each of columns, over the relation j or, of a list, over a row
	SkipEmptyField  *Field                  // of SkipEmpty
	OnlyEmptyField  *Field                  // of OnlyEmpty
	SkipZeroMetrics []*BoundMetric          // of SkipZero
	LedByMetric     *BoundMetric            // of LedBy
	inputs          map[string]*BoundMetric // metrics that columns are made of, by the names they use
	Metrics         []*BoundMetric          // the aggregates behind all of them, each once, in the order of their use
	Tables          []*Table                // whose rows metrics count, its own first
	// there are further Tables, and a combination of dimensions that only they have is not in the answer
	LeftJoin   bool
	Fields     map[string]*Field // what callers may filter on, by name
	Filterable []string          // the names of fields, in the order of the catalog
	Groupable  []string          // fields that groupBy may name
	Sortable   []string          // output columns that sortBy may name
	Steps      []Order
	Choice     *Choice // nil: a type by name
	// entry_page or exit_page: the pageview whose values a session has in fields of rows; empty: all that pass filters
	Door  expr.Ident
	Whole *BoundType // the numbers over all rows of an answer; nil: there are none
	// Several is the type of questions about several websites: its last column says whose row it is. Nil: this one.
	Several   *BoundType
	ofWhole   bool     // it is the Whole of another type
	ofSeveral bool     // it is the Several of another type
	own       []*Field // dimensions of the host
}

// Role says how a chart uses a column.
type Role string

// The roles of columns.
const (
	DimensionRole Role = "dimension" // what a row is about, or another name for it
	MetricRole    Role = "metric"    // a number that is counted or measured; comparisons show its change
)

// Output is one output column of a type.
type Output struct {
	Name        string
	Role        Role
	Primary     bool   // of its role, the one to show when only one is
	AliasOf     string // the column that it is another name for; empty: none
	Label       string
	Description string
	Unit        string // %, s, ms; empty for counts and texts
	Format      Format
	Decimals    int     // of Number
	PreciseFor  string  // a value of the type's dimension; in rows of others Number has two decimals
	Zero        bool    // nothing is 0; otherwise nothing is null (texts are never null)
	Most        float64 // the parameter fails if a Number is beyond it, in either direction; 0: no bound
}

// Nullable reports whether a cell of the column may be null.
func (c *Output) Nullable() bool {
	switch c.Format {
	case String, Date, JSON:
		return false
	default:
		return !c.Zero
	}
}

// Identity tells ty apart from the other types of its registry, and from choices.
func (ty *BoundType) Identity() string {
	name := ty.Name
	if ty.Choice != nil {
		name = "choice " + ty.Choice.Key
	}
	if ty.ofWhole {
		name += " whole"
	}
	if ty.ofSeveral {
		name += " of several"
	}
	return name
}

// IsShare reports whether the i-th output column, if there is one, is percentage.
func (ty *BoundType) IsShare(i int) bool {
	return i >= 0 && i < len(ty.OutputMetrics) && ty.OutputMetrics[i].isShare
}

// OutputIndex is the index of the output column called name, or -1.
func (ty *BoundType) OutputIndex(name string) int {
	return slices.IndexFunc(ty.Outputs, func(c Output) bool { return c.Name == name })
}

// DimensionOutput is the name of the output column that shows the first dimension; empty
// when none does.
func (ty *BoundType) DimensionOutput() string {
	for i, m := range ty.OutputMetrics {
		if len(ty.DimensionFields) > 0 && m.Name == ty.DimensionFields[0].Name {
			return ty.Outputs[i].Name
		}
	}
	return ""
}

// DimensionField is the field that a Ref of name stands for: one of Dimensions or, in a list,
// any that the rows have. It is nil when name is a metric.
func (ty *BoundType) DimensionField(name string) *Field {
	f := ty.field(name)
	if f == nil || slices.Contains(ty.DimensionFields, f) || ty.Shape == List && f.Clock == 0 && ty.Table.Has(f) {
		return f
	}
	return nil
}

// field returns the field called name, of the host or built in, or nil.
func (ty *BoundType) field(name string) *Field {
	if i := slices.IndexFunc(ty.own, func(f *Field) bool { return f.Name == name }); i >= 0 {
		return ty.own[i]
	}
	return FieldNamed(name)
}

// FieldFor returns the field called name by which callers may filter rows of ty, or nil.
func (ty *BoundType) FieldFor(name string) *Field {
	f := ty.Fields[name]
	switch {
	case ty.Table.BySession && (f == nil || !f.Session):
		return nil
	case f != nil || !ty.OfEvents():
		return f
	}
	return PropertyNamed(name)
}

// MandatoryFieldFor returns the field called name by which an access may filter rows of ty, or nil. An access may
// filter the events that goals, funnels, retention and paths are made of.
func (ty *BoundType) MandatoryFieldFor(name string) *Field {
	if !ty.Table.BySession {
		return ty.FieldFor(name)
	}
	if f := FieldNamed(name); f != nil && EventList.Has(f) {
		return f
	}
	return PropertyNamed(name)
}

// GroupFor returns the field called name by which callers may group rows of ty, or nil.
func (ty *BoundType) GroupFor(name string) *Field {
	if slices.Contains(ty.Groupable, name) {
		return ty.Fields[name]
	}
	if f := PropertyNamed(name); f != nil && ty.OfEvents() && ty.groups(f) {
		return f
	}
	return nil
}

// OfEvents reports whether the rows of ty are events, or sessions of these, so that each has a name and properties.
func (ty *BoundType) OfEvents() bool {
	return !slices.ContainsFunc(ty.Tables, func(tb *Table) bool { return !tb.Events })
}

// HasVisitors reports whether the rows of ty belong to visitors and sessions, so that callers may filter by what else
// these did.
func (ty *BoundType) HasVisitors() bool {
	return ty.Subject == store.KindWebsite &&
		!slices.ContainsFunc(ty.Tables, func(tb *Table) bool { return !tb.HasSessions() })
}

// UntilNow says whether ty counts the time until now instead of the range.
func (ty *BoundType) UntilNow() bool { return ty.Window != 0 }

// groups says whether callers may group by f. Rows that stand for one thing each, a session or a visitor, are not
// grouped.
func (ty *BoundType) groups(f *Field) bool {
	if ty.Shape == List || ty.SkipZero != "" || ty.Cohorts() || ty.Shape == Series && ty.Table.BySession {
		return false
	}
	if f.Session || f.Own() || !ty.Table.HasSessions() {
		return true
	}
	counted := slices.ContainsFunc(ty.Tables, func(tb *Table) bool { return tb.Rows == SessionRows })
	return f.Name == "event_name" || f.IsProperty() || (f.Name == "path" || f == title) && !counted
}

// ZeroNumbers returns the combinations of the parts of local time that have a row each, as one list for each dimension;
// nil if rows are added for Values, or for nothing.
func (ty *BoundType) ZeroNumbers() [][]int64 {
	if !ty.ZeroFill || len(ty.Values) > 0 {
		return nil
	}
	combinations := [][]int64{nil}
	for _, f := range ty.DimensionFields {
		var longer [][]int64
		for _, c := range combinations {
			for _, n := range f.Clock.numbers() {
				longer = append(longer, append(slices.Clip(c), n))
			}
		}
		combinations = longer
	}
	lists := make([][]int64, len(ty.DimensionFields))
	for _, c := range combinations {
		for i, n := range c {
			lists[i] = append(lists[i], n)
		}
	}
	return lists
}

// ShowsNames reports whether rows of ty have names, which may change while the dependencies of an answer do not.
func (ty *BoundType) ShowsNames() bool {
	return slices.ContainsFunc(ty.OutputMetrics, func(m *BoundMetric) bool { return m.NameOf != "" })
}

// Order is one step of sorting, by an output column.
type Order struct {
	Column string
	Desc   bool
}

// Comparable reports whether answers of ty can be compared with another period. Answers that ignore the range cannot,
// and neither can lists, where each row is one of its kind.
func (ty *BoundType) Comparable() bool { return !ty.UntilNow() && ty.Shape != List }
