package query

import (
	"time"

	"github.com/sightline-analytics/sightline/query/calendar"
)

// metaOf says what a request was resolved to.
func metaOf(req *Request, rng calendar.Range, grain calendar.Grain) Meta {
	m := Meta{
		Parameters:      make([]string, len(req.Parameters)),
		TotalParameters: len(req.Parameters),
		Page:            max(req.Page, 1),
		Limit:           DefaultLimit,
		FiltersApplied:  len(req.Filters),
		StartDate:       rng.StartDate.String(),
		EndDate:         rng.EndDate.String(),
		Timezone:        rng.Zone.String(),
		Granularity:     grain.String(),
	}
	if req.Limit != nil {
		m.Limit = *req.Limit
	}
	for i, p := range req.Parameters {
		m.Parameters[i] = p.Name
	}
	return m
}

// meta tells what p computed: so many rows, and whether there are more.
func (p *plan) meta(rows int, more bool) *ResultMeta {
	m := &ResultMeta{
		From:        Instant{Time: p.Range.From},
		To:          Instant{Time: p.Range.To},
		Timezone:    p.Range.Zone.String(),
		Granularity: p.Grain.String(),
		Rows:        rows,
		HasMore:     more,
	}
	if p.Limit > 0 {
		m.Limit = new(p.Limit)
	}
	if until, from := p.progress(); !until.IsZero() {
		m.Partial, m.Until, m.PartialFrom = true, &Instant{Time: until}, from
	}
	if o := p.Other; o != nil {
		m.Previous = &Period{Compare: o.by, StartDate: o.plan.Range.StartDate.String(), EndDate: o.plan.Range.EndDate.String(),
			From: Instant{Time: o.plan.Range.From}, To: Instant{Time: o.plan.Until}}
	}
	return m
}

// progress is what p's range has come to, and the date of the first bucket of a series that has not
// begun; neither when the range is over. It is told to the minute, so that an answer is the same
// for as long, but where a comparison cuts the rows there.
func (p *plan) progress() (until time.Time, partialFrom string) {
	if p.Type.UntilNow() || !p.Range.To.After(p.Now) {
		return time.Time{}, ""
	}
	now := untilNow(p.Range, p.Now)
	if p.Type.Shape == Series {
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
