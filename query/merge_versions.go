package query

import (
	"context"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/store"
)

// needed returns the days whose rows decide what the partials of a part are in a stretch.
func (of *mergedPart) needed(s calendar.Interval) calendar.Interval {
	return of.needs.Around(calendar.Interval{From: calendar.StartOfDay(s.From), To: calendar.StartOfDay(s.To-1) + calendar.Day})
}

// needed returns the days whose rows decide what the answer is.
func (g *lookup) needed() (all calendar.Interval) {
	if len(g.stretches) == 0 {
		return all
	}
	for _, of := range g.parts {
		all = all.Hull(of.needed(calendar.Interval{From: g.stretches[0].From, To: g.stretches[len(g.stretches)-1].To}))
	}
	return all
}

// load reads the days that the answer is merged from, unless the snapshot has them.
func (g *lookup) load(ctx context.Context) error {
	if g.snapshot.Covers(g.needed()) {
		return nil
	}
	return g.reload(ctx)
}

// reload reads them again.
func (g *lookup) reload(ctx context.Context) (err error) {
	d, ok := g.merger.store.(store.Deriver)
	if !ok {
		return errNotDerived
	}
	w := g.needed()
	g.snapshot, err = days.Read(ctx, d, g.p.Subject, w.Widen(daysBeside*calendar.Day, daysBeside*calendar.Day))
	return err
}

// versions returns the versions of the rows that partials of a part are computed from, by stretch.
func (g *lookup) versions(of *mergedPart) []uint64 {
	versions := make([]uint64, len(g.stretches))
	for i, s := range g.stretches {
		versions[i] = g.snapshot.Version(of.needed(s))
	}
	return versions
}
