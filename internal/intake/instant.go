package intake

import (
	"strings"
	"time"
)

// MaxSeconds is the number from which on a time is in milliseconds since 1970, and below which it is in seconds: as
// milliseconds, smaller numbers would end in 1973.
const MaxSeconds = 1e11

// layouts are the forms of times in text. Times without a zone are UTC. A space instead of T, lower-case letters, and
// UTC instead of Z are normalised first.
var layouts = [...]string{
	time.RFC3339Nano, "2006-01-02T15:04:05.999999999Z0700", "2006-01-02T15:04:05.999999999Z07",
	"2006-01-02T15:04:05.999999999",
	"2006-01-02T15:04Z07:00", "2006-01-02T15:04Z0700", "2006-01-02T15:04Z07", "2006-01-02T15:04", time.DateOnly,
	"20060102T150405.999999999Z07:00", "20060102T150405.999999999Z0700", "20060102T150405.999999999Z07",
	"20060102T150405.999999999",
	"20060102T1504Z0700", "20060102T1504", "20060102",
}

// textLayouts are the forms of times that begin with the name of a day.
var textLayouts = [...]string{time.RFC1123, time.RFC1123Z, "Mon, 2 Jan 2006 15:04:05 MST",
	"Mon, 2 Jan 2006 15:04:05 -0700", time.RFC850, time.ANSIC}

// Instant parses a time in one of the usual forms, in whole milliseconds.
func Instant(s string) (time.Time, bool) { return InstantIn(s, time.UTC) }

// InstantIn is like Instant. A time without a zone is in zone.
func InstantIn(s string, zone *time.Location) (time.Time, bool) {
	s = strings.TrimSpace(s)
	tried := layouts[:]
	switch {
	case s == "":
		return time.Time{}, false
	case s[0] < '0' || s[0] > '9':
		tried = textLayouts[:]
	default:
		s = strings.ToUpper(s)
		for _, zone := range []string{" UTC", " GMT", "UTC", "GMT", " Z"} {
			if rest, found := strings.CutSuffix(s, zone); found {
				s = rest + "Z"
				break
			}
		}
		s = strings.Replace(s, " ", "T", 1)
		s = strings.Replace(s, " ", "", 1) // before an offset
	}
	for _, layout := range tried {
		if t, err := time.ParseInLocation(layout, s, zone); err == nil && Sane(t) {
			return t.UTC().Truncate(time.Millisecond), true
		}
	}
	return time.Time{}, false
}

// Sane reports whether every store can hold t.
func Sane(t time.Time) bool { return t.Year() >= 1 && t.Year() <= 9999 }

// Oldest returns the earliest time that an event may have.
func Oldest() time.Time { return time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) }
