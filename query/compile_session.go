package query

import (
	"slices"

	"github.com/huandu/go-sqlbuilder"

	"github.com/sightline-analytics/sightline/query/expr"
)

// margin is how far around a range events are read so that the sessions which touch
// its rows are whole: one day to find a session's start, one day that it lasts.
const margin = 2 * day

// decidedWithin is how long after a row of tb the fields of its session may be decided: by
// the first page event of a session that lasts a day, and that begins up to a day after the
// row if that may lie before it. It is no more than margin.
func (tb *table) decidedWithin() int64 {
	switch {
	case tb.pageEvents:
		return 0
	case tb.earlyRows:
		return 2 * day
	}
	return day
}

// An interval is time from an instant up to another, exclusive, in milliseconds.
type interval struct{ from, to int64 }

// widen is w and so much more on both sides.
func (w interval) widen(before, after int64) interval { return interval{w.from - before, w.to + after} }

// visible are the events t that sessions are formed of.
var visible = []expr.Expr{expr.Ne(row("session_hash"), expr.Int(0)), expr.Not(hidden)}

// sessionSpec says what the relation sessions of a statement holds.
type sessionSpec struct {
	columns       []string
	rowFilters    bool      // sessions are counted or listed, so filters on rows choose among them
	earlyRows     bool      // rows are joined that may lie before their session
	decidedWithin int64     // how long after the range the sessions of its rows are decided
	begin         interval  // when they begin
	ids           interval  // only ids with events in it form sessions; empty: all do
	changed       bool      // only ids that changed form sessions
	only          expr.Expr // of events and kept sessions t: nothing is asked of other ids; absent: all are asked for
}

// shortGap is how long a gap is at most for which the ids with events in it are found first, so that no
// other sessions are formed of the four days around it that are read, too: at 1 to 3 days that takes
// a tenth to a quarter off, at 5 days nothing, and at 16 it adds a tenth (as BenchmarkLive measures).
const shortGap = 4 * day

// joins tells that rows of tb in w are joined to the sessions.
func (spec *sessionSpec) joins(tb *table, w interval) {
	spec.earlyRows = spec.earlyRows || tb.earlyRows
	spec.decidedWithin = max(spec.decidedWithin, tb.decidedWithin())
	after := int64(0)
	if tb.earlyRows {
		after = day
	}
	spec.begin = spec.begin.hull(w.widen(day, after))
}

// sessionsFor adds the sessions that parts read, if any, and joins their rows to them. It
// returns the events that they are formed of.
func (c *compiler) sessionsFor(parts []*part) selection {
	var spec sessionSpec
	all := false // ids are asked for, not only those that changed
	for _, p := range parts {
		if !p.tb.hasSessions() {
			continue
		}
		rows, of := &p.q, c.rng
		if p.rows != nil {
			rows, of = p.rows, p.gap
		}
		columns := columnsOf("s", *rows)
		all = all || len(columns) > 0 && !p.partly
		if p.tb.rows == sessionRows {
			spec.rowFilters = true
			spec.decidedWithin = max(spec.decidedWithin, p.tb.decidedWithin())
			spec.begin = spec.begin.hull(c.rng)
		} else if len(columns) > 0 {
			rows.joins = append(rows.joins, join{left: true, to: relation{"sessions", "s"}, on: within("s")})
			spec.joins(p.tb, of)
		}
		for _, name := range columns {
			if !slices.Contains(spec.columns, name) {
				spec.columns = append(spec.columns, name)
			}
		}
		if len(columnsOf("m", *rows)) > 0 {
			rows.joins = append(rows.joins, join{left: true, to: relation{"unfiltered", "m"}, on: within("m")})
			spec.joins(p.tb, of)
		}
	}
	if len(parts) == 1 {
		spec.only = parts[0].ids
	}
	spec.rowFilters = spec.rowFilters || slices.Contains(spec.columns, matchingPageviews)
	spec.changed = len(spec.columns) > 0 && !all
	return c.sessions(spec)
}

// within joins a row t to the session that it lies in or, where rows may be early, lies
// less than a day before.
func within(alias expr.Alias) expr.Expr {
	at := row("time")
	return expr.And(
		expr.Eq(expr.Col(alias, "session_hash"), row("session_hash")),
		expr.Ge(at, expr.Col(alias, rowsFrom)),
		expr.Lt(at, expr.Add(expr.Col(alias, "start"), expr.Int(day))))
}

// sessions adds the relation sessions, if it is needed: one row per session that may
// touch the range. When a key's filters remove whole sessions, sessions are formed
// twice: of all events, to know which of them the key may see, and then of those.
func (c *compiler) sessions(spec sessionSpec) selection {
	around, depth := c.rng.widen(margin, margin), int64(1)
	byRow, bySession := c.p.mandatory()
	events := selection{from: relation{"events", "t"}}
	if len(bySession) > 0 {
		depth++
		first := selection{from: relation{"events", "t"}, where: slices.Concat(c.read(around.widen(margin, margin)), visible)}
		c.sessionize("unfiltered", first, sessionSpec{columns: columnsOf("m", selection{where: bySession}), earlyRows: spec.earlyRows})
		events.joins = []join{{left: true, to: relation{"unfiltered", "m"}, on: within("m")}}
	}
	if len(spec.columns)+len(bySession) > 0 {
		c.dependOn(c.rng.widen(depth*margin, depth*spec.decidedWithin))
	}
	plain := slices.Concat(byRow, bySession, visible)
	events.where = slices.Concat(c.read(around), plain)
	switch gap, partly := c.sessionGap(spec); {
	case len(spec.columns) == 0:
	case spec.changed: // rows of the ids that changed are all that is joined
		events.where = slices.Concat(c.read(around.intersect(spec.begin.widen(day, day))), plain)
		c.sessionize("sessions", events, spec)
		events.where = slices.Concat(c.read(around), plain)
	case !partly && gap == spec.begin && gap.hull(c.rng) == gap: // nothing is kept of the range
		c.sessionize("sessions", events, spec)
	default:
		events.where = slices.Concat(c.read(around.intersect(gap.widen(margin+day, day))), plain)
		switch {
		case partly:
			c.tellChanged()
			spec.changed = true
		case gap.to-gap.from <= shortGap && spec.only.Absent():
			spec.ids = gap
		}
		c.sessionsBeside(gap, events, spec)
		events.where = slices.Concat(c.read(around), plain)
	}
	return events
}

// sessionGap is the time whose sessions have to be formed for spec: all of it, where what is
// asked of them is not kept or where the caller does not see all rows. Where those of the ids that did
// not change are kept, it is partly kept.
func (c *compiler) sessionGap(spec sessionSpec) (gap interval, partly bool) {
	if len(c.p.Mandatory) > 0 {
		return spec.begin, false
	}
	for _, fact := range c.facts(spec).columns {
		if fact.as != matchingPageviews && !slices.Contains(sealedFacts, string(fact.as)) {
			return spec.begin, false
		}
	}
	return c.kept.sessions.gap(spec.begin)
}

// sessionsBeside adds the relation sessions: those that are kept, beside those that events form
// in the gap.
func (c *compiler) sessionsBeside(gap interval, events selection, spec sessionSpec) {
	facts, sealed := c.facts(spec).columns, spec.begin.keptAround(gap, spec.changed)
	if spec.rowFilters && !c.rowFilters("t").Absent() {
		c.matching(sealed, spec.only)
	}
	var union []sqlbuilder.Builder
	for _, w := range sealed {
		kept := c.keptSessions(w, facts, spec.earlyRows)
		kept.where = append(kept.where, spec.only)
		union = append(union, c.build(kept))
	}
	if !gap.empty() {
		c.sessionize("gap", events, spec)
		formed := c.attribute(relation{"gap", "f"}, nil, expr.Col("f", rowsFrom))
		for i, fact := range facts {
			formed.columns = slices.Insert(formed.columns, 2+i, named{fact.as, expr.Col("f", fact.as)})
		}
		formed.where = []expr.Expr{expr.Ge(expr.Col("f", "start"), milli(gap.from)), expr.Lt(expr.Col("f", "start"), milli(gap.to))}
		union = append(union, c.build(formed))
	}
	c.with("sessions", unionAll(union))
}
