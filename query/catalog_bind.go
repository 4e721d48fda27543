package query

import (
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// bind writes the columns with nothing left to look up.
func (b *typeBuilder) bind() {
	ty := b.ty
	for i, m := range ty.outputs {
		ty.exprs = append(ty.exprs, b.bound(m))
		ty.columns[i].Role = ty.role(m)
	}
	ty.describeColumns()
	if ty.SkipEmpty != "" {
		ty.skipEmpty = ty.dimension(ty.SkipEmpty)
	}
	ty.onlyEmpty = fieldNamed(ty.OnlyEmpty)
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

// role is Metric for numbers that are computed, and not only a dimension in another word.
func (ty *boundType) role(m *metric) Role {
	ofDimension := func(name string) bool { return ty.dimension(name) != nil }
	if m.Format != Integer && m.Format != Number || m.source == "" && slices.ContainsFunc(expr.Refs(m.expr), ofDimension) {
		return Dimension
	}
	return Metric
}

// describeColumns says which columns are others under another name, and which are shown first: of the
// dimensions what is called name, of the metrics the one that the type is ordered by.
func (ty *boundType) describeColumns() {
	for i := range ty.columns {
		if of := ty.columns[ty.canonical(i)].Name; of != ty.columns[i].Name {
			ty.columns[i].AliasOf, ty.columns[i].Label = of, words(ty.columns[i].Name)
		}
	}
	first := func(role Role, preferred string) {
		at := ty.column(preferred)
		if at < 0 || ty.columns[at].Role != role {
			at = slices.IndexFunc(ty.columns, func(c column) bool { return c.Role == role && c.AliasOf == "" })
		}
		if at >= 0 {
			ty.columns[at].Primary = true
		}
	}
	first(Dimension, "name")
	first(Metric, ty.ShareOf)
}

// canonical is the index of the column that the i-th is another name for: the one that goes by its
// own name, else the first. It is i where it is none.
func (ty *boundType) canonical(i int) int {
	m, first := ty.outputs[i], -1
	for j, other := range ty.outputs {
		switch {
		case other != m:
		case ty.columns[j].Name == m.Name:
			return j
		case first < 0:
			first = j
		}
	}
	return first
}

// words are a column's name as people write it.
func words(name string) string {
	text := strings.ReplaceAll(name, "_", " ")
	return strings.ToUpper(text[:1]) + text[1:]
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
	for _, output := range b.ty.outputs {
		for _, name := range expr.Refs(output.expr) {
			if b.ty.dimension(name) != nil {
				continue
			}
			m := b.metric(name)
			if m == nil || m.source == "" {
				b.fault("column %q needs %q, which is neither a metric nor one of its Dimensions", output.Name, name)
				continue
			}
			b.ty.inputs[name] = m
		}
	}
}

// metrics lists the aggregates that the type is made of.
func (b *typeBuilder) metrics() {
	ty := b.ty
	for _, m := range slices.Concat(ty.outputs, ty.skipZero) {
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
