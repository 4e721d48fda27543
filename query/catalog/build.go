package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store"
)

// typeBuilder turns one Type into a boundType.
type typeBuilder struct {
	catalog metricsByKey
	further map[string]*BoundMetric // metrics of Source that a choice makes, by name
	ty      *BoundType
	faults  []error
}

func newTypeBuilder(catalog metricsByKey, own []*Field, ty Type) *typeBuilder {
	return &typeBuilder{catalog: catalog, ty: &BoundType{Type: ty, inputs: map[string]*BoundMetric{}, own: own}}
}

func (b *typeBuilder) fault(format string, args ...any) {
	b.faults = append(b.faults, fmt.Errorf("query type %q: %s", b.ty.Name, fmt.Sprintf(format, args...)))
}

func (b *typeBuilder) build() {
	ty := b.ty
	if ty.Name == "" || ty.Title == "" || ty.Description == "" || ty.Category == "" || ty.Visualization == "" {
		b.fault("Name, Title, Description, Category and Visualization are required")
	}
	for _, word := range ty.AlsoCalled {
		if word == "" || strings.ToLower(word) != word || strings.ContainsAny(word, "_- ") {
			b.fault("AlsoCalled: %q is not a word in lower case without separators, so it would never be found", word)
		}
	}
	ofSubject := tablesOf(ty.Subject)
	if len(ofSubject) == 0 {
		b.fault("Subject is %q, not website, link or schedule", ty.Subject)
		ofSubject = tableNames()
	}
	for _, name := range append([]string{ty.Source}, ty.Joins...) {
		switch {
		case TableNamed(name) == nil:
			b.fault("%s", nearest(fmt.Sprintf("table %q does not exist", name), name, ofSubject))
		case !slices.Contains(ofSubject, name):
			b.fault("%s", nearest(fmt.Sprintf("table %q is not of a %s", name, ty.Subject), name, ofSubject))
		}
	}
	b.shape()
	if ty.Table = TableNamed(ty.Source); ty.Table == nil { // nothing else can be looked up
		return
	}
	b.cohorts()
	b.columns()
	b.keys()
	b.parts()
	b.skipZero()
	b.ledBy()
	b.references()
	b.metrics()
	b.tables()
	b.orders()
	b.fields()
	if len(b.faults) == 0 {
		b.bind()
		b.whole()
		b.several()
	}
}

// several makes the type of questions about several websites, if rows are of one session, visitor or event each.
func (b *typeBuilder) several() {
	ty, s := b.ty, b.ty.Type
	ofVisitor := slices.ContainsFunc(ty.DimensionFields, func(f *Field) bool { return f.Hash != "" })
	if ty.Subject != store.KindWebsite || ty.Choice != nil || ty.ofWhole || ty.OutputIndex(Website.Name) >= 0 ||
		ty.Shape != List && !ofVisitor {
		return
	}
	s.Columns = append(slices.Clone(s.Columns), Website.Name)
	if ty.Shape != List {
		s.Dimensions = append(slices.Clone(s.Dimensions), Website.Name)
	}
	all := newTypeBuilder(b.catalog, ty.own, s)
	all.further, all.ty.ofSeveral = b.further, true
	all.build()
	b.faults = append(b.faults, all.faults...)
	ty.Several = all.ty
}

// whole makes the type of the numbers over all rows: what rows without keys have. Types with a row for each visitor,
// those with other units in each row, and those of goals and their like have no such numbers.
func (b *typeBuilder) whole() {
	ty, w := b.ty, b.ty.Type
	mixes := func(c Output) bool { return c.PreciseFor != "" || c.Format == JSON }
	ofVisitor := func(f *Field) bool { return f.Hash != "" }
	if ty.Shape == List || ty.ofWhole || len(ty.Needs)+len(ty.MayHave) > 0 || ty.asks() ||
		slices.ContainsFunc(ty.DimensionFields, ofVisitor) || slices.ContainsFunc(ty.Outputs, mixes) {
		return
	}
	w.Shape, w.Columns, w.Limit = Totals, nil, 0
	w.Dimensions, w.Order, w.TieBreak, w.Values, w.ZeroFill = nil, nil, nil, nil, false
	w.SkipEmpty, w.OnlyEmpty, w.SkipZero, w.OuterJoin = "", "", "", false
	for i, c := range ty.Outputs {
		if c.Role == MetricRole || c.Format == DateTime || c.Format == Boolean {
			w.Columns = append(w.Columns, ty.Columns[i])
		}
	}
	if len(w.Columns) == 0 {
		return
	}
	all := newTypeBuilder(b.catalog, ty.own, w)
	all.further, all.ty.ofWhole, all.ty.Choice, all.ty.ShareOf = b.further, true, ty.Choice, ty.ShareOf
	all.build()
	b.faults = append(b.faults, all.faults...)
	ty.Whole = all.ty
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
		if len(ty.Dimensions) > 0 && (ty.Shape != Series || !b.ofGoals() && !b.ofCohorts()) {
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

// ofGoals reports whether the type has rows for the goals of its parameter, in their order.
func (b *typeBuilder) ofGoals() bool {
	tb := TableNamed(b.ty.Source)
	return tb != nil && tb.Rows == GoalRows
}

// keys looks up what tells rows apart.
func (b *typeBuilder) keys() {
	ty := b.ty
	for _, door := range []expr.Ident{"entry_page", "exit_page"} {
		if ty.Table.Rows == SessionRows && slices.Contains(ty.Dimensions, string(door)) {
			ty.Door = door
		}
	}
	if ty.Choice != nil {
		ty.Door = ty.Choice.Dataset.Door
	}
	for _, name := range ty.TieBreak {
		if ty.OutputIndex(name) < 0 {
			b.fault("%s", nearest(fmt.Sprintf("TieBreak names %q, which is not one of its columns", name), name,
				b.columnNames()))
		}
	}
	for _, name := range ty.Dimensions {
		f := ty.field(name)
		if f == nil {
			b.fault("%s", nearest(fmt.Sprintf("dimension %q does not exist", name), name,
				ty.Table.dimensionNames(ty.own)))
			continue
		}
		ty.DimensionFields = append(ty.DimensionFields, f)
	}
	if ty.Shape == List && ty.Table.Rows == SessionRows && len(ty.TieBreak) == 0 {
		b.fault("a list of sessions needs a TieBreak")
	}
	if len(ty.Values) > 0 && len(ty.Dimensions) != 1 {
		b.fault("Values needs exactly one dimension")
	}
	ofTime := len(ty.DimensionFields) > 0 &&
		!slices.ContainsFunc(ty.DimensionFields, func(f *Field) bool { return f.Clock == 0 })
	if ty.ZeroFill && (len(ty.Values) == 0 && !ofTime || len(ty.Joins) > 0) {
		b.fault("ZeroFill needs Values, or dimensions that are parts of local time, and columns of one table")
	}
	if ty.Limit < 0 || ty.Limit > ask.MaxLimit || ty.Limit > 0 && ty.Shape == Series {
		b.fault("Limit is %d, not 0 to %d, or the type is a series", ty.Limit, ask.MaxLimit)
	}
}

// parts holds the parts that parameters may have against what rows are chosen by them.
func (b *typeBuilder) parts() {
	for _, end := range []struct{ part, column string }{{"from", FromColumn}, {"to", ToColumn}} {
		if b.ty.Takes(end.part) && !slices.Contains(b.ty.Columns, end.column) {
			b.fault("parameters with %s need the column %s", end.part, end.column)
		}
	}
}

func (b *typeBuilder) skipZero() {
	if b.ty.SkipZero == "" {
		return
	}
	m := b.catalog[metricKey{source: b.ty.Source, name: b.ty.SkipZero}]
	if m == nil {
		b.fault("%s", nearest(fmt.Sprintf("SkipZero names %q, which is not a metric of table %q", b.ty.SkipZero,
			b.ty.Source), b.ty.SkipZero, b.metricNames()))
		return
	}
	b.ty.SkipZeroMetrics = []*BoundMetric{m}
}

func (b *typeBuilder) ledBy() {
	if b.ty.LedBy == "" {
		return
	}
	if b.ty.LedByMetric = b.catalog[metricKey{source: b.ty.Source, name: b.ty.LedBy}]; b.ty.LedByMetric == nil {
		b.fault("%s", nearest(fmt.Sprintf("LedBy names %q, which is not a metric of table %q", b.ty.LedBy, b.ty.Source),
			b.ty.LedBy, b.metricNames()))
	}
	if len(b.ty.Order) > 0 {
		b.fault("it has either LedBy or an Order")
	}
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
			b.fault("%s", nearest(fmt.Sprintf("column %q does not exist for table %q", source, b.ty.Source), source,
				b.possibleColumns()))
			continue
		}
		if seen[name] {
			b.fault("two columns are called %q", name)
		}
		seen[name] = true
		if m.isDate && b.ty.Shape != Series || m.isShare && b.ty.Shape == List {
			b.fault("only a series has the column %s, and a list has no column %s", DateColumn, ShareColumn)
		}
		shown := m.Output
		if shown.Name = name; m.isShare && b.ty.ShareIn != "" {
			shown.Description = "Share of the ordering metric over the rows with the same " + b.ty.ShareIn
		}
		b.ty.Outputs = append(b.ty.Outputs, shown)
		b.ty.OutputMetrics = append(b.ty.OutputMetrics, m)
	}
	if len(b.ty.Columns) == 0 {
		b.fault("it has no columns")
	}
	if b.ty.Shape == Series && !slices.Contains(b.ty.Columns, DateColumn) {
		b.fault("a series needs a column %q", DateColumn)
	}
}

func (b *typeBuilder) orders() {
	for _, spec := range b.ty.Order {
		name, desc := strings.CutPrefix(spec, "-")
		if b.ty.OutputIndex(name) < 0 {
			b.fault("%s", nearest(fmt.Sprintf("Order names %q, which is not one of its columns", name), name,
				b.columnNames()))
		}
		b.ty.Steps = append(b.ty.Steps, Order{Column: name, Desc: desc})
	}
	if len(b.ty.Order)+len(b.ty.Values) == 0 && b.ty.LedBy == "" && !b.ofGoals() &&
		(len(b.ty.Dimensions) > 0 || b.ty.Shape == List) {
		b.fault("rows need an order")
	}
	if b.ty.ShareOf == "" && len(b.ty.Steps) > 0 {
		b.ty.ShareOf = b.ty.Steps[0].Column
	}
	of := b.ty.OutputIndex(b.ty.ShareOf)
	if b.showsShare() && (of < 0 || b.ty.OutputMetrics[of].isShare) {
		b.fault("percentage is a share of %q, which is not another of its columns", b.ty.ShareOf)
	} else if b.showsShare() && !b.ty.OutputMetrics[of].hasShares() {
		b.fault("percentage is a share of %q, which is not a column of whole numbers; set ShareOf", b.ty.ShareOf)
	}
	if f := b.ty.DimensionField(b.ty.ShareIn); b.ty.ShareIn != "" && f == nil {
		b.fault("%s", nearest(fmt.Sprintf("ShareIn is %q, which is not one of its Dimensions", b.ty.ShareIn),
			b.ty.ShareIn, b.ty.Dimensions))
	}
	if f := b.ty.DimensionField(b.ty.SkipEmpty); b.ty.SkipEmpty != "" && (f == nil || f.Number) {
		b.fault("%s", nearest(fmt.Sprintf("SkipEmpty is %q, which is not a text among its Dimensions", b.ty.SkipEmpty),
			b.ty.SkipEmpty, b.ty.Dimensions))
	}
	if f := b.ty.field(b.ty.OnlyEmpty); b.ty.OnlyEmpty != "" && (f == nil || !b.ty.Table.Has(f)) {
		b.fault("OnlyEmpty is %q, which table %q does not have", b.ty.OnlyEmpty, b.ty.Source)
	}
}

// fields finds what callers may filter, group and sort by: a field that the rows of
// every table have which the type counts.
func (b *typeBuilder) fields() {
	ty := b.ty
	ty.Fields = map[string]*Field{}
	for _, f := range slices.Concat(fields, ty.own) {
		if slices.ContainsFunc(ty.Tables, func(tb *Table) bool { return !tb.countsBy(f, ty.Table) }) {
			continue
		}
		ty.Fields[f.Name] = f
		if f.Session || !ty.Table.BySession {
			ty.Filterable = append(ty.Filterable, f.Name)
		}
		shown := ty.OutputIndex(f.Name) >= 0 || slices.Contains(ty.Dimensions, f.Name)
		if !shown && ty.groups(f) {
			ty.Groupable = append(ty.Groupable, f.Name)
		}
	}
	if ty.Explains() { // its rows have an order of their own
		ty.Groupable = nil
		return
	}
	if ty.Choice != nil {
		ty.Groupable = nil // it has dimensions
		for _, f := range ty.Choice.Fields {
			ty.Sortable = append(ty.Sortable, f.ShownAs())
		}
	}
	for i, c := range ty.Outputs {
		if c.Format != JSON && ty.OutputMetrics[i].NameOf == "" && ty.LedBy == "" {
			ty.Sortable = append(ty.Sortable, c.Name)
		}
	}
	if ty.RequiredFilter != "" && ty.Fields[ty.RequiredFilter] == nil {
		b.fault("%s", nearest(fmt.Sprintf("RequiredFilter names %q, which is not one of its fields", ty.RequiredFilter),
			ty.RequiredFilter, ty.Filterable))
	}
}
