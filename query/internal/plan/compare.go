package plan

import (
	"time"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
)

// A Comparison is the other period of a plan.
type Comparison struct {
	By   ask.Compare
	Plan *Plan                             // the same question about it, of all rows
	day  func(calendar.Date) calendar.Date // that stands beside a day
	// of a series of weeks or months: the dates of the buckets in the same place
	labels map[string]string
}

// compare gives plan the other period that o asks for, and ends both periods where plan's has come to. preset is the
// preset of plan's range; empty if the range has dates. It adds to list that all time cannot be compared.
func (v *resolver) compare(plan *Plan, o *ask.GivenOptions, preset string, list *ask.Issues) {
	by := o.Compare
	if !by.Any() || !plan.Type.Comparable() {
		return
	}
	if preset == calendar.AllTime {
		list.Add(o.At("compare"),
			ask.Error{Code: ask.BadRange,
				Message: "all_time cannot be compared, because nothing was before it; use another range, or leave out compare"})
		return
	}
	plan.Keyed = plan.Type.Shape == catalog.Breakdown
	today, zone := calendar.Today(v.now, v.rng.Zone), v.rng.Zone
	other := *plan
	other.Limit, other.Offset, other.Sort, other.OfKeys = 0, 0, nil, plan.Type.Shape != catalog.Series
	found := &Comparison{By: by, Plan: &other, day: calendar.Date.YearBefore}
	start, end := plan.Range.StartDate.YearBefore(), plan.Range.EndDate.YearBefore()
	if by == ask.PreviousPeriod {
		var ok bool
		if start, end, ok = calendar.PresetBefore(preset, today); !ok {
			start, end = plan.Range.StartDate-calendar.Date(plan.Range.Len()), plan.Range.StartDate-1
		}
		found.day = func(d calendar.Date) calendar.Date { return d - plan.Range.StartDate + start }
	}
	other.Range = calendar.Days(start, end, zone)
	other.Until = other.Range.To
	if plan.Range.To.After(v.now) {
		plan.Until = untilNow(plan.Range, v.now)
		switch last := found.day(today); {
		case today < plan.Range.StartDate:
			other.Until = other.Range.From
		case last <= end:
			other.Range = calendar.Days(start, last, zone)
			other.Until = calendar.At(last, calendar.TimeOfDay(v.now, zone)+
				plan.Until.Sub(v.now.Truncate(time.Millisecond)), zone)
		}
	}
	if plan.Type.Shape == catalog.Series && plan.Grain.LongerThanDay() {
		found.labels = map[string]string{}
		others := calendar.Buckets(other.Range, plan.Grain)
		for i, b := range calendar.Buckets(plan.Range, plan.Grain) {
			if i < len(others) {
				found.labels[b.Label] = others[i].Label
			}
		}
	}
	plan.Other = found
}

// untilNow returns now, rounded up to the millisecond, or the start of r if that is later.
func untilNow(r calendar.Range, now time.Time) time.Time {
	now = now.UTC().Add(time.Millisecond - 1).Truncate(time.Millisecond)
	if now.Before(r.From) {
		return r.From
	}
	return now
}

// Label returns the date of the bucket that corresponds to the bucket of date; empty if none does. Weeks and months
// correspond by their place in the range.
func (c *Comparison) Label(date string) string {
	if c.labels != nil {
		return c.labels[date]
	}
	const day = len("2006-01-02")
	if len(date) < day {
		return ""
	}
	d, err := calendar.ParseDate(date[:day])
	if err != nil {
		return ""
	}
	return c.day(d).String() + date[day:]
}

// Begun are the dates of the buckets in which c counts anything. The others are as empty as those
// after now are.
func (c *Comparison) Begun() map[string]bool {
	found := map[string]bool{}
	if c.Plan.Type.Shape != catalog.Series {
		return found
	}
	for _, b := range calendar.Buckets(c.Plan.Range, c.Plan.Grain) {
		if b.From < c.Plan.Until.UnixMilli() {
			found[b.Label] = true
		}
	}
	return found
}
