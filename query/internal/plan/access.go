package plan

import (
	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/catalog"
)

// CheckAccessFilters adds the mistakes in the mandatory filters of an access to list.
func CheckAccessFilters(all []ask.Filter, list *ask.Issues) {
	in := ask.InField("filters")
	ask.CheckFilters(in, all, list)
	ask.CheckNoSegments(in, all, list)
	if len(list.Errors) > 0 {
		return
	}
	for i := range all {
		at, c := in.Item(i), conditionOf(accessField, &all[i])
		known := true
		for leaf := range c.Leaves() {
			known = known && (leaf.Field != nil || leaf.Did != nil)
		}
		if known && c.Mixed() {
			list.Add(at, ask.Error{Message: mixedAccess})
		}
		conditions := leaves([]Condition{c})
		for place, f := range ask.Leaves(at, &all[i]) {
			switch {
			case f.Did != nil && f.Did.In == ask.InRange:
				list.Add(place.Member("did").Member("in"),
					ask.Error{Message: "must be session in a mandatory filter, because the range is the caller's choice"})
			case f.Did != nil:
				didOf(place, f.Did, list)
			case conditions[0].Field == catalog.Website:
				list.Add(place.Member("field"), ask.Error{Message: websiteAccess})
			case conditions[0].Field != nil:
				conditions[0].refuse(place, ask.Invalid, list)
			}
			conditions = conditions[1:]
		}
	}
}

// RefuseImpossible adds the values in mandatory filters that no stored text can have: such a filter hides nothing, or
// everything. Call it when creating keys and tokens. all has no other mistakes.
func RefuseImpossible(all []ask.Filter, list *ask.Issues) {
	for i := range all {
		conditions := leaves([]Condition{conditionOf(accessField, &all[i])})
		for place := range ask.Leaves(ask.InField("filters").Item(i), &all[i]) {
			c := conditions[0]
			switch conditions = conditions[1:]; {
			case c.Did != nil:
				c.Did.refuseImpossible(place.Member("did"), list)
			case c.Field != nil:
				c.refuseImpossible(place.Member("value"), list)
			}
		}
	}
}

// accessField returns the field called name, which may be a property.
func accessField(name string) *catalog.Field {
	if f := catalog.FieldNamed(name); f != nil {
		return f
	}
	return catalog.PropertyNamed(name)
}

// websiteAccess says why a mandatory filter on the website is refused.
const websiteAccess = "website cannot be in a mandatory filter; the resources of a key say which websites it reads"

// mixedAccess says why a mandatory filter is refused. It could be read to cut rows or whole sessions.
const mixedAccess = "mixes fields of sessions, such as country, with fields of rows, such as path; a mandatory filter removes either whole sessions or rows"
