package calendar

import "time"

// YearBefore is the same day a year earlier; of 29 February it is the 28th.
func (d Date) YearBefore() Date {
	y, m, day := d.civil()
	if m == time.February && day == 29 {
		day = 28
	}
	return DateOf(y-1, m, day)
}

// TimeOfDay returns the reading of the local clock at now, since the midnight of [Today]. In a stretch of time that
// shows yesterday again, the reading is in hour 00, as for buckets.
func TimeOfDay(now time.Time, zone *time.Location) time.Duration {
	today := Today(now, zone)
	ms, reading := now.UnixMilli(), int64(0)
	for _, s := range segments(Days(today, today, zone)) {
		if s.From <= ms {
			reading = ms + s.Shift - today.midnight()
		}
	}
	return time.Duration(reading) * time.Millisecond
}

// At is the first instant of the local day d at which the clock reads so much or more since
// midnight; the end of the day when it never does.
func At(d Date, reading time.Duration, zone *time.Location) time.Time {
	day := Days(d, d, zone)
	all := segments(day)
	for i, s := range all {
		end := day.To.UnixMilli()
		if i+1 < len(all) {
			end = all[i+1].From
		}
		if at := max(s.From, d.midnight()+reading.Milliseconds()-s.Shift); at < end {
			return time.UnixMilli(at).UTC()
		}
	}
	return day.To
}
