package query

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/internal/plan"
)

// CheckAccess returns the mistakes in the Filters and Types of a, or nil: filters that are malformed, fields that no
// type of the catalog can be filtered by, values that are not a country or a referrer or that the field can never hold,
// and types that the catalog does not have. Mistakes are at filters[i] and types[i]. It checks nothing else of a.
func (e *Engine) CheckAccess(a Access) Errors {
	var list ask.Issues
	types, fields := e.types.Names()
	plan.CheckAccessFilters(a.Filters, &list)
	if len(list.Errors) == 0 {
		plan.RefuseImpossible(a.Filters, &list)
	}
	for i := range a.Filters {
		for at, f := range ask.Leaves(ask.InField("filters").Item(i), &a.Filters[i]) {
			if _, property := ask.PropertyKey(f.Field); f.Did == nil && !property && !slices.Contains(fields, f.Field) {
				list.Add(at.Member("field"), ask.Unknown(Invalid, "field", f.Field, fields))
			}
		}
	}
	for i, name := range a.Types {
		if !slices.Contains(types, name) {
			list.Add(ask.InField("types").Item(i), e.types.NoSuchType(name, types))
		}
	}
	return list.Sorted()
}
