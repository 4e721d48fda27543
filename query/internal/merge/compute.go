package merge

import (
	"context"
	"slices"
	"strconv"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/compile"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/query/internal/state"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// One statement computes partials of ComputedAtOnce stretches at first, then of twice as many while it gives few rows,
// and of mostAtOnce at most: its rows are held until partials are made of them.
const (
	ComputedAtOnce = 7
	mostAtOnce     = 28
	fewComputed    = 100_000 // rows
)

// GatherPart finds the partials of a part, and computes the missing ones.
func (g *Lookup) GatherPart(ctx context.Context, of *mergedPart) error {
	// Another question about this website may compute the same partials now. They are as new as this question, though
	// rows may have come since.
	if !g.background {
		if err := g.Site.Lock(ctx); err != nil {
			return err
		}
		defer g.Site.Unlock()
	}
	versions := g.Versions(of)
	missing := g.Look(of, versions)
	if len(missing) > 0 {
		// The rows that missing partials are computed from may be newer. Versions and seals must be of one time: a seal
		// without a new row must not go into a partial of a version with it.
		if err := g.reload(ctx); err != nil {
			return err
		}
		versions = g.Versions(of)
		var err error
		if missing, err = g.loadStored(ctx, of, missing, versions); err != nil {
			return err
		}
	}
	return g.ComputeAll(ctx, of, missing, versions)
}

// ComputeAll computes the partials of a part in these stretches. It stops with [ErrNoRoom] if the partials found so far
// do not fit into memory together. The caller holds the lock of the website, except in the background.
func (g *Lookup) ComputeAll(ctx context.Context, of *mergedPart, missing []int, versions []uint64) error {
	for atOnce := ComputedAtOnce; len(missing) > 0; {
		n := followOn(missing, atOnce)
		rows, err := g.compute(ctx, of, missing[0], missing[0]+n, versions)
		if err != nil {
			return err
		}
		if n < len(missing) && g.Site.Admission.ExceedsMemory(g.Found) {
			return ErrNoRoom
		}
		if missing = missing[n:]; n == atOnce && rows < fewComputed {
			atOnce = min(2*atOnce, mostAtOnce)
		}
	}
	return nil
}

// followOn returns how many of the first stretches follow one another, and most at most.
func followOn(missing []int, most int) int {
	n := 1
	for n < len(missing) && n < most && missing[n] == missing[n-1]+1 {
		n++
	}
	return n
}

// Look finds the partials of a part for these versions of rows, and returns the stretches in which some are missing.
func (g *Lookup) Look(of *mergedPart, versions []uint64) (missing []int) {
	for _, i := range of.aggregates {
		var without []int
		g.Found[i], without = g.Site.Find(g.aggregates[i].Aggregate, g.stretches, versions)
		missing = append(missing, without...)
	}
	slices.Sort(missing)
	return slices.Compact(missing)
}

// maxPartialBytes bounds the result of a statement that computes partials.
const maxPartialBytes = 1 << 28

// compute computes the partials of all aggregates of a part in stretches that follow each other, and returns the number
// of rows.
func (g *Lookup) compute(ctx context.Context, of *mergedPart, from, to int, versions []uint64) (rows int, err error) {
	var computed *state.Computed
	if p := g.pending; p.is(of, from, to) {
		g.pending = nil
		computed, err = p.wait()
	}
	if computed == nil && err == nil {
		computed, err = g.ask(ctx, of, from, to, g.Snapshot)
	}
	if err != nil {
		return 0, err
	}
	if g.background {
		if err := g.Site.Lock(ctx); err != nil {
			return 0, err
		}
		defer g.Site.Unlock()
	}
	computed.Stretches, computed.Versions = g.stretches[from:to], versions[from:to]
	made, err := g.Site.Add(computed)
	if err != nil {
		return 0, err
	}
	for j, i := range of.aggregates {
		copy(g.Found[i][from:], made[j])
	}
	return computed.Rows.Len, nil
}

// ask asks the store for what partials of stretches are made of.
func (g *Lookup) ask(ctx context.Context, of *mergedPart, from, to int, snapshot *days.Snapshot) (*state.Computed,
	error) {
	w := calendar.Interval{From: g.stretches[from].From, To: g.stretches[to-1].To}
	p := planIn(g.p, w)
	compiled, computed := g.Merge.compilePartials(g.merger.store.Dialect(), p, g.merger.Sealed(p, snapshot), of, w)
	query := func(ctx context.Context) (err error) {
		computed.Rows, err = g.merger.Trace.Query(ctx, g.merger.store, compiled.Statement)
		return err
	}
	if g.background {
		return computed, g.merger.Background.Do(ctx, 0, query)
	}
	return computed, query(ctx)
}

// planIn is the plan p about a time.
func planIn(p *plan.Plan, w calendar.Interval) *plan.Plan {
	about := *p
	about.Range.From, about.Range.To = w.Times()
	about.Until = about.Range.To
	return &about
}

// statesOf returns the query for the rows that the partials of a part in w are computed from, and the layout of these
// rows.
func (m *Merge) statesOf(of *mergedPart, w calendar.Interval) (compile.StateQuery, *state.Computed) {
	q, b := compile.StateQuery{Table: of.tb, In: w, Width: m.width, Keyed: len(m.keys) > 0},
		&state.Computed{KeyNames: m.keyTexts()}
	b.Width = q.Width
	for _, i := range of.aggregates {
		one := &m.aggregates[i]
		q.Columns = append(q.Columns,
			compile.StateColumn{Name: expr.Ident("leaf_" + strconv.Itoa(i)), E: one.e, Text: one.Kind == state.TextSet,
				Lists: one.Kind.Lists()})
		b.Aggregates = append(b.Aggregates, one.Aggregate)
	}
	return q, b
}

// compilePartials compiles the statement that selects what the partials of a part in w are made of. p is the plan about
// w.
func (m *Merge) compilePartials(d *dialect.Dialect, p *plan.Plan, sealed days.Sealed, of *mergedPart,
	w calendar.Interval) (*compile.Compiled, *state.Computed) {
	q, b := m.statesOf(of, w)
	c, keys, aggregates := compile.CompileStates(p, d, sealed, q)
	b.Keys, b.Columns = keys, aggregates
	b.Count = aggregates[slices.Index(of.aggregates, of.Count)]
	c.Statement.MaxBytes = maxPartialBytes
	return c, b
}
