package query

import (
	"time"

	"github.com/sightline-analytics/sightline/query/calendar"
)

// Compare is the other period that an answer is compared with. Types that ignore the range, and lists of
// single rows, are not compared: see Info.Comparable.
type Compare string

// The comparisons. A period that has not ended is cut at now, and compared with the same elapsed
// local time of the other.
const (
	// PreviousPeriod is the same number of local days just before; for a preset of a calendar month or
	// year, the month or year before.
	PreviousPeriod Compare = "previous_period"
	// PreviousYear is the same local dates a year earlier; for 29 February, the 28th.
	PreviousYear Compare = "previous_year"
)

func compareNames() []string { return []string{string(PreviousPeriod), string(PreviousYear)} }

// A comparison is the other period of a plan.
type comparison struct {
	by   Compare
	plan *plan                             // the same question about it, of all rows
	day  func(calendar.Date) calendar.Date // that stands beside a day
}

// comparable says whether answers of ty stand beside those of another period: not where the range
// is ignored, and not where each row is one of its kind.
func (ty *boundType) comparable() bool { return !ty.untilNow() && ty.Shape != List }

// compare gives plan the other period that o asks for, and ends both where plan's has come to.
// preset is that of plan's range; empty when it has dates.
func (v *resolver) compare(plan *plan, by Compare, preset string) {
	if by == "" || !plan.Type.comparable() {
		return
	}
	plan.Keyed = plan.Type.Shape == Breakdown
	today, zone := calendar.Today(v.now, v.rng.Zone), v.rng.Zone
	other := *plan
	other.Limit, other.Offset, other.Sort, other.OfKeys = 0, 0, nil, plan.Type.Shape != Series
	found := &comparison{by: by, plan: &other, day: calendar.Date.YearBefore}
	start, end := plan.Range.StartDate.YearBefore(), plan.Range.EndDate.YearBefore()
	if by == PreviousPeriod {
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
			other.Until = calendar.At(last, calendar.TimeOfDay(v.now, zone)+plan.Until.Sub(v.now.Truncate(time.Millisecond)), zone)
		}
	}
	plan.Other = found
}

// untilNow is what r has come to: now, to the whole millisecond that is not before it, or the start of
// r when that lies later.
func untilNow(r calendar.Range, now time.Time) time.Time {
	now = now.UTC().Add(time.Millisecond - 1).Truncate(time.Millisecond)
	if now.Before(r.From) {
		return r.From
	}
	return now
}
