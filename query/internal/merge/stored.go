package merge

import (
	"context"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/internal/failure"
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/state"
	"github.com/sightline-analytics/sightline/query/internal/state/memory"
	"github.com/sightline-analytics/sightline/store"
)

// A store.StateKeeper stores partials that are computed ahead, of whole days, as one state per state set, so that the
// first answers after a start are merged from them. A state is valid while its version is the version of the rows of
// all days that it was computed from. Versions outlive the process on every store, and grow with every row that is
// added or deleted. Partials that cannot be stored or loaded are computed.

// ListStored asks the store what it has of a website. When it fails to tell, nothing counts as stored.
func (mr *Merger) ListStored(ctx context.Context, site *memory.Partials, website store.Subject) error {
	states, err := mr.Keeper.States(ctx, website)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	all := make([]memory.StoredVersion, len(states))
	for i, one := range states {
		all[i] = memory.StoredVersion{Name: one.StateName, Of: DayOf(one.Day), Version: one.Version,
			Empty: one.Empty}
	}
	site.Stored.Set(all)
	return err
}

// DayOf is the day that begins then.
func DayOf(start time.Time) calendar.Interval {
	from := start.UnixMilli()
	return calendar.Interval{From: from, To: from + calendar.Day}
}

// loadStored loads stored states of the missing stretches of a part, and returns the stretches that are still missing.
// The caller holds the lock of the website, except in the background.
func (g *Lookup) loadStored(ctx context.Context, of *mergedPart, missing []int, versions []uint64) ([]int, error) {
	set, wanted, others := g.stored(ctx, of, missing, versions)
	if len(wanted) == 0 {
		return missing, nil
	}
	if g.background {
		if err := g.Site.Lock(ctx); err != nil {
			return nil, err
		}
		defer g.Site.Unlock()
	} else {
		g.computeBeside(ctx, of, others)
	}
	l := loader{Merger: g.merger, site: g.Site, website: g.p.Subject, set: set, names: set.Names,
		some: g.aggregatesOf(of)}
	l.load(ctx, wanted)
	return g.Look(of, versions), nil
}

// stored returns the missing stretches of a part that the store has, in a state set, and the others.
func (g *Lookup) stored(ctx context.Context, of *mergedPart, missing []int, versions []uint64) (set *StateSet,
	wanted []calendar.Interval, others []int) {
	if g.merger.Keeper == nil || len(missing) == 0 {
		return nil, nil, missing
	}
	known := g.merger.StateSets()
	set = known.of(g.Merge, of)
	if set == nil || !g.listed(ctx) {
		return nil, nil, missing
	}
	stored := g.Site.Stored.Versions(set.Names.State, g.stretches)
	for _, i := range missing {
		if stored[i] >= versions[i] {
			wanted = append(wanted, g.stretches[i])
		} else {
			others = append(others, i)
		}
	}
	return set, wanted, others
}

// A pending statement computes partials while stored ones are loaded.
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
	b := &pending{part: of, from: missing[0], to: missing[0] + followOn(missing, ComputedAtOnce),
		done: make(chan struct{})}
	g.pending = b
	//background:stop=wait bound=callers fails="a panic was recovered"
	go func() {
		defer close(b.done)
		g.merger.logFault("computing states beside stored states", failure.Try(func() error {
			b.computed, b.err = g.ask(ctx, of, b.from, b.to, snapshot)
			return nil
		})) // the caller asks the store again
	}()
}

// is reports whether p computes partials of a part in these stretches.
func (p *pending) is(of *mergedPart, from, to int) bool {
	return p != nil && p.part == of && p.from == from && p.to == to
}

// wait waits for p. It returns nil without an error after a panic.
func (p *pending) wait() (*state.Computed, error) {
	<-p.done
	return p.computed, p.err
}

// A StoredName is the name of a state or a dictionary of a day in the store.
type StoredName struct {
	Name store.StateName
	Of   calendar.Interval
}

// Unknown are the members that sets among some aggregates have and whose dictionaries are not in memory of all days.
func (set *StateSet) Unknown(site *memory.Partials, some []state.Aggregate, days []calendar.Interval) []string {
	return slices.DeleteFunc(set.Dictionaries(some), func(members string) bool {
		return !slices.ContainsFunc(days, func(s calendar.Interval) bool { return site.Dictionary(members, s) == nil })
	})
}

// ReadStates reads what the store has by these names, of days in their order.
func (mr *Merger) ReadStates(ctx context.Context, website store.Subject, names []store.StateName,
	days []calendar.Interval) (map[StoredName]store.State, error) {
	from, to := calendar.Interval{From: days[0].From, To: days[len(days)-1].To}.Times()
	states, err := mr.Keeper.LoadStates(ctx, website, names, from, to)
	found := make(map[StoredName]store.State, len(states))
	for _, one := range states {
		found[StoredName{one.StateName, DayOf(one.Day)}] = one
	}
	return found, err
}
