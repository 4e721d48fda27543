package calendar

// A Segment is a stretch of time in which local time is UTC plus Shift. It begins at From
// and ends where the next one begins. Both are milliseconds.
type Segment struct {
	From, Shift int64
}

// Segments cuts r into stretches of one shift each, in order: the first begins at
// r.From, each ends where the next begins, and the last at r.To. An instant plus the
// shift of its segment reads, as if it were UTC, like the local clock, so that
// floor((instant + shift) / width) is the number of its bucket.
//
// Where clocks go back over midnight, a stretch shows yesterday again. It belongs to
// the new day, so its shift puts it into hour 00 of that day, in pieces of an hour at
// most. An empty range has no segments.
func Segments(r Range) []Segment {
	from, to := r.From.UnixMilli(), r.To.UnixMilli()
	var segments []Segment
	var newest int64 // the latest midnight that was shown
	for i, s := range byShift(from, to, r.Zone) {
		if i == 0 {
			newest = midnightBefore(s.From + s.shift)
		}
		at := s.From
		for until := min(s.To, newest-s.shift); at < until; at += Hour {
			segments = append(segments, Segment{From: at, Shift: newest - at})
		}
		if at = max(s.From, min(s.To, newest-s.shift)); at < s.To {
			segments = append(segments, Segment{From: at, Shift: s.shift})
			newest = midnightBefore(s.To - 1 + s.shift)
		}
	}
	return segments
}

func midnightBefore(local int64) int64 { return FloorDiv(local, Day) * Day }
