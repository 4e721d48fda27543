package query

import (
	"context"

	"github.com/sightline-analytics/sightline/query/partial"
	"github.com/sightline-analytics/sightline/store"
)

// dayVersions are the versions of the rows of the UTC days of a website from the one that begins at
// first on; 0: it has none.
type dayVersions struct {
	first int64
	of    []uint64
}

// dayVersions asks the store for those of the days of w, which begins and ends with one.
func (e *Engine) dayVersions(ctx context.Context, website store.Subject, w interval) (dayVersions, error) {
	found := dayVersions{first: w.from}
	days, err := daysIn(ctx, e.store.(store.Deriver), website, w) // else no partials are kept
	if err != nil {
		return found, err
	}
	for _, known := range days {
		found.of = append(found.of, known.Version)
	}
	return found, nil
}

// sum is a version of the rows of the days of w together; 0: they have none.
func (v dayVersions) sum(w interval) (version uint64) {
	for _, of := range v.of[(w.from-v.first)/day : (w.to-v.first)/day] {
		version += of
	}
	return version
}

// needed are the days whose rows tell what the partials of a part are in a stretch.
func (of *mergedPart) needed(s partial.Stretch) interval {
	return interval{floorDay(s.From) - of.needs.before*day, floorDay(s.To-1) + (1+of.needs.after)*day}
}

// load asks for the versions of all days that the answer is merged from.
func (g *gathering) load(ctx context.Context) (err error) {
	if len(g.stretches) == 0 {
		return nil
	}
	var all interval
	for _, of := range g.parts {
		all = all.hull(of.needed(partial.Stretch{From: g.stretches[0].From, To: g.stretches[len(g.stretches)-1].To}))
	}
	g.days, err = g.engine.dayVersions(ctx, g.p.Subject, all)
	return err
}

// versions are those of the rows that partials of a part are computed from, by stretch.
func (g *gathering) versions(of *mergedPart) []uint64 {
	versions := make([]uint64, len(g.stretches))
	for i, s := range g.stretches {
		versions[i] = g.days.sum(of.needed(s))
	}
	return versions
}
