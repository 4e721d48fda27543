package compile

import (
	"slices"

	"github.com/huandu/go-sqlbuilder"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// transitions adds the relation transitions. It has a row for each pageview in the range by which a session began, or
// went on to another page, and one for each by which a session ended. The rows have the visitor, the session and the
// groups of the pageview.
//
// All of it is made of the relation page_steps: the pageviews that count, with the page before and whether they begin a
// row of transitions, or end a session. It has what the rows show and nothing else, since all of it is in memory.
func (c *tables) transitions() {
	views := c.orderedViews()
	c.sessionsFor([]*part{views})
	c.with("ordered_views", c.build(views.q))

	w := func(name expr.Ident) expr.Expr { return expr.Col("w", name) }
	of := func(relationName string, columns ...named) selection {
		q := selection{from: relation{relationName, "w"}, columns: columns}
		for _, name := range []expr.Ident{"visitor", "session"} {
			q.columns = append(q.columns, named{name, w(name)})
		}
		for _, f := range c.p.Group {
			q.columns = append(q.columns, named{f.Alias(), w(f.Alias())})
		}
		return q
	}
	begins := expr.Not(expr.IsNotNull(w("earlier")))
	goesOn := expr.And(expr.Ge(w("earlier"), expr.RangeFrom()), expr.Ne(w("before"), w("path")))
	flag := func(cond expr.Expr) expr.Expr { return catalog.IfElse(cond, expr.Int(1), expr.Int(0)) }
	steps := of("ordered_views", named{"before", expr.Call(dialect.Coalesce, w("before"), expr.Lit(""))},
		named{"path", w("path")},
		named{"arrives", flag(expr.Or(begins, goesOn))}, named{"leaves", flag(expr.Not(expr.IsNotNull(w("later"))))})
	steps.where = []expr.Expr{expr.Eq(w("counts"), expr.Int(1))}
	c.withOnce("page_steps", c.build(steps))

	transition := func(from, to expr.Expr, where expr.Ident) sqlbuilder.Builder {
		q := of("page_steps", named{catalog.FromColumn, from}, named{catalog.ToColumn, to})
		q.where = []expr.Expr{expr.Eq(w(where), expr.Int(1))}
		return c.build(q)
	}
	c.with("transitions", unionAll(transition(w("before"), w("path"), "arrives"),
		transition(w("path"), expr.Lit(""), "leaves")))
}

// orderedViews selects the pageviews of the sessions that may touch the range, with the pageviews before and after each
// in its session. Those that count lie in the range and pass the filters of the caller.
func (c *tables) orderedViews() *part {
	tb := catalog.Pageviews
	start := catalog.OfSession("start")
	session := expr.List(catalog.Row("session_hash"), start)
	// that of events, which are all of one kind
	order := expr.List(catalog.Row("time"), catalog.Row("event_id"), catalog.Row("keyed"))
	q := selection{from: relation{string(tb.Logical), "t"}, columns: slices.Concat(c.groupKeys(tb), []named{
		{"path", catalog.Row("path")},
		{"visitor", catalog.Row("visitor_hash")},
		{"session", expr.Call(dialect.BitXor, catalog.Row("session_hash"), start)},
		{"before", expr.Call(dialect.Lag, catalog.Row("path"), session, order)},
		{"earlier", expr.Call(dialect.Lag, catalog.Row("time"), session, order)},
		{"later", expr.Call(dialect.Lead, catalog.Row("time"), session, order)},
	})}
	inSession := expr.Gt(expr.Call(dialect.Coalesce, catalog.OfSession("page_events"), expr.Int(0)), expr.Int(0))
	q.where = append(c.read(c.rng.Widen(calendar.Day, calendar.Day)), tb.Where, inSession)
	var ofSessions, ofRows []plan.Condition
	for _, cond := range c.p.Filters {
		if cond.OfSession() { // all pageviews of a session pass it, or none
			ofSessions = append(ofSessions, cond)
		} else {
			ofRows = append(ofRows, cond)
		}
	}
	q.where = append(q.where, c.conditionsOf(tb, ofSessions)...)
	counts := []expr.Expr{expr.Ge(catalog.Row("time"), expr.RangeFrom()), expr.Lt(catalog.Row("time"), expr.RangeTo())}
	if len(ofRows) > 0 {
		counts = append(counts, c.conditionsOf(tb, ofRows)...)
	}
	q.columns = append(q.columns, named{"counts", catalog.IfElse(expr.And(counts...), expr.Int(1), expr.Int(0))})
	return &part{tb: tb, q: q}
}
