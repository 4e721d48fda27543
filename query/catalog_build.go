package query

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/query/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// typeBuilder turns one Type into a boundType.
type typeBuilder struct {
	catalog catalog
	ty      *boundType
	faults  []error
}

func (b *typeBuilder) fault(format string, args ...any) {
	b.faults = append(b.faults, fmt.Errorf("query type %q: %s", b.ty.Name, fmt.Sprintf(format, args...)))
}

func (b *typeBuilder) build() {
	ty := b.ty
	if ty.Name == "" || ty.Title == "" || ty.Description == "" || ty.Category == "" || ty.Visualization == "" {
		b.fault("Name, Title, Description, Category and Visualization are required")
	}
	ty.table = tableNamed(ty.Source)
	if ty.table == nil {
		b.fault("there is no table %q", ty.Source)
		return
	}
	if ty.table.subject != ty.Subject {
		b.fault("table %q is not of a %s", ty.Source, ty.Subject)
	}
	for _, name := range ty.Joins {
		if tb := tableNamed(name); tb == nil || tb.subject != ty.Subject {
			b.fault("there is no table %q of a %s", name, ty.Subject)
		}
	}
	b.shape()
	b.columns()
	b.keys()
	b.having()
	b.references()
	b.metrics()
	b.tables()
	b.orders()
	b.fields()
	if len(b.faults) == 0 {
		b.bind()
	}
}

// bind writes the columns with nothing left to look up.
func (b *typeBuilder) bind() {
	ty := b.ty
	for _, m := range ty.outputs {
		ty.exprs = append(ty.exprs, b.bound(m))
	}
	if ty.SkipEmpty != "" {
		ty.skipEmpty = ty.dimension(ty.SkipEmpty)
	}
}

// bound is a column over the relation j or, of a list, over a row of the table.
func (b *typeBuilder) bound(m *metric) expr.Expr {
	ty := b.ty
	switch {
	case m.isDate:
		return joined(bucketColumn)
	case m.isShare:
		of := b.bound(ty.outputs[ty.column(ty.ShareOf)])
		return percent(of, expr.Call(dialect.SumOver, of))
	case m.source != "" && ty.Shape != List:
		return joined(m.alias())
	}
	return expr.Replace(m.expr, func(name string) expr.Expr {
		f := ty.dimension(name)
		switch {
		case f == nil:
			return joined(ty.inputs[name].alias())
		case ty.Shape == List:
			return value(f, ty.table)
		}
		return joined(expr.Ident(f.Name))
	})
}

// shape holds the fields that depend on the shape against it.
func (b *typeBuilder) shape() {
	ty := b.ty
	switch ty.Shape {
	case Breakdown:
		if len(ty.Dimensions) == 0 {
			b.fault("a breakdown needs Dimensions")
		}
	case Totals, Series, List:
		if len(ty.Dimensions) > 0 {
			b.fault("only a breakdown has Dimensions")
		}
	default:
		b.fault("Shape is %q, not totals, breakdown, series or list", ty.Shape)
	}
	if ty.Shape == Series && ty.Window != 0 {
		b.fault("a series has the range of its request")
	}
	if ty.Window < Today {
		b.fault("its Window is negative")
	}
}

// keys looks up what tells rows apart.
func (b *typeBuilder) keys() {
	ty := b.ty
	for _, name := range ty.TieBreak {
		if ty.column(name) < 0 {
			b.fault("its TieBreak %q is no column of it", name)
		}
	}
	for _, name := range ty.Dimensions {
		f := fieldNamed(name)
		if f == nil {
			b.fault("there is no dimension %q", name)
			continue
		}
		ty.dimensions = append(ty.dimensions, f)
	}
	if ty.Shape == List && ty.table.rows == sessionRows && len(ty.TieBreak) == 0 {
		b.fault("a list of sessions needs a TieBreak")
	}
	if len(ty.Values) > 0 && len(ty.Dimensions) != 1 {
		b.fault("Values are those of one dimension")
	}
	if ty.ZeroFill && (len(ty.Values) == 0 || len(ty.Joins) > 0) {
		b.fault("ZeroFill needs Values, and columns of one table")
	}
}

func (b *typeBuilder) having() {
	if b.ty.Having == "" {
		return
	}
	m := b.catalog[metricKey{source: b.ty.Source, name: b.ty.Having}]
	if m == nil {
		b.fault("Having names %q, which is no metric of table %q", b.ty.Having, b.ty.Source)
		return
	}
	b.ty.having = []*metric{m}
}

func (b *typeBuilder) columns() {
	seen := map[string]bool{}
	for _, spec := range b.ty.Columns {
		name, source, named := strings.Cut(spec, "=")
		if !named {
			source = name
		}
		m := b.metric(source)
		if m == nil {
			b.fault("there is no column %q for table %q", source, b.ty.Source)
			continue
		}
		if seen[name] {
			b.fault("two columns are called %q", name)
		}
		seen[name] = true
		if m.isDate && b.ty.Shape != Series || m.isShare && b.ty.Shape == List {
			b.fault("only a series has the column %s, and a list has no column %s", dateColumn, shareColumn)
		}
		shown := m.column
		shown.Name = name
		b.ty.columns = append(b.ty.columns, shown)
		b.ty.outputs = append(b.ty.outputs, m)
	}
	if len(b.ty.Columns) == 0 {
		b.fault("it has no columns")
	}
	if b.ty.Shape == Series && !slices.Contains(b.ty.Columns, dateColumn) {
		b.fault("a series needs a column %q", dateColumn)
	}
}

// metric finds one for the type: of its own table, then one made of other columns,
// then of the tables beside it.
func (b *typeBuilder) metric(name string) *metric {
	for _, on := range slices.Concat([]string{b.ty.Source, ""}, b.ty.Joins) {
		if m := b.catalog[metricKey{on, name, on != "" && b.ty.Shape == List}]; m != nil {
			return m
		}
	}
	return nil
}

// references looks up the names that columns are made of.
func (b *typeBuilder) references() {
	for _, m := range b.ty.outputs {
		for _, name := range expr.Refs(m.expr) {
			if b.ty.dimension(name) != nil {
				continue
			}
			m := b.metric(name)
			if m == nil || m.source == "" {
				b.fault("column %q needs %q, which is neither a metric nor one of its Dimensions", m.Name, name)
				continue
			}
			b.ty.inputs[name] = m
		}
	}
}

// metrics lists the aggregates that the type is made of.
func (b *typeBuilder) metrics() {
	ty := b.ty
	for _, m := range slices.Concat(ty.outputs, ty.having) {
		all := []*metric{m}
		for _, name := range expr.Refs(m.expr) {
			all = append(all, ty.inputs[name])
		}
		for _, m := range all {
			if m != nil && m.source != "" && !slices.Contains(ty.metrics, m) {
				ty.metrics = append(ty.metrics, m)
			}
		}
	}
}

// tables finds those whose rows the type counts. All of them must have its keys, and its
// own decides which rows the answer has.
func (b *typeBuilder) tables() {
	ty := b.ty
	ty.sources = []*table{ty.table}
	own := false
	for _, m := range ty.metrics {
		own = own || m.source == ty.Source
		if !slices.Contains(ty.sources, m.table) {
			ty.sources = append(ty.sources, m.table)
		}
	}
	for _, f := range ty.dimensions {
		for _, tb := range ty.sources {
			if !tb.has(f) {
				b.fault("table %q has no dimension %q", tb.name, f.Name)
			}
		}
	}
	ty.leftJoin = len(ty.dimensions) > 0 && !ty.OuterJoin && len(ty.sources) > 1
	if !own && ty.Shape != List && (ty.leftJoin || len(ty.sources) != 2) {
		b.fault("no column counts rows of table %q", ty.Source)
	}
}

func (b *typeBuilder) orders() {
	for _, spec := range b.ty.Order {
		name, desc := strings.CutPrefix(spec, "-")
		if b.ty.column(name) < 0 {
			b.fault("it is ordered by %q, which is no column of it", name)
		}
		b.ty.order = append(b.ty.order, order{column: name, desc: desc})
	}
	if len(b.ty.Order)+len(b.ty.Values) == 0 && (len(b.ty.Dimensions) > 0 || b.ty.Shape == List) {
		b.fault("rows need an order")
	}
	if b.ty.ShareOf == "" && len(b.ty.order) > 0 {
		b.ty.ShareOf = b.ty.order[0].column
	}
	of := b.ty.column(b.ty.ShareOf)
	if slices.ContainsFunc(b.ty.outputs, func(m *metric) bool { return m.isShare }) && (of < 0 || b.ty.outputs[of].isShare) {
		b.fault("percentage is a share of %q, which is no other column of it", b.ty.ShareOf)
	}
	if b.ty.SkipEmpty != "" && b.ty.dimension(b.ty.SkipEmpty) == nil {
		b.fault("SkipEmpty is %q, which is none of its Dimensions", b.ty.SkipEmpty)
	}
}

// fields finds what callers may filter, group and sort by: a field that the rows of
// every table have which the type counts.
func (b *typeBuilder) fields() {
	ty := b.ty
	ty.fields = map[string]*field{}
	for _, f := range fields {
		if slices.ContainsFunc(ty.sources, func(tb *table) bool { return !tb.has(f) }) {
			continue
		}
		ty.fields[f.Name] = f
		ty.filterable = append(ty.filterable, f.Name)
		shown := ty.column(f.Name) >= 0 || slices.Contains(ty.Dimensions, f.Name)
		if !shown && ty.groups(f) {
			ty.groupable = append(ty.groupable, f.Name)
		}
	}
	for _, c := range ty.columns {
		if c.Format != JSON {
			ty.sortable = append(ty.sortable, c.Name)
		}
	}
	if ty.RequiredFilter != "" && ty.fields[ty.RequiredFilter] == nil {
		b.fault("it requires a filter on %q, which is no field of it", ty.RequiredFilter)
	}
}
