package query

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/expr"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// margin is how far around a range events are read so that the sessions which touch
// its rows are whole: one day to find a session's start, one day that it lasts.
const margin = 2 * day

// sessionNeeds is what a statement wants of its sessions.
type sessionNeeds struct {
	columns []string // of the relation sessions
	hits    bool     // sessions are counted or listed, so per-row filters choose among them
	early   bool     // rows are joined that may lie before their session
}

// sessionsFor adds the sessions that parts need, if any, and joins their rows to them.
func (c *compiler) sessionsFor(parts []*part) {
	var need sessionNeeds
	for _, p := range parts {
		if !p.tb.visited() {
			continue
		}
		if p.tb.shape == sessionRows {
			need.hits = true
		} else if len(columnsOf("s", p.q)) > 0 {
			p.q.joins = append(p.q.joins, join{left: true, to: "sessions AS s", on: within("s")})
			need.early = need.early || p.tb.early
		}
		for _, name := range columnsOf("s", p.q) {
			if !slices.Contains(need.columns, name) {
				need.columns = append(need.columns, name)
			}
		}
		if len(columnsOf("m", p.q)) > 0 {
			p.q.joins = append(p.q.joins, join{left: true, to: "whole AS m", on: within("m")})
			need.early = need.early || p.tb.early
		}
	}
	need.hits = need.hits || slices.Contains(need.columns, "hits")
	c.sessions(need)
}

// within joins a row t to the session that it lies in or, for rows that are not
// events of sessions, shortly before.
func within(alias expr.Ident) expr.Expr {
	at := row("time")
	return expr.And(
		expr.Eq(expr.Col(alias, "session_id"), row("session_id")),
		expr.Ge(at, expr.Col(alias, "since")),
		expr.Lt(at, expr.Add(expr.Col(alias, "start"), expr.Int(day))))
}

// sessions adds the relation sessions, if it is needed: one row per session that may
// touch the range. When a key's filters remove whole sessions, sessions are formed
// twice: of all events, to know which of them the key may see, and then of those.
func (c *compiler) sessions(need sessionNeeds) {
	from, to := c.p.Range.From.UnixMilli()-margin, c.p.Range.To.UnixMilli()+margin
	rowWise, sessionWise := c.mandatory()
	events := selection{from: "events AS t"}
	if len(sessionWise) > 0 {
		first := selection{from: "events AS t", where: c.read(from-margin, to+margin)}
		c.formSessions("whole", first, sessionNeeds{columns: columnsOf("m", selection{where: sessionWise}), early: need.early})
		events.joins = []join{{left: true, to: "whole AS m", on: within("m")}}
	}
	if len(need.columns) > 0 {
		events.where = slices.Concat(c.read(from, to), rowWise, sessionWise)
		c.formSessions("sessions", events, need)
	}
}

// formSessions adds the relation name: the sessions that events form.
func (c *compiler) formSessions(name string, events selection, need sessionNeeds) {
	columns := []named{{"session_id", expr.Col("p", "session_id")}, {"start", expr.Col("p", "start")}}
	for _, col := range need.columns {
		switch col {
		case "session_id", "start", "since", "hits", "touched":
		default:
			columns = append(columns, named{expr.Ident(col), fact(expr.Ident(col))})
		}
	}
	if need.hits {
		columns = append(columns, named{"hits", expr.Call(dialect.CountIf, expr.And(pIs(store.Pageview), c.hits()))})
	}
	if slices.Contains(need.columns, "touched") {
		from, to := c.p.Range.From.UnixMilli(), c.p.Range.To.UnixMilli()
		columns = append(columns, named{"touched", expr.Call(dialect.CountIf, expr.And(
			expr.Ge(expr.Col("p", "time"), milli(from)), expr.Lt(expr.Col("p", "time"), milli(to))))})
	}
	c.place(name, events, columnsOf("p", selection{columns: columns}))
	q := selection{columns: columns, from: name + "_placed AS p",
		where: []expr.Expr{expr.Lt(expr.Col("p", "time"), expr.Add(expr.Col("p", "start"), expr.Int(day)))},
		group: 2}
	c.with(name+"_facts", c.build(q))

	all := selection{from: name + "_facts AS f"}
	for _, col := range columns {
		all.columns = append(all.columns, named{col.as, expr.Col("f", col.as)})
	}
	all.columns = append(all.columns, named{"since", since(need.early)})
	c.with(name, c.build(all))
}

// since is when a session begins to lend its fields: at its start or, to rows that
// are not events, one day before, but not inside the session before it.
func since(early bool) expr.Expr {
	start := expr.Col("f", "start")
	if !early {
		return start
	}
	before := expr.Call(dialect.Previous, start, expr.Col("f", "session_id"), start)
	lead := expr.Sub(start, expr.Int(day))
	return expr.Call(dialect.Greatest, lead, expr.Call(dialect.Coalesce, expr.Add(before, expr.Int(day)), lead))
}

// place adds name_placed: the events that may form sessions, in the order of a
// session, each with the start of the latest session that began by then.
func (c *compiler) place(name string, events selection, columns []string) {
	id, at := row("session_id"), row("time")
	order := expr.List(eventOrder("t")...)
	before := expr.Call(dialect.Previous, at, id, order)
	opens := only(expr.Gt(expr.Sub(at, expr.Call(dialect.Coalesce, before, expr.Sub(at, expr.Int(day+1)))), expr.Int(day)), at)
	events.where = append(events.where, expr.Ne(id, expr.Lit("")), expr.Not(hidden))
	events.columns = []named{{"session_id", id}, {"ord", expr.Call(dialect.RowNumber, id, order)}, {"opens", opens}}
	kept := []named{}
	for _, col := range columns {
		switch col {
		case "session_id", "ord", "start":
		default:
			events.columns = append(events.columns, named{expr.Ident(col), row(expr.Ident(col))})
			kept = append(kept, named{expr.Ident(col), expr.Col("r", expr.Ident(col))})
		}
	}
	if !slices.Contains(columns, "time") {
		events.columns = append(events.columns, named{"time", at})
		kept = append(kept, named{"time", expr.Col("r", "time")})
	}
	c.with(name+"_events", c.build(events))
	placed := selection{from: name + "_events AS r"}
	placed.columns = append([]named{
		{"session_id", expr.Col("r", "session_id")}, {"ord", expr.Col("r", "ord")},
		{"start", expr.Call(dialect.RunningMax, expr.Col("r", "opens"), expr.Col("r", "session_id"), expr.Col("r", "ord"))},
	}, kept...)
	c.with(name+"_placed", c.build(placed))
}
