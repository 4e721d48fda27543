package compile

import (
	"slices"

	"github.com/huandu/go-sqlbuilder"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// visible are the events t that sessions are formed of.
var visible = []expr.Expr{expr.Ne(catalog.Row("session_hash"), expr.Int(0)), expr.Not(catalog.Hidden)}

// A sessionizer forms sessions of events.
type sessionizer struct{ reader }

// sessionSpec says what the relation sessions of a statement holds.
type sessionSpec struct {
	columns    []string
	rowFilters bool              // sessions are counted or listed, so filters on rows choose among them
	earlyRows  bool              // rows are joined that may lie before their session
	begin      calendar.Interval // when they begin
	ids        calendar.Interval // only ids with events in it form sessions; empty: all do
	changed    bool              // only ids that changed form sessions
	// of events and kept sessions t: nothing is asked of other ids; absent: all are asked for
	only expr.Expr
}

// shortGap is the longest gap for which the ids with events in it are found first, so that no other sessions are formed
// of the four days around it. This saves a tenth to a quarter of the time for gaps of 1 to 3 days and nothing at 5
// days. At 16 days it costs a tenth (as BenchmarkLive measures).
const shortGap = 4 * calendar.Day

// joins notes that rows of tb in w are joined to the sessions.
func (spec *sessionSpec) joins(tb *catalog.Table, w calendar.Interval) {
	spec.earlyRows = spec.earlyRows || tb.EarlyRows
	after := int64(0)
	if tb.EarlyRows {
		after = calendar.Day
	}
	spec.begin = spec.begin.Hull(w.Widen(calendar.Day, after))
}

// sessionsFor adds the sessions that parts read, if any, and joins their rows to them. It
// returns the events that they are formed of.
func (c *sessionizer) sessionsFor(parts []*part) selection {
	var spec sessionSpec
	all := false // ids are asked for, not only those that changed
	for _, p := range parts {
		if !p.tb.HasSessions() {
			continue
		}
		rows, of := &p.q, c.rng
		if p.rows != nil {
			rows, of = p.rows, p.gap
		}
		columns := slices.DeleteFunc(columnsOf("s", *rows), p.isRowField)
		all = all || len(columns) > 0 && !p.partly
		if p.tb.Rows == catalog.SessionRows {
			spec.rowFilters = true
			spec.begin = spec.begin.Hull(c.rng)
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
	spec.rowFilters = spec.rowFilters || slices.Contains(spec.columns, catalog.MatchingPageviews)
	spec.changed = len(spec.columns) > 0 && !all
	return c.sessions(spec)
}

// within joins a row t to the session that it lies in or, where rows may be early, lies
// less than a day before.
func within(alias expr.Alias) expr.Expr {
	at := catalog.Row("time")
	return expr.And(
		expr.Eq(expr.Col(alias, "session_hash"), catalog.Row("session_hash")),
		expr.Ge(at, expr.Col(alias, rowsFrom)),
		expr.Lt(at, expr.Add(expr.Col(alias, "start"), expr.Int(calendar.Day))))
}

// sessions adds the relation sessions, if it is needed: one row per session that may
// touch the range. When a key's filters remove whole sessions, sessions are formed
// twice: of all events, to know which of them the key may see, and then of those.
func (c *sessionizer) sessions(spec sessionSpec) selection {
	mixed := spec.rowFilters && !c.mixedFilters().Absent()
	if !mixed {
		return c.allSessions("sessions", spec)
	}
	spec.rowFilters = false
	spec.columns = slices.DeleteFunc(spec.columns, func(name string) bool { return name == catalog.MatchingPageviews })
	for _, name := range columnsOf("s", selection{where: []expr.Expr{c.mixedFilters()}}) {
		if !slices.Contains(spec.columns, name) {
			spec.columns = append(spec.columns, name)
		}
	}
	events := c.allSessions("unmatched", spec)
	c.matchMixed(spec, events)
	return events
}

// matchMixed adds the relation sessions: the sessions of the relation unmatched, with how many of their pageviews pass
// the filters of the caller that are not on sessions alone. Sessions are formed of events.
func (c *sessionizer) matchMixed(spec sessionSpec, events selection) {
	s, n := catalog.OfSession, func(name expr.Ident) expr.Expr { return expr.Col("n", name) }
	inside := expr.And(expr.Eq(s("session_hash"), catalog.Row("session_hash")),
		expr.Ge(catalog.Row("time"), s("start")),
		expr.Lt(catalog.Row("time"), expr.Add(s("start"), expr.Int(calendar.Day))))
	c.with("matching_mixed", c.build(selection{from: events.from, group: 2,
		joins: append(slices.Clone(events.joins), join{to: relation{"unmatched", "s"}, on: inside}),
		where: slices.Concat(events.where,
			[]expr.Expr{catalog.OfKind(store.Pageview), c.rowFilters("t"), c.mixedFilters()}),
		columns: []named{{"session_hash", s("session_hash")}, {"start", s("start")},
			{catalog.MatchingPageviews, expr.Call(dialect.Count)}}}))
	matched := selection{from: relation{"unmatched", "s"},
		joins: []join{{left: true, to: relation{"matching_mixed", "n"},
			on: expr.And(expr.Eq(n("session_hash"), s("session_hash")), expr.Eq(n("start"), s("start")))}}}
	for _, name := range []expr.Ident{"session_hash", "start"} {
		matched.columns = append(matched.columns, named{name, s(name)})
	}
	for _, fact := range c.facts(spec).columns {
		matched.columns = append(matched.columns, named{fact.as, s(fact.as)})
	}
	matched.columns = append(matched.columns,
		named{catalog.MatchingPageviews, expr.Call(dialect.Coalesce, n(catalog.MatchingPageviews), expr.Int(0))},
		named{rowsFrom, s(rowsFrom)})
	c.with("sessions", c.build(matched))
}

// allSessions is sessions without filters on both rows and sessions; it calls the relation name.
func (c *sessionizer) allSessions(name string, spec sessionSpec) selection {
	around := c.rng.Widen(catalog.Margin, catalog.Margin)
	byRow, bySession := c.mandatory()
	events := selection{from: relation{"events", "t"}}
	if len(bySession) > 0 {
		first := selection{from: relation{"events", "t"},
			where: slices.Concat(c.read(around.Widen(catalog.Margin, catalog.Margin)), visible)}
		c.sessionize("unfiltered", first,
			sessionSpec{columns: columnsOf("m", selection{where: bySession}), earlyRows: spec.earlyRows})
		events.joins = []join{{left: true, to: relation{"unfiltered", "m"}, on: within("m")}}
		c.visitorsWhoDid(bySession)
	}
	plain := slices.Concat(byRow, bySession, visible)
	events.where = slices.Concat(c.read(around), plain)
	switch gap, partly := c.sessionGap(spec); {
	case len(spec.columns) == 0:
	case spec.changed: // rows of the ids that changed are all that is joined
		events.where = slices.Concat(c.read(around.Intersect(spec.begin.Widen(calendar.Day, calendar.Day))), plain)
		c.sessionize(name, events, spec)
		events.where = slices.Concat(c.read(around), plain)
	case !partly && gap == spec.begin && gap.Hull(c.rng) == gap: // nothing is kept of the range
		c.sessionize(name, events, spec)
	default:
		events.where = slices.Concat(c.read(around.Intersect(catalog.ReachOfSessions.Around(gap))), plain)
		switch {
		case partly:
			c.tellChanged()
			spec.changed = true
		case gap.To-gap.From <= shortGap && spec.only.Absent():
			spec.ids = gap
		}
		c.sessionsBeside(name, gap, events, spec)
		events.where = slices.Concat(c.read(around), plain)
	}
	return events
}

// sessionGap returns the time in which sessions have to be formed for spec. This is all of it if seals do not have the
// facts that spec asks for, or if the caller does not see all rows. It reports whether the seals of the gap are valid
// for the ids that did not change.
func (c *sessionizer) sessionGap(spec sessionSpec) (gap calendar.Interval, partly bool) {
	if len(c.p.Mandatory) > 0 {
		return spec.begin, false
	}
	for _, fact := range c.facts(spec).columns {
		if fact.as != catalog.MatchingPageviews && c.didFact(string(fact.as)) == nil &&
			!isSealed(sealedSessions, string(fact.as)) {
			return spec.begin, false
		}
	}
	return c.kept.Sessions.Gap(spec.begin)
}

// sessionsBeside adds the relation name: sealed sessions, and sessions that events form in the gap.
func (c *sessionizer) sessionsBeside(name string, gap calendar.Interval, events selection, spec sessionSpec) {
	facts, sealed := c.facts(spec).columns, days.Parts(spec.begin, gap, spec.changed)
	c.matching(sealed, spec)
	var union []sqlbuilder.Builder
	for _, w := range sealed {
		kept := c.keptSessions(w, facts, spec.earlyRows)
		kept.where = append(kept.where, spec.only)
		union = append(union, c.build(kept))
	}
	if !gap.Empty() {
		c.sessionize("gap", events, spec)
		formed := c.attribute(relation{"gap", "f"}, nil, expr.Col("f", rowsFrom))
		for i, fact := range facts {
			formed.columns = slices.Insert(formed.columns, 2+i, named{fact.as, expr.Col("f", fact.as)})
		}
		formed.where = []expr.Expr{expr.Ge(expr.Col("f", "start"), milli(gap.From)),
			expr.Lt(expr.Col("f", "start"), milli(gap.To))}
		union = append(union, c.build(formed))
	}
	c.with(name, unionAll(union...))
}
