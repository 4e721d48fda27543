package calendar

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Errors of ParseBound beside those of ParseDate. Their texts may be shown to callers.
var (
	// ErrBound: the text is neither a date nor a time.
	ErrBound = errors.New("is neither a date such as 2026-11-29 nor a time such as 2026-11-29T08:30 or " +
		"2026-11-29T08:30+01:00")
	// ErrBlank: the text is a time whose plus sign was read as a blank.
	ErrBlank = errors.New("is not a time: a + in an address is read as a blank, write %2B")
	// ErrNoSuchTime: no clock shows the time, or no zone has the offset.
	ErrNoSuchTime = errors.New("is not a real time")
	// ErrSeconds: the time has seconds.
	ErrSeconds = errors.New("has seconds; times are whole minutes")
)

// A Bound is the start or the end of a range as callers write it: a local day, a local time, or an instant.
type Bound struct {
	text    string
	date    Date
	minutes int64 // since midnight; of a time
	kind    boundKind
	shift   int64 // of an instant, in milliseconds
}

type boundKind uint8

const (
	aDay boundKind = iota
	aTime
	anInstant
)

// ParseBound reads a date YYYY-MM-DD, a time YYYY-MM-DDThh:mm with the local date and time of a zone, or an instant: a
// time followed by Z or by its difference from UTC, such as +01:00. Seconds may be there if they are 0. The years are
// those of ParseDate. It returns one of the errors of this package, unwrapped.
func ParseBound(s string) (Bound, error) {
	const date, upToMinute = len("2006-01-02"), len("2006-01-02T15:04")
	b := Bound{text: s}
	if len(s) <= date || s[date] != 'T' {
		var err error
		if b.date, err = ParseDate(s); errors.Is(err, ErrFormat) {
			err = ErrBound
		}
		return b, err
	}
	var err error
	if b.date, err = ParseDate(s[:date]); err != nil && !errors.Is(err, ErrFormat) {
		return b, err
	}
	minutes, ok := clockMinutes(s[date+1 : min(len(s), upToMinute)])
	if !ok || err != nil {
		return b, ErrBound
	}
	rest, zero := withoutSeconds(s[upToMinute:])
	switch {
	case minutes < 0:
		return b, ErrNoSuchTime
	case !zero:
		return b, ErrSeconds
	case strings.HasPrefix(rest, " "):
		return b, ErrBlank
	}
	b.minutes, b.kind = minutes, aTime
	if rest == "" {
		return b, nil
	}
	b.kind = anInstant
	if rest == "Z" {
		return b, nil
	}
	shift, ok := clockMinutes(rest[1:])
	switch {
	case !ok || rest[0] != '+' && rest[0] != '-':
		return b, ErrBound
	case shift < 0:
		return b, ErrNoSuchTime
	}
	if b.shift = shift * Minute; rest[0] == '-' {
		b.shift = -b.shift
	}
	return b, nil
}

// clockMinutes reads hh:mm. It returns a negative number for a time that clocks do not show.
func clockMinutes(s string) (minutes int64, ok bool) {
	if len(s) != len("15:04") || s[2] != ':' {
		return 0, false
	}
	hour, ok1 := digits(s[:2])
	minute, ok2 := digits(s[3:])
	if hour > 23 || minute > 59 {
		return -1, ok1 && ok2
	}
	return int64(hour*60 + minute), ok1 && ok2
}

// withoutSeconds cuts the seconds that s may begin with, and reports whether they are 0.
func withoutSeconds(s string) (rest string, zero bool) {
	if len(s) < len(":00") || s[0] != ':' {
		return s, true
	}
	digits := strings.TrimLeft(s[1:], "0123456789.")
	return digits, strings.Trim(s[1:len(s)-len(digits)], "0.") == ""
}

// IsDay reports whether b is a whole day.
func (b Bound) IsDay() bool { return b.kind == aDay }

// Day returns the date of b, in the offset of an instant.
func (b Bound) Day() Date { return b.date }

// String returns b as it was written.
func (b Bound) String() string { return b.text }

// A ClockError says that the clocks of a zone show a local time twice, or not at all.
type ClockError struct {
	Zone     *time.Location
	Skipped  bool      // otherwise it is shown twice
	Instants [2]string // what may be meant, as ParseBound reads them
}

// Error says what callers may write in place of the time. The text follows the time.
func (e *ClockError) Error() string {
	if e.Skipped {
		return fmt.Sprintf("is skipped by the clocks of %s; write %s or %s", e.Zone, e.Instants[0], e.Instants[1])
	}
	return fmt.Sprintf("is shown twice by the clocks of %s; write %s or %s", e.Zone, e.Instants[0], e.Instants[1])
}

// Start returns the start of a range that begins with b in zone. Its error is a *[ClockError].
func (b Bound) Start(zone *time.Location) (End, error) {
	if b.kind == aDay {
		return dayStart(b.date, zone), nil
	}
	at, err := b.instant(zone)
	return timeStart(at, zone), err
}

// End returns the end of a range that ends with b in zone: after a day, and at a time. Its error is a *[ClockError].
func (b Bound) End(zone *time.Location) (End, error) {
	if b.kind == aDay {
		return dayEnd(b.date, zone), nil
	}
	at, err := b.instant(zone)
	return timeEnd(at, zone), err
}

// instant returns the instant of a time, in Unix milliseconds.
func (b Bound) instant(zone *time.Location) (int64, error) {
	local := b.date.midnight() + b.minutes*Minute
	if b.kind == anInstant {
		return local - b.shift, nil
	}
	shown, gap := readings(local, zone)
	switch {
	case len(shown) == 1:
		return shown[0].From, nil
	case len(shown) == 0:
		return gap[0].To, &ClockError{zone, true, [2]string{shifted(local, gap[0].shift), shifted(local, gap[1].shift)}}
	}
	return shown[0].From, &ClockError{zone, false,
		[2]string{shifted(local, shown[0].shift), shifted(local, shown[1].shift)}}
}

// readings returns the instants at which clocks of zone read local, in order, each as From. If there are none, it
// returns the two stretches of one shift between which clocks skip it.
func readings(local int64, zone *time.Location) (shown []stretch, gap [2]stretch) {
	all := byShift(local-2*Day, local+2*Day, zone)
	for i, s := range all {
		at := local - s.shift
		if s.Has(at) {
			shown = append(shown, stretch{Interval{at, s.To}, s.shift})
		}
		if at >= s.To && i+1 < len(all) && local-all[i+1].shift < all[i+1].From {
			gap = [2]stretch{s, all[i+1]}
		}
	}
	return shown, gap
}

// AtLocal returns the first instant at which clocks of zone show a time of a date: milliseconds since midnight. If
// they skip it, it returns the first instant after the gap.
func AtLocal(d Date, sinceMidnight int64, zone *time.Location) time.Time {
	shown, gap := readings(d.midnight()+sinceMidnight, zone)
	if len(shown) == 0 {
		return time.UnixMilli(gap[0].To).UTC()
	}
	return time.UnixMilli(shown[0].From).UTC()
}

// Local returns what the clocks of zone show at an instant: the date, and the milliseconds since midnight.
func Local(at time.Time, zone *time.Location) (d Date, sinceMidnight int64) {
	_, offset := at.In(zone).Zone()
	local := at.UnixMilli() + int64(offset)*1000
	d = Date(FloorDiv(local, Day))
	return d, local - d.midnight()
}

// LocalMinute returns the local time of an instant with its difference from UTC, such as 2026-10-25T02:30+02:00.
func LocalMinute(at time.Time, zone *time.Location) string { return at.In(zone).Format(minuteLabel) }

const minuteLabel = "2006-01-02T15:04-07:00"

// shifted writes a local time with its difference from UTC; both are milliseconds.
func shifted(local, shift int64) string {
	return time.UnixMilli(local - shift).In(time.FixedZone("", int(shift/1000))).Format(minuteLabel)
}
