package query

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/calendar"
)

// options say how to answer: those of a request all of its parameters, those of a parameter it alone.
type options struct {
	preset      string
	limit       *int
	pageNumber  int
	filters     []Filter
	granularity string
	compare     Compare
	groupBy     []string
	sortBy      string
	sortOrder   string

	parameter int      // whose they are, from 1; 0: the request's
	own       []string // the fields that are the parameter's; the others are the request's
}

// at is where the option called field was given.
func (o *options) at(field string) fieldPath {
	if slices.Contains(o.own, field) {
		return inParameter(o.parameter-1, field)
	}
	return inField(field)
}

func (q *Request) options() options {
	return options{preset: q.Preset, limit: q.Limit, pageNumber: q.Page, filters: q.Filters, granularity: q.Granularity, compare: q.Compare,
		groupBy: q.GroupBy, sortBy: q.SortBy, sortOrder: q.SortOrder}
}

// options are those of the i-th parameter p alone.
func (p *Parameter) options(i int) options {
	return options{preset: p.Preset, limit: p.Limit, pageNumber: p.Page, filters: p.Filters, granularity: p.Granularity, compare: p.Compare,
		groupBy: p.GroupBy, sortBy: p.SortBy, sortOrder: p.SortOrder, parameter: i + 1, own: parameterFields}
}

// over is what o says, and what base says where o says nothing.
func (o options) over(base options) options {
	all := base
	all.parameter = o.parameter
	take := func(field string, given bool, set func()) {
		if given {
			set()
			all.own = append(all.own, field)
		}
	}
	take("preset", o.preset != "", func() { all.preset = o.preset })
	take("limit", o.limit != nil, func() { all.limit = o.limit })
	take("page", o.pageNumber != 0, func() { all.pageNumber = o.pageNumber })
	take("filters", o.filters != nil, func() { all.filters = o.filters })
	take("granularity", o.granularity != "", func() { all.granularity = o.granularity })
	take("compare", o.compare != "", func() { all.compare = o.compare })
	take("groupBy", o.groupBy != nil, func() { all.groupBy = o.groupBy })
	take("sortBy", o.sortBy != "", func() { all.sortBy = o.sortBy })
	take("sortOrder", o.sortOrder != "", func() { all.sortOrder = o.sortOrder })
	return all
}

// check tells what is wrong with o by itself, as far as neither the catalog nor the clock is needed.
func (o *options) check(list *issues) {
	if o.preset != "" {
		checkPreset(o.at("preset"), o.preset, list)
	}
	o.checkPage(list)
	list.atMost(o.at("filters"), "filters", maxFilters, len(o.filters))
	for i, f := range o.filters[:min(len(o.filters), maxFilters)] {
		checkFilter(o.at("filters").item(i), f, list)
	}
	checkGrain(o.at("granularity"), o.granularity, list)
	if c := o.compare; c != "" && c != PreviousPeriod && c != PreviousYear {
		list.add(o.at("compare"), unknown(Invalid, "comparison", string(c), compareNames()))
	}
	o.checkOrder(list)
}

func (o *options) checkPage(list *issues) {
	if o.limit != nil {
		checkLimit(o.at("limit"), *o.limit, list)
	}
	if o.pageNumber < 0 {
		list.addf(o.at("page"), "must be at least 1, not %d", o.pageNumber)
	}
}

func (o *options) checkOrder(list *issues) {
	at := o.at("groupBy")
	list.atMost(at, "fields", maxGroups, len(o.groupBy))
	for i, name := range o.groupBy[:min(len(o.groupBy), maxGroups)] {
		if name == "" {
			list.addf(at.item(i), "must name a field")
		}
		checkText(at.item(i), name, list)
	}
	checkText(o.at("sortBy"), o.sortBy, list)
	if order := o.sortOrder; order != "" && order != "asc" && order != "desc" {
		list.add(o.at("sortOrder"), unknown(Invalid, "order", order, []string{"asc", "desc"}))
	}
}

func checkPreset(at fieldPath, name string, list *issues) {
	if !calendar.IsPreset(name) {
		list.add(at, unknown(Invalid, "preset", name, calendar.Presets()))
	}
}

func checkGrain(at fieldPath, name string, list *issues) calendar.Grain {
	grain, ok := calendar.ParseGrain(name)
	if !ok && name != "" {
		list.add(at, unknown(Invalid, "granularity", name, calendar.GrainNames()))
	}
	return grain
}

func checkLimit(at fieldPath, limit int, list *issues) {
	if limit < 1 || limit > MaxLimit {
		list.addf(at, "must be between 1 and %d, not %d", MaxLimit, limit)
	}
}
