package query

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/expr"
)

// margin is how far around a range events are read so that the sessions which touch
// its rows are whole: one day to find a session's start, one day that it lasts.
const margin = 2 * day

// visible are the events t that sessions are made of.
var visible = []expr.Expr{expr.Ne(row("session_id"), expr.Lit("")), expr.Not(hidden)}

// sessionNeeds is what a statement wants of its sessions.
type sessionNeeds struct {
	columns []string // of the relation sessions
	hits    bool     // sessions are counted or listed, so per-row filters choose among them
	early   bool     // rows are joined that may lie before their session
}

// sessionsFor adds the sessions that parts need, if any, and joins their rows to them. It
// returns the events that they are formed of.
func (c *compiler) sessionsFor(parts []*part) selection {
	var need sessionNeeds
	for _, p := range parts {
		if !p.tb.visited() {
			continue
		}
		columns := columnsOf("s", p.q)
		if p.tb.shape == sessionRows {
			need.hits = true
		} else if len(columns) > 0 {
			p.q.joins = append(p.q.joins, join{left: true, to: "sessions AS s", on: within("s")})
			need.early = need.early || p.tb.early
		}
		for _, name := range columns {
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
	return c.sessions(need)
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
func (c *compiler) sessions(need sessionNeeds) selection {
	from, to := c.p.Range.From.UnixMilli()-margin, c.p.Range.To.UnixMilli()+margin
	rowWise, sessionWise := c.mandatory()
	events := selection{from: "events AS t"}
	if len(sessionWise) > 0 {
		first := selection{from: "events AS t", where: slices.Concat(c.read(from-margin, to+margin), visible)}
		c.formSessions("whole", first, sessionNeeds{columns: columnsOf("m", selection{where: sessionWise}), early: need.early})
		events.joins = []join{{left: true, to: "whole AS m", on: within("m")}}
	}
	events.where = slices.Concat(c.read(from, to), rowWise, sessionWise, visible)
	if len(need.columns) > 0 {
		c.formSessions("sessions", events, need)
	}
	return events
}
