package query

import (
	"slices"

	"github.com/huandu/go-sqlbuilder"

	"github.com/sightline-analytics/sightline/query/expr"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// formSessions adds the relation name: the sessions that events form.
//
// Most ids are used for less than a day. All of their events are one session, so one
// grouping finds both the session and its facts. Only the events of the other ids, few
// as they are, are put in order to find where sessions begin. That reads the events
// three times, so events that are joined to other sessions first, which costs more, are
// all put in order.
func (c *compiler) formSessions(name string, events selection, need sessionNeeds) {
	facts := c.facts(need)
	events.columns = c.candidates(columnsOf("p", selection{columns: facts}))
	c.with(name+"_events", c.build(events))
	if len(events.joins) > 0 {
		c.place(name, events.columns, facts, nil)
		c.with(name, c.build(c.lend(name+"_facts AS f", facts, since(need.early))))
		return
	}
	ids := selection{from: name + "_events AS p", group: 1, columns: slices.Concat([]named{{"session_id", expr.Col("p", "session_id")},
		{"start", expr.Call(dialect.GroupMin, expr.Col("p", "time"))}}, facts, []named{{"last", expr.Call(dialect.GroupMax, expr.Col("p", "time"))}})}
	c.with(name+"_ids", c.build(ids))
	c.with(name+"_lasting", c.build(selection{from: name + "_ids AS i", where: []expr.Expr{lasting("i")},
		columns: []named{{"session_id", expr.Col("i", "session_id")}}}))
	c.place(name, events.columns, facts, []join{{to: name + "_lasting AS i",
		on: expr.Eq(expr.Col("i", "session_id"), expr.Col("e", "session_id"))}})

	short := c.lend(name+"_ids AS f", facts, sinceAlone(need.early))
	short.where = []expr.Expr{expr.Not(lasting("f"))}
	c.with(name, sqlbuilder.UnionAll(c.build(short), c.build(c.lend(name+"_facts AS f", facts, since(need.early)))))
}

// facts are the columns that need wants of sessions, over their events p.
func (c *compiler) facts(need sessionNeeds) []named {
	var found []named
	for _, col := range need.columns {
		switch col {
		case "session_id", "start", "since", "hits", "touched":
		default:
			found = append(found, named{expr.Ident(col), fact(expr.Ident(col))})
		}
	}
	if need.hits {
		found = append(found, named{"hits", expr.Call(dialect.CountIf, expr.And(pIs(store.Pageview), c.hits()))})
	}
	if slices.Contains(need.columns, "touched") {
		found = append(found, named{"touched", expr.Call(dialect.CountIf, expr.And(
			expr.Ge(expr.Col("p", "time"), expr.RangeFrom()), expr.Lt(expr.Col("p", "time"), expr.RangeTo())))})
	}
	return found
}

// candidates are the columns of events that may form sessions: those that facts read.
func (c *compiler) candidates(columns []string) []named {
	found := []named{{"session_id", row("session_id")}, {"time", row("time")}}
	for _, col := range columns {
		switch col {
		case "session_id", "time":
		case "ord":
			found = append(found, named{"ord", expr.Call(dialect.Sequence, eventOrder("t")...)})
		default:
			found = append(found, named{expr.Ident(col), row(expr.Ident(col))})
		}
	}
	return found
}

// lend selects sessions f with their facts, and when they begin to lend them.
func (c *compiler) lend(from string, facts []named, since expr.Expr) selection {
	q := selection{from: from}
	for _, col := range slices.Concat([]named{{as: "session_id"}, {as: "start"}}, facts) {
		q.columns = append(q.columns, named{col.as, expr.Col("f", col.as)})
	}
	q.columns = append(q.columns, named{"since", since})
	return q
}

// lasting says that the events of an id are not all within a day.
func lasting(of expr.Ident) expr.Expr {
	return expr.Ge(expr.Sub(expr.Col(of, "last"), expr.Col(of, "start")), expr.Int(day))
}

// since is when a session begins to lend its fields: at its start or, to rows that
// are not events, one day before, but not inside the session before it.
func since(early bool) expr.Expr {
	start := expr.Col("f", "start")
	if !early {
		return start
	}
	before := expr.Call(dialect.Previous, start, expr.Col("f", "session_id"), start)
	lead := sinceAlone(early)
	return expr.Call(dialect.Greatest, lead, expr.Call(dialect.Coalesce, expr.Add(before, expr.Int(day)), lead))
}

// sinceAlone is since for the only session of an id.
func sinceAlone(early bool) expr.Expr {
	if !early {
		return expr.Col("f", "start")
	}
	return expr.Sub(expr.Col("f", "start"), expr.Int(day))
}

// place adds name_facts: the sessions that events form, those alone that pass joins,
// found by their order. Each event belongs to the latest session that began by then.
func (c *compiler) place(name string, columns, facts []named, joins []join) {
	e := func(name expr.Ident) expr.Expr { return expr.Col("e", name) }
	before := expr.Call(dialect.Previous, e("time"), e("session_id"), e("time"))
	opens := only(expr.Gt(expr.Sub(e("time"), expr.Call(dialect.Coalesce, before, expr.Sub(e("time"), expr.Int(day+1)))), expr.Int(day)), e("time"))
	apart := selection{from: name + "_events AS e", joins: joins}
	placed := selection{from: name + "_apart AS r"}
	for _, col := range columns {
		apart.columns = append(apart.columns, named{col.as, e(col.as)})
		placed.columns = append(placed.columns, named{col.as, expr.Col("r", col.as)})
	}
	apart.columns = append(apart.columns, named{"opens", opens})
	placed.columns = append(placed.columns, named{"start",
		expr.Call(dialect.RunningMax, expr.Col("r", "opens"), expr.Col("r", "session_id"), expr.Col("r", "time"))})
	c.with(name+"_apart", c.build(apart))
	c.with(name+"_placed", c.build(placed))
	c.with(name+"_facts", c.build(selection{from: name + "_placed AS p", group: 2,
		columns: append([]named{{"session_id", expr.Col("p", "session_id")}, {"start", expr.Col("p", "start")}}, facts...),
		where:   []expr.Expr{expr.Lt(expr.Col("p", "time"), expr.Add(expr.Col("p", "start"), expr.Int(day)))}}))
}
