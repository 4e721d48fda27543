package catalog

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/schema"
)

// Definitions are metrics and dimensions of a host, which its types can use beside the built-in ones. See [Vocabulary]
// for those.
//
//	registry, err := query.Definitions{
//		Metrics: []query.Metric{{Name: "revenue", Table: "custom", Of: query.Sum, Property: "total",
//			Where: []query.Filter{{Field: "event_name", Op: query.Eq, Values: []string{"order_paid"}}}}},
//		Dimensions: []query.Dimension{{Name: "plan", Table: "custom", Property: "plan"}},
//	}.NewRegistry(append(query.Builtin(), revenueByPlan)...)
type Definitions struct {
	Metrics    []Metric
	Dimensions []Dimension
}

// A Metric is a number that is computed from the rows of one table: over all rows, or over the rows of a property or a
// column.
//
// The number of a property is read as a decimal: a JSON number, or a string such as "12.50" with 1 to 9 digits before
// the point. It is rounded half away from zero to 4 decimals. Rows with other values, or with values beyond ±999 999
// 999, do not count. Sums are exact: they add whole ten-thousandths. A parameter whose sum is beyond ±9·10^14 fails.
// Answers show 4 decimals; from 5·10^11 on, a floating-point number does not have all of them.
type Metric struct {
	Name        string // of letters a to z, digits and _, at most 64; required
	Label       string // for people; empty: made of Name
	Description string // one sentence; empty: made of the definition
	Unit        string // such as EUR; empty: none
	Table       string // of [Vocabulary], whose rows it is computed from; required
	Of          Function
	Property    string       // the name of a property of events
	Column      string       // or a column of numbers: see TableInfo.Numbers. Neither: Count counts rows
	Where       []ask.Filter // rows that do not pass all of them do not count
}

// A Dimension is a text of the rows of one table. Types that read this table alone can group by it, and callers can
// filter these types by it. A dimension cannot be a mandatory filter of an access.
type Dimension struct {
	Name        string // as of a Metric; required
	Label       string
	Description string
	Table       string // required
	// the name of a property of events; its value is the text of a string, other values are JSON; absent and null are
	// ''
	Property string
	Column   string // or a column of texts: see TableInfo.Texts
}

// A Function computes a Metric.
type Function string

// The functions. Functions of a property or a column use only rows with a number. A Sum and a Count of nothing are 0,
// the others null.
const (
	Sum     Function = "sum"
	Average Function = "average"
	Min     Function = "min"
	Max     Function = "max"
	Count   Function = "count"
)

var functions = []Function{Sum, Average, Min, Max, Count}

// PropertyPrefix begins the field of a filter of a Metric that is on a property, as in property:currency.
const PropertyPrefix = ask.PropertyPrefix

// MostSum is the largest sum of a property, in either direction.
const MostSum = 9e14

const (
	mostDefined  = 64  // characters of a name
	mostProperty = 128 // characters of the name of a property
)

var definedName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// A definer turns definitions into metrics and fields.
type definer struct {
	metrics metricsByKey
	fields  []*Field
	faults  []error
}

// define adds the definitions of d to metrics, and returns the fields that its dimensions are.
func (d Definitions) define(metrics metricsByKey) ([]*Field, []error) {
	df := &definer{metrics: metrics}
	for _, of := range d.Dimensions {
		df.dimension(of)
	}
	for _, of := range d.Metrics {
		df.metric(of)
	}
	return df.fields, df.faults
}

// A subjectOf names what a fault is about, as in metric "revenue".
type subjectOf string

func (df *definer) fault(of subjectOf, format string, args ...any) {
	df.faults = append(df.faults, fmt.Errorf("%s: %s", of, fmt.Sprintf(format, args...)))
}

// name checks the name of a definition.
func (df *definer) name(of subjectOf, name string) {
	if !definedName.MatchString(name) || len(name) > mostDefined {
		df.fault(of, "Name must begin with a letter and have only letters a to z, digits and _, at most %d",
			mostDefined)
	}
	taken := FieldNamed(name) != nil || slices.ContainsFunc(df.fields, func(f *Field) bool { return f.Name == name })
	for key := range df.metrics {
		taken = taken || key.name == name && key.source == ""
	}
	if taken {
		df.fault(of, "the name is taken")
	}
}

// table returns the table called name, if hosts may define something of its rows.
func (df *definer) table(of subjectOf, name string) *Table {
	tb := TableNamed(name)
	switch {
	case tb == nil:
		df.fault(of, "%s", nearest(fmt.Sprintf("there is no table %q", name), name, tableNames()))
	case tb.Derived() || tb.PerProperty || tb.WholeSessions:
		df.fault(of, "table %q has no metrics and dimensions of hosts", name)
		return nil
	}
	return tb
}

func (df *definer) dimension(d Dimension) {
	of := subjectOf(fmt.Sprintf("dimension %q", d.Name))
	df.name(of, d.Name)
	tb := df.table(of, d.Table)
	if tb == nil {
		return
	}
	f := &Field{Name: d.Name, About: d.Description, table: tb}
	switch {
	case (d.Property == "") == (d.Column == ""):
		df.fault(of, "set either Property or Column")
		return
	case tb.Rows == SessionRows:
		df.fault(of, "table %q has whole sessions, which have neither properties nor further columns", tb.Name)
		return
	case d.Property != "":
		df.property(of, tb, d.Property)
		f.computed, f.About = propertyValue(d.Property),
			orText(f.About, fmt.Sprintf("Property %s of the event", d.Property))
	default:
		df.column(of, tb, d.Column, tb.Texts())
		f.computed, f.About = Row(expr.Ident(d.Column)), orText(f.About, "Column "+d.Column)
	}
	df.fields = append(df.fields, f)
	df.metrics[metricKey{name: f.Name}] = &BoundMetric{Output: textColumn(f.Name, orText(d.Label, label(d.Name)),
		f.About), Expr: expr.Ref(expr.Ident(f.Name))}
}

// property checks the name of a property of rows of tb.
func (df *definer) property(of subjectOf, tb *Table, name string) {
	if !tb.Events {
		df.fault(of, "rows of table %q have no properties; events have", tb.Name)
	}
	if !utf8.ValidString(name) || utf8.RuneCountInString(name) > mostProperty || strings.ContainsRune(name, 0) {
		df.fault(of, "Property must be valid UTF-8 without U+0000, of at most %d characters", mostProperty)
	}
}

func (df *definer) column(of subjectOf, tb *Table, name string, allowed []string) {
	if !slices.Contains(allowed, name) {
		df.fault(of, "%s", nearest(fmt.Sprintf("rows of table %q have no such column %q", tb.Name, name), name,
			allowed))
	}
}

func (df *definer) metric(m Metric) {
	of := subjectOf(fmt.Sprintf("metric %q", m.Name))
	df.name(of, m.Name)
	tb := df.table(of, m.Table)
	if !slices.Contains(functions, m.Of) {
		df.fault(of, "Of is %q, not %s", m.Of, mistake.Or(functions...))
	}
	if tb == nil {
		return
	}
	if df.metrics[metricKey{source: tb.Name, name: m.Name}] != nil {
		df.fault(of, "the name is taken by a metric of table %q", tb.Name)
	}
	var number expr.Expr
	switch {
	case m.Property != "" && m.Column != "":
		df.fault(of, "set either Property or Column")
	case m.Property != "":
		df.property(of, tb, m.Property)
		number = expr.Call(dialect.JSONDecimal, Row("properties"), expr.Arg(dialect.Text, m.Property))
	case m.Column != "":
		df.column(of, tb, m.Column, tb.Numbers())
		number = Row(expr.Ident(m.Column))
	case m.Of != Count:
		df.fault(of, "%s needs a Property or a Column", m.Of)
	}
	if tb.Rows == SessionRows && !number.Absent() {
		df.fault(of, "table %q has whole sessions, of which only Count without a Property or Column is possible",
			tb.Name)
	}
	bound := &BoundMetric{Table: tb, source: tb.Name,
		Output: Output{Name: m.Name, Unit: m.Unit, Label: orText(m.Label, label(m.Name)),
			Description: orText(m.Description, m.describe()), Format: Integer, Zero: m.Of == Sum || m.Of == Count}}
	where := df.where(of, tb, m.Where)
	switch {
	case m.Property != "":
		bound.ofProperty(m.Of, number, where)
	default:
		bound.ofRows(m.Of, number, where)
	}
	df.metrics[metricKey{source: tb.Name, name: m.Name}] = bound
}

// describe returns m in words.
func (m Metric) describe() string {
	text := strings.ToUpper(string(m.Of[:min(1, len(m.Of))])) + string(m.Of[min(1, len(m.Of)):])
	switch {
	case m.Property != "":
		text += " of the property " + m.Property
	case m.Column != "":
		text += " of " + m.Column
	default:
		text += " of rows of " + m.Table
	}
	for i, f := range m.Where {
		text += map[bool]string{true: " where ", false: " and "}[i == 0] +
			fmt.Sprintf("%s %s %s", f.Field, f.Op, strings.Join(f.Values, ", "))
	}
	return text
}

// propertyValue is a property of a row as a text: the text of a string, or JSON.
func propertyValue(name string) expr.Expr {
	return expr.Call(dialect.JSONValue, Row("properties"), expr.Arg(dialect.Text, name))
}

// orText returns text or, where it is empty, otherwise.
func orText(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// label is a checked or unchecked name as people write it.
func label(name string) string {
	if name == "" {
		return ""
	}
	return words(name)
}

// nearest is message with the name in allowed that was probably meant, and the allowed names.
func nearest(message, name string, allowed []string) string {
	text, _ := mistake.Choice(message, name, allowed, nil)
	return text
}

func tableNames() []string {
	names := make([]string, len(tables))
	for i, tb := range tables {
		names[i] = tb.Name
	}
	return names
}

// Texts returns the columns of texts from which a Dimension can be made, because no field shows them.
func (tb *Table) Texts() []string {
	return tb.stored(func(c schema.Column) bool {
		shown := slices.ContainsFunc(slices.Concat(fields, typeFields),
			func(f *Field) bool { return string(f.Column) == c.Name })
		return c.Kind.IsText() && !c.Key && !c.Derived() && !shown && c.Name != "properties"
	})
}

// Numbers returns the columns of numbers that a Metric can be made of.
func (tb *Table) Numbers() []string {
	return tb.stored(func(c schema.Column) bool { return c.Kind == schema.Measure || c.Kind == schema.Integer })
}

// stored returns the names of some of the columns of the rows of tb; none if they are not rows of the store.
func (tb *Table) stored(wanted func(schema.Column) bool) []string {
	if tb.Rows != PlainRows {
		return nil
	}
	var names []string
	for _, t := range schema.Tables() {
		for _, c := range t.Columns {
			if t.ID.String() == string(tb.Logical) && wanted(c) {
				names = append(names, c.Name)
			}
		}
	}
	return names
}
