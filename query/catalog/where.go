package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/internal/pattern"
	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// where is the condition that all of filters hold for a row of tb. They compare texts as they are stored: paths,
// countries and devices by the stored form, case-sensitively.
func (df *definer) where(of subjectOf, tb *Table, filters []ask.Filter) expr.Expr {
	var list ask.Issues
	in := ask.InField("Where")
	ask.CheckNoSegments(in, filters, &list)
	if ask.CheckFilters(in, filters, &list); len(list.Errors) > 0 {
		df.fault(of, "%s", list.Sorted())
		return expr.Expr{}
	}
	var all []expr.Expr
	for i := range filters {
		all = append(all, df.formula(of, tb, in.Item(i), &filters[i]))
	}
	return expr.And(all...)
}

// formula is f, which is at that place, as a condition on a row of tb; absent after a fault.
func (df *definer) formula(of subjectOf, tb *Table, at ask.FieldPath, f *ask.Filter) expr.Expr {
	if f.Parts() == nil {
		if value := df.whereField(of, tb, at, f.Field); !value.Absent() {
			return holds(f, value)
		}
		return expr.Expr{}
	}
	var parts []expr.Expr
	for _, part := range f.Parts() {
		parts = append(parts, df.formula(of, tb, at, &part))
	}
	switch {
	case f.Or != nil:
		return expr.Or(parts...)
	case f.Not != nil && !parts[0].Absent():
		return expr.Not(parts[0])
	}
	return expr.And(parts...)
}

// whereField returns the value of a field of a filter in a row of tb; absent after a fault.
func (df *definer) whereField(of subjectOf, tb *Table, at ask.FieldPath, name string) (value expr.Expr) {
	if key, ok := strings.CutPrefix(name, PropertyPrefix); ok {
		df.property(of, tb, key)
		return propertyValue(key)
	}
	var allowed []string
	for _, f := range slices.Concat(fields, typeFields, df.fields) {
		if !f.Number && f.Clock == 0 && tb.Has(f) && f != Website {
			allowed = append(allowed, f.Name)
			if f.Name == name {
				return Value(f, tb)
			}
		}
	}
	df.fault(of, "%s", nearest(fmt.Sprintf("%s: rows of table %q have no field %q", at, tb.Name, name), name, allowed))
	return value
}

// holds is the leaf f as an expression over value.
func holds(f *ask.Filter, value expr.Expr) expr.Expr {
	op, negated := Opposite(f.Op)
	if !negated {
		op = f.Op
	}
	var e expr.Expr
	if part, ok := PartOperation(op); ok {
		text := f.Values[0]
		if op == ask.Matches {
			text, _ = pattern.Parse(text) // which was checked
		}
		e = expr.Call(part, value, expr.Arg(dialect.Text, text))
	} else if op == ask.In {
		e = expr.Call(dialect.InList, value, expr.Arg(dialect.Texts, slices.Clone(f.Values)))
	} else {
		e = expr.Eq(value, expr.Arg(dialect.Text, f.Values[0]))
	}
	if negated {
		return expr.Not(e)
	}
	return e
}

// Opposite returns the operator that holds wherever op does not, if op is a negative one. So an absent value passes op.
func Opposite(op ask.Op) (positive ask.Op, negative bool) {
	positive, negative = map[ask.Op]ask.Op{ask.Ne: ask.Eq, ask.NotIn: ask.In, ask.NotContains: ask.Contains,
		ask.NotStartsWith: ask.StartsWith, ask.NotEndsWith: ask.EndsWith, ask.NotMatches: ask.Matches,
		ask.NotExists: ask.Exists}[op]
	return positive, negative
}

// PartOperation returns the operation of a positive operator that compares parts of texts.
func PartOperation(op ask.Op) (part dialect.Op, ok bool) {
	part, ok = map[ask.Op]dialect.Op{ask.Contains: dialect.Contains, ask.StartsWith: dialect.StartsWith,
		ask.EndsWith: dialect.EndsWith, ask.Matches: dialect.Matches}[op]
	return part, ok
}
