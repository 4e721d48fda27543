package calendar

import (
	"slices"
	"time"
)

// presets lists the presets in the order in which they are published: their days, and the days of the calendar month or year
// before theirs.
var presets = []struct {
	name   string
	days   func(today Date) (start, end Date)
	before func(today Date) (start, end Date) // nil: the preset is no calendar month or year
}{
	{"today", last(1), nil},
	{"yesterday", func(today Date) (Date, Date) { return today - 1, today - 1 }, nil},
	{"last_7d", last(7), nil},
	{"last_14d", last(14), nil},
	{"last_30d", last(30), nil},
	{"last_90d", last(90), nil},
	{"this_week", func(today Date) (Date, Date) { return sunday(today), today }, nil},
	{"last_week", func(today Date) (Date, Date) { return sunday(today) - 7, sunday(today) - 1 }, nil},
	{"this_month", func(today Date) (Date, Date) { return month(today, 0), today }, wholeMonth(-1)},
	{"last_month", wholeMonth(-1), wholeMonth(-2)},
	{"this_year", func(today Date) (Date, Date) { return year(today, 0), today },
		func(today Date) (Date, Date) { return year(today, -1), year(today, 0) - 1 }},
}

// Presets lists the names of the presets.
func Presets() []string {
	names := make([]string, len(presets))
	for i, p := range presets {
		names[i] = p.name
	}
	return names
}

// PresetDays returns the first and last day of the preset when today is the given
// day. It reports false for a name that Presets does not list.
func PresetDays(name string, today Date) (start, end Date, ok bool) {
	for _, p := range presets {
		if p.name == name {
			start, end = p.days(today)
			return start, end, true
		}
	}
	return 0, 0, false
}

// PresetBefore returns the first and last day of the calendar month or year before the one of the preset. It reports false for
// presets that are neither.
func PresetBefore(name string, today Date) (start, end Date, ok bool) {
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

// sunday is the first day of the week of d.
func sunday(d Date) Date { return d - Date(d.Weekday()) }

// wholeMonth is the month that is some later than today's.
func wholeMonth(later int) func(Date) (Date, Date) {
	return func(today Date) (Date, Date) { return month(today, later), month(today, later+1) - 1 }
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
