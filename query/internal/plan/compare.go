package plan

import (
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
)

// A Comparison is the other period of a plan.
type Comparison struct {
	By   ask.Compare
	Plan *Plan // the same question about it, of all rows
	// Unequal lists the dates of the weeks and months whose pairs have no changes: see unequal.
	Unequal []string
	day     func(calendar.Date) calendar.Date // that stands beside a day
	// of a series of weeks or months: the dates of the buckets in the same place
	labels map[string]string
}

// compare gives plan the other period that o asks for. It ends both periods where plan's has come to, but for a period
// of days of the caller's choice, which ends now at the latest. preset is the preset of plan's range; empty if the
// range has dates. It adds to list what cannot be compared.
func (v *resolver) compare(plan *Plan, o *ask.GivenOptions, preset string, list *ask.Issues) {
	by := o.Compare
	if !by.Any() || !plan.Type.Comparable() {
		return
	}
	_, _, own := by.Days()
	if !comparable(plan, o, preset, list) {
		return
	}
	plan.Keyed = plan.Type.Shape == catalog.Breakdown
	other := *plan
	other.Limit, other.Offset, other.Sort, other.OfKeys = 0, 0, nil, plan.Type.Shape != catalog.Series
	whole, day := v.otherPeriod(plan, o, preset)
	found := &Comparison{By: by, Plan: &other, day: day}
	other.Range, other.Until = whole, whole.To
	switch {
	case own:
		if whole.To.After(v.now) {
			other.Until = untilNow(whole, v.now)
		}
	case plan.Range.To.After(v.now):
		v.cut(plan, found)
	}
	if plan.Type.Shape == catalog.Series && plan.Grain.LongerThanDay() {
		found.pair(plan, whole)
	}
	plan.Other = found
}

// comparable reports whether the range of plan can be compared as o says, and adds to list why it cannot.
func comparable(plan *Plan, o *ask.GivenOptions, preset string, list *ask.Issues) bool {
	start, end, own := o.Compare.Days()
	refuse := func(message string) bool {
		list.Add(o.At("compare"), ask.Error{Code: ask.BadRange, Message: message})
		return false
	}
	switch {
	case own:
		before := len(list.Errors)
		days := int(end-start) + 1
		ask.CheckHourly(o.At("compare"), ask.BadRange, plan.Grain, days, list)
		return len(list.Errors) == before
	case preset == calendar.AllTime:
		return refuse("all_time cannot be compared, because nothing was before it; use another range, " +
			"leave out compare, or compare with days of your own")
	case o.Compare == ask.PreviousYearWeeks && plan.Range.Len() > ask.YearOfWeeks:
		return refuse(fmt.Sprintf("%s is for ranges of at most %d days, and this one has %d; use %s or a shorter range",
			ask.PreviousYearWeeks, ask.YearOfWeeks, plan.Range.Len(), ask.PreviousYear))
	}
	return true
}

// otherPeriod returns the whole period that o compares the range of plan with, and the function from a day of the range
// to the day beside it.
func (v *resolver) otherPeriod(plan *Plan, o *ask.GivenOptions, preset string) (
	calendar.Range, func(calendar.Date) calendar.Date,
) {
	r, zone := plan.Range, v.rng.Zone
	start, end := r.StartDate, r.EndDate
	back := func(days int) { start, end = start-calendar.Date(days), end-calendar.Date(days) }
	switch o.Compare {
	case ask.PreviousYear:
		return calendar.Days(start.YearBefore(), end.YearBefore(), zone), calendar.Date.YearBefore
	case ask.PreviousWeeks:
		back((r.Len() + 6) / 7 * 7)
	case ask.PreviousYearWeeks:
		back(ask.YearOfWeeks)
	case ask.PreviousPeriod:
		first, last, ok := calendar.PresetBefore(preset, calendar.Today(v.now, zone), ask.FirstDay(o.WeekStart))
		if back(r.Len()); ok {
			start, end = first, last
		}
	default:
		start, end, _ = o.Compare.Days()
	}
	return calendar.Days(start, end, zone), func(d calendar.Date) calendar.Date { return d - r.StartDate + start }
}

// cut ends the range of plan, which has not ended, at now, and the other period at the same local time.
func (v *resolver) cut(plan *Plan, c *Comparison) {
	today, zone, other := calendar.Today(v.now, v.rng.Zone), v.rng.Zone, c.Plan
	plan.Until = untilNow(plan.Range, v.now)
	switch last := c.day(today); {
	case today < plan.Range.StartDate:
		other.Until = other.Range.From
	case last <= other.Range.EndDate:
		other.Range = calendar.Days(other.Range.StartDate, last, zone)
		other.Until = calendar.At(last, calendar.TimeOfDay(v.now, zone)+
			plan.Until.Sub(v.now.Truncate(time.Millisecond)), zone)
	}
}

// pair pairs the weeks or months of plan with those of the other period by their place. whole is that period before it
// was cut. A pair is unequal if the start or the end of a range cuts one of the two, and they hold different numbers of
// days. Then their difference says nothing.
func (c *Comparison) pair(plan *Plan, whole calendar.Range) {
	c.labels = map[string]string{}
	now, then := calendar.Buckets(plan.Range, plan.Grain), calendar.Buckets(c.Plan.Range, plan.Grain)
	last := plan.Range.EndDate
	if plan.Until.Before(plan.Range.To) {
		last = min(last, calendar.Today(plan.Now, plan.Range.Zone))
	}
	for i := range min(len(now), len(then)) {
		c.labels[now[i].Label] = then[i].Label
		a, b := daysOf(now[i], plan.Grain), daysOf(then[i], plan.Grain)
		inRanges := a.within(plan.Range.StartDate, plan.Range.EndDate) == a &&
			b.within(whole.StartDate, whole.EndDate) == b
		counted := a.within(plan.Range.StartDate, last)
		if !inRanges && counted.len() != b.within(c.Plan.Range.StartDate, c.Plan.Range.EndDate).len() {
			c.Unequal = append(c.Unequal, now[i].Label)
		}
	}
}

// days are the days from first to last.
type days struct{ first, last calendar.Date }

// daysOf returns the days of a week or month.
func daysOf(b calendar.Bucket, g calendar.Grain) days {
	first, last := g.Days(b.Number)
	return days{first, last}
}

func (d days) within(first, last calendar.Date) days {
	return days{max(d.first, first), min(d.last, last)}
}

func (d days) len() int { return max(0, int(d.last-d.first)+1) }

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
