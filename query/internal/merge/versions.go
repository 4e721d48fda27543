package merge

import (
	"context"
	"errors"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/store"
)

// DaysBeside is the number of further days that a snapshot has on each side of the time that is counted. It is more
// than any answer needs.
const DaysBeside = 7

// needed returns the days whose rows decide what the partials of a part are in a stretch.
func (of *mergedPart) needed(s calendar.Interval) calendar.Interval {
	return of.needs.Around(s.WholeDays())
}

// needed returns the days whose rows decide what the answer is.
func (g *Lookup) needed() (all calendar.Interval) {
	if len(g.stretches) == 0 {
		return all
	}
	for _, of := range g.parts {
		all = all.Hull(of.needed(calendar.Interval{From: g.stretches[0].From, To: g.stretches[len(g.stretches)-1].To}))
	}
	return all
}

// Load reads the days that the answer is merged from, unless the snapshot has them.
func (g *Lookup) Load(ctx context.Context) error {
	if g.Snapshot.Covers(g.needed()) {
		return nil
	}
	return g.reload(ctx)
}

// reload reads them again.
func (g *Lookup) reload(ctx context.Context) (err error) {
	d, ok := g.merger.store.(store.Deriver)
	if !ok {
		return ErrNotDerived
	}
	w := g.needed()
	g.Snapshot, err = days.Read(ctx, d, g.p.Subject, w.Widen(DaysBeside*calendar.Day, DaysBeside*calendar.Day))
	return err
}

// Versions returns the versions of the rows that partials of a part are computed from, by stretch.
func (g *Lookup) Versions(of *mergedPart) []uint64 {
	versions := make([]uint64, len(g.stretches))
	for i, s := range g.stretches {
		versions[i] = g.Snapshot.Version(of.needed(s))
	}
	return versions
}

// ErrNotDerived: the store is not a [store.Deriver].
var ErrNotDerived = errors.New("query: the store keeps nothing that is computed")
