package plan

import (
	"fmt"
	"slices"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/keytext"
)

// A Difference is the order of the rows of two periods, by how much more a metric is than in the other period. Plans of
// both periods have all rows, in no order. They are put together, ordered and paged once both are there.
type Difference struct {
	Column string // of the metric
	Desc   bool
}

// byDifference gives plan the order by difference, if o asks for it and no column has that name.
func byDifference(o *ask.GivenOptions, plan *Plan, list *ask.Issues) (asked bool) {
	ty := plan.Type
	if o.SortBy != catalog.DifferenceOrder || slices.Contains(ty.Sortable, o.SortBy) {
		return false
	}
	refuse := func(message string) { list.Add(o.At("sortBy"), ask.Error{Code: ask.BadSort, Message: message}) }
	switch column := ty.Difference(); {
	case column == "" && ty.Choice != nil:
		refuse("difference needs dimensions other than date, and a count or sum as the first metric")
	case column == "":
		refuse(fmt.Sprintf("%s cannot be sorted by difference: it has no rows that are ordered by a count", ty.Name))
	case !o.Compare.Any():
		refuse("difference compares two periods; add compare")
	default:
		plan.Difference = &Difference{column, o.SortOrder != "asc"}
	}
	return true
}

// appendKey appends a text that equal ones share and no others.
func (d *Difference) appendKey(b []byte) []byte {
	if d == nil {
		return append(b, '-')
	}
	return fmt.Appendf(keytext.Texts(b, d.Column), "%t", d.Desc)
}
