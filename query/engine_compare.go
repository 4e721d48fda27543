package query

import (
	"cmp"
	"context"
	"time"

	"github.com/sightline-analytics/sightline/query/internal/days"
)

// compare puts what is compared with the rows found of p into r.
func (e *Engine) compare(ctx context.Context, p *preparedParameter, found *answered, r *Result, budget *Budget, took *time.Duration, snapshot func() *days.Snapshot) *Error {
	then := &answered{}
	if found.Len() > 0 {
		var mistake *Error
		other := p.plan.Other.plan
		if then, mistake = e.ask(ctx, other, other.appendKey(nil), p.plan.keysOf(found), budget, took, snapshot); mistake != nil {
			return mistake
		}
	}
	previous, changed := p.plan.beside(found, then)
	previous.RoundRows(p.plan.Type)
	r.Previous, r.Changes = &previous, &changed
	return cmp.Or(budget.TakeFor(&previous), budget.TakeFor(&changed))
}

// keysOf are the values that the rows found of p have in each of their keys.
func (p *plan) keysOf(found *answered) [][]string {
	var values [][]string
	for i := range len(p.Group) + len(p.keys()) {
		values = append(values, found.values(len(p.Group), keyOf(i)))
	}
	return values
}
