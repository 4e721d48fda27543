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
	// of a series of minutes, weeks or months: the dates of the buckets in the same place
	labels map[string]string
}

// compare gives plan the other period that o asks for. It ends both periods where plan's has come to, but for a period
// of the caller's choice, which ends now at the latest. preset is the preset of plan's range; empty if the
// range has dates. It adds to list what cannot be compared.
func (v *resolver) compare(plan *Plan, o *ask.GivenOptions, preset string, list *ask.Issues) {
	by := o.Compare
	if !by.Any() || !plan.Type.Comparable() {
		return
	}
	_, _, own := by.Own()
	if !comparable(plan, o, preset, list) {
		return
	}
	whole, day := v.otherPeriod(plan, o, preset, list)
	if len(list.Errors) > 0 {
		return
	}
	plan.Keyed = plan.Type.Shape == catalog.Breakdown
	other := *plan
	other.Limit, other.Offset, other.Sort = 0, 0, nil
	other.OfKeys = plan.Type.Shape != catalog.Series && plan.Difference == nil
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
	if plan.Type.Shape == catalog.Series && (plan.Grain.LongerThanDay() || plan.Grain == calendar.Minutely) {
		found.pair(plan, whole)
	}
	plan.Other = found
}

// comparable reports whether the range of plan can be compared as o says, and adds to list why it cannot.
func comparable(plan *Plan, o *ask.GivenOptions, preset string, list *ask.Issues) bool {
	_, _, own := o.Compare.Own()
	refuse := func(message string) bool {
		list.Add(o.At("compare"), ask.Error{Code: ask.BadRange, Message: message})
		return false
	}
	switch {
	case own:
		return true
	case preset == calendar.AllTime:
		return refuse("all_time cannot be compared, because nothing was before it; use another range, " +
			"leave out compare, or compare with days of your own")
	case o.Compare == ask.PreviousYearWeeks && plan.Range.ClockLength() > ask.YearOfWeeks*24*time.Hour:
		return refuse(fmt.Sprintf("%s is for ranges of at most %d days, and this one has %d; use %s or a shorter range",
			ask.PreviousYearWeeks, ask.YearOfWeeks, plan.Range.Len(), ask.PreviousYear))
	}
	return true
}

// otherPeriod returns the whole period that o compares the range of plan with, and the function from a day of the range
// to the day beside it. It adds to list what is wrong with a period of the caller's choice.
func (v *resolver) otherPeriod(plan *Plan, o *ask.GivenOptions, preset string, list *ask.Issues) (
	whole calendar.Range, day func(calendar.Date) calendar.Date,
) {
	r, zone := plan.Range, v.rng.Zone
	moved := func(to func(calendar.Date) calendar.Date) calendar.Range {
		return calendar.Between(r.Start().Move(to, false, zone), r.End().Move(to, true, zone), zone)
	}
	back := func(days int) calendar.Range {
		return moved(func(d calendar.Date) calendar.Date { return d - calendar.Date(days) })
	}
	switch o.Compare {
	case ask.PreviousYear:
		return moved(calendar.Date.YearBefore), calendar.Date.YearBefore
	case ask.PreviousWeeks:
		const week = 7 * 24 * time.Hour
		whole = back(7 * max(1, int((r.ClockLength()+week-1)/week)))
	case ask.PreviousYearWeeks:
		whole = back(ask.YearOfWeeks)
	case ask.PreviousPeriod:
		first, last, ok := calendar.PresetBefore(preset, calendar.Today(v.now, zone), ask.FirstDay(o.WeekStart))
		switch {
		case ok:
			whole = calendar.Days(first, last, zone)
		case r.Timed():
			whole = calendar.Times(r.From.Add(-r.Length()), r.From, zone)
		default:
			whole = back(r.Len())
		}
	default:
		whole = v.ownPeriod(plan, o, list)
	}
	return whole, func(d calendar.Date) calendar.Date { return d - r.StartDate + whole.StartDate }
}

// ownPeriod returns the period of the caller's choice that o compares plan with.
func (v *resolver) ownPeriod(plan *Plan, o *ask.GivenOptions, list *ask.Issues) calendar.Range {
	first, last, _ := o.Compare.Own()
	at, zone := o.At("compare"), v.rng.Zone
	start, ok1 := v.ranges.bound(at.Member("startDate"), ask.BadRange, first, calendar.Bound.Start, list)
	end, ok2 := v.ranges.bound(at.Member("endDate"), ask.BadRange, last, calendar.Bound.End, list)
	whole := calendar.Between(start, end, zone)
	if ok1 && ok2 {
		ask.CheckEnds(at, ask.BadRange, start, end, zone, list)
		if plan.Type.Shape == catalog.Series {
			ask.CheckGrainOf(at, ask.BadRange, plan.Grain, whole, list)
		}
	}
	return whole
}

// cut ends the range of plan, which has not ended, at now, and the other period at the same local time, or after the
// same real time.
func (v *resolver) cut(plan *Plan, c *Comparison) {
	today, zone, other := calendar.Today(v.now, v.rng.Zone), v.rng.Zone, c.Plan
	plan.Until = untilNow(plan.Range, v.now)
	if plan.Range.Timed() {
		other.Until = v.cutTimes(plan, c)
		return
	}
	switch last := c.day(today); {
	case today < plan.Range.StartDate:
		other.Until = other.Range.From
	case last <= other.Range.EndDate:
		other.Range = calendar.Days(other.Range.StartDate, last, zone)
		other.Until = v.sameTime(plan, last)
	}
}

// cutTimes returns where the other period ends, if the range of plan has a time and ends now.
func (v *resolver) cutTimes(plan *Plan, c *Comparison) time.Time {
	r, other := plan.Range, c.Plan.Range
	until := other.From.Add(plan.Until.Sub(r.From))
	if c.By != ask.PreviousPeriod && plan.Until.After(r.From) {
		until = v.sameTime(plan, c.day(calendar.Today(v.now, r.Zone)))
	}
	if until.Before(other.From) {
		return other.From
	}
	if until.After(other.To) {
		return other.To
	}
	return until
}

// sameTime returns when, on a day, the clock shows the time of now, up to which the rows of plan count.
func (v *resolver) sameTime(plan *Plan, day calendar.Date) time.Time {
	return calendar.At(day, calendar.TimeOfDay(v.now, v.rng.Zone)+
		plan.Until.Sub(v.now.Truncate(time.Millisecond)), v.rng.Zone)
}

// pair pairs the minutes, weeks or months of plan with those of the other period by their place. whole is that period
// before it was cut. A pair of weeks or months is unequal if the start or the end of a range cuts one of the two, and
// they hold different numbers of days. Then their difference says nothing.
func (c *Comparison) pair(plan *Plan, whole calendar.Range) {
	c.labels = map[string]string{}
	now, then := calendar.Buckets(plan.Range, plan.Grain), calendar.Buckets(c.Plan.Range, plan.Grain)
	last, otherLast := plan.Range.EndDate, c.Plan.Range.EndDate
	if plan.Until.Before(plan.Range.To) {
		today := calendar.Today(plan.Now, plan.Range.Zone)
		last, otherLast = min(last, today), c.lastDay(plan, today)
	}
	for i := range min(len(now), len(then)) {
		c.labels[now[i].Label] = then[i].Label
		if plan.Grain == calendar.Minutely {
			continue
		}
		a, b := daysOf(now[i], plan.Grain), daysOf(then[i], plan.Grain)
		counted := a.within(plan.Range.StartDate, last)
		if (a.cutBy(plan.Range) || b.cutBy(whole)) &&
			counted.len() != b.within(c.Plan.Range.StartDate, otherLast).len() {
			c.Unequal = append(c.Unequal, now[i].Label)
		}
	}
}

// lastDay returns the last day of the other period that counts, while plan ends today.
func (c *Comparison) lastDay(plan *Plan, today calendar.Date) calendar.Date {
	switch {
	case !plan.Range.Timed(): // its range was cut
		return c.Plan.Range.EndDate
	case c.By == ask.PreviousPeriod:
		return min(c.Plan.Range.EndDate, calendar.Today(c.Plan.Until, plan.Range.Zone))
	}
	return min(c.Plan.Range.EndDate, c.day(today))
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

// cutBy reports whether the start or the end of a range cuts d.
func (d days) cutBy(r calendar.Range) bool {
	if d.within(r.StartDate, r.EndDate) != d {
		return true
	}
	whole := calendar.Days(d.first, d.last, r.Zone)
	return r.FromTime && whole.From.Before(r.From) || r.ToTime && whole.To.After(r.To)
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

// Label returns the date of the bucket that corresponds to the bucket of date; empty if none does. Minutes, weeks and
// months correspond by their place in the range.
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
