package plan

import (
	"time"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
)

// Progress is what p's range has come to, and the date of the first bucket of a series that has not
// begun; neither when the range is over. It is told to the minute, so that an answer is the same
// for as long, but where a comparison cuts the rows there.
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
	if p.Other != nil {
		return now, partialFrom
	}
	until = now.Truncate(time.Minute)
	if until.Before(p.Range.From) {
		until = p.Range.From
	}
	return until, partialFrom
}
