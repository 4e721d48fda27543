package calendar

import (
	"slices"
	"time"
)

// presets in the order in which they are listed. from and to count from today.
var presets = []struct {
	name string
	days func(today Date) (start, end Date)
}{
	{"today", last(1)},
	{"yesterday", func(today Date) (Date, Date) { return today - 1, today - 1 }},
	{"last_7d", last(7)},
	{"last_14d", last(14)},
	{"last_30d", last(30)},
	{"last_90d", last(90)},
	{"this_week", func(today Date) (Date, Date) { return sunday(today), today }},
	{"last_week", func(today Date) (Date, Date) { return sunday(today) - 7, sunday(today) - 1 }},
	{"this_month", func(today Date) (Date, Date) { return month(today, 0), today }},
	{"last_month", func(today Date) (Date, Date) { return month(today, -1), month(today, 0) - 1 }},
	{"this_year", func(today Date) (Date, Date) {
		year, _, _ := today.civil()
		return DateOf(year, time.January, 1), today
	}},
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

// IsPreset reports whether Presets lists name.
func IsPreset(name string) bool { return slices.Contains(Presets(), name) }

// last is the n days that end today.
func last(n Date) func(Date) (Date, Date) {
	return func(today Date) (Date, Date) { return today - n + 1, today }
}

// sunday is the first day of the week of d.
func sunday(d Date) Date { return d - Date(d.Weekday()) }

// month is the first day of the month of d, or of one some months later.
func month(d Date, later int) Date {
	y, m, _ := d.civil()
	return DateOf(y, m+time.Month(later), 1)
}
