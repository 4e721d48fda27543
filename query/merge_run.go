package query

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/huandu/go-sqlbuilder"

	"github.com/sightline-analytics/sightline/query/expr"
	"github.com/sightline-analytics/sightline/query/partial"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// mergeable tells how the answer to p is merged; nil where a statement answers it: where the store
// does not tell of its days, and what is asked for the first time.
func (e *Engine) mergeable(p *plan) (*merge, *partial.Website) {
	if _, ok := e.store.(store.Deriver); !ok || e.partials == nil {
		return nil, nil
	}
	m := mergeOf(p)
	if m == nil {
		return nil, nil
	}
	site := e.partials.Website(p.Subject)
	if !site.Asked(m.aggregates()) {
		return nil, nil
	}
	return m, site
}

func (m *merge) aggregates() []partial.Aggregate {
	all := make([]partial.Aggregate, len(m.leaves))
	for i := range m.leaves {
		all[i] = m.leaves[i].Aggregate
	}
	return all
}

// merged are the rows that the statement of p would give, merged from partials; nil where it has to
// be asked. Partials that are missing are computed and kept. While rows are written, those of
// different tables may be of moments that lie as far apart as it takes to compute them.
func (e *Engine) merged(ctx context.Context, p *plan, among [][]string) (*store.Rows, error) {
	m, site := e.mergeable(p)
	if m == nil {
		return nil, nil
	}
	sources := make([][]*partial.Partial, len(m.leaves))
	for _, of := range m.parts {
		err := e.partialsOf(ctx, m, of, site, sources)
		if errors.Is(err, partial.ErrUnfit) || errors.Is(err, store.ErrTooLarge) || errors.Is(err, store.ErrTooMuch) {
			site.Unfit(m.aggregates())
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return m.finish(e.partials, site, sources, among), nil
}

// computedAtOnce is how many stretches one statement computes partials of: its rows are held until
// they are made.
const computedAtOnce = 15

// partialsOf puts into found the partials of the leaves of a part, by stretch.
func (e *Engine) partialsOf(ctx context.Context, m *merge, of *mergedPart, site *partial.Website, found [][]*partial.Partial) error {
	look := func() (missing []int) {
		versions := m.versions(e.store.(store.Deriver), of.tb)
		for _, i := range of.leaves {
			var without []int
			found[i], without = site.Find(m.leaves[i].Aggregate, m.stretches, versions)
			missing = append(missing, without...)
		}
		slices.Sort(missing)
		return slices.Compact(missing)
	}
	if len(look()) == 0 {
		return nil
	}
	// Who else computes partials of this website may compute the same.
	if err := site.Lock(ctx); err != nil {
		return err
	}
	defer site.Unlock()
	missing := look()
	versions := m.versions(e.store.(store.Deriver), of.tb)
	for len(missing) > 0 {
		n := 1
		for n < len(missing) && n < computedAtOnce && missing[n] == missing[n-1]+1 {
			n++
		}
		run := missing[:n]
		missing = missing[n:]
		made, err := e.compute(ctx, m, of, site, m.stretches[run[0]:run[n-1]+1], versions[run[0]:run[n-1]+1])
		if err != nil {
			return err
		}
		for j, i := range of.leaves {
			copy(found[i][run[0]:], made[j])
		}
	}
	return nil
}

// maxPartialBytes is how much a statement that computes partials may give.
const maxPartialBytes = 1 << 28

// compute computes the partials of all leaves of a part in stretches that follow each other.
func (e *Engine) compute(ctx context.Context, m *merge, of *mergedPart, site *partial.Website, stretches []partial.Stretch, versions []uint64) ([][]*partial.Partial, error) {
	w := interval{stretches[0].From, stretches[len(stretches)-1].To}
	statement, batch := e.partialStatement(m, of, w)
	rows, err := e.store.Query(ctx, statement)
	if err != nil {
		return nil, err
	}
	batch.Stretches, batch.Versions, batch.Rows = stretches, versions, rows
	return site.Add(batch)
}

// partialStatement selects what partials of a part in w are made of: rows by cell and key, and by
// what is in its sets and samples.
func (e *Engine) partialStatement(m *merge, of *mergedPart, w interval) (store.Statement, *partial.Batch) {
	p := *m.p
	p.Range.From, p.Range.To = w.times()
	p.Until = p.Range.To
	d := e.store.Dialect()
	c := &compiler{p: &p, kept: e.kept(&p), rng: w, depends: w, w: expr.Writer{Dialect: d, From: w.from, To: w.to}}
	q, at := c.rows(of.tb), row("time")
	if of.tb.rows == sessionRows {
		at = ofSession("start")
	}
	b := &partial.Batch{Width: quarter, KeyNames: m.keyNames()}
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
		if m.leaves[i].Kind != partial.Sum {
			q.group = len(q.columns) + 1
		}
		b.Aggregates, b.Columns = append(b.Aggregates, m.leaves[i].Aggregate), append(b.Columns, len(q.columns))
		q.columns, kinds = append(q.columns, named{expr.Ident("leaf_" + strconv.Itoa(i)), m.leaves[i].e}), append(kinds, dialect.Int)
	}
	b.Count = b.Columns[slices.Index(of.leaves, of.count)]
	read := &part{tb: of.tb, q: q}
	c.fromHits(read)
	c.sessionsFor([]*part{read})
	c.hits(read)
	builder := c.build(read.q)
	if len(c.ctes) > 0 {
		builder.With(sqlbuilder.With(c.ctes...))
	}
	text, _ := builder.Build()
	return store.Statement{Label: p.Type.Name, SQL: text, Args: c.w.Args, Kinds: kinds, MaxBytes: maxPartialBytes}, b
}

func (w interval) times() (from, to time.Time) {
	return time.UnixMilli(w.from).UTC(), time.UnixMilli(w.to).UTC()
}
