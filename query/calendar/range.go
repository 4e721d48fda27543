package calendar

import "time"

// A Range is whole local days of a zone: the instants from the first that shows
// StartDate up to, not including, the first that shows the day after EndDate. When
// the zone jumped over all of these days, From equals To.
type Range struct {
	StartDate Date
	EndDate   Date // inclusive
	Zone      *time.Location
	From      time.Time // UTC
	To        time.Time // UTC, exclusive
}

// Days is the range of the local days from start to end in zone. end is not before start.
func Days(start, end Date, zone *time.Location) Range {
	return Range{
		StartDate: start,
		EndDate:   end,
		Zone:      zone,
		From:      time.UnixMilli(begin(start, zone)).UTC(),
		To:        time.UnixMilli(begin(end+1, zone)).UTC(),
	}
}

// Len returns the number of days of the calendar in r. Days that the zone jumped over count.
func (r Range) Len() int { return int(r.EndDate-r.StartDate) + 1 }

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

// A shifted interval is one in which the zone has one shift from UTC, in milliseconds.
type shifted struct {
	Interval
	shift int64
}

// byShift cuts the time from from up to to where the zone changes its shift.
func byShift(from, to int64, zone *time.Location) []shifted {
	var all []shifted
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
			all = append(all, shifted{Interval{at, next}, shift})
		}
		at = next
	}
	return all
}
