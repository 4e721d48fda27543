package merge

import (
	"context"
	"errors"
	"slices"

	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/query/internal/state"
	"github.com/sightline-analytics/sightline/store"
)

// lookup starts a merge, or returns nil if m is nil.
func (mr *Merger) lookup(m *Merge, snapshot *days.Snapshot) *Lookup {
	if m == nil {
		return nil
	}
	return &Lookup{Merge: m, merger: mr, Snapshot: snapshot, Site: mr.Partials.Shelf(m.p.Subject), Found: make([][]*state.Partial, len(m.leaves))}
}

// all are the aggregates of all parts.
func (m *Merge) all() (all []state.Aggregate) {
	for _, of := range m.parts {
		all = append(all, m.aggregates(of)...)
	}
	return all
}

// aggregates returns the aggregates of a part.
func (m *Merge) aggregates(of *mergedPart) []state.Aggregate {
	all := make([]state.Aggregate, len(of.leaves))
	for i, leaf := range of.leaves {
		all[i] = m.leaves[leaf].Aggregate
	}
	return all
}

// Rows returns the rows that the statement of p would give, merged from partials. It returns nil if the statement has to run:
//
// - the answer is asked for the first time, unless most of its partials are stored, or in memory without the filters on its keys
// - the rows of most days change
// - many partials are missing, which are then computed in the background
// - the engine has no partials
//
// It computes a few missing partials at once. While rows are written, partials of different tables may differ in time by as much
// as it takes to compute them.
func (mr *Merger) Rows(ctx context.Context, p *plan.Plan, among [][]string, snapshot *days.Snapshot) (*store.Rows, error) {
	if mr.Partials == nil {
		return nil, nil
	}
	if g := mr.lookup(mergeOnKeys(p), snapshot); g != nil && g.mostlyInMemory(ctx) {
		if rows, err := g.merged(ctx, among); rows != nil || err != nil {
			return rows, err
		}
	}
	g := mr.lookup(mergeOf(p), snapshot)
	if g == nil || !g.Site.Asked(g.all()) && !g.mostlyStored(ctx) {
		return nil, nil
	}
	return g.merged(ctx, among)
}

func (g *Lookup) merged(ctx context.Context, among [][]string) (*store.Rows, error) {
	if err := g.Load(ctx); err != nil {
		return nil, err
	}
	if g.manyStale() {
		return nil, nil
	}
	if fit, err := g.gather(ctx); err != nil || !fit {
		return nil, err
	}
	return g.finish(g.merger.Partials, g.Site, g.Found, among), nil
}

// A Lookup finds the partials of a merge, or computes them.
type Lookup struct {
	*Merge
	merger   *Merger
	Snapshot *days.Snapshot // may be nil until load
	Site     *state.Shelf
	Found    [][]*state.Partial // by aggregate and stretch

	background bool // no caller waits: statements have a pace, and the lock of the website is held between them only

	pending *pending // what is computed while stored partials are loaded
}

// gather finds the partials of all parts and computes the missing ones, if there is memory for them. The snapshot is loaded.
func (g *Lookup) gather(ctx context.Context) (fit bool, err error) {
	missing, some, slow := make([]int, len(g.parts)), false, false
	for i, of := range g.parts {
		versions := g.Versions(of)
		lacks := g.Look(of, versions)
		missing[i] = len(lacks)
		some = some || len(lacks) > 0
		slow = slow || !g.background && g.slow(ctx, of, lacks, versions)
	}
	if !some {
		return true, nil
	}
	if !g.Site.Admit(g.demands(missing)) {
		return false, nil
	}
	if slow {
		g.merger.computeLater(g.Merge)
		return false, nil
	}
	for i, of := range g.parts {
		if missing[i] == 0 {
			continue
		}
		names := g.Site.NumberingSize()
		err := g.GatherPart(ctx, of)
		for _, leaf := range of.leaves {
			g.Site.RecordSize(g.leaves[leaf].Aggregate, g.Found[leaf], g.Site.NumberingSize()-names)
		}
		switch {
		case errors.Is(err, ErrNoRoom):
			return false, nil
		case TooLarge(err):
			g.Site.Exclude(g.aggregates(of))
			return false, nil
		case err != nil:
			return false, err
		}
	}
	return true, nil
}

// demands are the aggregates of all parts, of which so many stretches are missing.
func (g *Lookup) demands(missing []int) (all []state.Demand) {
	for i, of := range g.parts {
		stretches := len(rowsIn(g.Versions(of)))
		for _, a := range g.aggregates(of) {
			all = append(all, state.Demand{Aggregate: a, Stretches: stretches, Missing: missing[i]})
		}
	}
	return all
}

// errNoRoom: not all partials of a question fit into memory together.
var ErrNoRoom = errors.New("query: too many partials at once")

// TooLarge reports whether computed rows are too large for memory.
func TooLarge(err error) bool {
	return errors.Is(err, state.ErrTooLarge) || errors.Is(err, store.ErrTooLarge) || errors.Is(err, store.ErrTooMuch)
}

// slow reports whether it takes longer to compute the missing partials of a part than to run the statement: partials that are not
// stored are missing for a quarter of the days, and a day costs at least four times as much as in the statement.
func (g *Lookup) slow(ctx context.Context, of *mergedPart, missing []int, versions []uint64) bool {
	_, _, others := g.stored(ctx, of, missing, versions)
	return len(others) > 0 && 4*len(others) >= len(rowsIn(slices.Clone(versions)))
}

// manyStale reports whether a quarter of the days that have rows got new ones since somebody
// asked about them: a day's partials cost at least four times what the statement costs by day, and may be as short-lived as those before.
func (g *Lookup) manyStale() bool {
	many := false
	for _, of := range g.parts {
		versions := g.Versions(of)
		stale := g.Site.Stale(g.leaves[of.Count].Aggregate, g.stretches, versions)
		many = many || stale > 0 && 4*stale >= len(rowsIn(versions))
	}
	return many
}

// rowsIn returns the versions of stretches with rows.
func rowsIn(versions []uint64) []uint64 {
	return slices.DeleteFunc(versions, func(version uint64) bool { return version == 0 })
}
