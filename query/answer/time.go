package answer

import (
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// In returns t with the time zone of its dates.
func (t Table) In(zone *time.Location) Table {
	t.zone = zone
	return t
}

// Time returns the time of a cell, by the name of its column, in a row from 0. The cell is an instant, or a date of a
// series such as "2026-03-01", "2026-03-01 13:00:00" or "2026-03-01T13:30+01:00". The time is in the zone of the
// answer.
//
// The time of a date is the first instant of its day or hour. An hour that the clocks show twice is one row of an
// hourly series, and its time is the first of the two. A day without midnight begins at its first instant. So different
// dates have different times.
//
// Its error is a *[ColumnError]: there is no such column or row, the cell is null, or it is not a time.
func (t Table) Time(row int, column string) (time.Time, error) {
	c := t.Column(column)
	if c == nil {
		return time.Time{}, t.noColumn(column, "")
	}
	wrong := func(format string, args ...any) (time.Time, error) {
		return time.Time{}, &ColumnError{Column: column, Row: row, Reason: fmt.Sprintf(format, args...)}
	}
	switch {
	case row < 0 || row >= t.len:
		return wrong("there is no such row: the table has %d rows", t.len)
	case t.Absent(row) || c.Null(row):
		return wrong("the cell is null")
	case c.Format == catalog.DateTime && c.Kind == dialect.Int:
		at := time.UnixMilli(c.Ints[row]).UTC()
		if t.zone != nil {
			at = at.In(t.zone)
		}
		return at, nil
	case c.Format != catalog.Date && c.Format != catalog.String:
		return wrong("a column of format %s has no times", c.Format)
	case t.zone == nil:
		return wrong("the table has no time zone, which a date needs: take the table from a Result")
	}
	at, ok := bucketStart(c.Text(row), t.zone)
	if !ok {
		return wrong("%q is not a date of a series in the zone %s", c.Text(row), t.zone)
	}
	return at, nil
}

// bucketStart returns the first instant of the minute, hour or day with this label, in zone.
func bucketStart(label string, zone *time.Location) (time.Time, bool) {
	const day = len(time.DateOnly)
	if at, ok := calendar.InstantOf(label); ok {
		return at.In(zone), true
	}
	if len(label) < day {
		return time.Time{}, false
	}
	date, err := calendar.ParseDate(label[:day])
	if err != nil {
		return time.Time{}, false
	}
	grain := calendar.Daily
	if len(label) > day {
		grain = calendar.Hourly
	}
	for _, b := range calendar.Buckets(calendar.Days(date, date, zone), grain) {
		if b.Label == label {
			return time.UnixMilli(b.From).In(zone), true
		}
	}
	return time.Time{}, false
}
