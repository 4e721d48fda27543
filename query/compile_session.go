package query

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/expr"
)

// margin is how far around a range events are read so that the sessions which touch
// its rows are whole: one day to find a session's start, one day that it lasts.
const margin = 2 * day

// after is how long after a row of tb its session's fields may be decided: by the first
// page event of a session that lasts a day, and that begins up to a day after the row if
// that may lie before it. It is no more than margin.
func (tb *table) after() int64 {
	switch {
	case tb.paged:
		return 0
	case tb.early:
		return 2 * day
	}
	return day
}

// A window is time from an instant up to another, exclusive, in milliseconds.
type window struct{ from, to int64 }

func windowOf(r calendar.Range) window { return window{r.From.UnixMilli(), r.To.UnixMilli()} }

// wider is w and so much more on both sides.
func (w window) wider(before, after int64) window { return window{w.from - before, w.to + after} }

// visible are the events t that sessions are made of.
var visible = []expr.Expr{expr.Ne(row("session_id"), expr.Lit("")), expr.Not(hidden)}

// sessionNeeds is what a statement wants of its sessions.
type sessionNeeds struct {
	columns []string // of the relation sessions
	hits    bool     // sessions are counted or listed, so per-row filters choose among them
	early   bool     // rows are joined that may lie before their session
	after   int64    // how long after the range the sessions of rows are decided
}

// join notes that rows of tb are joined to sessions.
func (need *sessionNeeds) join(tb *table) {
	need.early = need.early || tb.early
	need.after = max(need.after, tb.after())
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
			need.after = max(need.after, p.tb.after())
		} else if len(columns) > 0 {
			p.q.joins = append(p.q.joins, join{left: true, to: "sessions AS s", on: within("s")})
			need.join(p.tb)
		}
		for _, name := range columns {
			if !slices.Contains(need.columns, name) {
				need.columns = append(need.columns, name)
			}
		}
		if len(columnsOf("m", p.q)) > 0 {
			p.q.joins = append(p.q.joins, join{left: true, to: "whole AS m", on: within("m")})
			need.join(p.tb)
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
	around, depth := c.span.wider(margin, margin), int64(1)
	rowWise, sessionWise := c.mandatory()
	events := selection{from: "events AS t"}
	if len(sessionWise) > 0 {
		depth++
		first := selection{from: "events AS t", where: slices.Concat(c.read(around.wider(margin, margin)), visible)}
		c.formSessions("whole", first, sessionNeeds{columns: columnsOf("m", selection{where: sessionWise}), early: need.early})
		events.joins = []join{{left: true, to: "whole AS m", on: within("m")}}
	}
	events.where = slices.Concat(c.read(around), rowWise, sessionWise, visible)
	if len(need.columns) > 0 {
		c.formSessions("sessions", events, need)
	}
	if len(need.columns)+len(sessionWise) > 0 {
		c.needs(c.span.wider(depth*margin, depth*need.after))
	}
	return events
}
