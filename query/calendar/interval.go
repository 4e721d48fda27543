package calendar

import "time"

// The lengths of a minute, an hour and a UTC day, in milliseconds.
const (
	Minute = 60 * 1000
	Hour   = 60 * Minute
	Day    = 24 * Hour
)

// An Interval is the time from From up to To, exclusive, both in Unix milliseconds.
type Interval struct{ From, To int64 }

// UTCDays returns the UTC days that the time from from up to to, exclusive, touches.
func UTCDays(from, to time.Time) Interval {
	return Interval{from.UnixMilli(), to.UnixMilli()}.WholeDays()
}

// WholeDays returns the UTC days that w touches.
func (w Interval) WholeDays() Interval { return Interval{StartOfDay(w.From), StartOfDay(w.To-1) + Day} }

// StartOfDay returns the start of the UTC day of an instant. Both are Unix milliseconds.
func StartOfDay(at int64) int64 { return FloorDiv(at, Day) * Day }

// Empty reports whether w has no instant.
func (w Interval) Empty() bool { return w.From >= w.To }

// Days returns the number of UTC days of w, whose ends are starts of days.
func (w Interval) Days() int { return int((w.To - w.From) / Day) }

// Has reports whether at lies in w.
func (w Interval) Has(at int64) bool { return w.From <= at && at < w.To }

// Contains reports whether all of v lies in w.
func (w Interval) Contains(v Interval) bool { return w.From <= v.From && v.To <= w.To }

// Widen returns w with that many milliseconds more on each side.
func (w Interval) Widen(before, after int64) Interval { return Interval{w.From - before, w.To + after} }

// Intersect returns the time that w and v share.
func (w Interval) Intersect(v Interval) Interval {
	return Interval{max(w.From, v.From), min(w.To, v.To)}
}

// Hull returns the shortest interval that contains w and v. An empty interval adds nothing to it.
func (w Interval) Hull(v Interval) Interval {
	switch {
	case w.Empty():
		return v
	case v.Empty():
		return w
	}
	return Interval{min(w.From, v.From), max(w.To, v.To)}
}

// Times returns the ends of w, in UTC.
func (w Interval) Times() (from, to time.Time) {
	return time.UnixMilli(w.From).UTC(), time.UnixMilli(w.To).UTC()
}

// FloorDiv returns a / b rounded down, for b > 0.
func FloorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
