package query

import (
	"fmt"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/query/calendar"
)

// plan decides the i-th parameter p, which asks for ty and is answered as o says. After a mistake
// it is incomplete.
func (v *resolver) plan(i int, p Parameter, ty *boundType, o options, list *issues) *plan {
	plan := &plan{Type: ty, ID: p.ID, Subject: v.access.Subject, Range: v.rng, Now: v.now}
	plan.Grain, _ = calendar.ParseGrain(o.granularity)
	preset := v.dates(i, p, plan, list)
	v.applyWindow(plan)
	plan.Until = plan.Range.To
	v.mandatoryFilters(inParameter(i, ""), plan, list)
	o.group(plan, list)
	o.filter(plan, v.conditions(&o), list)
	o.sort(plan, list)
	o.page(plan)
	if len(list.errors) == 0 {
		v.compare(plan, o.compare, preset)
	}
	return plan
}

// dates gives plan the parameter's own range, where it has one, and returns the preset that its
// range is of; empty when it is of dates.
func (v *resolver) dates(i int, p Parameter, plan *plan, list *issues) (preset string) {
	start, end, ok := v.ownDays(i, p, list)
	if !ok {
		return ""
	}
	switch {
	case p.Preset != "":
		preset = p.Preset
	case p.StartDate == "" && p.EndDate == "":
		preset = v.req.Preset
	}
	at := inParameter(i, "start_date")
	checkSpan(at, BadRange, start, end, list)
	if list.at(at) {
		return ""
	}
	if start != v.rng.StartDate || end != v.rng.EndDate {
		plan.Range = calendar.Days(start, end, v.rng.Zone)
	}
	checkHourly(inParameter(i, "granularity"), BadRange, plan.Grain, plan.Range.Len(), list)
	return preset
}

// ownDays are the first and last day that the i-th parameter p asks about.
func (v *resolver) ownDays(i int, p Parameter, list *issues) (start, end calendar.Date, ok bool) {
	start, end, ok = v.rng.StartDate, v.rng.EndDate, true
	if p.StartDate != "" {
		start, ok = ownDate(inParameter(i, "start_date"), p.StartDate, list)
	}
	if p.EndDate != "" {
		var good bool
		end, good = ownDate(inParameter(i, "end_date"), p.EndDate, list)
		ok = ok && good
	}
	if first, last, preset := calendar.PresetDays(p.Preset, calendar.Today(v.now, v.rng.Zone)); preset {
		return first, last, ok
	}
	return start, end, ok
}

// hullOf returns the first and the last day of the ranges of all, which are the parameters' own. A parameter
// whose range is wrong fails alone; if all are, the range is today.
func hullOf(all []Parameter, today calendar.Date) (start, end calendar.Date) {
	start, end = today, today
	found := false
	for _, p := range all {
		first, last, ok := calendar.PresetDays(p.Preset, today)
		if !ok {
			var bad1, bad2 error
			first, bad1 = calendar.ParseDate(p.StartDate)
			last, bad2 = calendar.ParseDate(p.EndDate)
			ok = bad1 == nil && bad2 == nil && first <= last
		}
		switch {
		case !ok:
		case !found:
			start, end, found = first, last, true
		default:
			start, end = min(start, first), max(end, last)
		}
	}
	return start, end
}

// applyWindow gives plan the time that its type counts, where that is not the range: the
// day until just before now, or the last minutes up to and including it.
func (v *resolver) applyWindow(plan *plan) {
	ty := plan.Type
	if !ty.untilNow() {
		return
	}
	today := calendar.Today(v.now, v.rng.Zone)
	plan.Range = calendar.Days(today, today, v.rng.Zone)
	now := v.now.UTC()
	if ty.Window == Today {
		plan.Range.To = now.Add(time.Millisecond - 1).Truncate(time.Millisecond)
		return
	}
	plan.Range.To = now.Truncate(time.Millisecond).Add(time.Millisecond)
	plan.Range.From = now.Add(-time.Duration(ty.Window)).Truncate(time.Millisecond).Add(time.Millisecond)
}

func ownDate(at fieldPath, text string, list *issues) (calendar.Date, bool) {
	d, err := calendar.ParseDate(text)
	if err != nil {
		list.add(at, Error{Code: BadRange, Message: fmt.Sprintf("%s %s", quote(text), err)})
	}
	return d, err == nil
}

// group gives plan the fields of groupBy, each once.
func (o *options) group(plan *plan, list *issues) {
	ty := plan.Type
	for i, name := range o.groupBy {
		if list.full() { // looking for suggestions takes time
			return
		}
		if !slices.Contains(ty.groupable, name) {
			list.add(o.at("groupBy").item(i), refused(BadGroup,
				fmt.Sprintf("%s cannot be grouped by %s", ty.Name, quote(name)), name, ty.groupable))
			continue
		}
		if f := ty.fields[name]; !slices.Contains(plan.Group, f) {
			plan.Group = append(plan.Group, f)
		}
	}
}

// conditions are the filters of o on the fields that they name: those of the request, or its own.
func (v *resolver) conditions(o *options) []condition {
	if o.at("filters").parameter == 0 {
		return v.filters
	}
	return conditions(o.filters)
}

// filter gives plan the caller's filters, which are on fields what found says.
func (o *options) filter(plan *plan, found []condition, list *issues) {
	ty := plan.Type
	for i, f := range o.filters {
		if list.full() {
			return
		}
		if ty.fields[f.Field] == nil {
			list.add(o.at("filters").item(i).member("field"), refused(BadFilter,
				fmt.Sprintf("%s cannot be filtered by %s", ty.Name, quote(f.Field)), f.Field, ty.filterable))
			continue
		}
		found[i].refuse(o.at("filters").item(i), BadFilter, list)
		plan.Filters = append(plan.Filters, found[i])
	}
	has := func(c condition) bool { return c.Field.Name == ty.RequiredFilter && c.Op == Eq }
	if ty.RequiredFilter != "" && !slices.ContainsFunc(plan.Filters, has) {
		list.add(o.at("filters"), Error{Code: BadFilter, Message: fmt.Sprintf("%s needs a filter on %s with eq", ty.Name, ty.RequiredFilter)})
	}
}

// mandatoryFilters gives plan the filters of the access. A type that has no such field would
// show what they hide.
func (v *resolver) mandatoryFilters(at fieldPath, plan *plan, list *issues) {
	ty := plan.Type
	for i, f := range v.access.Filters {
		if ty.fields[f.Field] == nil {
			list.add(at, Error{Code: Forbidden,
				Message: fmt.Sprintf("%s has no field %s, by which this access must filter", ty.Name, quote(f.Field))})
			continue
		}
		plan.Mandatory = append(plan.Mandatory, v.mandatory[i])
	}
}

// sort gives plan its order. sortOrder alone turns the first step of the type's own.
func (o *options) sort(plan *plan, list *issues) {
	ty := plan.Type
	plan.Sort = slices.Clone(ty.order)
	if name := o.sortBy; name != "" {
		if !slices.Contains(ty.sortable, name) {
			list.add(o.at("sortBy"), refused(BadSort,
				fmt.Sprintf("%s cannot be sorted by %s", ty.Name, quote(name)), name, ty.sortable))
			return
		}
		plan.Sort = []order{{column: name, desc: descends(ty, name)}}
	}
	if o.sortOrder != "" && len(plan.Sort) > 0 {
		plan.Sort[0].desc = o.sortOrder == "desc"
	}
}

// descends reports whether sorting by a column begins with its greatest value when
// the caller does not say: so it is for metrics and instants, not for names and dates.
func descends(ty *boundType, name string) bool {
	for _, c := range ty.columns {
		if c.Name == name {
			return c.Format == Integer || c.Format == Number || c.Format == DateTime
		}
	}
	return false
}

// page gives plan its limit and offset. A series that asked for no limit is on page 1 whole.
func (o *options) page(plan *plan) {
	before := max(o.pageNumber, 1) - 1
	switch {
	case o.limit != nil:
		plan.Limit = *o.limit
	case plan.Type.Shape != Series:
		plan.Limit = DefaultLimit
	case before > 0:
		plan.Offset = maxOffset
		return
	}
	plan.Offset = plan.Limit * min(before, maxOffset/MaxLimit)
}
