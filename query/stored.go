package query

import (
	"context"
	"time"

	"github.com/sightline-analytics/sightline/query/partial"
	"github.com/sightline-analytics/sightline/store"
)

// Where the store is a store.StateKeeper, partials that are computed ahead are stored, those of whole days of a shape as
// one state, so that the first answers after a start are merged from them. A state is valid as a partial in
// memory is: while its version is that of the rows of all days that it was computed from. Versions outlive the
// process on every store, and grow with every row that comes or goes. What fails to be stored or loaded is computed.

// listStored asks the store what it has of a website. When it fails to tell, nothing counts as stored.
func (e *Engine) listStored(ctx context.Context, site *partial.Website, website store.Subject) error {
	states, err := e.keeper.States(ctx, website)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	all := make([]partial.StoredVersion, len(states))
	for i, one := range states {
		all[i] = partial.StoredVersion{Name: one.Name, Of: dayOf(one.Day), Version: one.Version}
	}
	site.KnowStored(all)
	return err
}

// dayOf is the day that begins then.
func dayOf(start time.Time) partial.Stretch {
	from := start.UnixMilli()
	return partial.Stretch{From: from, To: from + day}
}

// mostlyStored reports whether the store has the partials of at least half of the days with rows. Then the first
// answer is merged, too. Where it has nothing of the website, that costs one look.
func (g *gathering) mostlyStored(ctx context.Context) bool {
	if g.engine.keeper == nil || !g.site.Fit(g.all()) {
		return false
	}
	known := g.engine.shapesOf()
	shapes := make([]*shape, len(g.parts))
	for i, of := range g.parts {
		if shapes[i] = known.of(g.merge, of); shapes[i] == nil {
			return false
		}
	}
	if !g.site.KnowsStored() && g.engine.listStored(ctx, g.site, g.p.Subject) != nil {
		return false
	}
	if g.load(ctx) != nil {
		return false // whoever answers finds out why
	}
	for i, of := range g.parts {
		versions, days, stored := g.versions(of), 0, 0
		for j, version := range g.site.StoredVersions(shapes[i].name, g.stretches) {
			if versions[j] > 0 {
				days++
				if version >= versions[j] {
					stored++
				}
			}
		}
		if 2*stored < days {
			return false
		}
	}
	return true
}

// loadedAtOnce is how many days states are loaded of at once.
const loadedAtOnce = 31

// loadStored loads what the store has of the missing stretches of a part, and returns those that are missing
// yet. The caller holds the lock of the website.
func (g *gathering) loadStored(ctx context.Context, of *mergedPart, missing []int, versions []uint64) []int {
	if g.engine.keeper == nil || len(missing) == 0 {
		return missing
	}
	known := g.engine.shapesOf()
	sh := known.of(g.merge, of)
	if sh == nil || !g.site.KnowsStored() && g.engine.listStored(ctx, g.site, g.p.Subject) != nil {
		return missing
	}
	var wanted []partial.Stretch
	stored := g.site.StoredVersions(sh.name, g.stretches)
	for _, i := range missing {
		if s := g.stretches[i]; s.From == floorDay(s.From) && s.To == s.From+day && stored[i] >= versions[i] {
			wanted = append(wanted, s)
		}
	}
	if len(wanted) == 0 {
		return missing
	}
	for len(wanted) > 0 {
		n := 1
		for n < len(wanted) && wanted[n].From < wanted[0].From+loadedAtOnce*day {
			n++
		}
		if g.loadDays(ctx, sh, wanted[:n]) != nil {
			break
		}
		wanted = wanted[n:]
	}
	return g.look(of, versions)
}

// loadDays loads the states of a shape of these days, and notes which cannot be read.
func (g *gathering) loadDays(ctx context.Context, sh *shape, days []partial.Stretch) error {
	bytes, versions, err := g.engine.readStates(ctx, g.site, g.p.Subject, []*shape{sh}, days, true)
	if err != nil {
		return err
	}
	var states []partial.StoredState
	var unread []partial.StoredVersion
	for _, s := range days {
		if state, ok := bytes[storedName{sh.name, s}]; ok {
			one := partial.StoredState{Of: s, Version: versions[s], State: state, Dictionaries: map[string][]byte{}}
			for members, name := range sh.called {
				one.Dictionaries[members] = bytes[storedName{name, s}]
			}
			states = append(states, one)
		} else {
			unread = append(unread, partial.StoredVersion{Name: sh.name, Of: s})
		}
	}
	for _, s := range g.site.Load(&sh.Shape, quarter, states) {
		unread = append(unread, partial.StoredVersion{Name: sh.name, Of: s})
	}
	g.site.NoteStored(unread)
	return nil
}

// A storedName is what the store calls a state or a dictionary of a day.
type storedName struct {
	name int64
	of   partial.Stretch
}

// readStates reads what the store has of some days: the dictionaries of shapes that are not in memory and, withStates,
// their states. It returns the versions of the states of the last shape.
func (e *Engine) readStates(ctx context.Context, site *partial.Website, website store.Subject, of []*shape, days []partial.Stretch, withStates bool) (map[storedName][]byte, map[partial.Stretch]uint64, error) {
	var names []int64
	for _, sh := range of {
		if withStates {
			names = append(names, sh.name)
		}
		for members, name := range sh.called {
			for _, s := range days {
				if !site.HasDictionary(members, s) {
					names = append(names, name)
					break
				}
			}
		}
	}
	if len(names) == 0 {
		return nil, nil, nil
	}
	from, to := interval{days[0].From, days[len(days)-1].To}.times()
	states, err := e.keeper.LoadStates(ctx, website, names, from, to)
	if err != nil {
		return nil, nil, err
	}
	bytes, versions := make(map[storedName][]byte, len(states)), make(map[partial.Stretch]uint64, len(days))
	for _, one := range states {
		bytes[storedName{one.Name, dayOf(one.Day)}] = one.Bytes
		if one.Name == of[len(of)-1].name {
			versions[dayOf(one.Day)] = one.Version
		}
	}
	return bytes, versions, nil
}
