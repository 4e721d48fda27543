package query

import (
	"context"

	"github.com/sightline-analytics/sightline/query/answer"
	"github.com/sightline-analytics/sightline/query/internal/finish"
	"github.com/sightline-analytics/sightline/query/internal/plan"
)

// further puts into r what stands beside the rows found of p: totals, and notes.
func (e *Engine) further(ctx context.Context, p *plan.Plan, found *finish.Answered, r *Result, budget *Budget, took *spent, snapshot *Snapshot) *Error {
	if of := p.Totals; of != nil {
		all, mistake := e.ask(ctx, of, of.AppendKey(nil), nil, budget, took, snapshot)
		if mistake != nil {
			return mistake
		}
		r.Totals = &answer.Single{Table: finish.Shown(of, &all.Table)}
		if mistake := budget.TakeFor(&r.Totals.Table); mistake != nil {
			return mistake
		}
	}
	if of := p.Properties; of != nil && finish.LacksProperty(p, &found.Table) {
		counts, mistake := e.ask(ctx, of, of.AppendKey(nil), nil, budget, took, snapshot)
		if mistake != nil {
			return mistake
		}
		r.Meta.Notes = finish.PropertyNotes(p, &counts.Table)
	}
	return nil
}
