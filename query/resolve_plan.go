package query

import (
	"fmt"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/query/calendar"
)

// plan decides the i-th parameter, which asks for def. After a mistake it is incomplete.
func (v *resolver) plan(i int, p Parameter, def *definition, m *mistakes) *plan {
	plan := &plan{Type: def, ID: p.ID, Subject: v.access.Subject, Range: v.rng, Grain: v.grain, Now: v.now}
	v.days(i, p, plan, m)
	v.clock(plan)
	v.mustFilter(place{"parameters", i, ""}, plan, m)
	v.group(plan, m)
	v.filter(plan, m)
	v.sort(plan, m)
	v.page(p, plan)
	return plan
}

// days gives plan the parameter's own range and granularity, where it has them.
func (v *resolver) days(i int, p Parameter, plan *plan, m *mistakes) {
	at := place{"parameters", i, ""}
	if p.Granularity != "" {
		at.part = "granularity"
		plan.Grain = checkGrain(at, p.Granularity, m)
	}
	if p.Previous {
		before := v.rng.Previous()
		p.StartDate, p.EndDate = before.StartDate.String(), before.EndDate.String()
	}
	start, end, ok := v.rng.StartDate, v.rng.EndDate, true
	if p.StartDate != "" {
		start, ok = ownDate(place{"parameters", i, "start_date"}, p.StartDate, m)
	}
	if p.EndDate != "" {
		var good bool
		end, good = ownDate(place{"parameters", i, "end_date"}, p.EndDate, m)
		ok = ok && good
	}
	if !ok {
		return
	}
	if start != v.rng.StartDate || end != v.rng.EndDate {
		at.part = "start_date"
		checkSpan(at, BadRange, start, end, m)
		if m.at(at) {
			return
		}
		plan.Range = calendar.Days(start, end, v.rng.Zone)
	}
	at.part = "granularity"
	checkHourly(at, BadRange, plan.Grain, plan.Range.Len(), m)
}

// clock gives plan the time that its type counts, for types that ignore the range: the
// day until just before now, or the last minutes up to and including it.
func (v *resolver) clock(plan *plan) {
	def := plan.Type
	if !def.byClock() {
		return
	}
	today := calendar.Today(v.now, v.rng.Zone)
	plan.Range = calendar.Days(today, today, v.rng.Zone)
	now := v.now.UTC()
	if def.Today {
		plan.Range.To = now.Add(time.Millisecond - 1).Truncate(time.Millisecond)
		return
	}
	plan.Range.To = now.Truncate(time.Millisecond).Add(time.Millisecond)
	plan.Range.From = now.Add(-def.Last).Truncate(time.Millisecond).Add(time.Millisecond)
}

func ownDate(at place, text string, m *mistakes) (calendar.Date, bool) {
	d, err := calendar.ParseDate(text)
	if err != nil {
		m.add(at, Error{Code: BadRange, Message: fmt.Sprintf("%s %s", quote(text), err)})
	}
	return d, err == nil
}

// group gives plan the fields of groupBy, each once.
func (v *resolver) group(plan *plan, m *mistakes) {
	def := plan.Type
	for i, name := range v.req.GroupBy {
		if m.full() { // looking for suggestions takes time
			return
		}
		if !slices.Contains(def.groupable, name) {
			m.add(place{"groupBy", i, ""}, refused(BadGroup,
				fmt.Sprintf("%s cannot be grouped by %s", def.Name, quote(name)), name, def.groupable))
			continue
		}
		if f := def.fields[name]; !slices.Contains(plan.Group, f) {
			plan.Group = append(plan.Group, f)
		}
	}
}

// filter gives plan the caller's filters.
func (v *resolver) filter(plan *plan, m *mistakes) {
	def := plan.Type
	for i, f := range v.req.Filters {
		if m.full() {
			return
		}
		if def.fields[f.Field] == nil {
			m.add(place{"filters", i, "field"}, refused(BadFilter,
				fmt.Sprintf("%s cannot be filtered by %s", def.Name, quote(f.Field)), f.Field, def.filterable))
			continue
		}
		plan.Filters = append(plan.Filters, v.filters[i])
	}
	has := func(c condition) bool { return c.Field.Name == def.Require && c.Op == Eq }
	if def.Require != "" && !slices.ContainsFunc(plan.Filters, has) {
		m.add(inField("filters"), Error{Code: BadFilter, Message: fmt.Sprintf("%s needs a filter on %s with eq", def.Name, def.Require)})
	}
}

// mustFilter gives plan the filters of the access. A type that has no such field would
// show what they hide.
func (v *resolver) mustFilter(at place, plan *plan, m *mistakes) {
	def := plan.Type
	for i, f := range v.access.Filters {
		if def.fields[f.Field] == nil {
			m.add(at, Error{Code: Forbidden,
				Message: fmt.Sprintf("%s has no field %s, by which this access must filter", def.Name, quote(f.Field))})
			continue
		}
		plan.Mandatory = append(plan.Mandatory, v.always[i])
	}
}

// sort gives plan its order. sortOrder alone turns the first step of the type's own.
func (v *resolver) sort(plan *plan, m *mistakes) {
	def := plan.Type
	plan.Sort = slices.Clone(def.order)
	if name := v.req.SortBy; name != "" {
		if !slices.Contains(def.sortable, name) {
			m.add(inField("sortBy"), refused(BadSort,
				fmt.Sprintf("%s cannot be sorted by %s", def.Name, quote(name)), name, def.sortable))
			return
		}
		plan.Sort = []order{{column: name, desc: descends(def, name)}}
	}
	if v.req.SortOrder != "" && len(plan.Sort) > 0 {
		plan.Sort[0].desc = v.req.SortOrder == "desc"
	}
}

// descends reports whether sorting by a column begins with its greatest value when
// the caller does not say: so it is for metrics and instants, not for names and dates.
func descends(def *definition, name string) bool {
	for _, c := range def.columns {
		if c.Name == name {
			return c.Format == Integer || c.Format == Number || c.Format == DateTime
		}
	}
	return false
}

// page gives plan its limit and offset. A series that asked for no limit is on page 1 whole.
func (v *resolver) page(p Parameter, plan *plan) {
	limit := v.req.Limit
	if p.Limit != nil {
		limit = p.Limit
	}
	before := max(v.req.Page, 1) - 1
	switch {
	case limit != nil:
		plan.Limit = *limit
	case !plan.Type.Series:
		plan.Limit = DefaultLimit
	case before > 0:
		plan.Offset = maxOffset
		return
	}
	plan.Offset = plan.Limit * min(before, maxOffset/MaxLimit)
}
