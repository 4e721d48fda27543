package calendar

import (
	"errors"
	"time"
)

// The years that ParseDate accepts.
const (
	FirstYear = 1970
	LastYear  = 2100
)

// Errors of ParseDate. Their texts may be shown to callers.
var (
	// ErrFormat: the text is not written as YYYY-MM-DD.
	ErrFormat = errors.New("is not a date in the form YYYY-MM-DD")
	// ErrNoSuchDate: the calendar has no such day.
	ErrNoSuchDate = errors.New("is not a real date")
	// ErrYear: the year is before FirstYear or after LastYear.
	ErrYear = errors.New("is outside the years 1970 to 2100")
)

// A Date is a day of the calendar, of no zone: the number of days since 1970-01-01.
type Date int

// DateOf is the date of a year, month and day. Days and months outside their usual
// ranges are carried over, as time.Date does.
func DateOf(year int, month time.Month, day int) Date {
	return Date(FloorDiv(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix(), 86_400))
}

// ParseDate reads YYYY-MM-DD, strictly: ten bytes, a real day, a year from FirstYear
// to LastYear. It returns one of the errors of this package, unwrapped.
func ParseDate(s string) (Date, error) {
	if len(s) != len(time.DateOnly) || s[4] != '-' || s[7] != '-' {
		return 0, ErrFormat
	}
	year, ok1 := digits(s[:4])
	month, ok2 := digits(s[5:7])
	day, ok3 := digits(s[8:])
	if !ok1 || !ok2 || !ok3 {
		return 0, ErrFormat
	}
	d := DateOf(year, time.Month(month), day)
	if y, m, dd := d.civil(); y != year || int(m) != month || dd != day {
		return 0, ErrNoSuchDate
	}
	if year < FirstYear || year > LastYear {
		return 0, ErrYear
	}
	return d, nil
}

// String is d as YYYY-MM-DD.
func (d Date) String() string { return d.utc().Format(time.DateOnly) }

// Weekday is the day of the week of d.
func (d Date) Weekday() time.Weekday { return d.utc().Weekday() }

func (d Date) utc() time.Time { return time.Unix(int64(d)*86_400, 0).UTC() }

func (d Date) civil() (year int, month time.Month, day int) { return d.utc().Date() }

// midnight is the wall-clock reading at which d begins, in milliseconds as if it were UTC.
func (d Date) midnight() int64 { return int64(d) * Day }

// digits reads s as a number, if it is nothing but ASCII digits.
func digits(s string) (int, bool) {
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, true
}
