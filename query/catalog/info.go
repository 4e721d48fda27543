package catalog

import (
	"cmp"
	"maps"
	"slices"

	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store"
)

// TableInfo lists what a Type whose Source is this table can name. Joins add the metrics of further tables.
type TableInfo struct {
	Name        string
	Subject     store.SubjectKind
	Description string
	Dimensions  []OutputField // for Type.Dimensions; also columns of types that have them as dimension
	Metrics     []OutputField // columns that are computed from its rows
	Derived     []OutputField // columns that are made of dimensions and metrics, which the type must have or could have
	Items       []OutputField // columns of a List
	Filters     []string      // fields that callers can filter types of this table by
	Texts       []string      // columns that a Dimension of a host can be made of
	Numbers     []string      // columns that a Metric of a host can be made of
}

// Vocabulary lists the tables that types count, with their dimensions, metrics and formats. [Registry.Vocabulary] adds
// the definitions of a host.
func Vocabulary() []TableInfo {
	metrics, _ := newCatalog() // NewRegistry reports faults of the program
	return vocabularyOf(metrics, nil)
}

func vocabularyOf(metrics metricsByKey, own []*Field) []TableInfo {
	all := make([]TableInfo, len(tables))
	for i, tb := range tables {
		all[i] = tb.info(metrics, own)
	}
	return all
}

func (tb *Table) info(metrics metricsByKey, own []*Field) TableInfo {
	info := TableInfo{Name: tb.Name, Subject: tb.subject, Description: tb.About}
	shown := map[string]bool{}
	for _, f := range tb.fieldsWith(own) {
		if m := metrics[metricKey{name: f.Name}]; m != nil {
			info.Dimensions, shown[f.Name] = append(info.Dimensions, m.field(DimensionRole)), true
		}
		if slices.Contains(fields, f) || f.Own() {
			info.Filters = append(info.Filters, f.Name)
		}
	}
	isDimension := func(name string) bool {
		return slices.ContainsFunc(info.Dimensions, func(f OutputField) bool { return f.Name == name })
	}
	for _, key := range slices.SortedFunc(maps.Keys(metrics),
		func(a, b metricKey) int { return cmp.Compare(a.name, b.name) }) {
		m := metrics[key]
		switch {
		case key.source == tb.Name && key.perRow:
			info.Items = append(info.Items, m.field(""))
		case key.source == tb.Name:
			info.Metrics = append(info.Metrics, m.field(MetricRole))
		case key.source == "" && !shown[key.name]:
			refs := expr.Refs(m.Expr)
			known := func(name string) bool {
				return isDimension(name) || metrics[metricKey{source: tb.Name, name: name}] != nil
			}
			if len(refs) > 0 && known(refs[0]) {
				role := MetricRole
				if isDimension(refs[0]) {
					role = DimensionRole
				}
				info.Derived = append(info.Derived, m.field(role))
			}
		}
	}
	if !tb.Derived() && !tb.PerProperty && !tb.WholeSessions {
		info.Texts, info.Numbers = tb.Texts(), tb.Numbers()
	}
	return info
}

// field describes m as a column.
func (m *BoundMetric) field(role Role) OutputField {
	return OutputField{Name: m.Name, Role: role, Type: m.Format, Label: m.Label, Unit: m.Unit,
		Description: m.Description, Nullable: m.Nullable()}
}

// fieldsWith returns the fields that rows of tb have, with the fields of a host at the end.
func (tb *Table) fieldsWith(own []*Field) []*Field {
	return slices.DeleteFunc(slices.Concat(fields, typeFields, own), func(f *Field) bool { return !tb.Has(f) })
}

// dimensionNames are the names of the dimensions of tb.
func (tb *Table) dimensionNames(own []*Field) []string {
	var names []string
	for _, f := range tb.fieldsWith(own) {
		names = append(names, f.Name)
	}
	return names
}

// tablesOf are the names of the tables with rows of one kind of subject.
func tablesOf(subject store.SubjectKind) []string {
	var names []string
	for _, tb := range tables {
		if tb.subject == subject {
			names = append(names, tb.Name)
		}
	}
	return names
}

// possibleColumns are the names of the columns that the type could have.
func (b *typeBuilder) possibleColumns() []string {
	var names []string
	for key, m := range b.catalog {
		if b.metric(key.name) == m && !slices.Contains(names, key.name) && (key.source != "" || b.makes(m)) {
			names = append(names, key.name)
		}
	}
	slices.Sort(names)
	return names
}

// makes reports whether the type has all that m, which has no source, is made of.
func (b *typeBuilder) makes(m *BoundMetric) bool {
	if m.isDate || m.isShare {
		return m.isDate == (b.ty.Shape == Series)
	}
	return !slices.ContainsFunc(expr.Refs(m.Expr), func(name string) bool {
		f := b.ty.field(name)
		if f != nil && slices.Contains(b.ty.Dimensions, name) || f != nil && b.ty.Shape == List && b.ty.Table.Has(f) {
			return false
		}
		of := b.metric(name)
		return f != nil || of == nil || of.source == ""
	})
}

// metricNames are the names of the metrics of the type's own table.
func (b *typeBuilder) metricNames() []string {
	var names []string
	for key := range b.catalog {
		if key.source == b.ty.Source && !key.perRow {
			names = append(names, key.name)
		}
	}
	slices.Sort(names)
	return names
}

// columnNames are the names of the type's columns.
func (b *typeBuilder) columnNames() []string {
	names := make([]string, len(b.ty.Outputs))
	for i := range names {
		names[i] = b.ty.Outputs[i].Name
	}
	return names
}

func (b *typeBuilder) showsShare() bool {
	return slices.ContainsFunc(b.ty.OutputMetrics, func(m *BoundMetric) bool { return m.isShare })
}
