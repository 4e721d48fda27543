package query

import (
	"cmp"
	"context"

	"github.com/sightline-analytics/sightline/query/internal/finish"
	"github.com/sightline-analytics/sightline/query/internal/plan"
)

// compare puts what is compared with the rows found of p into r.
func (e *Engine) compare(ctx context.Context, p *plan.Parameter, found *finish.Answered, r *Result, budget *Budget, took *spent, snapshot *Snapshot) *Error {
	then := &finish.Answered{}
	if found.Len() > 0 {
		var mistake *Error
		other := p.Plan.Other.Plan
		if then, mistake = e.ask(ctx, other, other.AppendKey(nil), finish.KeysOf(p.Plan, found), budget, took, snapshot); mistake != nil {
			return mistake
		}
	}
	previous, changed := finish.Beside(p.Plan, found, then)
	previous = finish.Shown(p.Plan, &previous)
	changed = changed.In(p.Plan.Range.Zone)
	r.Previous, r.Changes = &previous, &changed
	return cmp.Or(budget.TakeFor(&previous), budget.TakeFor(&changed))
}
