package calendar

import "time"

// Grain is the length of the buckets of a series. The zero Grain is Daily.
type Grain uint8

// The grains. A week begins on Sunday or on Monday.
const (
	Daily Grain = iota
	Hourly
	Weekly
	WeeklyFromMonday
	Monthly
	Minutely
)

// grainNames lists the names of each grain, the usual one first. Names do not say the first day of a week.
var grainNames = []struct {
	name, alias string
	grain       Grain
}{
	{"daily", "day", Daily}, {"hourly", "hour", Hourly}, {"weekly", "week", Weekly}, {"monthly", "month", Monthly},
	{"minute", "", Minutely},
}

// ParseGrain reads the name of a grain or its alias, such as daily or day. Weeks begin on Sunday: see [Grain.From].
func ParseGrain(s string) (Grain, bool) {
	for _, g := range grainNames {
		if s == g.name || s == g.alias && s != "" {
			return g.grain, true
		}
	}
	return Daily, false
}

// GrainNames lists what ParseGrain reads, the usual names first.
func GrainNames() []string {
	names := make([]string, 0, 2*len(grainNames))
	for _, g := range grainNames {
		names = append(names, g.name)
	}
	for _, g := range grainNames {
		if g.alias != "" {
			names = append(names, g.alias)
		}
	}
	return names
}

// From returns g, if it is weekly with weeks that begin on first, which is Sunday or Monday.
func (g Grain) From(first time.Weekday) Grain {
	switch {
	case g == Weekly && first == time.Monday:
		return WeeklyFromMonday
	case g == WeeklyFromMonday && first != time.Monday:
		return Weekly
	}
	return g
}

// Width is the length of a bucket on the clock, in milliseconds. Real time may differ where clocks change. Months have
// more than they need, so that each has the same: see [Segments].
func (g Grain) Width() int64 {
	switch g {
	case Minutely:
		return Minute
	case Hourly:
		return Hour
	case Weekly, WeeklyFromMonday:
		return 7 * Day
	case Monthly:
		return 32 * Day
	}
	return Day
}

// LongerThanDay reports whether buckets have whole days, of which the first may lie before a range.
func (g Grain) LongerThanDay() bool { return g.Width() > Day }

// String is the usual name of g.
func (g Grain) String() string {
	for _, known := range grainNames {
		if known.grain == g {
			return known.name
		}
	}
	return "weekly"
}

// Days returns the first and the last day of bucket number of a grain of days or longer.
func (g Grain) Days(number int64) (first, last Date) {
	return g.firstDay(number), g.firstDay(number+1) - 1
}

// firstDay returns the first day of bucket number of a grain of days or longer.
func (g Grain) firstDay(number int64) Date {
	switch g {
	case Weekly, WeeklyFromMonday:
		return Date(7*number - g.weekOffset())
	case Monthly:
		return DateOf(FirstYear, time.Month(1+number), 1)
	}
	return Date(number)
}

// weekOffset returns how many days of the week have passed on 1970-01-01, a Thursday.
func (g Grain) weekOffset() int64 {
	if g == WeeklyFromMonday {
		return int64(time.Thursday - time.Monday)
	}
	return int64(time.Thursday - time.Sunday)
}
