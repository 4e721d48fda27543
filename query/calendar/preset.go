package calendar

import (
	"slices"
	"time"
)

// A preset is a range by name. It is of days, or of times that end with a minute or an hour.
type preset struct {
	name   string
	days   func(today Date) (start, end Date)
	before func(today Date) (start, end Date) // nil: it has no whole calendar months or years
	// it may end yesterday, so that all its days are over
	completes bool

	grain   Grain // the default
	buckets int   // of grain, the last of which has now; 0: it is of days
}

// presets lists the presets in the order in which they are published: their days, and the days of as many calendar
// months or years before theirs. The days of weeks are in [PresetDays] and [PresetBefore].
var presets = []preset{
	{name: "last_30m", grain: Minutely, buckets: 30},
	{name: "last_60m", grain: Minutely, buckets: 60},
	{name: "last_24h", grain: Hourly, buckets: 24},
	{name: "today", days: last(1)},
	{name: "yesterday", days: func(today Date) (Date, Date) { return today - 1, today - 1 }},
	lastDays("last_7d", 7),
	lastDays("last_14d", 14),
	lastDays("last_28d", 28),
	lastDays("last_30d", 30),
	lastDays("last_90d", 90),
	lastDays("last_180d", 180),
	lastDays("last_365d", 365),
	{name: thisWeek},
	{name: lastWeek},
	{name: "this_month", days: func(today Date) (Date, Date) { return month(today, 0), today }, before: months(-1, 1)},
	{name: "last_month", days: months(-1, 1), before: months(-2, 1)},
	{name: "last_6m", days: func(today Date) (Date, Date) { return month(today, -5), today }, before: months(-11, 6)},
	{name: "last_12m", days: func(today Date) (Date, Date) { return month(today, -11), today },
		before: months(-23, 12)},
	{name: "this_year", days: func(today Date) (Date, Date) { return year(today, 0), today }, before: wholeYear(-1)},
	{name: "last_year", days: wholeYear(-1), before: wholeYear(-2)},
	{name: AllTime, days: last(1)},
}

func lastDays(name string, n Date) preset { return preset{name: name, days: last(n), completes: true} }

// named returns the preset of a name, or nil.
func named(name string) *preset {
	for i := range presets {
		if presets[i].name == name {
			return &presets[i]
		}
	}
	return nil
}

// PresetGrain returns the granularity that answers about a preset have by default: Daily for names that Presets does
// not list.
func PresetGrain(name string) Grain {
	if p := named(name); p != nil {
		return p.grain
	}
	return Daily
}

// Completes reports whether a preset may end yesterday with as many days: PresetDays returns these days for the day
// before today.
func Completes(name string) bool {
	p := named(name)
	return p != nil && p.completes
}

// Completing lists the presets that may end yesterday.
func Completing() (names []string) {
	for _, p := range presets {
		if p.completes {
			names = append(names, p.name)
		}
	}
	return names
}

// PresetTimes returns the range of a preset of minutes or hours at now. It ends with the minute or the local hour of
// now. It reports false for other names.
func PresetTimes(name string, now time.Time, zone *time.Location) (r Range, ok bool) {
	p := named(name)
	switch {
	case p == nil || p.buckets == 0:
		return r, false
	case p.grain == Minutely:
		to := now.Truncate(time.Minute).Add(time.Minute)
		return Times(to.Add(-time.Duration(p.buckets)*time.Minute), to, zone), true
	}
	today := Today(now, zone)
	spans := Spans(Days(today-3, today+1, zone), p.grain) // days may be missing
	i := slices.IndexFunc(spans, func(s Span) bool { return s.Has(now.UnixMilli()) })
	found, from := map[int64]bool{}, spans[i].From
	for _, s := range slices.Backward(spans[:i+1]) {
		if found[s.Number] = true; len(found) > p.buckets {
			break
		}
		from = s.From
	}
	return Times(time.UnixMilli(from), time.UnixMilli(spans[i].To), zone), true
}

// AllTime is the preset of the days since the first row. [PresetDays] does not know that row, and returns today.
const AllTime = "all_time"

// The presets of weeks, whose days also depend on the first day of a week.
const (
	thisWeek = "this_week"
	lastWeek = "last_week"
)

// Presets lists the names of the presets.
func Presets() []string {
	names := make([]string, len(presets))
	for i, p := range presets {
		names[i] = p.name
	}
	return names
}

// PresetDays returns the first and last day of the preset when today is the given
// day, and weeks begin on first. It reports false for presets of times, and for a name that Presets does not list.
func PresetDays(name string, today Date, first time.Weekday) (start, end Date, ok bool) {
	week := today - Date((7+today.Weekday()-first)%7)
	switch name {
	case thisWeek:
		return week, today, true
	case lastWeek:
		return week - 7, week - 1, true
	}
	if p := named(name); p != nil && p.days != nil {
		start, end = p.days(today)
		return start, end, true
	}
	return 0, 0, false
}

// PresetBefore returns the first and last day of the calendar weeks, months or years before the preset, as many as the
// preset has. Weeks begin on first. It reports false for presets of other days.
func PresetBefore(name string, today Date, first time.Weekday) (start, end Date, ok bool) {
	if name == thisWeek || name == lastWeek {
		start, _, _ = PresetDays(name, today, first)
		return start - 7, start - 1, true
	}
	if p := named(name); p != nil && p.before != nil {
		start, end = p.before(today)
		return start, end, true
	}
	return 0, 0, false
}

// IsPreset reports whether Presets lists name.
func IsPreset(name string) bool { return named(name) != nil }

// last is the n days that end today.
func last(n Date) func(Date) (Date, Date) {
	return func(today Date) (Date, Date) { return today - n + 1, today }
}

// months is n whole months, of which the first is some later than today's.
func months(later, n int) func(Date) (Date, Date) {
	return func(today Date) (Date, Date) { return month(today, later), month(today, later+n) - 1 }
}

// wholeYear is the year that is some later than today's.
func wholeYear(later int) func(Date) (Date, Date) {
	return func(today Date) (Date, Date) { return year(today, later), year(today, later+1) - 1 }
}

// year is the first day of the year of d, or of one some years later.
func year(d Date, later int) Date {
	y, _, _ := d.civil()
	return DateOf(y+later, time.January, 1)
}

// month is the first day of the month of d, or of one some months later.
func month(d Date, later int) Date {
	y, m, _ := d.civil()
	return DateOf(y, m+time.Month(later), 1)
}
