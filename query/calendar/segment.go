package calendar

// A Segment is a stretch of time in which Shift puts instants into buckets. It begins at From
// and ends where the next one begins. Both are milliseconds.
type Segment struct {
	From, Shift int64
}

// Segments cuts r into stretches of one shift each, in order: the first begins at
// r.From, each ends where the next begins, and the last at r.To. For all instants of a segment,
// floor((instant + shift) / g.Width()) is the number of their bucket.
//
// For hours and days, the shift is the difference of local time from UTC. For weeks, it also moves the first day of a
// week to a multiple of seven days. Each month has a separate segment, whose shift moves the first day to a multiple of
// the width. Minutes are real minutes, which need no shift.
func Segments(r Range, g Grain) []Segment {
	if g == Minutely {
		if !r.To.After(r.From) {
			return nil
		}
		return []Segment{{From: r.From.UnixMilli()}}
	}
	local := segments(r)
	switch g {
	case Weekly, WeeklyFromMonday:
		for i := range local {
			local[i].Shift += g.weekOffset() * Day
		}
	case Monthly:
		return byMonth(local, r.To.UnixMilli())
	}
	return local
}

// byMonth cuts segments of local time, the last of which ends at to, where months begin.
func byMonth(local []Segment, to int64) []Segment {
	var all []Segment
	for i, s := range local {
		end := to
		if i+1 < len(local) {
			end = local[i+1].From
		}
		for at := s.From; at < end; {
			year, month, _ := Date(FloorDiv(at+s.Shift, Day)).civil()
			number := int64(year-FirstYear)*12 + int64(month-1)
			shift := s.Shift + number*Monthly.Width() - DateOf(year, month, 1).midnight()
			if n := len(all); n == 0 || all[n-1].Shift != shift {
				all = append(all, Segment{at, shift})
			}
			at = min(end, DateOf(year, month+1, 1).midnight()-s.Shift)
		}
	}
	return all
}

// segments are the stretches of one shift of local time from UTC each: an instant plus the shift reads, as if it were
// UTC, like the local clock.
//
// Where clocks go back over midnight, a stretch shows yesterday again. It belongs to
// the new day, so its shift puts it into hour 00 of that day, in pieces of an hour at
// most. An empty range has no segments.
func segments(r Range) []Segment {
	from, to := r.From.UnixMilli(), r.To.UnixMilli()
	if from >= to {
		return nil
	}
	var segments []Segment
	add := func(s Segment) {
		if n := len(segments); n > 0 && s.From <= from {
			segments = segments[:n-1]
		}
		segments = append(segments, Segment{max(s.From, from), s.Shift})
	}
	var newest int64 // the latest midnight that was shown
	// A range that begins at a time may begin in a stretch that shows yesterday again.
	for i, s := range byShift(begin(Today(r.From, r.Zone), r.Zone), to, r.Zone) {
		if i == 0 {
			newest = midnightBefore(s.From + s.shift)
		}
		at := s.From
		for until := min(s.To, newest-s.shift); at < until; at += Hour {
			add(Segment{From: at, Shift: newest - at})
		}
		if at = max(s.From, min(s.To, newest-s.shift)); at < s.To {
			add(Segment{From: at, Shift: s.shift})
			newest = midnightBefore(s.To - 1 + s.shift)
		}
	}
	return segments
}

func midnightBefore(local int64) int64 { return FloorDiv(local, Day) * Day }
