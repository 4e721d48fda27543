package query

import (
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/plan"
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

// resultMeta tells what p computed: so many rows, and whether there are more.
func resultMeta(p *plan.Plan, rows int, more bool) *ResultMeta {
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
	if until, from := p.Progress(); !until.IsZero() {
		m.Partial, m.Until, m.PartialFrom = true, &Instant{Time: until}, from
	}
	if o := p.Other; o != nil {
		m.Previous = &Period{Compare: o.By, StartDate: o.Plan.Range.StartDate.String(), EndDate: o.Plan.Range.EndDate.String(),
			From: Instant{Time: o.Plan.Range.From}, To: Instant{Time: o.Plan.Until}}
	}
	return m
}
