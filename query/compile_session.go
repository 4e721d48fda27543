package query

import (
	"slices"

	"github.com/huandu/go-sqlbuilder"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/expr"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// margin is how far around a range events are read so that the sessions which touch
// its rows are whole: one day to find a session's start, one day that it lasts.
const margin = 2 * day

// after is how long after a row of tb its session's fields may be decided: by the first
// page event of a session that lasts a day, and that begins up to a day after the row if
// that may lie before it. It is no more than margin.
func (tb *table) after() int64 {
	switch {
	case tb.pageEvents:
		return 0
	case tb.precedesSession:
		return 2 * day
	}
	return day
}

// An interval is time from an instant up to another, exclusive, in milliseconds.
type interval struct{ from, to int64 }

func intervalOf(r calendar.Range) interval { return interval{r.From.UnixMilli(), r.To.UnixMilli()} }

// widen is w and so much more on both sides.
func (w interval) widen(before, after int64) interval { return interval{w.from - before, w.to + after} }

// visible are the events t that sessions are made of.
var visible = []expr.Expr{expr.Ne(row("session_id"), expr.Lit("")), expr.Not(hidden)}

// sessionNeeds is what a statement wants of its sessions.
type sessionNeeds struct {
	columns         []string // of the relation sessions
	hits            bool     // sessions are counted or listed, so per-row filters choose among them
	precedesSession bool     // rows are joined that may lie before their session
	after           int64    // how long after the range the sessions of rows are decided
}

// join adds what rows of tb are joined to sessions.
func (need *sessionNeeds) join(tb *table) {
	need.precedesSession = need.precedesSession || tb.precedesSession
	need.after = max(need.after, tb.after())
}

// sessionsFor adds the sessions that parts need, if any, and joins their rows to them. It
// returns the events that they are formed of.
func (c *compiler) sessionsFor(parts []*part) selection {
	var need sessionNeeds
	for _, p := range parts {
		if !p.tb.hasSessions() {
			continue
		}
		columns := columnsOf("s", p.q)
		if p.tb.rows == sessionRows {
			need.hits = true
			need.after = max(need.after, p.tb.after())
		} else if len(columns) > 0 {
			p.q.joins = append(p.q.joins, join{left: true, to: relation{"sessions", "s"}, on: within("s")})
			need.join(p.tb)
		}
		for _, name := range columns {
			if !slices.Contains(need.columns, name) {
				need.columns = append(need.columns, name)
			}
		}
		if len(columnsOf("m", p.q)) > 0 {
			p.q.joins = append(p.q.joins, join{left: true, to: relation{"unfiltered", "m"}, on: within("m")})
			need.join(p.tb)
		}
	}
	need.hits = need.hits || slices.Contains(need.columns, "hits")
	return c.sessions(need)
}

// within joins a row t to the session that it lies in or, for rows that are not
// events of sessions, shortly before.
func within(alias expr.Alias) expr.Expr {
	at := row("time")
	return expr.And(
		expr.Eq(expr.Col(alias, "session_id"), row("session_id")),
		expr.Ge(at, expr.Col(alias, "since")),
		expr.Lt(at, expr.Add(expr.Col(alias, "start"), expr.Int(day))))
}

// sessions adds the relation sessions, if it is needed: one row per session that may
// touch the range. When a key's filters remove whole sessions, sessions are formed
// twice: of all events, to know which of them the key may see, and then of those.
func (c *compiler) sessions(need sessionNeeds) selection {
	around, depth := c.rng.widen(margin, margin), int64(1)
	byRow, bySession := c.mandatory()
	events := selection{from: relation{"events", "t"}}
	if len(bySession) > 0 {
		depth++
		first := selection{from: relation{"events", "t"}, where: slices.Concat(c.read(around.widen(margin, margin)), visible)}
		c.sessionize("unfiltered", first, sessionNeeds{columns: columnsOf("m", selection{where: bySession}), precedesSession: need.precedesSession})
		events.joins = []join{{left: true, to: relation{"unfiltered", "m"}, on: within("m")}}
	}
	events.where = slices.Concat(c.read(around), byRow, bySession, visible)
	if len(need.columns) > 0 {
		c.sessionize("sessions", events, need)
	}
	if len(need.columns)+len(bySession) > 0 {
		c.dependOn(c.rng.widen(depth*margin, depth*need.after))
	}
	return events
}

// sessionize adds the relation name: the sessions that events form.
//
// Most ids are used for less than a day. All of their events are one session, so one
// grouping finds both the session and its facts. Only the events of the other ids, few
// as they are, are put in order to find where sessions begin. That reads the events
// three times, so events that are joined to other sessions first, which costs more, are
// all put in order.
func (c *compiler) sessionize(name string, events selection, need sessionNeeds) {
	facts := c.facts(need)
	events.columns = c.eventColumns(columnsOf("p", selection{columns: facts}))
	c.with(name+"_events", c.build(events))
	if len(events.joins) > 0 {
		c.assignEvents(name, events.columns, facts, nil)
		c.with(name, c.build(c.attribute(relation{name + "_facts", "f"}, facts, attributedFrom(need.precedesSession))))
		return
	}
	ids := selection{from: relation{name + "_events", "p"}, group: 1, columns: slices.Concat([]named{{"session_id", expr.Col("p", "session_id")},
		{"start", expr.Call(dialect.GroupMin, expr.Col("p", "time"))}}, facts, []named{{"last", expr.Call(dialect.GroupMax, expr.Col("p", "time"))}})}
	c.with(name+"_ids", c.build(ids))
	c.with(name+"_multi_day", c.build(selection{from: relation{name + "_ids", "i"}, where: []expr.Expr{multiDay("i")},
		columns: []named{{"session_id", expr.Col("i", "session_id")}}}))
	c.assignEvents(name, events.columns, facts, []join{{to: relation{name + "_multi_day", "i"},
		on: expr.Eq(expr.Col("i", "session_id"), expr.Col("e", "session_id"))}})

	short := c.attribute(relation{name + "_ids", "f"}, facts, attributedFromSingle(need.precedesSession))
	short.where = []expr.Expr{expr.Not(multiDay("f"))}
	c.with(name, sqlbuilder.UnionAll(c.build(short), c.build(c.attribute(relation{name + "_facts", "f"}, facts, attributedFrom(need.precedesSession)))))
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

// eventColumns are the columns of events that may form sessions: those that facts read.
func (c *compiler) eventColumns(columns []string) []named {
	found := []named{{"session_id", row("session_id")}, {"time", row("time")}}
	for _, col := range columns {
		switch col {
		case "session_id", "time":
		case "ord":
			found = append(found, named{"ord", expr.Call(dialect.SortKey, eventOrder("t")...)})
		default:
			found = append(found, named{expr.Ident(col), row(expr.Ident(col))})
		}
	}
	return found
}

// attribute selects sessions f with their facts, and the time from which rows belong to them.
func (c *compiler) attribute(from relation, facts []named, since expr.Expr) selection {
	q := selection{from: from}
	for _, col := range slices.Concat([]named{{as: "session_id"}, {as: "start"}}, facts) {
		q.columns = append(q.columns, named{col.as, expr.Col("f", col.as)})
	}
	q.columns = append(q.columns, named{"since", since})
	return q
}

// multiDay holds when the events of an id are not all within a day.
func multiDay(of expr.Alias) expr.Expr {
	return expr.Ge(expr.Sub(expr.Col(of, "last"), expr.Col(of, "start")), expr.Int(day))
}

// attributedFrom is the time from which rows belong to session f: its start or, for rows that
// may precede their session, one day before, but not inside the session before it.
func attributedFrom(early bool) expr.Expr {
	start := expr.Col("f", "start")
	if !early {
		return start
	}
	before := expr.Call(dialect.Lag, start, expr.Col("f", "session_id"), start)
	lead := attributedFromSingle(early)
	return expr.Call(dialect.Greatest, lead, expr.Call(dialect.Coalesce, expr.Add(before, expr.Int(day)), lead))
}

// attributedFromSingle is attributedFrom for the only session of an id.
func attributedFromSingle(early bool) expr.Expr {
	if !early {
		return expr.Col("f", "start")
	}
	return expr.Sub(expr.Col("f", "start"), expr.Int(day))
}

// assignEvents adds name_facts: the sessions that events form, those alone that pass joins,
// found by their order. Each event belongs to the latest session that began by then.
func (c *compiler) assignEvents(name string, columns, facts []named, joins []join) {
	e := func(name expr.Ident) expr.Expr { return expr.Col("e", name) }
	before := expr.Call(dialect.Lag, e("time"), e("session_id"), e("time"))
	newStart := when(expr.Gt(expr.Sub(e("time"), expr.Call(dialect.Coalesce, before, expr.Sub(e("time"), expr.Int(day+1)))), expr.Int(day)), e("time"))
	ordered := selection{from: relation{name + "_events", "e"}, joins: joins}
	assigned := selection{from: relation{name + "_ordered", "r"}}
	for _, col := range columns {
		ordered.columns = append(ordered.columns, named{col.as, e(col.as)})
		assigned.columns = append(assigned.columns, named{col.as, expr.Col("r", col.as)})
	}
	ordered.columns = append(ordered.columns, named{"new_start", newStart})
	assigned.columns = append(assigned.columns, named{"start",
		expr.Call(dialect.RunningMax, expr.Col("r", "new_start"), expr.Col("r", "session_id"), expr.Col("r", "time"))})
	c.with(name+"_ordered", c.build(ordered))
	c.with(name+"_assigned", c.build(assigned))
	c.with(name+"_facts", c.build(selection{from: relation{name + "_assigned", "p"}, group: 2,
		columns: append([]named{{"session_id", expr.Col("p", "session_id")}, {"start", expr.Col("p", "start")}}, facts...),
		where:   []expr.Expr{expr.Lt(expr.Col("p", "time"), expr.Add(expr.Col("p", "start"), expr.Int(day)))}}))
}
