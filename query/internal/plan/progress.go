package plan

import (
	"time"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
)

// PartialFirst reports whether p is a series whose first bucket began before its range: a week or a month or, of a
// range that begins at a time, also a day or an hour.
func (p *Plan) PartialFirst() bool {
	return p.Type.Shape == catalog.Series && (p.Grain.LongerThanDay() || p.Range.FromTime) &&
		calendar.BeginsInside(p.Range, p.Grain)
}

// Progress returns the time up to which the range of p has come, and the date of the first bucket of a series that has
// not begun. Both are zero if the range is over. The time is rounded down to the minute, so that an answer stays the
// same for as long, unless a comparison cuts the rows at that time.
func (p *Plan) Progress() (until time.Time, partialFrom string) {
	if p.Type.UntilNow() || !p.Range.To.After(p.Now) {
		return time.Time{}, ""
	}
	now := untilNow(p.Range, p.Now)
	if p.Type.Shape == catalog.Series {
		for _, b := range calendar.Buckets(p.Range, p.Grain) {
			if b.From >= now.UnixMilli() {
				partialFrom = b.Label
				break
			}
		}
	}
	if !p.Until.Equal(p.Range.To) {
		return now, partialFrom
	}
	until = now.Truncate(time.Minute)
	if until.Before(p.Range.From) {
		until = p.Range.From
	}
	return until, partialFrom
}
