package finish

import (
	"github.com/sightline-analytics/sightline/internal/failure"
	"github.com/sightline-analytics/sightline/query/answer"
	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/plan"
)

// Failure returns the result of a parameter that failed.
func Failure(p *plan.Parameter, err *ask.Error) answer.Result {
	return answer.Result{Parameter: p.Name, ID: p.ID, Error: err.Message, Code: err.Code, Cause: err.Err}
}

// Try returns what compute returns. A panic, such as one of a host's type or store, fails p alone.
func Try(p *plan.Parameter, compute func() answer.Result) (r answer.Result) {
	panicked := failure.Try(func() error {
		r = compute()
		return nil
	})
	if panicked != nil {
		return Failure(p, plan.Broken("%w", panicked))
	}
	return r
}

// MetaOf says what a request was resolved to.
func MetaOf(req *ask.Request, rng calendar.Range, grain calendar.Grain) answer.Meta {
	start, end := rng.Texts()
	// They repeat what was asked.
	if req.Preset == "" && rng.FromTime && req.StartDate != "" {
		start = req.StartDate
	}
	if req.Preset == "" && rng.ToTime && req.EndDate != "" {
		end = req.EndDate
	}
	m := answer.Meta{
		Parameters:      make([]string, len(req.Parameters)),
		TotalParameters: len(req.Parameters),
		Page:            max(req.Page, 1),
		Limit:           ask.DefaultLimit,
		FiltersApplied:  req.CountFilters(),
		StartDate:       start,
		EndDate:         end,
		Timezone:        rng.Zone.String(),
		Granularity:     grain.String(),
	}
	if req.Limit != nil {
		m.Limit = *req.Limit
	}
	for i := range req.Parameters {
		m.Parameters[i] = req.Parameters[i].Called()
	}
	return m
}

// ResultMeta describes the answer to p, which has that many rows and maybe more.
func ResultMeta(p *plan.Plan, rows int, more bool) *answer.ResultMeta {
	m := &answer.ResultMeta{
		From:        answer.Instant{Time: p.Range.From},
		To:          answer.Instant{Time: p.Range.To},
		Timezone:    p.Range.Zone.String(),
		Granularity: p.Grain.String(),
		Rows:        rows,
		HasMore:     more,
	}
	if p.Limit > 0 {
		m.Limit = new(p.Limit)
	}
	if until, from := p.Progress(); !until.IsZero() {
		m.Partial, m.Until, m.PartialFrom = true, &answer.Instant{Time: until}, from
	}
	m.PartialFirst = p.PartialFirst()
	m.Notes = p.Notes()
	if o := p.Other; o != nil {
		start, end := o.Plan.Range.Texts()
		m.Previous = &answer.Period{Compare: o.By, StartDate: start, EndDate: end,
			From: answer.Instant{Time: o.Plan.Range.From}, To: answer.Instant{Time: o.Plan.Until}}
		m.Unequal = o.Unequal
	}
	return m
}
