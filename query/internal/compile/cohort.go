package compile

import (
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// cohorts adds the relation cohorts. It has a row for each visitor with a start event in the range: the bucket of the
// first one. And it has a row for each bucket in which such a visitor has a return event that is not earlier. The
// numbers of buckets grow with time, so that the least one is that of the first event.
func (c *tables) cohorts() {
	active := c.activeBuckets()
	c.fromHits(active)
	c.sessionsFor([]*part{active})
	c.hits(active)
	c.withOnce("active_buckets", c.build(active.q))

	a, d := func(name expr.Ident) expr.Expr { return expr.Col("a", name) },
		func(name expr.Ident) expr.Expr { return expr.Col("d", name) }
	c.withOnce("first_starts",
		c.build(selection{from: relation{"active_buckets", "d"}, group: 1,
			where: []expr.Expr{expr.IsNotNull(d("since"))},
			columns: []named{{"visitor", d("visitor")}, {"since", expr.Call(dialect.MinNotNull, d("since"))},
				{catalog.BucketColumn, expr.Call(dialect.MinNotNull, d(catalog.BucketColumn))}}}))
	member := func(period expr.Expr, first int64) selection {
		return selection{from: relation{"first_starts", "a"}, columns: []named{
			{catalog.BucketColumn, a(catalog.BucketColumn)}, {catalog.PeriodColumn, period},
			{"first", expr.Int(first)}}}
	}
	returned := member(d(catalog.BucketColumn), 0)
	returned.joins = []join{{to: relation{"active_buckets", "d"},
		on: expr.And(expr.Eq(d("visitor"), a("visitor")), expr.Ge(d("last"), a("since")))}}
	if c.p.Behaviour != nil && c.p.Behaviour.Rolling { // a visitor counts once, by the bucket of the last return
		returned.group = 2
		returned.columns = []named{{"visitor", a("visitor")}, {catalog.BucketColumn, a(catalog.BucketColumn)},
			{catalog.PeriodColumn, expr.Call(dialect.MaxNotNull, d(catalog.BucketColumn))}}
		c.with("last_returns", c.build(returned))
		returned = member(a(catalog.PeriodColumn), 0)
		returned.from = relation{"last_returns", "a"}
	}
	c.with("cohorts", unionAll(c.build(member(a(catalog.BucketColumn), 1)), c.build(returned)))
}

// activeBuckets selects the first start event and the last return event of each visitor in each bucket.
func (c *tables) activeBuckets() *part {
	tb := catalog.TableNamed("activity")
	starts, returns := c.startAndReturn()
	at := catalog.Row("time")
	q := selection{from: relation{string(tb.Logical), "t"}, group: 2, columns: []named{
		{"visitor", catalog.Row("visitor_hash")}, {catalog.BucketColumn, c.localPeriod(tb, c.p.Grain)},
		{"since", expr.Call(dialect.MinIf, at, starts)}, {"last", expr.Call(dialect.MaxIf, at, returns)}}}
	q.where = append(c.read(c.rng), tb.Where, expr.Ne(catalog.Row("visitor_hash"), expr.Int(0)))
	if starts.String() == returns.String() {
		q.where = append(q.where, starts)
	} else {
		q.where = append(q.where, expr.Or(starts, returns))
	}
	q.where = append(q.where, c.conditions(tb)...)
	return &part{tb: tb, q: q}
}

// startAndReturn are the conditions on events t that begin a cohort, and on those by which visitors return.
func (c *tables) startAndReturn() (starts, returns expr.Expr) {
	of := func(a *plan.Action) expr.Expr {
		if a == nil { // any pageview or custom event
			return expr.Or(catalog.OfKind(store.Pageview), catalog.OfKind(store.PageEvent),
				catalog.OfKind(store.Custom))
		}
		return a.Holds("t")
	}
	if b := c.p.Behaviour; b != nil {
		return of(b.Start), of(b.Return)
	}
	return of(nil), of(nil)
}
