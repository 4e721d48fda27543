package query

import (
	"context"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/state"
	"github.com/sightline-analytics/sightline/store"
)

// A store.StateKeeper stores partials that are computed ahead, of whole days, as one state per state set, so that the first
// answers after a start are merged from them. A state is valid while its version is the version of the rows of all days that it
// was computed from. Versions outlive the process on every store, and grow with every row that is added or deleted. Partials that
// cannot be stored or loaded are computed.

// listStored asks the store what it has of a website. When it fails to tell, nothing counts as stored.
func (mr *merger) listStored(ctx context.Context, site *state.Shelf, website store.Subject) error {
	states, err := mr.keeper.States(ctx, website)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	all := make([]state.StoredVersion, len(states))
	for i, one := range states {
		all[i] = state.StoredVersion{Name: one.Name, Of: dayOf(one.Day), Version: one.Version}
	}
	site.SetStored(all)
	return err
}

// dayOf is the day that begins then.
func dayOf(start time.Time) calendar.Interval {
	from := start.UnixMilli()
	return calendar.Interval{From: from, To: from + calendar.Day}
}

// mostlyStored reports whether the store has the partials of at least half of the days with rows. Then the first
// answer is merged, too. Where it has nothing of the website, that costs one look.
func (g *lookup) mostlyStored(ctx context.Context) bool {
	if g.merger.keeper == nil || !g.site.Fit(g.all()) {
		return false
	}
	known := g.merger.stateSets()
	bundles := make([]*stateSet, len(g.parts))
	for i, of := range g.parts {
		if bundles[i] = known.of(g.merge, of); bundles[i] == nil {
			return false
		}
	}
	if !g.site.IsStoredKnown() && g.merger.listStored(ctx, g.site, g.p.Subject) != nil {
		return false
	}
	if g.load(ctx) != nil {
		return false // whoever answers finds out why
	}
	for i, of := range g.parts {
		versions, days, stored := g.versions(of), 0, 0
		for j, version := range g.site.StoredVersions(bundles[i].name, g.stretches) {
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

const (
	daysAtOnce  = 15       // of which states are read at once
	readAtOnce  = 2        // how many such reads there are at the same time
	loadedBytes = 48 << 20 // about, of states that are loaded together; they are in memory meanwhile
)

// loadStored loads stored states of the missing stretches of a part, and returns the stretches that are still missing. The caller
// holds the lock of the website, except in the background.
func (g *lookup) loadStored(ctx context.Context, of *mergedPart, missing []int, versions []uint64) ([]int, error) {
	bu, wanted, others := g.stored(ctx, of, missing, versions)
	if len(wanted) == 0 {
		return missing, nil
	}
	var chunks [][]calendar.Interval
	for len(wanted) > 0 {
		n := 1
		for n < len(wanted) && wanted[n].From < wanted[0].From+daysAtOnce*calendar.Day {
			n++
		}
		chunks, wanted = append(chunks, wanted[:n]), wanted[n:]
	}
	if g.background {
		if err := g.site.Lock(ctx); err != nil {
			return nil, err
		}
		defer g.site.Unlock()
	} else {
		g.computeBeside(ctx, of, others)
	}
	g.loadChunks(ctx, bu, g.aggregates(of), chunks)
	return g.look(of, versions), nil
}

// stored returns the missing stretches of a part that the store has, in a state set, and the others.
func (g *lookup) stored(ctx context.Context, of *mergedPart, missing []int, versions []uint64) (bu *stateSet, wanted []calendar.Interval, others []int) {
	if g.merger.keeper == nil || len(missing) == 0 {
		return nil, nil, missing
	}
	known := g.merger.stateSets()
	bu = known.of(g.merge, of)
	if bu == nil || !g.site.IsStoredKnown() && g.merger.listStored(ctx, g.site, g.p.Subject) != nil {
		return nil, nil, missing
	}
	stored := g.site.StoredVersions(bu.name, g.stretches)
	for _, i := range missing {
		if s := g.stretches[i]; s.From == calendar.StartOfDay(s.From) && s.To == s.From+calendar.Day && stored[i] >= versions[i] {
			wanted = append(wanted, s)
		} else {
			others = append(others, i)
		}
	}
	return bu, wanted, others
}

// An pending is a statement that the store answers meanwhile.
type pending struct {
	part     *mergedPart
	from, to int // stretches
	done     chan struct{}
	computed *state.Computed
	err      error
}

// computeBeside begins to ask the store for what partials of the first of these stretches are made of.
func (g *lookup) computeBeside(ctx context.Context, of *mergedPart, missing []int) {
	g.pending = nil
	if len(missing) == 0 {
		return
	}
	snapshot := g.snapshot
	b := &pending{part: of, from: missing[0], to: missing[0] + followOn(missing, computedAtOnce), done: make(chan struct{})}
	g.pending = b
	go func() {
		defer close(b.done)
		defer func() { _ = recover() }() // whoever asks again finds out
		b.computed, b.err = g.ask(ctx, of, b.from, b.to, snapshot)
	}()
}

// asked waits for the rows that were computed for these stretches, or returns nil if none were.
func (g *lookup) asked(of *mergedPart, from, to int) (*state.Computed, error) {
	b := g.pending
	if b == nil || b.part != of || b.from != from || b.to != to {
		return nil, nil
	}
	g.pending = nil
	<-b.done
	return b.computed, b.err
}

// A storedName is the name of a state or a dictionary of a day in the store.
type storedName struct {
	name int64
	of   calendar.Interval
}

// storedDays has the stored states of some days.
type storedDays struct {
	days         []calendar.Interval
	of           map[storedName]store.State
	dictionaries map[storedName]*state.Dictionary
}

// loadChunks loads states of some aggregates of a state set, and notes which cannot be read. States of many days are loaded
// together, which takes less time than one after the other.
func (g *lookup) loadChunks(ctx context.Context, bu *stateSet, some []state.Aggregate, chunks [][]calendar.Interval) {
	var all []storedDays
	for bytes := 0; len(chunks) > 0; {
		read := make([]storedDays, min(len(chunks), readAtOnce))
		state.Parallel(len(read), len(read), func(i int) { read[i] = g.readChunk(ctx, bu, some, chunks[i]) })
		for _, one := range read {
			for _, found := range one.of {
				bytes += len(found.Bytes)
			}
		}
		all, chunks = append(all, read...), chunks[len(read):]
		if bytes >= loadedBytes || len(chunks) == 0 {
			g.loadDays(bu, some, all)
			all, bytes = nil, 0
		}
	}
}

// readChunk reads states of some days, with their dictionaries. It has no days when the store fails to tell.
func (g *lookup) readChunk(ctx context.Context, bu *stateSet, some []state.Aggregate, days []calendar.Interval) storedDays {
	names := []int64{bu.name}
	for _, members := range bu.unknown(g.site, some, days) {
		names = append(names, bu.called[members])
	}
	of, err := g.merger.readStates(ctx, g.p.Subject, names, days)
	if err != nil {
		return storedDays{}
	}
	return storedDays{days, of, bu.dictionaries(of, days)}
}

func (g *lookup) loadDays(bu *stateSet, some []state.Aggregate, all []storedDays) {
	var states []state.StoredState
	var unread []state.StoredVersion
	for _, read := range all {
		for _, day := range read.days {
			found, ok := read.of[storedName{bu.name, day}]
			if !ok {
				unread = append(unread, state.StoredVersion{Name: bu.name, Of: day})
				continue
			}
			one := state.StoredState{Of: day, Version: found.Version, State: found.Bytes, Dictionaries: map[string]*state.Dictionary{}}
			for members, name := range bu.called {
				one.Dictionaries[members] = read.dictionaries[storedName{name, day}]
			}
			states = append(states, one)
		}
	}
	for _, day := range g.site.Load(&bu.StateSet, some, quarter, states) {
		unread = append(unread, state.StoredVersion{Name: bu.name, Of: day})
	}
	g.site.NoteStored(unread)
}

// dictionaries returns the dictionaries that were read and are not damaged.
func (bu *stateSet) dictionaries(read map[storedName]store.State, days []calendar.Interval) map[storedName]*state.Dictionary {
	found := map[storedName]*state.Dictionary{}
	for _, name := range bu.called {
		for _, day := range days {
			at := storedName{name, day}
			if stored, ok := read[at]; ok {
				if d, err := state.ReadDictionary(stored.Bytes); err == nil {
					found[at] = d
				}
			}
		}
	}
	return found
}

// unknown are the members that sets among some aggregates have and whose dictionaries are not in memory of all days.
func (bu *stateSet) unknown(site *state.Shelf, some []state.Aggregate, days []calendar.Interval) []string {
	return slices.DeleteFunc(bu.Dictionaries(some), func(members string) bool {
		return !slices.ContainsFunc(days, func(s calendar.Interval) bool { return !site.HasDictionary(members, s) })
	})
}

// readStates reads what the store has by these names, of days in their order.
func (mr *merger) readStates(ctx context.Context, website store.Subject, names []int64, days []calendar.Interval) (map[storedName]store.State, error) {
	from, to := calendar.Interval{From: days[0].From, To: days[len(days)-1].To}.Times()
	states, err := mr.keeper.LoadStates(ctx, website, names, from, to)
	found := make(map[storedName]store.State, len(states))
	for _, one := range states {
		found[storedName{one.Name, dayOf(one.Day)}] = one
	}
	return found, err
}
