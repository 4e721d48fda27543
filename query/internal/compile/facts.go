package compile

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// sessionize adds the relation name: the sessions that events form.
//
// Most ids are used for less than a day. All of their events are one session, so one
// grouping finds both the session and its facts. Only the events of the other ids, few
// as they are, are read again and put in order to find where sessions begin. Events that
// are joined to other sessions first, which costs more, are read once and all put in order.
func (c *sessionizer) sessionize(name string, events selection, spec sessionSpec) {
	facts := c.facts(spec)
	events.columns = c.eventColumns(columnsOf("p", selection{columns: facts.aggregates}))
	read := events
	read.where = append(slices.Clone(events.where), spec.only)
	if spec.changed {
		read.joins = []join{ofChanged()}
	}
	if !spec.ids.Empty() {
		c.with(name+"_touched", c.build(selection{from: relation{"events", "t"}, group: 1,
			where:   slices.Concat(c.read(spec.ids), visible),
			columns: []named{{"session_hash", catalog.Row("session_hash")}}}))
		read.joins = []join{{to: relation{name + "_touched", "i"},
			on: expr.Eq(expr.Col("i", "session_hash"), catalog.Row("session_hash"))}}
	}
	c.with(name+"_events", c.build(read))
	if len(events.joins) > 0 {
		c.assignEvents(name, name+"_events", events.columns, facts.aggregates)
		c.with(name, c.build(c.attribute(relation{name + "_facts", "f"}, facts.columns,
			attributedFrom(spec.earlyRows))))
		return
	}
	ids := selection{from: relation{name + "_events", "p"}, group: 1,
		columns: slices.Concat([]named{{"session_hash", expr.Col("p", "session_hash")},
			{"start", expr.Call(dialect.MinNotNull, expr.Col("p", "time"))}}, facts.aggregates,
			[]named{{"last", expr.Call(dialect.MaxNotNull, expr.Col("p", "time"))}})}
	c.with(name+"_ids", c.build(ids))
	c.with(name+"_multi_day", c.build(selection{from: relation{name + "_ids", "i"}, where: []expr.Expr{multiDay("i")},
		columns: []named{{"session_hash", expr.Col("i", "session_hash")}}}))
	if spec.changed { // few as they are, they are not read again
		events = selection{from: relation{name + "_events", "t"}, columns: slices.Clone(events.columns)}
		for i, col := range events.columns {
			events.columns[i].e = catalog.Row(col.as)
		}
	}
	events.joins = []join{{to: relation{name + "_multi_day", "i"}, on: sameID}}
	c.with(name+"_multi_day_events", c.build(events))
	c.assignEvents(name, name+"_multi_day_events", events.columns, facts.aggregates)

	short := c.attribute(relation{name + "_ids", "f"}, facts.columns, attributedFromSingle(spec.earlyRows))
	short.where = []expr.Expr{expr.Not(multiDay("f"))}
	c.with(name, unionAll(c.build(short),
		c.build(c.attribute(relation{name + "_facts", "f"}, facts.columns, attributedFrom(spec.earlyRows)))))
}

// The columns of sessions that depend on what is asked.
const (
	eventsInRange = "events_in_range"
	rowsFrom      = "rows_from" // the time from which rows belong to the session
)

// sessionFacts are the facts of sessions that spec asks for: aggregates over their events p, and columns made of the
// aggregates, under alias f. One aggregate has all columns of the earliest page event, since to find that event costs
// more than to read its columns.
type sessionFacts struct{ aggregates, columns []named }

// firstPageEvent is the aggregate that holds the columns of the earliest page event.
const firstPageEvent = expr.Ident("first_page_event")

func (c *sessionizer) facts(spec sessionSpec) sessionFacts {
	var found sessionFacts
	add := func(name expr.Ident, e expr.Expr) {
		found.aggregates = append(found.aggregates, named{name, e})
		found.columns = append(found.columns, named{name, expr.Col("f", name)})
	}
	var first []expr.Expr
	for _, col := range spec.columns {
		switch name := expr.Ident(col); name {
		case "session_hash", "start", rowsFrom, catalog.MatchingPageviews, eventsInRange:
		default:
			if e, ok := catalog.Facts[name]; ok {
				add(name, e)
				continue
			}
			if c.didFact(col) != nil {
				add(name, expr.Call(dialect.CountIf, expr.Ne(expr.Col("p", name), expr.Int(0))))
				continue
			}
			first = append(first, expr.Col("p", name))
			nothing := expr.Lit("")
			if name == "visitor_hash" {
				nothing = expr.Int(0)
			}
			found.columns = append(found.columns, named{name, expr.Call(dialect.RowElement,
				expr.Col("f", firstPageEvent), expr.Int(int64(len(first))), nothing)})
		}
	}
	if len(first) > 0 {
		found.aggregates = append(found.aggregates, named{firstPageEvent,
			expr.Call(dialect.ArgMinRowIf, expr.List(first...), expr.Col("p", "sort_key"), catalog.IsPageEvent)})
	}
	if spec.rowFilters {
		add(catalog.MatchingPageviews,
			expr.Call(dialect.CountIf, expr.And(catalog.IsKind(store.Pageview), c.rowFilters("p"))))
	}
	if slices.Contains(spec.columns, eventsInRange) {
		add(eventsInRange, expr.Call(dialect.CountIf, expr.And(
			expr.Ge(expr.Col("p", "time"), expr.RangeFrom()), expr.Lt(expr.Col("p", "time"), expr.RangeTo()))))
	}
	return found
}

// eventColumns returns the columns of events that may form sessions, as far as facts read them.
func (c *sessionizer) eventColumns(columns []string) []named {
	found := []named{{"session_hash", catalog.Row("session_hash")}, {"time", catalog.Row("time")}}
	for _, col := range columns {
		switch col {
		case "session_hash", "time":
		case "sort_key":
			found = append(found, named{"sort_key", expr.Call(dialect.SortKey, catalog.EventOrder("t")...)})
		case "visitor":
			found = append(found, named{"visitor", catalog.RowVisitor})
		default:
			if did := c.didFact(col); did != nil {
				found = append(found, named{expr.Ident(col), catalog.IfElse(did.Holds("t"), expr.Int(1), expr.Int(0))})
				continue
			}
			found = append(found, named{expr.Ident(col), catalog.Row(expr.Ident(col))})
		}
	}
	return found
}

// attribute selects sessions f with these columns, and the time from which rows belong to them.
func (c *sessionizer) attribute(from relation, columns []named, start expr.Expr) selection {
	key := []named{{"session_hash", expr.Col("f", "session_hash")}, {"start", expr.Col("f", "start")}}
	return selection{from: from, columns: slices.Concat(key, columns, []named{{rowsFrom, start}})}
}

// multiDay holds when the events of an id are not all within a day.
func multiDay(of expr.Alias) expr.Expr {
	return expr.Ge(expr.Sub(expr.Col(of, "last"), expr.Col(of, "start")), expr.Int(calendar.Day))
}

// attributedFrom is the time from which rows belong to session f: its start or, where rows may
// be early, one day before, but not inside the session before it.
func attributedFrom(early bool) expr.Expr {
	start := expr.Col("f", "start")
	if !early {
		return start
	}
	before := expr.Call(dialect.Lag, start, expr.Col("f", "session_hash"), start)
	lead := attributedFromSingle(early)
	return expr.Call(dialect.Greatest, lead,
		expr.Call(dialect.Coalesce, expr.Add(before, expr.Int(calendar.Day)), lead))
}

// attributedFromSingle is attributedFrom for the only session of an id.
func attributedFromSingle(early bool) expr.Expr {
	if !early {
		return expr.Col("f", "start")
	}
	return expr.Sub(expr.Col("f", "start"), expr.Int(calendar.Day))
}

// assignEvents adds name_facts: the sessions of the relation events, found by putting these
// in order. Each event belongs to the latest session that began by then.
func (c *sessionizer) assignEvents(name, events string, columns, facts []named) {
	e := func(name expr.Ident) expr.Expr { return expr.Col("e", name) }
	before := expr.Call(dialect.Lag, e("time"), e("session_hash"), e("time"))
	newStart := catalog.When(expr.Gt(expr.Sub(e("time"),
		expr.Call(dialect.Coalesce, before, expr.Sub(e("time"), expr.Int(calendar.Day+1)))), expr.Int(calendar.Day)),
		e("time"))
	ordered := selection{from: relation{events, "e"}}
	assigned := selection{from: relation{name + "_ordered", "r"}}
	for _, col := range columns {
		ordered.columns = append(ordered.columns, named{col.as, e(col.as)})
		assigned.columns = append(assigned.columns, named{col.as, expr.Col("r", col.as)})
	}
	ordered.columns = append(ordered.columns, named{"new_start", newStart})
	assigned.columns = append(assigned.columns, named{"start",
		expr.Call(dialect.RunningMax, expr.Col("r", "new_start"), expr.Col("r", "session_hash"),
			expr.Col("r", "time"))})
	c.with(name+"_ordered", c.build(ordered))
	c.with(name+"_assigned", c.build(assigned))
	c.with(name+"_facts", c.build(selection{from: relation{name + "_assigned", "p"}, group: 2,
		columns: append([]named{{"session_hash", expr.Col("p", "session_hash")}, {"start", expr.Col("p", "start")}},
			facts...),
		where: []expr.Expr{expr.Lt(expr.Col("p", "time"),
			expr.Add(expr.Col("p", "start"), expr.Int(calendar.Day)))}}))
}
