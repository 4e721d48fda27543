package query

import (
	"context"

	"github.com/sightline-analytics/sightline/query/answer"
	"github.com/sightline-analytics/sightline/query/internal/finish"
	"github.com/sightline-analytics/sightline/query/internal/plan"
)

// why answers p, which explains the change of a metric, from the answers to its parts.
func (a *answering) why(ctx context.Context, p *plan.Plan) (*finish.Answered, *Error) {
	now, then, mistake := a.counted(ctx, p, p.Why.Whole)
	if mistake != nil {
		return nil, mistake
	}
	whole := finish.Change{Current: now[""], Previous: then[""]}
	by := make([]struct{ Now, Then finish.Counted }, len(p.Why.By))
	for i, part := range p.Why.By {
		if by[i].Now, by[i].Then, mistake = a.counted(ctx, p, part.Plan); mistake != nil {
			return nil, mistake
		}
	}
	a.result.Totals = &answer.Single{Table: whole.Total()}
	return finish.Changed(p, whole, by), a.budget.TakeFor(&a.result.Totals.Table)
}

// counted returns the metric by the values of part, a part of p, in both periods.
func (a *answering) counted(ctx context.Context, p, part *plan.Plan) (now, then finish.Counted, mistake *Error) {
	for _, one := range []struct {
		of   *plan.Plan
		into *finish.Counted
	}{{part, &now}, {part.Other.Plan, &then}} {
		rows, mistake := a.table(ctx, one.of, one.of.AppendKey(nil), nil)
		if mistake != nil {
			return nil, nil, mistake
		}
		if *one.into, mistake = finish.Count(p.Why, one.of, rows); mistake != nil {
			return nil, nil, mistake
		}
	}
	return now, then, nil
}
