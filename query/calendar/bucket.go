package calendar

import (
	"slices"
	"time"
)

// A Bucket is the part of one minute, or of one local hour, day, week or month, that lies in a range.
type Bucket struct {
	Number   int64 // floor((instant + shift) / width), the same for all its instants: see Segments
	Interval       // from its first to its last instant
	// YYYY-MM-DD, the first day also when it lies before the range, or YYYY-MM-DD HH:00:00; of a minute as LocalMinute
	Label string
}

// A Span is time without a gap that falls into one bucket.
type Span struct {
	Number int64
	Interval
}

// Buckets lists the buckets of r in the order of their labels, and minutes in the order of time. Hours that clocks
// skip and days that the zone jumped over are not among them; an hour that clocks
// show twice is one. Where clocks go back by more than an hour, the buckets of the
// repeated hours lie interleaved: their real time is in Spans.
func Buckets(r Range, g Grain) []Bucket {
	spans := Spans(r, g)
	slices.SortStableFunc(spans, func(a, b Span) int {
		return int(min(max(a.Number-b.Number, -1), 1))
	})
	buckets := make([]Bucket, 0, len(spans))
	for _, s := range spans {
		if n := len(buckets); n > 0 && buckets[n-1].Number == s.Number {
			buckets[n-1].To = s.To
			continue
		}
		buckets = append(buckets, Bucket{s.Number, s.Interval, Label(s.Number, g, r.Zone)})
	}
	return buckets
}

// Spans cuts r, in order of time and without gaps, where one bucket ends and another
// begins. A bucket has more than one span where clocks show it again later.
func Spans(r Range, g Grain) []Span {
	width, segments := g.Width(), Segments(r, g)
	length := r.To.UnixMilli() - r.From.UnixMilli()
	spans := make([]Span, 0, max(length/width, 0)+int64(2*len(segments)))
	for i, s := range segments {
		end := r.To.UnixMilli()
		if i+1 < len(segments) {
			end = segments[i+1].From
		}
		for at := s.From; at < end; {
			number := FloorDiv(at+s.Shift, width)
			next := min(end, (number+1)*width-s.Shift)
			if n := len(spans); n > 0 && spans[n-1].Number == number {
				spans[n-1].To = next
			} else {
				spans = append(spans, Span{number, Interval{at, next}})
			}
			at = next
		}
	}
	return spans
}

// Label is the text of the bucket with the given number: YYYY-MM-DD HH:00:00 for an hour, YYYY-MM-DD, its first day,
// for a day or longer, and the local time in zone with its difference from UTC for a minute.
func Label(number int64, g Grain, zone *time.Location) string {
	switch g {
	case Minutely:
		return LocalMinute(time.UnixMilli(number*Minute), zone)
	case Hourly:
		return time.UnixMilli(number * Hour).UTC().Format(time.DateTime)
	}
	return g.firstDay(number).String()
}

// BeginsInside reports whether the first bucket of r began before r did.
func BeginsInside(r Range, g Grain) bool {
	spans := Spans(r, g)
	switch {
	case len(spans) == 0 || g == Minutely:
		return false
	case g != Hourly:
		return begin(g.firstDay(spans[0].Number), r.Zone) < r.From.UnixMilli()
	}
	for _, s := range Spans(Days(r.StartDate, r.StartDate, r.Zone), g) {
		if s.Number == spans[0].Number {
			return s.From < r.From.UnixMilli()
		}
	}
	return false
}

// InstantOf returns the instant of the label of a minute. It reports false for other texts.
func InstantOf(label string) (time.Time, bool) {
	if len(label) <= len(time.DateTime) {
		return time.Time{}, false
	}
	t, err := time.Parse(minuteLabel, label)
	return t.UTC(), err == nil
}
