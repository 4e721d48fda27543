package calendar

import "time"

// A Range is time of a zone. It begins and ends with local days, or at times. A range of whole days has the instants
// from the first that shows StartDate up to, not including, the first that shows the day after EndDate. When the zone
// jumped over all of these days, From equals To.
type Range struct {
	StartDate Date // the local day of From
	EndDate   Date // the local day of the last instant, inclusive
	Zone      *time.Location
	From      time.Time // UTC
	To        time.Time // UTC, exclusive
	FromTime  bool      // it begins at a time, not with a day
	ToTime    bool      // it ends at a time, not with a day
}

// Days is the range of the local days from start to end in zone. end is not before start.
func Days(start, end Date, zone *time.Location) Range {
	return Between(dayStart(start, zone), dayEnd(end, zone), zone)
}

// Times is the range between two times of zone. It is empty if to is not after from.
func Times(from, to time.Time, zone *time.Location) Range {
	return Between(timeStart(from.UnixMilli(), zone), timeEnd(to.UnixMilli(), zone), zone)
}

// An End is the start or the end of a range.
type End struct {
	Date Date
	At   time.Time // UTC
	Time bool      // it is a time, not with a day
}

func dayStart(d Date, zone *time.Location) End {
	return End{d, time.UnixMilli(begin(d, zone)).UTC(), false}
}

func dayEnd(d Date, zone *time.Location) End {
	return End{d, time.UnixMilli(begin(d+1, zone)).UTC(), false}
}

func timeStart(at int64, zone *time.Location) End {
	t := time.UnixMilli(at).UTC()
	return End{Today(t, zone), t, true}
}

func timeEnd(at int64, zone *time.Location) End {
	t := time.UnixMilli(at).UTC()
	return End{Today(t.Add(-time.Millisecond), zone), t, true}
}

// Between is the range from one end to the other. It is empty if end is not after start.
func Between(start, end End, zone *time.Location) Range {
	if end.At.Before(start.At) {
		end.At = start.At
	}
	return Range{StartDate: start.Date, EndDate: end.Date, Zone: zone, From: start.At, To: end.At,
		FromTime: start.Time, ToTime: end.Time}
}

// Start returns the start of r.
func (r Range) Start() End { return End{r.StartDate, r.From, r.FromTime} }

// End returns the end of r.
func (r Range) End() End { return End{r.EndDate, r.To, r.ToTime} }

// Move returns e with another date and the same time of day: the start of a range, or its end. Clocks may skip the
// time, then e is the first instant after the gap. If they show it twice, e is the first.
func (e End) Move(to func(Date) Date, isEnd bool, zone *time.Location) End {
	switch {
	case !e.Time && isEnd:
		return dayEnd(to(e.Date), zone)
	case !e.Time:
		return dayStart(to(e.Date), zone)
	}
	d, reading := Local(e.At, zone)
	at := AtLocal(to(d), reading, zone).UnixMilli()
	if isEnd {
		return timeEnd(at, zone)
	}
	return timeStart(at, zone)
}

// Timed reports whether an end of r is a time.
func (r Range) Timed() bool { return r.FromTime || r.ToTime }

// Len returns the number of days of the calendar that r touches. Days that the zone jumped over count.
func (r Range) Len() int { return int(r.EndDate-r.StartDate) + 1 }

// Length returns the real time of r.
func (r Range) Length() time.Duration { return r.To.Sub(r.From) }

// ClockLength returns the time from the start of r to its end as local clocks show it. A day has 24 hours.
func (r Range) ClockLength() time.Duration {
	reading := func(e End, d Date) int64 {
		if !e.Time {
			return d.midnight()
		}
		d, since := Local(e.At, r.Zone)
		return d.midnight() + since
	}
	ms := reading(r.End(), r.EndDate+1) - reading(r.Start(), r.StartDate)
	return time.Duration(ms) * time.Millisecond
}

// Texts returns the ends of r as ParseBound reads them: dates, or local times with their difference from UTC.
func (r Range) Texts() (start, end string) {
	start, end = r.StartDate.String(), r.EndDate.String()
	if r.FromTime {
		start = LocalMinute(r.From, r.Zone)
	}
	if r.ToTime {
		end = LocalMinute(r.To, r.Zone)
	}
	return start, end
}

// Today is the local day that holds now. It is the date that the zone shows, but for
// a stretch that shows yesterday again after midnight.
func Today(now time.Time, zone *time.Location) Date {
	_, offset := now.In(zone).Zone()
	ms := now.UnixMilli()
	d := Date(FloorDiv(ms+int64(offset)*1000, Day))
	for begin(d+1, zone) <= ms {
		d++
	}
	return d
}

// begin is the first instant that shows d or, where no instant shows d, a later date.
func begin(d Date, zone *time.Location) int64 {
	midnight := d.midnight()
	// No zone is two days away from UTC, so the search begins before d everywhere.
	for _, s := range byShift(midnight-2*Day, midnight+2*Day, zone) {
		if first := max(s.From, midnight-s.shift); first < s.To {
			return first
		}
	}
	return midnight
}

// A stretch is time in which the zone has one shift from UTC, in milliseconds.
type stretch struct {
	Interval
	shift int64
}

// byShift cuts the time from from up to to where the zone changes its shift.
func byShift(from, to int64, zone *time.Location) []stretch {
	var all []stretch
	for at := from; at < to; {
		t := time.UnixMilli(at).In(zone)
		_, offset := t.Zone()
		next := to
		// The end of a zone's period may lie at a year's edge where nothing changes. Of a
		// leap year it may lie before the last day, which then ends before it began.
		if _, end := t.ZoneBounds(); !end.IsZero() && end.UnixMilli() < to {
			next = end.UnixMilli()
			if next <= at {
				next = min(to, (FloorDiv(at, Day)+1)*Day)
			}
		}
		shift := int64(offset) * 1000
		if n := len(all); n > 0 && all[n-1].shift == shift {
			all[n-1].To = next
		} else {
			all = append(all, stretch{Interval{at, next}, shift})
		}
		at = next
	}
	return all
}
