package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// bind writes the columns with nothing left to look up.
func (b *typeBuilder) bind() {
	ty := b.ty
	for i, m := range ty.OutputMetrics {
		ty.OutputExprs = append(ty.OutputExprs, b.bound(m))
		ty.Outputs[i].Role = ty.role(m)
	}
	ty.describeColumns()
	if ty.SkipEmpty != "" {
		ty.SkipEmptyField = ty.DimensionField(ty.SkipEmpty)
	}
	ty.OnlyEmptyField = ty.field(ty.OnlyEmpty)
}

// bound is a column over the relation j or, of a list, over a row of the table.
func (b *typeBuilder) bound(m *BoundMetric) expr.Expr {
	ty := b.ty
	switch {
	case m.isDate:
		return Joined(BucketColumn)
	case m.isShare:
		metric := ty.OutputMetrics[ty.OutputIndex(ty.ShareOf)]
		if parts := metric.parts; len(parts) == 2 {
			return shareOfSum(Joined(parts[0].Alias()), Joined(parts[1].Alias()))
		}
		of := b.bound(metric)
		if f := ty.DimensionField(ty.ShareIn); f != nil {
			return percent(of, expr.Call(dialect.SumWithin, of, Joined(f.Alias())))
		}
		return percent(of, expr.Call(dialect.SumOver, of))
	case m.source != "" && ty.Shape != List:
		return Joined(m.Alias())
	}
	return expr.Replace(m.Expr, func(name string) expr.Expr {
		f := ty.DimensionField(name)
		switch {
		case f == nil:
			return Joined(ty.inputs[name].Alias())
		case ty.Shape == List:
			return Value(f, ty.Table)
		}
		return Joined(expr.Ident(f.Name))
	})
}

// hasShares reports whether rows can have a share of m: it is a whole number, or a sum that is made of such.
func (m *BoundMetric) hasShares() bool { return m.Format == Integer || len(m.parts) == 2 }

// role is Metric for numbers that are computed, and not only a dimension in another word.
func (ty *BoundType) role(m *BoundMetric) Role {
	ofDimension := func(name string) bool { return ty.DimensionField(name) != nil }
	if m.Format != Integer && m.Format != Number || m.source == "" &&
		slices.ContainsFunc(expr.Refs(m.Expr), ofDimension) {
		return DimensionRole
	}
	return MetricRole
}

// describeColumns says which columns are others under another name, and which are shown first: of the
// dimensions what is called name, of the metrics the one that the type is ordered by.
func (ty *BoundType) describeColumns() {
	for i := range ty.Outputs {
		if of := ty.Outputs[ty.canonical(i)].Name; of != ty.Outputs[i].Name {
			ty.Outputs[i].AliasOf, ty.Outputs[i].Label = of, words(ty.Outputs[i].Name)
		}
	}
	first := func(role Role, preferred string) {
		at := ty.OutputIndex(preferred)
		if at < 0 || ty.Outputs[at].Role != role {
			at = slices.IndexFunc(ty.Outputs, func(c Output) bool { return c.Role == role && c.AliasOf == "" })
		}
		if at >= 0 {
			ty.Outputs[at].Primary = true
		}
	}
	first(DimensionRole, "name")
	first(MetricRole, ty.ShareOf)
}

// canonical returns the index of the column that the i-th column is another name for: the column that has its own name,
// else the first. It returns i if the i-th column is not another name.
func (ty *BoundType) canonical(i int) int {
	m, first := ty.OutputMetrics[i], -1
	for j, other := range ty.OutputMetrics {
		switch {
		case other != m:
		case ty.Outputs[j].Name == m.Name:
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

// metric finds a metric for the type: first of its table, then a metric made of other columns, then of the joined
// tables.
func (b *typeBuilder) metric(name string) *BoundMetric {
	if m := b.further[name]; m != nil {
		return m
	}
	for _, on := range slices.Concat([]string{b.ty.Source, ""}, b.ty.Joins) {
		if m := b.catalog[metricKey{on, name, on != "" && b.ty.Shape == List}]; m != nil {
			return m
		}
	}
	return nil
}

// references looks up the names that columns are made of.
func (b *typeBuilder) references() {
	for _, output := range b.ty.OutputMetrics {
		for _, name := range expr.Refs(output.Expr) {
			if b.ty.DimensionField(name) != nil || b.letters(name) {
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

// letters adds the field called name to the dimensions, if it has the letters of one of them. Each value of that one
// has one text in letters, so the rows stay the same.
func (b *typeBuilder) letters(name string) bool {
	for _, f := range b.ty.DimensionFields {
		if f.Letters != nil && f.Letters.Name == name {
			b.ty.DimensionFields = append(b.ty.DimensionFields, f.Letters)
			return true
		}
	}
	return false
}

// metrics lists the aggregates that the type is made of.
func (b *typeBuilder) metrics() {
	ty := b.ty
	hidden := slices.Clone(ty.SkipZeroMetrics)
	if ty.LedByMetric != nil {
		hidden = append(hidden, ty.LedByMetric)
	}
	for _, m := range slices.Concat(ty.OutputMetrics, hidden) {
		all := []*BoundMetric{m}
		for _, name := range expr.Refs(m.Expr) {
			all = append(all, ty.inputs[name])
		}
		for _, m := range all {
			if m != nil && m.source != "" && !slices.Contains(ty.Metrics, m) {
				ty.Metrics = append(ty.Metrics, m)
			}
		}
	}
	own := func(m *BoundMetric) bool { return m.source == ty.Source }
	if ty.Choice != nil && len(ty.Choice.Fields) > 0 && !ty.ofWhole && !slices.ContainsFunc(ty.Metrics, own) {
		// A combination of dimensions that no row of Source has is not in the answer.
		ty.Metrics = append(ty.Metrics,
			&BoundMetric{source: ty.Source, Table: ty.Table, Output: countColumn("rows", "", ""),
				Expr: expr.Call(dialect.Count)})
	}
}

// tables finds those whose rows the type counts. All of them must have its keys, and its
// own decides which rows the answer has.
func (b *typeBuilder) tables() {
	ty := b.ty
	ty.Tables = []*Table{ty.Table}
	own := false
	for _, m := range ty.Metrics {
		own = own || m.source == ty.Source
		if !slices.Contains(ty.Tables, m.Table) {
			ty.Tables = append(ty.Tables, m.Table)
		}
	}
	for _, f := range ty.DimensionFields {
		for _, tb := range ty.Tables {
			if !tb.Has(f) {
				b.fault("%s", nearest(fmt.Sprintf("table %q has no dimension %q", tb.Name, f.Name), f.Name,
					tb.dimensionNames(ty.own)))
			}
		}
	}
	ty.LeftJoin = len(ty.DimensionFields) > 0 && !ty.OuterJoin && len(ty.Tables) > 1
	if !own && ty.Shape != List && ty.Choice == nil && !ty.ofWhole && (ty.LeftJoin || len(ty.Tables) != 2) {
		b.fault("no column counts rows of table %q", ty.Source)
	}
}
