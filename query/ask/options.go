package ask

import (
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/internal/body"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/query/calendar"
)

// Options say how to answer. The options of a request apply to all of its parameters, the options of a parameter to
// that parameter alone.
type Options struct {
	preset      string
	Limit       *int
	PageNumber  int
	Filters     []Filter
	Granularity string
	WeekStart   string
	Compare     Compare
	GroupBy     []string
	SortBy      string
	SortOrder   string
	Totals      *bool

	parameter int      // whose they are, from 1; 0: the request's
	own       []string // the fields that are the parameter's; the others are the request's
}

// The values of Request.WeekStart.
const (
	Sunday = "sunday"
	Monday = "monday"
)

// Grain returns the length of buckets that o asks for.
func (o *Options) Grain() calendar.Grain {
	grain, _ := calendar.ParseGrain(o.Granularity)
	return grain.From(FirstDay(o.WeekStart))
}

// FirstDay returns the first day of the weeks of a value of WeekStart.
func FirstDay(weekStart string) time.Weekday {
	if weekStart == Monday {
		return time.Monday
	}
	return time.Sunday
}

// At returns the place where the option called field was given.
func (o *Options) At(field string) FieldPath {
	if o.Own(field) {
		return InParameter(o.parameter-1, field)
	}
	return InField(field)
}

// Own reports whether the option called field was given for the parameter alone.
func (o *Options) Own(field string) bool { return slices.Contains(o.own, field) }

// OptionsOf returns the options of a request.
func OptionsOf(q *Request) Options {
	return Options{preset: q.Preset, Limit: q.Limit, PageNumber: q.Page, Filters: q.Filters, Granularity: q.Granularity,
		WeekStart: q.WeekStart,
		Compare:   q.Compare, GroupBy: q.GroupBy, SortBy: q.SortBy, SortOrder: q.SortOrder, Totals: q.Totals}
}

// ParameterOptions returns the options of p alone, which is the i-th parameter.
func ParameterOptions(p *Parameter, i int) Options {
	return Options{preset: p.Preset, Limit: p.Limit, PageNumber: p.Page, Filters: p.Filters, Granularity: p.Granularity,
		WeekStart: p.WeekStart,
		Compare:   p.Compare, GroupBy: p.GroupBy, SortBy: p.SortBy, SortOrder: p.SortOrder, Totals: p.Totals,
		parameter: i + 1, own: parameterFields}
}

// Over returns the options of o. It takes options that o leaves empty from base.
func (o Options) Over(base Options) Options {
	all := base
	all.parameter = o.parameter
	take := func(field string, given bool, set func()) {
		if given {
			set()
			all.own = append(all.own, field)
		}
	}
	take("preset", o.preset != "", func() { all.preset = o.preset })
	take("limit", o.Limit != nil, func() { all.Limit = o.Limit })
	take("page", o.PageNumber != 0, func() { all.PageNumber = o.PageNumber })
	take("filters", o.Filters != nil, func() { all.Filters = o.Filters })
	take("granularity", o.Granularity != "", func() { all.Granularity = o.Granularity })
	take("weekStart", o.WeekStart != "", func() { all.WeekStart = o.WeekStart })
	take("compare", o.Compare != "", func() { all.Compare = o.Compare })
	take("groupBy", o.GroupBy != nil, func() { all.GroupBy = o.GroupBy })
	take("sortBy", o.SortBy != "", func() { all.SortBy = o.SortBy })
	take("sortOrder", o.SortOrder != "", func() { all.SortOrder = o.SortOrder })
	take("totals", o.Totals != nil, func() { all.Totals = o.Totals })
	return all
}

// Check adds the mistakes of o to list, as far as it takes neither the catalog nor the clock to find them.
func (o *Options) Check(list *Issues) {
	if o.preset != "" {
		checkPreset(o.At("preset"), o.preset, list)
	}
	o.checkPage(list)
	CheckFilters(o.At("filters"), o.Filters, list)
	checkGrain(o.At("granularity"), o.Granularity, list)
	if o.WeekStart != "" && o.WeekStart != Sunday && o.WeekStart != Monday {
		list.Add(o.At("weekStart"), Unknown(Invalid, "first day of weeks", o.WeekStart, []string{Sunday, Monday}))
	}
	if c := o.Compare; c.Any() && c != PreviousPeriod && c != PreviousYear {
		list.Add(o.At("compare"), Unknown(Invalid, "comparison", string(c), compareNames()))
	}
	o.checkOrder(list)
}

func (o *Options) checkPage(list *Issues) {
	if o.Limit != nil {
		checkLimit(o.At("limit"), *o.Limit, list)
	}
	if o.PageNumber < 0 {
		list.addText(o.At("page"), mistake.AtLeast(1, o.PageNumber))
	}
}

func (o *Options) checkOrder(list *Issues) {
	at := o.At("groupBy")
	body.AtMost(list, at, "fields", maxGroups, len(o.GroupBy))
	for i, name := range o.GroupBy[:min(len(o.GroupBy), maxGroups)] {
		if name == "" {
			list.addf(at.Item(i), "must name a field")
		}
		checkField(at.Item(i), name, list)
	}
	checkText(o.At("sortBy"), o.SortBy, list)
	if order := o.SortOrder; order != "" && order != "asc" && order != "desc" {
		list.Add(o.At("sortOrder"), Unknown(Invalid, "order", order, []string{"asc", "desc"}))
	}
}

func checkPreset(at FieldPath, name string, list *Issues) {
	if !calendar.IsPreset(name) {
		list.Add(at, Unknown(Invalid, "preset", name, calendar.Presets()))
	}
}

func checkGrain(at FieldPath, name string, list *Issues) {
	if _, ok := calendar.ParseGrain(name); !ok && name != "" {
		list.Add(at, Unknown(Invalid, "granularity", name, calendar.GrainNames()))
	}
}

func checkLimit(at FieldPath, limit int, list *Issues) {
	if limit < 1 || limit > MaxLimit {
		list.addf(at, "must be between 1 and %d, not %d", MaxLimit, limit)
	}
}
