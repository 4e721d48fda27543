package compile

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// outages adds the relation outages: the stretches of [from, to) in which a monitor
// was down, cut at the edges of buckets and at now. A check that is down lasts until
// the next one of any status; the last check before the range, however old, counts.
// Checks at the same instant are ordered by status, down first, because their ids are random
// and must not decide about an outage.
func (c *tables) outages() {
	from, to, before := c.rng.From, c.rng.To, calendar.Interval{From: 0, To: c.rng.From}
	var group []named
	for _, f := range c.p.Group {
		group = append(group, named{f.Alias(), catalog.Row(f.Column)})
	}
	inside := selection{from: relation{"checks", "t"}, columns: slices.Concat(group,
		[]named{{"time", catalog.Row("time")}, {"status", catalog.Row("status")}})}
	inside.where = append(c.read(c.rng), c.conditions(catalog.Checks)...)

	latest := expr.Call(dialect.ArgMaxList, catalog.Row("status"),
		expr.List(catalog.Row("time"), catalog.Row("status")))
	last := selection{from: relation{"checks", "t"}, group: len(group), columns: slices.Concat(group, []named{
		{"time", expr.Call(dialect.Max, catalog.Row("time"))}, {"status", latest}})}
	last.where = append(c.read(before), c.conditions(catalog.Checks)...)
	c.with("checks_seen", unionAll(c.build(inside), c.build(last)))

	end := min(to, c.p.Now.UnixMilli())
	partition := []expr.Expr{expr.Int(0)}
	intervals := selection{from: relation{"checks_seen", "k"},
		where: []expr.Expr{expr.IsNotNull(expr.Col("k", "time"))}}
	for _, g := range group {
		partition = append(partition, expr.Col("k", g.as))
		intervals.columns = append(intervals.columns, named{g.as, expr.Col("k", g.as)})
	}
	next := expr.Call(dialect.Lead, expr.Col("k", "time"), expr.List(partition...),
		expr.List(expr.Col("k", "time"), expr.Col("k", "status")))
	intervals.columns = append(intervals.columns,
		named{"status", expr.Col("k", "status")},
		named{"since", expr.Call(dialect.Greatest, expr.Col("k", "time"), milli(from))},
		named{"until", expr.Call(dialect.Least, expr.Call(dialect.Coalesce, next, milli(end)), milli(end))})
	c.with("check_intervals", c.build(intervals))
	c.cutByBucket(group)
}

// cutByBucket adds the relation outages: the intervals that are down, cut by bucket.
func (c *tables) cutByBucket(group []named) {
	var numbers, since, until []int64
	for _, span := range calendar.Spans(c.p.Range, c.p.Grain) {
		numbers, since, until = append(numbers, span.Number), append(since, span.From), append(until, span.To)
	}
	g, b := func(name expr.Ident) expr.Expr { return expr.Col("g", name) },
		func(name expr.Ident) expr.Expr { return expr.Col("b", name) }
	q := selection{from: relation{"check_intervals", "g"}, where: []expr.Expr{
		expr.Eq(g("status"), expr.Int(int64(store.Down))),
		expr.Lt(g("since"), g("until")), // not so for checks after now
	}}
	for _, key := range group {
		q.columns = append(q.columns, named{key.as, g(key.as)})
	}
	q.columns = append(q.columns, named{catalog.BucketColumn, b(catalog.BucketColumn)},
		named{"since", expr.Call(dialect.Greatest, g("since"), b("since"))},
		named{"until", expr.Call(dialect.Least, g("until"), b("until"))})
	lists := expr.Call(dialect.ZipBuckets, expr.Arg(dialect.Ints, numbers), expr.Arg(dialect.Ints, since),
		expr.Arg(dialect.Ints, until))
	q.joins = []join{{to: relation{c.w.Write(lists), "b"},
		on: expr.And(expr.Lt(g("since"), b("until")), expr.Gt(g("until"), b("since")))}}
	c.with("outages", c.build(q))
}
