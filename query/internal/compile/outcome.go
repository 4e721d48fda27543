package compile

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// outcomes adds the relations of outcomes of flags. The relation outcomes has a row for each visitor, flag and status
// of an outcome, with the values of the first exposure in the range. The relation outcome_statuses has a row for each
// combination of keys and status. Filters on the actions of visitors choose outcomes, all others exposures. A filter on
// event_name makes any event that passes it an outcome, of whatever flag.
func (c *tables) outcomes() {
	shown, done := c.p.OutcomeFilters()
	named := false
	for _, cond := range c.p.Filters {
		for leaf := range cond.Leaves() {
			named = named || leaf.Did == nil && leaf.Field.Name == "event_name"
		}
	}
	exposures, events := c.firstExposures(shown), c.outcomeEvents(done, named)
	c.sessionsFor([]*part{exposures, events})
	c.with("first_exposures", c.build(exposures.q))
	c.with("outcome_events", c.build(events.q))
	c.outcomesByVisitor(named)
	c.outcomesByStatus()
}

// firstExposures selects the first exposure of each visitor to each flag.
func (c *tables) firstExposures(filters []plan.Condition) *part {
	tb := catalog.TableNamed("exposures")
	flag := catalog.Value(c.p.Type.DimensionField("flag"), tb)
	q := selection{from: relation{string(tb.Logical), "t"}, group: 2, columns: []named{
		{"flag", flag}, {"visitor", catalog.Row("visitor_hash")},
		{"since", expr.Call(dialect.MinNotNull, catalog.Row("time"))}}}
	for _, key := range c.partKeys(tb) {
		if key.as != "flag" {
			first := expr.Call(dialect.ArgMinList, key.e, expr.List(catalog.EventOrder("t")...))
			q.columns = append(q.columns, named{key.as, expr.Call(dialect.Coalesce, first, expr.Lit(""))})
		}
	}
	q.where = append(c.read(c.rng), tb.Where, expr.Ne(catalog.Row("visitor_hash"), expr.Int(0)))
	q.where = append(q.where, c.conditionsOf(tb, filters)...)
	return &part{tb: tb, q: q}
}

// outcomeEvents selects when each visitor had the last outcome of each flag and status: after an
// exposure there was one exactly when the last is.
func (c *tables) outcomeEvents(filters []plan.Condition, ofAnyFlag bool) *part {
	tb := catalog.TableNamed("custom")
	last := named{"last", expr.Call(dialect.MaxNotNull, catalog.Row("time"))}
	q := selection{from: relation{string(tb.Logical), "t"}, group: 2,
		columns: []named{{"visitor", catalog.Row("visitor_hash")}, {"status", catalog.OutcomeStatus}}}
	q.where = append(c.read(c.rng), tb.Where, expr.Not(catalog.Exposed))
	if !ofAnyFlag {
		q.columns, q.group = append(q.columns, named{"flag", catalog.OutcomeFlag}), 3
		q.where = append(q.where, expr.Ne(catalog.OutcomeFlag, expr.Lit("")),
			expr.Ne(catalog.OutcomeVariant, expr.Lit("")))
	}
	q.columns = append(q.columns, last)
	q.where = append(q.where, c.conditionsOf(tb, filters)...)
	return &part{tb: tb, q: q}
}

// outcomesByVisitor joins exposures to the outcomes of their visitors.
func (c *tables) outcomesByVisitor(ofAnyFlag bool) {
	a, d := func(name expr.Ident) expr.Expr { return expr.Col("a", name) },
		func(name expr.Ident) expr.Expr { return expr.Col("d", name) }
	q := selection{from: relation{"first_exposures", "a"}, columns: []named{{"visitor", a("visitor")},
		{"status", expr.Call(dialect.Coalesce, d("status"), expr.Lit(""))},
		{"converted", catalog.IfElse(expr.Ge(d("last"), a("since")), a("visitor"), expr.Int(0))}}}
	for _, key := range c.partKeys(catalog.TableNamed("outcomes")) {
		q.columns = append(q.columns, named{key.as, a(key.as)})
	}
	same := expr.Eq(a("visitor"), d("visitor"))
	if !ofAnyFlag {
		same = expr.And(same, expr.Eq(a("flag"), d("flag")))
	}
	q.joins = []join{{left: true, to: relation{"outcome_events", "d"}, on: same}}
	c.with("outcomes", c.build(q))
}

// outcomesByStatus counts converted visitors by the status of their outcomes, if it has one.
func (c *tables) outcomesByStatus() {
	o := func(name expr.Ident) expr.Expr { return expr.Col("o", name) }
	keys := slices.Concat(c.partKeys(catalog.TableNamed("outcomes")), []named{{"status", o("status")}})
	c.with("outcome_statuses", c.build(selection{from: relation{"outcomes", "o"}, group: len(keys),
		columns: append(keys, named{"visitors", expr.Call(dialect.CountDistinctHash, o("converted"))}),
		where:   []expr.Expr{expr.Ne(o("converted"), expr.Int(0)), expr.Ne(o("status"), expr.Lit(""))}}))
}
