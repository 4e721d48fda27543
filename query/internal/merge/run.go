package merge

import (
	"context"
	"errors"

	"github.com/sightline-analytics/sightline/query/answer"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/finish"
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
	return &Lookup{Merge: m, merger: mr, Snapshot: snapshot, Site: mr.Partials.Shelf(m.p.Subject),
		Found: make([][]*state.Partial, len(m.leaves))}
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

// Rows returns the rows that the statement of p would give, merged from partials. It returns nil and the reason if the
// statement has to run. It merges a new question too, if most of its partials are stored, or in memory without the
// filters on its keys.
//
// It computes a few missing partials at once. While rows are written, partials of different tables may differ in time
// by as much as it takes to compute them.
func (mr *Merger) Rows(ctx context.Context, p *plan.Plan, among [][]string, snapshot *days.Snapshot) (*store.Rows,
	answer.Reason, error) {
	if mr.Partials == nil {
		return nil, answer.Off, nil
	}
	if g := mr.lookup(mergeOnKeys(p), snapshot); g != nil && (judge{Lookup: g}).mostlyInMemory(ctx) {
		if rows, why, err := g.merged(ctx, among); rows != nil || err != nil {
			return rows, why, err
		}
	}
	g := mr.lookup(mergeOf(p), snapshot)
	if g == nil {
		return nil, answer.NotMergeable, nil
	}
	if why := (judge{Lookup: g}).unasked(ctx); why != "" {
		return nil, why, nil
	}
	return g.merged(ctx, among)
}

// Why returns the reason that Rows would return now, or an empty one if it would return rows. It computes nothing, and
// does not count as a use of partials. Rows may still find that partials which are missing now do not fit into memory.
func (mr *Merger) Why(ctx context.Context, p *plan.Plan, snapshot *days.Snapshot) answer.Reason {
	if mr.Partials == nil {
		return answer.Off
	}
	if g := mr.lookup(mergeOnKeys(p), snapshot); g != nil {
		if j := (judge{g, true}); j.mostlyInMemory(ctx) && j.why(ctx) == "" {
			return ""
		}
	}
	g := mr.lookup(mergeOf(p), snapshot)
	if g == nil {
		return answer.NotMergeable
	}
	j := judge{g, true}
	if why := j.unasked(ctx); why != "" {
		return why
	}
	return j.why(ctx)
}

// merged returns the rows, or nil and the reason.
func (g *Lookup) merged(ctx context.Context, among [][]string) (*store.Rows, answer.Reason, error) {
	if err := g.Load(ctx); err != nil {
		return nil, "", err
	}
	if (judge{Lookup: g}).manyStale() {
		return nil, answer.DaysChanged, nil
	}
	if why, err := g.gather(ctx); err != nil || why != "" {
		return nil, why, err
	}
	return finish.Run(g.steps, g.groups(), among), "", nil
}

// A Lookup finds the partials of a merge, or computes them.
type Lookup struct {
	*Merge
	merger   *Merger
	Snapshot *days.Snapshot // may be nil until load
	Site     *memory.Shelf
	Found    [][]*state.Partial // by aggregate and stretch

	background bool // no caller waits: statements have a pace, and the lock of the website is held between them only

	pending *pending // what is computed while stored partials are loaded
}

// gather finds the partials of all parts and computes the missing ones. It returns a reason if it does not: then they
// have no room, or are computed in the background. The snapshot is loaded.
func (g *Lookup) gather(ctx context.Context) (answer.Reason, error) {
	missing, why := judge{Lookup: g}.missing(ctx)
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

// ErrNoRoom: not all partials of a question fit into memory together.
var ErrNoRoom = errors.New("query: too many partials at once")

// TooLarge reports whether computed rows are too large for memory.
func TooLarge(err error) bool {
	return errors.Is(err, state.ErrTooLarge) || errors.Is(err, store.ErrTooLarge) || errors.Is(err, store.ErrTooMuch)
}
