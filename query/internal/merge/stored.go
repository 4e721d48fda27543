package merge

import (
	"context"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/state"
	"github.com/sightline-analytics/sightline/query/internal/state/codec"
	"github.com/sightline-analytics/sightline/query/internal/state/memory"
	"github.com/sightline-analytics/sightline/store"
)

// A store.StateKeeper stores partials that are computed ahead, of whole days, as one state per state set, so that the first
// answers after a start are merged from them. A state is valid while its version is the version of the rows of all days that it
// was computed from. Versions outlive the process on every store, and grow with every row that is added or deleted. Partials that
// cannot be stored or loaded are computed.

// ListStored asks the store what it has of a website. When it fails to tell, nothing counts as stored.
func (mr *Merger) ListStored(ctx context.Context, site *memory.Shelf, website store.Subject) error {
	states, err := mr.Keeper.States(ctx, website)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	all := make([]memory.StoredVersion, len(states))
	for i, one := range states {
		all[i] = memory.StoredVersion{Name: one.Name, Of: DayOf(one.Day), Version: one.Version}
	}
	site.Stored.Set(all)
	return err
}

// DayOf is the day that begins then.
func DayOf(start time.Time) calendar.Interval {
	from := start.UnixMilli()
	return calendar.Interval{From: from, To: from + calendar.Day}
}

// mostlyStored reports whether the store has the partials of at least half of the days with rows. Then the first
// answer is merged, too. Where it has nothing of the website, that costs one look.
func (g *Lookup) mostlyStored(ctx context.Context) bool {
	if g.merger.Keeper == nil || !g.Site.Admission.Fit(g.all()) {
		return false
	}
	known := g.merger.StateSets()
	bundles := make([]*StateSet, len(g.parts))
	for i, of := range g.parts {
		if bundles[i] = known.of(g.Merge, of); bundles[i] == nil {
			return false
		}
	}
	if !g.Site.Stored.IsKnown() && g.merger.ListStored(ctx, g.Site, g.p.Subject) != nil {
		return false
	}
	if g.Load(ctx) != nil {
		return false // whoever answers finds out why
	}
	for i, of := range g.parts {
		versions, days, stored := g.Versions(of), 0, 0
		for j, version := range g.Site.Stored.Versions(bundles[i].Name, g.stretches) {
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
func (g *Lookup) loadStored(ctx context.Context, of *mergedPart, missing []int, versions []uint64) ([]int, error) {
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
		if err := g.Site.Lock(ctx); err != nil {
			return nil, err
		}
		defer g.Site.Unlock()
	} else {
		g.computeBeside(ctx, of, others)
	}
	g.loadChunks(ctx, bu, g.aggregates(of), chunks)
	return g.Look(of, versions), nil
}

// stored returns the missing stretches of a part that the store has, in a state set, and the others.
func (g *Lookup) stored(ctx context.Context, of *mergedPart, missing []int, versions []uint64) (bu *StateSet, wanted []calendar.Interval, others []int) {
	if g.merger.Keeper == nil || len(missing) == 0 {
		return nil, nil, missing
	}
	known := g.merger.StateSets()
	bu = known.of(g.Merge, of)
	if bu == nil || !g.Site.Stored.IsKnown() && g.merger.ListStored(ctx, g.Site, g.p.Subject) != nil {
		return nil, nil, missing
	}
	stored := g.Site.Stored.Versions(bu.Name, g.stretches)
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
func (g *Lookup) computeBeside(ctx context.Context, of *mergedPart, missing []int) {
	g.pending = nil
	if len(missing) == 0 {
		return
	}
	snapshot := g.Snapshot
	b := &pending{part: of, from: missing[0], to: missing[0] + followOn(missing, ComputedAtOnce), done: make(chan struct{})}
	g.pending = b
	go func() {
		defer close(b.done)
		defer g.merger.recovered("computing states beside stored states") // the caller asks the store again
		b.computed, b.err = g.ask(ctx, of, b.from, b.to, snapshot)
	}()
}

// asked waits for the rows that were computed for these stretches, or returns nil if none were.
func (g *Lookup) asked(of *mergedPart, from, to int) (*state.Computed, error) {
	b := g.pending
	if b == nil || b.part != of || b.from != from || b.to != to {
		return nil, nil
	}
	g.pending = nil
	<-b.done
	return b.computed, b.err
}

// A StoredName is the name of a state or a dictionary of a day in the store.
type StoredName struct {
	Name int64
	Of   calendar.Interval
}

// storedDays has the stored states of some days.
type storedDays struct {
	days         []calendar.Interval
	of           map[StoredName]store.State
	dictionaries map[StoredName]*codec.Dictionary
}

// loadChunks loads states of some aggregates of a state set, and notes which cannot be read. States of many days are loaded
// together, which takes less time than one after the other.
func (g *Lookup) loadChunks(ctx context.Context, bu *StateSet, some []state.Aggregate, chunks [][]calendar.Interval) {
	var all []storedDays
	for bytes := 0; len(chunks) > 0; {
		read := make([]storedDays, min(len(chunks), readAtOnce))
		g.merger.logFault("reading stored states", codec.Parallel(len(read), len(read), func(i int) { read[i] = g.readChunk(ctx, bu, some, chunks[i]) }))
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
func (g *Lookup) readChunk(ctx context.Context, bu *StateSet, some []state.Aggregate, days []calendar.Interval) storedDays {
	names := []int64{bu.Name}
	for _, members := range bu.Unknown(g.Site, some, days) {
		names = append(names, bu.Called[members])
	}
	of, err := g.merger.ReadStates(ctx, g.p.Subject, names, days)
	if err != nil {
		return storedDays{}
	}
	return storedDays{days, of, bu.dictionaries(of, days)}
}

func (g *Lookup) loadDays(bu *StateSet, some []state.Aggregate, all []storedDays) {
	var states []codec.StoredState
	var unread []memory.StoredVersion
	for _, read := range all {
		for _, day := range read.days {
			found, ok := read.of[StoredName{bu.Name, day}]
			if !ok {
				unread = append(unread, memory.StoredVersion{Name: bu.Name, Of: day})
				continue
			}
			one := codec.StoredState{Of: day, Version: found.Version, State: found.Bytes, Dictionaries: map[string]*codec.Dictionary{}}
			for members, name := range bu.Called {
				one.Dictionaries[members] = read.dictionaries[StoredName{name, day}]
			}
			states = append(states, one)
		}
	}
	decoded, fault := codec.Load(g.Site, &bu.StateSet, some, Quarter, states)
	g.merger.logFault("decoding stored states", fault)
	if len(decoded.Of) > 0 {
		g.Site.Put(some, bu.KeyNames, decoded.Of, decoded.Versions, decoded.Partials)
	}
	for _, day := range decoded.Unread {
		unread = append(unread, memory.StoredVersion{Name: bu.Name, Of: day})
	}
	g.Site.Stored.Note(unread)
}

// dictionaries returns the dictionaries that were read and are not damaged.
func (bu *StateSet) dictionaries(read map[StoredName]store.State, days []calendar.Interval) map[StoredName]*codec.Dictionary {
	found := map[StoredName]*codec.Dictionary{}
	for _, name := range bu.Called {
		for _, day := range days {
			at := StoredName{name, day}
			if stored, ok := read[at]; ok {
				if d, err := codec.ReadDictionary(stored.Bytes); err == nil {
					found[at] = d
				}
			}
		}
	}
	return found
}

// Unknown are the members that sets among some aggregates have and whose dictionaries are not in memory of all days.
func (bu *StateSet) Unknown(site *memory.Shelf, some []state.Aggregate, days []calendar.Interval) []string {
	return slices.DeleteFunc(bu.Dictionaries(some), func(members string) bool {
		return !slices.ContainsFunc(days, func(s calendar.Interval) bool { return site.Dictionary(members, s) == nil })
	})
}

// ReadStates reads what the store has by these names, of days in their order.
func (mr *Merger) ReadStates(ctx context.Context, website store.Subject, names []int64, days []calendar.Interval) (map[StoredName]store.State, error) {
	from, to := calendar.Interval{From: days[0].From, To: days[len(days)-1].To}.Times()
	states, err := mr.Keeper.LoadStates(ctx, website, names, from, to)
	found := make(map[StoredName]store.State, len(states))
	for _, one := range states {
		found[StoredName{one.Name, DayOf(one.Day)}] = one
	}
	return found, err
}
