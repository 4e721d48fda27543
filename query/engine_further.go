package query

import (
	"context"

	"github.com/sightline-analytics/sightline/query/answer"
	"github.com/sightline-analytics/sightline/query/internal/compile"
	"github.com/sightline-analytics/sightline/query/internal/finish"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store"
)

// further puts into r what stands beside the rows found of p: totals, notes, and the identity of visitors.
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
	if p.Type.TellsIdentity {
		return e.identity(ctx, p, r, took)
	}
	return nil
}

// identity puts into r whether most visitors of p have other ids on each day.
func (e *Engine) identity(ctx context.Context, p *plan.Plan, r *Result, took *spent) *Error {
	var rows *store.Rows
	var err error
	took.time += e.measured(ctx, func() { rows, err = e.trace.Query(ctx, e.store, compile.DailyIDs(p, e.store.Dialect())) })
	switch {
	case err != nil:
		return storeFailure(err)
	case rows.Len != 1 || len(rows.Columns) != 2:
		return plan.Broken("the store returned %d rows and %d columns for the ids of visitors, not 1 and 2", rows.Len, len(rows.Columns))
	}
	if daily, seen := rows.Columns[0].Ints[0], rows.Columns[1].Ints[0]; 2*daily > seen {
		r.Meta.Identity = answer.DailyIdentity
	}
	return nil
}
