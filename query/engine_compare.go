package query

import (
	"cmp"
	"context"
	"time"

	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/plan"
)

// compare puts what is compared with the rows found of p into r.
func (e *Engine) compare(ctx context.Context, p *plan.Parameter, found *answered, r *Result, budget *Budget, took *time.Duration, snapshot func() *days.Snapshot) *Error {
	then := &answered{}
	if found.Len() > 0 {
		var mistake *Error
		other := p.Plan.Other.Plan
		if then, mistake = e.ask(ctx, other, other.AppendKey(nil), keysOf(p.Plan, found), budget, took, snapshot); mistake != nil {
			return mistake
		}
	}
	previous, changed := beside(p.Plan, found, then)
	previous.RoundRows(p.Plan.Type)
	r.Previous, r.Changes = &previous, &changed
	return cmp.Or(budget.TakeFor(&previous), budget.TakeFor(&changed))
}

// keysOf are the values that the rows found of p have in each of their keys.
func keysOf(p *plan.Plan, found *answered) [][]string {
	var values [][]string
	for i := range len(p.Group) + len(p.Keys()) {
		values = append(values, found.values(len(p.Group), plan.KeyOf(i)))
	}
	return values
}
