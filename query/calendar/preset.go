package calendar

import (
	"slices"
	"time"
)

// presets lists the presets in the order in which they are published: their days, and the days of as many calendar
// months or years before theirs. The days of weeks are in [PresetDays] and [PresetBefore].
var presets = []struct {
	name   string
	days   func(today Date) (start, end Date)
	before func(today Date) (start, end Date) // nil: the preset has no whole calendar months or years
}{
	{"today", last(1), nil},
	{"yesterday", func(today Date) (Date, Date) { return today - 1, today - 1 }, nil},
	{"last_7d", last(7), nil},
	{"last_14d", last(14), nil},
	{"last_28d", last(28), nil},
	{"last_30d", last(30), nil},
	{"last_90d", last(90), nil},
	{"last_180d", last(180), nil},
	{"last_365d", last(365), nil},
	{thisWeek, nil, nil},
	{lastWeek, nil, nil},
	{"this_month", func(today Date) (Date, Date) { return month(today, 0), today }, months(-1, 1)},
	{"last_month", months(-1, 1), months(-2, 1)},
	{"last_6m", func(today Date) (Date, Date) { return month(today, -5), today }, months(-11, 6)},
	{"last_12m", func(today Date) (Date, Date) { return month(today, -11), today }, months(-23, 12)},
	{"this_year", func(today Date) (Date, Date) { return year(today, 0), today }, wholeYear(-1)},
	{"last_year", wholeYear(-1), wholeYear(-2)},
	{AllTime, last(1), nil},
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
// day, and weeks begin on first. It reports false for a name that Presets does not list.
func PresetDays(name string, today Date, first time.Weekday) (start, end Date, ok bool) {
	week := today - Date((7+today.Weekday()-first)%7)
	switch name {
	case thisWeek:
		return week, today, true
	case lastWeek:
		return week - 7, week - 1, true
	}
	for _, p := range presets {
		if p.name == name {
			start, end = p.days(today)
			return start, end, true
		}
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
	for _, p := range presets {
		if p.name == name && p.before != nil {
			start, end = p.before(today)
			return start, end, true
		}
	}
	return 0, 0, false
}

// IsPreset reports whether Presets lists name.
func IsPreset(name string) bool { return slices.Contains(Presets(), name) }

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
