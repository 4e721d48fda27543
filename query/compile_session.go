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
			p.q.joins = append(p.q.joins, join{left: true, to: "sessions AS s", on: within("s")})
			need.join(p.tb)
		}
		for _, name := range columns {
			if !slices.Contains(need.columns, name) {
				need.columns = append(need.columns, name)
			}
		}
		if len(columnsOf("m", p.q)) > 0 {
			p.q.joins = append(p.q.joins, join{left: true, to: "unfiltered AS m", on: within("m")})
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
	around, depth := c.rng.widen(margin, margin), int64(1)
	byRow, bySession := c.mandatory()
	events := selection{from: "events AS t"}
	if len(bySession) > 0 {
		depth++
		first := selection{from: "events AS t", where: slices.Concat(c.read(around.widen(margin, margin)), visible)}
		c.sessionize("unfiltered", first, sessionNeeds{columns: columnsOf("m", selection{where: bySession}), precedesSession: need.precedesSession})
		events.joins = []join{{left: true, to: "unfiltered AS m", on: within("m")}}
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
