package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// where is the condition that all of filters hold for a row of tb. They compare texts as they are stored: paths, countries and devices
// by the stored form, case-sensitively.
func (df *definer) where(of subjectOf, tb *Table, filters []ask.Filter) expr.Expr {
	var all []expr.Expr
	for i, f := range filters {
		var list ask.Issues
		ask.CheckFilter(ask.InField("Where").Item(i), f, &list)
		if errs := list.Sorted(); errs != nil {
			df.fault(of, "%s", errs)
			continue
		}
		if value := df.whereField(of, tb, i, f.Field); !value.Absent() {
			all = append(all, holds(f, value))
		}
	}
	return expr.And(all...)
}

// whereField returns the value of a field of a filter in a row of tb; absent after a fault.
func (df *definer) whereField(of subjectOf, tb *Table, i int, name string) (value expr.Expr) {
	if key, ok := strings.CutPrefix(name, PropertyPrefix); ok {
		df.property(of, tb, key)
		return propertyValue(key)
	}
	var allowed []string
	for _, f := range slices.Concat(fields, typeFields, df.fields) {
		if !f.Number && f.Clock == 0 && tb.Has(f) {
			allowed = append(allowed, f.Name)
			if f.Name == name {
				return Value(f, tb)
			}
		}
	}
	df.fault(of, "%s", nearest(fmt.Sprintf("Where[%d]: rows of table %q have no field %q", i, tb.Name, name), name, allowed))
	return value
}

// holds is f as an expression over value.
func holds(f ask.Filter, value expr.Expr) expr.Expr {
	text := func(s string) expr.Expr { return expr.Arg(dialect.Text, s) }
	switch f.Op {
	case ask.Eq:
		return expr.Eq(value, text(f.Values[0]))
	case ask.Ne:
		return expr.Ne(value, text(f.Values[0]))
	case ask.Contains:
		return expr.Call(dialect.Contains, value, text(f.Values[0]))
	case ask.NotContains:
		return expr.Not(expr.Call(dialect.Contains, value, text(f.Values[0])))
	case ask.StartsWith:
		return expr.Call(dialect.StartsWith, value, text(f.Values[0]))
	}
	in := expr.Call(dialect.InList, value, expr.Arg(dialect.Texts, slices.Clone(f.Values)))
	if f.Op == ask.NotIn {
		return expr.Not(in)
	}
	return in
}
