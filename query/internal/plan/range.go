package plan

import (
	"cmp"
	"errors"
	"time"

	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/calendar"
)

// ranges says which time presets and bounds are of.
type ranges struct {
	now   time.Time
	first time.Time // of the rows; zero: there is none
	zone  *time.Location
}

// of returns the range of a preset, which o names or o's request does. It reports false for the name of none.
func (d ranges) of(preset string, o *ask.Options) (calendar.Range, bool) {
	if r, ok := calendar.PresetTimes(preset, d.now, d.zone); ok {
		return r, true
	}
	today := calendar.Today(d.now, d.zone)
	if o.Completes() && calendar.Completes(preset) {
		today--
	}
	start, end, ok := calendar.PresetDays(preset, today, ask.FirstDay(o.WeekStart))
	if !ok {
		return calendar.Range{}, false
	}
	if preset == calendar.AllTime && !d.first.IsZero() {
		start = min(max(calendar.Today(d.first, d.zone), today-ask.MaxDays+1), today)
	}
	return calendar.Days(start, end, d.zone), true
}

// bound returns what read makes of a bound in the zone. It adds to list that the clocks there do not show its time
// once.
func (d ranges) bound(at ask.FieldPath, code ask.Code, b calendar.Bound,
	read func(calendar.Bound, *time.Location) (calendar.End, error), list *ask.Issues) (calendar.End, bool) {
	end, err := read(b, d.zone)
	if err == nil {
		return end, true
	}
	e := ask.Error{Code: code, Message: mistake.Quote(b.String()) + " " + err.Error()}
	if clock := (*calendar.ClockError)(nil); errors.As(err, &clock) {
		e.Allowed = clock.Instants[:]
	}
	list.Add(at, e)
	return end, false
}

// requested returns the range of a request, without presets. It adds the mistakes that only the zone shows to list.
func (d ranges) requested(rd *ask.Checked, list *ask.Issues) calendar.Range {
	start, ok1 := d.bound(ask.InField("startDate"), ask.Invalid, rd.Start, calendar.Bound.Start, list)
	end, ok2 := d.bound(ask.InField("endDate"), ask.Invalid, rd.End, calendar.Bound.End, list)
	r := calendar.Between(start, end, d.zone)
	if ok1 && ok2 && r.Timed() {
		ask.CheckEnds(ask.InField("startDate"), ask.Invalid, start, end, d.zone, list)
		ask.CheckGrainOf(ask.InField("granularity"), ask.Invalid, rd.Grain, r, list)
	}
	return r
}

// hullOf returns the shortest range that has the ranges of the parameters of req, which are their own. A parameter
// whose range is wrong fails alone; if all are, the range is today.
func (d ranges) hullOf(req *ask.Request) calendar.Range {
	var hull calendar.Range
	found := false
	for i := range req.Parameters {
		p := &req.Parameters[i]
		r, ok := d.of(p.Preset, &ask.Options{WeekStart: cmp.Or(p.WeekStart, req.WeekStart),
			Complete: cmp.Or(p.Complete, req.Complete)})
		if !ok {
			r, ok = d.between(p.StartDate, p.EndDate)
		}
		switch {
		case !ok:
		case !found:
			hull, found = r, true
		default:
			start, end := hull.Start(), hull.End()
			if r.From.Before(hull.From) {
				start = r.Start()
			}
			if r.To.After(hull.To) {
				end = r.End()
			}
			hull = calendar.Between(start, end, d.zone)
		}
	}
	if !found {
		today := calendar.Today(d.now, d.zone)
		hull = calendar.Days(today, today, d.zone)
	}
	return hull
}

// between returns the range with two bounds. It reports false if they are wrong.
func (d ranges) between(startText, endText string) (r calendar.Range, ok bool) {
	first, err1 := calendar.ParseBound(startText)
	last, err2 := calendar.ParseBound(endText)
	if err1 != nil || err2 != nil {
		return r, false
	}
	start, err1 := first.Start(d.zone)
	end, err2 := last.End(d.zone)
	ordered := start.Date <= end.Date && !end.At.Before(start.At)
	return calendar.Between(start, end, d.zone), err1 == nil && err2 == nil && ordered
}

// dates gives plan the range of the i-th parameter p: its own, where it has one. preset is the preset that the range is
// of; empty if it is of dates.
func (v *resolver) dates(i int, p *ask.Parameter, o *ask.GivenOptions, preset string, plan *Plan, list *ask.Issues) {
	if o.Completes() {
		ask.CheckCompletes(o.At("complete"), ask.BadRange, preset, list)
	}
	start, end, ok := v.ownEnds(i, p, list)
	switch {
	case !ok || list.At(o.At("complete")):
		return
	case p.Preset != "" || preset != "" && (p.WeekStart != "" || p.Complete != nil):
		if r, ok := v.ranges.of(preset, &o.Options); ok {
			start, end = r.Start(), r.End()
		}
	}
	at := ask.InParameter(i, "start_date")
	ask.CheckEnds(at, ask.BadRange, start, end, v.rng.Zone, list)
	if list.At(at) {
		return
	}
	plan.Range = calendar.Between(start, end, v.rng.Zone)
	ask.CheckGrainOf(ask.InParameter(i, "granularity"), ask.BadRange, plan.Grain, plan.Range, list)
}

// presetOf returns the preset that the range of p is of; empty if it is of dates.
func (v *resolver) presetOf(p *ask.Parameter) string {
	if p.Preset != "" || p.StartDate != "" || p.EndDate != "" {
		return p.Preset
	}
	return v.req.Preset
}

// ownEnds returns the bounds of the i-th parameter p. Where it has none, they are those of the request.
func (v *resolver) ownEnds(i int, p *ask.Parameter, list *ask.Issues) (start, end calendar.End, ok bool) {
	start, end, ok = v.rng.Start(), v.rng.End(), true
	for _, one := range []struct {
		field, text string
		read        func(calendar.Bound, *time.Location) (calendar.End, error)
		into        *calendar.End
	}{
		{"start_date", p.StartDate, calendar.Bound.Start, &start},
		{"end_date", p.EndDate, calendar.Bound.End, &end},
	} {
		if one.text == "" {
			continue
		}
		at := ask.InParameter(i, one.field)
		b, err := calendar.ParseBound(one.text)
		if err != nil {
			list.Add(at, ask.BoundError(ask.BadRange, one.text, err))
			ok = false
			continue
		}
		found, good := v.ranges.bound(at, ask.BadRange, b, one.read, list)
		*one.into, ok = found, ok && good
	}
	return start, end, ok
}
