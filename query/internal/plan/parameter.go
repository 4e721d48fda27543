package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
)

// plan decides the i-th parameter p, which asks for ty and is answered as o says. After a mistake
// it is incomplete.
func (v *resolver) plan(i int, p ask.Parameter, ty *catalog.BoundType, o ask.GivenOptions, list *ask.Issues) *Plan {
	plan := &Plan{Type: ty, ID: p.ID, Subject: v.access.Subject, Range: v.rng, Now: v.now}
	plan.Subject.Kind = v.access.Kind()
	cohortGrain(ty, &o, list)
	preset := v.presetOf(&p)
	plan.Grain = o.GrainOf(preset)
	v.dates(i, &p, &o, preset, plan, list)
	checkCohorts(i, plan, list)
	v.applyWindow(plan)
	plan.Until = plan.Range.To
	v.mandatoryFilters(ask.InParameter(i, ""), plan, list)
	groupPlan(&o, plan, list)
	filterPlan(&o, plan, v.conditions(&o), list)
	sortPlan(&o, plan, list)
	pagePlan(&o, plan)
	behaviour(i, &p, plan, list)
	if len(list.Errors) == 0 {
		plan.Websites = v.websites(plan)
		v.compare(plan, &o, preset, list)
		if ty.Explains() {
			v.why(i, p, o, plan, list)
		}
		if o.Totals != nil && *o.Totals {
			plan.Totals = wholePlan(plan)
		}
		if ty.Choice != nil && ty.Choice.Counts != nil {
			plan.Properties = plan.over(ty.Choice.Counts)
		}
	}
	return plan
}

// applyWindow gives plan the time that its type counts, where that is not the range: the
// day until just before now, or the last minutes up to and including it.
func (v *resolver) applyWindow(plan *Plan) {
	ty := plan.Type
	if !ty.UntilNow() {
		return
	}
	today := calendar.Today(v.now, v.rng.Zone)
	plan.Range = calendar.Days(today, today, v.rng.Zone)
	now := v.now.UTC()
	if ty.Window == catalog.Today {
		plan.Range.To = now.Add(time.Millisecond - 1).Truncate(time.Millisecond)
		return
	}
	plan.Range.To = now.Truncate(time.Millisecond).Add(time.Millisecond)
	plan.Range.From = now.Add(-time.Duration(ty.Window)).Truncate(time.Millisecond).Add(time.Millisecond)
}

// groupPlan gives plan the fields of groupBy, each once.
func groupPlan(o *ask.GivenOptions, plan *Plan, list *ask.Issues) {
	ty := plan.Type
	if ty.Choice != nil {
		if plan.Group = ty.Choice.Fields; len(o.GroupBy) > 0 {
			list.Add(o.At("groupBy"),
				ask.Error{Code: ask.BadGroup, Message: "a choice of metrics takes dimensions in place of groupBy"})
		}
		return
	}
	for i, name := range o.GroupBy {
		if list.Full() { // looking for suggestions takes time
			return
		}
		f := ty.GroupFor(name)
		if f == nil {
			list.Add(o.At("groupBy").Item(i), ask.Refused(ask.BadGroup,
				fmt.Sprintf("%s cannot be grouped by %s", ty.Name, mistake.Quote(name)), name, ty.Groupable))
			continue
		}
		if !slices.ContainsFunc(plan.Group, func(known *catalog.Field) bool { return known.Name == f.Name }) {
			plan.Group = append(plan.Group, f)
		}
	}
}

// conditions returns the filters of o on the fields that they name: the filters of the request, or of the parameter.
func (v *resolver) conditions(o *ask.GivenOptions) []Condition {
	if !o.Own("filters") {
		return v.filters
	}
	return conditions(v.types, o.Filters)
}

// filterPlan gives plan the caller's filters, which are on fields what found says.
func filterPlan(o *ask.GivenOptions, plan *Plan, found []Condition, list *ask.Issues) {
	ty := plan.Type
	for i := range o.Filters {
		at, ok, conditions := o.At("filters").Item(i), true, leaves(found[i:i+1])
		for here, f := range ask.Leaves(at, &o.Filters[i]) {
			if list.Full() {
				return
			}
			known := ty.FieldFor(f.Field) != nil
			switch {
			case f.Did != nil && ty.HasVisitors():
				didOf(here, f.Did, list)
			case f.Did != nil:
				ok = false
				list.Add(here.Member("did"),
					ask.Error{Code: ask.BadFilter,
						Message: fmt.Sprintf("%s cannot be filtered by what else people did, because its rows have no visitors", ty.Name)})
			case !known:
				ok = false
				list.Add(here.Member("field"), refusedField(ty, f.Field))
			default:
				conditions[0].refuse(here, ask.BadFilter, list)
			}
			conditions = conditions[1:]
		}
		if ok {
			refuseMixedOutcomes(at, ty, &found[i], list)
			plan.Filters = append(plan.Filters, found[i])
		}
	}
	plan.refuseDid(o, list)
	has := func(c Condition) bool {
		return c.Group == Leaf && c.Did == nil && c.Field.Name == ty.RequiredFilter && c.Op == ask.Eq
	}
	if ty.RequiredFilter != "" && !slices.ContainsFunc(plan.Filters, has) {
		list.Add(o.At("filters"),
			ask.Error{Code: ask.BadFilter,
				Message: fmt.Sprintf("%s needs a filter on %s with eq", ty.Name, ty.RequiredFilter)})
	}
}

// refusedField is the mistake that callers filter rows of ty by a field that they may not filter by.
func refusedField(ty *catalog.BoundType, name string) ask.Error {
	message := fmt.Sprintf("%s cannot be filtered by %s", ty.Name, mistake.Quote(name))
	takes := slices.DeleteFunc([]string{"goals", "steps", "start", "return"},
		func(part string) bool { return !ty.Takes(part) })
	if eventField(name) == nil || len(takes) == 0 {
		return ask.Refused(ask.BadFilter, message, name, ty.Filterable)
	}
	return ask.Error{Code: ask.BadFilter, Allowed: ty.Filterable,
		Message: message + ", a field of single events; put the filter into the filters of " +
			strings.Join(takes, " or ")}
}

// refuseMixedOutcomes adds a mistake if c chooses both exposures to flags and their outcomes, which are different rows.
func refuseMixedOutcomes(at ask.FieldPath, ty *catalog.BoundType, c *Condition, list *ask.Issues) {
	ofOutcomes := func(tb *catalog.Table) bool { return tb.Rows == catalog.OutcomeRows }
	outcomes, exposures := false, false
	for leaf := range c.Leaves() {
		of := leaf.Did == nil && catalog.ChoosesOutcomes(leaf.Field)
		outcomes, exposures = outcomes || of, exposures || !of
	}
	if !slices.ContainsFunc(ty.Tables, ofOutcomes) || !outcomes || !exposures {
		return
	}
	list.Add(at, ask.Error{Code: ask.BadFilter,
		Message: "event_name and namespace choose outcomes, and other fields choose exposures: use a filter for each"})
}

// mandatoryFilters gives plan the filters of the access. A type that has no such field would
// show what they hide.
func (v *resolver) mandatoryFilters(at ask.FieldPath, plan *Plan, list *ask.Issues) {
	ty := plan.Type
	for i := range v.access.Filters {
		for _, f := range ask.Leaves(at, &v.access.Filters[i]) {
			if f.Did != nil {
				if !ty.HasVisitors() {
					list.Add(at, ask.Error{Code: ask.Forbidden,
						Message: fmt.Sprintf("the rows of %s have no sessions, and this access must filter by what was done in them", ty.Name)})
				}
				continue
			}
			if field := ty.MandatoryFieldFor(f.Field); field == nil || field.Own() {
				list.Add(at, ask.Error{Code: ask.Forbidden,
					Message: fmt.Sprintf("%s has no field %s, by which this access must filter", ty.Name,
						mistake.Quote(f.Field))})
			}
		}
		plan.Mandatory = append(plan.Mandatory, v.mandatory[i])
	}
}

// sortPlan gives plan its order. sortOrder alone turns the first step of the type's own.
func sortPlan(o *ask.GivenOptions, plan *Plan, list *ask.Issues) {
	ty := plan.Type
	if byDifference(o, plan, list) {
		return
	}
	plan.Sort = slices.Clone(ty.Steps)
	if name := o.SortBy; name != "" {
		if !slices.Contains(ty.Sortable, name) {
			list.Add(o.At("sortBy"), ask.Refused(ask.BadSort,
				fmt.Sprintf("%s cannot be sorted by %s", ty.Name, mistake.Quote(name)), name, ty.Sortable))
			return
		}
		plan.Sort = []catalog.Order{{Column: name, Desc: descends(ty, name)}}
		if ty.Choice != nil {
			plan.Sort = append(plan.Sort, ty.Choice.Order()...)
		}
	}
	if o.SortOrder != "" && len(plan.Sort) > 0 {
		plan.Sort[0].Desc = o.SortOrder == "desc"
	}
}

// descends reports whether sorting by a column begins with its greatest value when
// the caller does not say: so it is for metrics and instants, not for names and dates.
func descends(ty *catalog.BoundType, name string) bool {
	for _, c := range ty.Outputs {
		if c.Name == name {
			return c.Format == catalog.Integer || c.Format == catalog.Number || c.Format == catalog.DateTime
		}
	}
	return false
}

// pagePlan gives plan its limit and offset. A series that asked for no limit is on page 1 whole.
func pagePlan(o *ask.GivenOptions, plan *Plan) {
	before := max(o.Page, 1) - 1
	switch {
	case o.Limit != nil:
		plan.Limit = *o.Limit
	case plan.Type.Shape != catalog.Series:
		plan.Limit = plan.Type.DefaultLimit()
	case before > 0:
		plan.Offset = ask.MaxOffset
		return
	}
	plan.Offset = plan.Limit * min(before, ask.MaxOffset/ask.MaxLimit)
}
