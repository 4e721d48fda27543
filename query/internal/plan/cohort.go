package plan

import (
	"fmt"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
)

// cohortGrain gives o weekly granularity if ty has cohorts and o names none. It adds a mistake to list if o asks for
// hours or minutes.
func cohortGrain(ty *catalog.BoundType, o *ask.GivenOptions, list *ask.Issues) {
	switch {
	case !ty.Cohorts():
	case o.Granularity == "":
		o.Granularity = calendar.Weekly.String()
	case o.GrainOf("") == calendar.Hourly || o.GrainOf("") == calendar.Minutely:
		list.Add(o.At("granularity"),
			ask.Error{Code: ask.BadRange,
				Message: fmt.Sprintf("%s is not for %s; use daily, weekly or monthly", o.GrainOf(""), ty.Name)})
	}
}

// checkCohorts adds a mistake to list if plan, of the i-th parameter, has more cohorts than an answer may have.
func checkCohorts(i int, plan *Plan, list *ask.Issues) {
	if !plan.Type.Cohorts() || len(list.Errors) > 0 {
		return
	}
	if n := len(calendar.Buckets(plan.Range, plan.Grain)); n > catalog.MaxCohorts {
		list.Add(ask.InParameter(i, "granularity"),
			ask.Error{Code: ask.BadRange,
				Message: fmt.Sprintf("%s is for ranges of at most %d %s cohorts, and this one has %d; "+
					"use longer cohorts or a shorter range", plan.Type.Name, catalog.MaxCohorts, plan.Grain, n)})
	}
}

// Begun returns the buckets of p that have begun, in their order. Of the period that a plan is compared with, these are
// the buckets in which anything counts.
func (p *Plan) Begun() (found []calendar.Bucket) {
	for _, b := range calendar.Buckets(p.Range, p.Grain) {
		if b.From <= p.Now.UnixMilli() && (b.From < p.Until.UnixMilli() || p.Other != nil) {
			found = append(found, b)
		}
	}
	return found
}
