package query

import (
	"context"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/merge"
	"github.com/sightline-analytics/sightline/store"
)

// snapshot reads the days that decide about the answers of p. It is nil where no answer of p uses stored results, and where the store
// fails: then statements read rows alone.
func (e *Engine) snapshot(ctx context.Context, p *Prepared) *days.Snapshot {
	d, ok := e.store.(store.Deriver)
	if !ok || e.plain || p.subject.Kind != store.KindWebsite {
		return nil
	}
	var w calendar.Interval
	for i := range p.resolved.Parameters {
		if one := p.resolved.Parameters[i].Plan; one != nil {
			w = w.Hull(one.Counted())
			if one.Other != nil {
				w = w.Hull(one.Other.Plan.Counted())
			}
		}
	}
	if w.Empty() {
		return nil
	}
	ctx, cancel := e.inTime(ctx)
	defer cancel()
	found, err := days.Read(ctx, d, p.subject, w.Widen(merge.DaysBeside*calendar.Day, merge.DaysBeside*calendar.Day))
	if err != nil {
		return nil
	}
	return found
}
