package merge

import (
	"context"
	"errors"
	"slices"

	"github.com/sightline-analytics/sightline/query/answer"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/query/internal/state"
	"github.com/sightline-analytics/sightline/query/internal/state/memory"
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

// Rows returns the rows that the statement of p would give, merged from partials. It returns nil and the reason if the statement has to run. It
// merges a new question too, if most of its partials are stored, or in memory without the filters on its keys.
//
// It computes a few missing partials at once. While rows are written, partials of different tables may differ in time by as much
// as it takes to compute them.
func (mr *Merger) Rows(ctx context.Context, p *plan.Plan, among [][]string, snapshot *days.Snapshot) (*store.Rows, answer.Reason, error) {
	if mr.Partials == nil {
		return nil, answer.Off, nil
	}
	if g := mr.lookup(mergeOnKeys(p), snapshot); g != nil && g.mostlyInMemory(ctx) {
		if rows, why, err := g.merged(ctx, among); rows != nil || err != nil {
			return rows, why, err
		}
	}
	g := mr.lookup(mergeOf(p), snapshot)
	if g == nil {
		return nil, answer.NotMergeable, nil
	}
	if why := g.unasked(ctx, g.Site.Admission.Asked(g.all())); why != "" {
		return nil, why, nil
	}
	return g.merged(ctx, among)
}

// Why returns the reason that Rows would return now, or an empty one if it would return rows. It computes nothing, and does not
// count as a use of partials. Rows may still find that partials which are missing now do not fit into memory.
func (mr *Merger) Why(ctx context.Context, p *plan.Plan, snapshot *days.Snapshot) answer.Reason {
	if mr.Partials == nil {
		return answer.Off
	}
	if g := mr.lookup(mergeOnKeys(p), snapshot); g != nil {
		if g.peeks = true; g.mostlyInMemory(ctx) && g.why(ctx) == "" {
			return ""
		}
	}
	g := mr.lookup(mergeOf(p), snapshot)
	if g == nil {
		return answer.NotMergeable
	}
	g.peeks = true
	if why := g.unasked(ctx, g.Site.Admission.WereAsked(g.all())); why != "" {
		return why
	}
	return g.why(ctx)
}

// why returns the reason that merged would return before it computes partials.
func (g *Lookup) why(ctx context.Context) answer.Reason {
	if g.Load(ctx) != nil {
		return answer.NotStored
	}
	if g.manyStale() {
		return answer.DaysChanged
	}
	_, why := g.missing(ctx)
	return why
}

// unasked returns the reason why a question is not worth its partials, or none if it was asked before or most of them are stored.
func (g *Lookup) unasked(ctx context.Context, before bool) answer.Reason {
	switch {
	case before || g.mostlyStored(ctx):
		return ""
	case !g.Site.Admission.Fit(g.all()):
		return answer.TooLarge
	}
	return answer.FirstAsked
}

func (g *Lookup) merged(ctx context.Context, among [][]string) (*store.Rows, answer.Reason, error) {
	if err := g.Load(ctx); err != nil {
		return nil, "", err
	}
	if g.manyStale() {
		return nil, answer.DaysChanged, nil
	}
	if why, err := g.gather(ctx); err != nil || why != "" {
		return nil, why, err
	}
	return g.rows(among), "", nil
}

// A Lookup finds the partials of a merge, or computes them.
type Lookup struct {
	*Merge
	merger   *Merger
	Snapshot *days.Snapshot // may be nil until load
	Site     *memory.Shelf
	Found    [][]*state.Partial // by aggregate and stretch

	background bool // no caller waits: statements have a pace, and the lock of the website is held between them only

	peeks bool // nothing is computed, and nothing counts as used

	pending *pending // what is computed while stored partials are loaded
}

// missing returns how many partials of each part are missing, and the reason not to compute them, if there is one. The snapshot is
// loaded.
func (g *Lookup) missing(ctx context.Context) (missing []int, why answer.Reason) {
	missing, some, slow := make([]int, len(g.parts)), false, false
	for i, of := range g.parts {
		versions := g.Versions(of)
		lacks := g.look(of, versions)
		missing[i] = len(lacks)
		some = some || len(lacks) > 0
		slow = slow || !g.background && g.slow(ctx, of, lacks, versions)
	}
	admit := g.Site.Admission.Admit
	if g.peeks {
		admit = g.Site.Admission.WouldAdmit
	}
	switch {
	case some && !admit(g.demands(missing)):
		return missing, answer.NoRoom
	case slow:
		return missing, answer.NotStored
	}
	return missing, ""
}

// gather finds the partials of all parts and computes the missing ones. It returns a reason if it does not: then they have no room, or
// are computed in the background. The snapshot is loaded.
func (g *Lookup) gather(ctx context.Context) (answer.Reason, error) {
	missing, why := g.missing(ctx)
	if why == answer.NotStored {
		g.merger.computeLater(g.Merge)
	}
	if why != "" {
		return why, nil
	}
	for i, of := range g.parts {
		if missing[i] == 0 {
			continue
		}
		names := g.Site.Admission.NumberingSize()
		err := g.GatherPart(ctx, of)
		for _, leaf := range of.leaves {
			g.Site.Admission.RecordSize(g.leaves[leaf].Aggregate, g.Found[leaf], g.Site.Admission.NumberingSize()-names)
		}
		switch {
		case errors.Is(err, ErrNoRoom):
			return answer.NoRoom, nil
		case TooLarge(err):
			g.Site.Admission.Exclude(g.aggregates(of))
			return answer.TooLarge, nil
		case err != nil:
			return "", err
		}
	}
	return "", nil
}

// demands are the aggregates of all parts, of which so many stretches are missing.
func (g *Lookup) demands(missing []int) (all []memory.Demand) {
	for i, of := range g.parts {
		stretches := len(rowsIn(g.Versions(of)))
		for _, a := range g.aggregates(of) {
			all = append(all, memory.Demand{Aggregate: a, Stretches: stretches, Missing: missing[i]})
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
		count := g.Site.Stale
		if g.peeks {
			count = g.Site.CountStale
		}
		stale := count(g.leaves[of.Count].Aggregate, g.stretches, versions)
		many = many || stale > 0 && 4*stale >= len(rowsIn(versions))
	}
	return many
}

// rowsIn returns the versions of stretches with rows.
func rowsIn(versions []uint64) []uint64 {
	return slices.DeleteFunc(versions, func(version uint64) bool { return version == 0 })
}
