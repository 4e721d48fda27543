package compile

import (
	"fmt"
	"slices"

	"github.com/huandu/go-sqlbuilder"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// list makes the answer of a plan that lists rows of its table.
func (c *compiler) list() selection {
	tb := c.p.Type.Table
	p := &part{tb: tb, q: selection{columns: columns(c.steps.Columns), from: relation{string(tb.Logical), "t"},
		order: orderings(c.steps.Order), tail: c.page()}}
	if tb.Rows == catalog.SessionRows {
		return c.listSessions(p)
	}
	p.q.where = slices.Concat(c.listed(tb), []expr.Expr{tb.Where}, c.conditions(tb))
	c.sessionsFor([]*part{p})
	return p.q
}

// listSessions makes the answer of a plan that lists sessions. It first chooses the sessions of the page, which takes
// the facts that filters and order need. Then it reads the facts that are shown, most of which cost more than to find
// the session.
func (c *compiler) listSessions(p *part) selection {
	shown, order := p.q.columns, p.q.order
	chosen := &part{tb: p.tb, q: selection{from: relation{"sessions", "s"}, where: c.conditions(p.tb),
		columns: []named{{"session_hash", catalog.OfSession("session_hash")}, {"start", catalog.OfSession("start")}}}}
	for _, col := range shown {
		if slices.ContainsFunc(order, func(o ordering) bool { return o.e.IsOut(col.as) }) {
			chosen.q.columns = append(chosen.q.columns, col)
		}
	}
	events := c.sessionsFor([]*part{chosen})
	chosen.q.order = order
	// Servers that share the rows choose sessions separately, so pages are left out at the end.
	chosen.q.tail = fmt.Sprintf("LIMIT %d", c.wanted())
	c.with("chosen", c.build(chosen.q))
	final := selection{from: relation{"listed", "s"}, columns: shown, order: order, tail: p.q.tail}
	c.chosenSessions(sessionSpec{columns: columnsOf("s", final), begin: c.rng}, events)
	return final
}

// chosenSessions adds the relation listed: the sessions of the relation chosen, with what spec
// asks of them.
func (c *compiler) chosenSessions(spec sessionSpec, events selection) {
	gap, _ := c.sessionGap(spec) // few are chosen, so those that did not change are formed, too
	facts := c.facts(spec)
	h := func(name expr.Ident) expr.Expr { return expr.Col("h", name) }
	var union []sqlbuilder.Builder
	if !gap.Empty() || c.rng.Empty() { // a zone may leave out a day
		events.columns = append(c.eventColumns(columnsOf("p", selection{columns: facts.aggregates})),
			named{"start", h("start")})
		inside := expr.And(expr.Eq(h("session_hash"), catalog.Row("session_hash")),
			expr.Ge(catalog.Row("time"), h("start")),
			expr.Lt(catalog.Row("time"), expr.Add(h("start"), expr.Int(calendar.Day))))
		if gap != c.rng {
			events.where = slices.Concat(c.read(gap.Widen(0, calendar.Day)), visible,
				[]expr.Expr{expr.Ge(h("start"), milli(gap.From)), expr.Lt(h("start"), milli(gap.To))})
		}
		events.joins = append([]join{{to: relation{"chosen", "h"}, on: inside}}, events.joins...)
		c.with("listed_events", c.build(events))
		c.with("listed_facts", c.build(selection{from: relation{"listed_events", "p"}, group: 2,
			columns: append([]named{
				{"session_hash", expr.Col("p", "session_hash")}, {"start", expr.Col("p", "start")}},
				facts.aggregates...)}))
		formed := c.attribute(relation{"listed_facts", "f"}, facts.columns, expr.Null())
		formed.columns = formed.columns[:len(formed.columns)-1] // rows_from
		union = append(union, c.build(formed))
	}
	for _, w := range days.Parts(c.rng, gap, false) {
		kept := c.keptSessions(w, facts.columns, false)
		kept.columns = kept.columns[:len(kept.columns)-1] // rows_from
		kept.joins = []join{{to: relation{"chosen", "h"},
			on: expr.And(expr.Eq(h("session_hash"), catalog.Row("session_hash")),
				expr.Eq(h("start"), catalog.Row("start")))}}
		union = append(union, c.build(kept))
	}
	c.with("listed", unionAll(union...))
}

// listed returns the conditions on the rows of tb that may be listed: rows in the range and, for a table with
// wholeSessions, all rows of sessions with an event in it.
func (c *compiler) listed(tb *catalog.Table) []expr.Expr {
	if !tb.WholeSessions {
		return c.read(c.rng)
	}
	inside := expr.And(expr.Ge(catalog.Row("time"), expr.RangeFrom()), expr.Lt(catalog.Row("time"), expr.RangeTo()))
	of := expr.And(expr.Ge(catalog.Row("time"), catalog.OfSession("start")),
		expr.Gt(expr.Call(dialect.Coalesce, catalog.OfSession(eventsInRange), expr.Int(0)), expr.Int(0)))
	return append(c.read(c.rng.Widen(calendar.Day, calendar.Day)), expr.Or(inside, of))
}
