package query

import (
	"github.com/sightline-analytics/sightline/query/expr"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// eventOrder is the order of the events of a session, under alias of: by time, then
// pageviews, exits, others, then by event id; kinds that share an id come one after
// the other.
func eventOrder(of expr.Ident) []expr.Expr {
	rank := expr.Call(dialect.Least, expr.Col(of, "kind"), expr.Int(int64(store.PageEvent)))
	return []expr.Expr{expr.Col(of, "time"), rank, expr.Col(of, "event_id"), expr.Col(of, "kind")}
}

// eventListMetrics are the values of single events.
func eventListMetrics() []metric {
	of := func(c column, e expr.Expr) metric {
		return metric{source: "event_list", perRow: true, column: c, expr: e}
	}
	return []metric{
		of(textColumn("event_id", "Event", ""), row("event_id")),
		of(instantColumn("timestamp", "Time", ""), row("time")),
		of(textColumn("kind", "Kind", "pageview, exit, event or click"), kindName("t")),
		of(textColumn("name", "Name", "Of a click its address"), eventName("t")),
		of(column{Name: "properties", Label: "Properties", Format: JSON, Description: "An object"}, properties("t")),
		{source: "sessions", perRow: true, column: column{Name: "events", Label: "Events", Format: JSON, Description: "The session's events, in their order"},
			expr: expr.Call(dialect.Concat, expr.Lit("["), ofSession("events_json"), expr.Lit("]"))},
	}
}

func kindName(of expr.Ident) expr.Expr {
	is := func(k store.EventKind) expr.Expr { return expr.Eq(expr.Col(of, "kind"), expr.Int(int64(k))) }
	return ifElse(is(store.Pageview), expr.Lit("pageview"), ifElse(is(store.Exit), expr.Lit("exit"),
		ifElse(is(store.Click), expr.Lit("click"), expr.Lit("event"))))
}

func eventName(of expr.Ident) expr.Expr {
	return ifElse(expr.Eq(expr.Col(of, "kind"), expr.Int(int64(store.Click))), expr.Col(of, "href"), expr.Col(of, "name"))
}

func properties(of expr.Ident) expr.Expr {
	return ifElse(expr.Eq(expr.Col(of, "properties"), expr.Lit("")), expr.Lit("{}"), expr.Col(of, "properties"))
}

// eventObject is an event as the JSON object that session_events has for a row.
func eventObject(of expr.Ident) expr.Expr {
	quoted := func(e expr.Expr) expr.Expr { return expr.Call(dialect.JSONText, e) }
	return expr.Call(dialect.Concat,
		expr.Lit(`{"event_id":`), quoted(expr.Col(of, "event_id")),
		expr.Lit(`,"timestamp":"`), expr.Call(dialect.ISO, expr.Col(of, "time")),
		expr.Lit(`","kind":"`), kindName(of),
		expr.Lit(`","name":`), quoted(eventName(of)),
		expr.Lit(`,"path":`), quoted(expr.Col(of, "path")),
		expr.Lit(`,"properties":`), properties(of), expr.Lit("}"))
}
