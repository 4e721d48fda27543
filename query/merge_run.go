package query

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/sightline-analytics/sightline/query/expr"
	"github.com/sightline-analytics/sightline/query/partial"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// gathering begins to merge the answer to p; nil where it cannot be merged, or no partials are
// kept.
func (e *Engine) gathering(p *plan) *gathering {
	if e.partials == nil {
		return nil
	}
	m := mergeOf(p)
	if m == nil {
		return nil
	}
	return &gathering{merge: m, engine: e, site: e.partials.Website(p.Subject), found: make([][]*partial.Partial, len(m.leaves))}
}

// all are the aggregates of all parts.
func (m *merge) all() (all []partial.Aggregate) {
	for _, of := range m.parts {
		all = append(all, m.aggregates(of)...)
	}
	return all
}

// aggregates are those of a part.
func (m *merge) aggregates(of *mergedPart) []partial.Aggregate {
	all := make([]partial.Aggregate, len(of.leaves))
	for i, leaf := range of.leaves {
		all[i] = m.leaves[leaf].Aggregate
	}
	return all
}

// merged are the rows that the statement of p would give, merged from partials; nil where it has to
// be asked: for the first time, unless a store has most of the partials, and while the rows of most days change. Partials that are missing are
// computed and kept. While rows are written, those of different tables may be of moments that lie as
// far apart as it takes to compute them.
func (e *Engine) merged(ctx context.Context, p *plan, among [][]string) (*store.Rows, error) {
	g := e.gathering(p)
	if g == nil || !g.site.Asked(g.all()) && !g.mostlyStored(ctx) {
		return nil, nil
	}
	if err := g.load(ctx); err != nil || g.manyStale() {
		return nil, err
	}
	if fit, err := g.gather(ctx); err != nil || !fit {
		return nil, err
	}
	return g.finish(e.partials, g.site, g.found, among), nil
}

// A gathering finds the partials of a merge, or computes them.
type gathering struct {
	*merge
	engine *Engine
	days   dayVersions
	site   *partial.Website
	found  [][]*partial.Partial // by leaf and stretch

	asking *asking // what is computed while stored partials are loaded
}

// One statement computes partials of computedAtOnce stretches at first, then of twice as many while it gives few rows, and
// of mostAtOnce at most: its rows are held until partials are made of them.
const (
	computedAtOnce = 7
	mostAtOnce     = 28
	fewComputed    = 100_000 // rows
)

// gather finds the partials of all parts, if they are fit to be kept. The versions are loaded.
func (g *gathering) gather(ctx context.Context) (fit bool, err error) {
	for _, of := range g.parts {
		err := g.gatherPart(ctx, of)
		if tooLarge(err) {
			g.site.Exclude(g.aggregates(of))
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

// tooLarge reports whether what was computed is too large to be kept.
func tooLarge(err error) bool {
	return errors.Is(err, partial.ErrTooLarge) || errors.Is(err, store.ErrTooLarge) || errors.Is(err, store.ErrTooMuch)
}

// manyStale reports whether a quarter of the days that have rows got new ones since somebody
// asked about them: a day's partials cost at least four times what the statement costs by day, and may be as short-lived as those before.
func (g *gathering) manyStale() bool {
	many := false
	for _, of := range g.parts {
		versions := g.versions(of)
		stale := g.site.Stale(g.leaves[of.count].Aggregate, g.stretches, versions)
		days := len(slices.DeleteFunc(versions, func(version uint64) bool { return version == 0 }))
		many = many || stale > 0 && 4*stale >= days
	}
	return many
}

// gatherPart finds the partials of a part.
func (g *gathering) gatherPart(ctx context.Context, of *mergedPart) error {
	if len(g.look(of, g.versions(of))) == 0 {
		return nil
	}
	// Whoever computes partials of this website now may compute the same. Theirs are as new as this
	// question, though rows may have come since.
	if err := g.site.Lock(ctx); err != nil {
		return err
	}
	defer g.site.Unlock()
	versions := g.versions(of)
	missing := g.look(of, versions)
	if len(missing) > 0 {
		// The rows that they are computed from may be newer. Versions and seals are of one moment: a seal
		// from before a row must not go into a partial of a version with it.
		ctx = knowDays(ctx)
		if err := g.load(ctx); err != nil {
			return err
		}
		versions = g.versions(of)
		missing = g.loadStored(ctx, of, missing, versions)
	}
	return g.computeAll(ctx, of, missing, versions)
}

// computeAll computes the partials of a part in these stretches. The caller holds the lock of the website.
func (g *gathering) computeAll(ctx context.Context, of *mergedPart, missing []int, versions []uint64) error {
	for atOnce := computedAtOnce; len(missing) > 0; {
		n := followOn(missing, atOnce)
		rows, err := g.compute(ctx, of, missing[0], missing[0]+n, versions)
		if err != nil {
			return err
		}
		if missing = missing[n:]; n == atOnce && rows < fewComputed {
			atOnce = min(2*atOnce, mostAtOnce)
		}
	}
	return nil
}

// followOn is how many of the first stretches follow one another, and most at most.
func followOn(missing []int, most int) int {
	n := 1
	for n < len(missing) && n < most && missing[n] == missing[n-1]+1 {
		n++
	}
	return n
}

// look finds the partials of a part that are of these versions of rows, and tells which stretches some
// are missing of.
func (g *gathering) look(of *mergedPart, versions []uint64) (missing []int) {
	for _, i := range of.leaves {
		var without []int
		g.found[i], without = g.site.Find(g.leaves[i].Aggregate, g.stretches, versions)
		missing = append(missing, without...)
	}
	slices.Sort(missing)
	return slices.Compact(missing)
}

// maxPartialBytes is how much a statement that computes partials may give.
const maxPartialBytes = 1 << 28

// compute computes the partials of all leaves of a part in stretches that follow each other, and tells of how many rows.
func (g *gathering) compute(ctx context.Context, of *mergedPart, from, to int, versions []uint64) (rows int, err error) {
	computed, err := g.asked(of, from, to)
	if computed == nil && err == nil {
		computed, err = g.ask(ctx, of, from, to)
	}
	if err != nil {
		return 0, err
	}
	computed.Stretches, computed.Versions = g.stretches[from:to], versions[from:to]
	made, err := g.site.Add(computed)
	if err != nil {
		return 0, err
	}
	for j, i := range of.leaves {
		copy(g.found[i][from:], made[j])
	}
	return computed.Rows.Len, nil
}

// ask asks the store for what partials of stretches are made of.
func (g *gathering) ask(ctx context.Context, of *mergedPart, from, to int) (*partial.Computed, error) {
	w := interval{g.stretches[from].From, g.stretches[to-1].To}
	p := g.p.in(w)
	statement, computed := g.merge.partialStatement(g.engine.store.Dialect(), p, g.engine.kept(ctx, p), of, w)
	var err error
	computed.Rows, err = g.engine.store.Query(ctx, statement)
	return computed, err
}

// in is the plan p about a time.
func (p *plan) in(w interval) *plan {
	about := *p
	about.Range.From, about.Range.To = w.times()
	about.Until = about.Range.To
	return &about
}

// partialStatement selects what partials of a part in w, which p is about, are made of: rows by cell and key, and by
// what is in its sets and samples.
func (m *merge) partialStatement(d *dialect.Dialect, p *plan, kept keptOf, of *mergedPart, w interval) (store.Statement, *partial.Computed) {
	c := &compiler{p: p, kept: kept, rng: w, depends: w, w: expr.Writer{Dialect: d, From: w.from, To: w.to}}
	q, at := c.rows(of.tb), row("time")
	if of.tb.rows == sessionRows {
		at = ofSession("start")
	}
	b := &partial.Computed{Width: quarter, KeyNames: m.keyTexts()}
	keys := c.partKeys(of.tb)
	if len(m.keys) == 0 {
		keys = nil // the bucket of a series is made of its cells
	} else {
		b.Width = day
	}
	kinds := []dialect.Kind{dialect.Int}
	q.columns = append(q.columns, named{"cell", expr.Call(dialect.FloorDiv, at, expr.Int(b.Width))})
	q.group = 1 + len(keys)
	for _, key := range keys {
		b.Keys = append(b.Keys, len(q.columns))
		q.columns, kinds = append(q.columns, key), append(kinds, dialect.Text)
	}
	for _, i := range of.leaves {
		leaf, kind := &m.leaves[i], dialect.Int
		if leaf.Kind.Lists() {
			q.group = len(q.columns) + 1
		}
		if leaf.Kind == partial.TextSet {
			kind = dialect.Text
		}
		b.Aggregates, b.Columns = append(b.Aggregates, leaf.Aggregate), append(b.Columns, len(q.columns))
		q.columns, kinds = append(q.columns, named{expr.Ident("leaf_" + strconv.Itoa(i)), leaf.e}), append(kinds, kind)
	}
	b.Count = b.Columns[slices.Index(of.leaves, of.count)]
	read := &part{tb: of.tb, q: q}
	c.fromHits(read)
	c.sessionsFor([]*part{read})
	c.hits(read)
	statement := c.statement(p.Type.Name, read.q)
	statement.Kinds, statement.MaxBytes = kinds, maxPartialBytes
	return statement, b
}

func (w interval) times() (from, to time.Time) {
	return time.UnixMilli(w.from).UTC(), time.UnixMilli(w.to).UTC()
}
