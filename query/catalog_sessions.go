package query

import (
	"github.com/sightline-analytics/sightline/query/expr"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// eventOrder is the order of the events of a session, under alias of: by time, then
// pageviews, exits, others, then by event id; kinds that share an id come one after
// the other.
func eventOrder(of expr.Alias) []expr.Expr {
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

func kindName(of expr.Alias) expr.Expr {
	is := func(k store.EventKind) expr.Expr { return expr.Eq(expr.Col(of, "kind"), expr.Int(int64(k))) }
	return ifElse(is(store.Pageview), expr.Lit("pageview"), ifElse(is(store.Exit), expr.Lit("exit"),
		ifElse(is(store.Click), expr.Lit("click"), expr.Lit("event"))))
}

func eventName(of expr.Alias) expr.Expr {
	return ifElse(expr.Eq(expr.Col(of, "kind"), expr.Int(int64(store.Click))), expr.Col(of, "href"), expr.Col(of, "name"))
}

func properties(of expr.Alias) expr.Expr {
	return ifElse(expr.Eq(expr.Col(of, "properties"), expr.Lit("")), expr.Lit("{}"), expr.Col(of, "properties"))
}

// eventObject is an event as the JSON object that session_events has for a row.
func eventObject(of expr.Alias) expr.Expr {
	quoted := func(e expr.Expr) expr.Expr { return expr.Call(dialect.JSONText, e) }
	return expr.Call(dialect.Concat,
		expr.Lit(`{"event_id":`), quoted(expr.Col(of, "event_id")),
		expr.Lit(`,"timestamp":"`), expr.Call(dialect.ISO, expr.Col(of, "time")),
		expr.Lit(`","kind":"`), kindName(of),
		expr.Lit(`","name":`), quoted(eventName(of)),
		expr.Lit(`,"path":`), quoted(expr.Col(of, "path")),
		expr.Lit(`,"properties":`), properties(of), expr.Lit("}"))
}

// visitorMetrics are about visitors: all their events in the range. Events that are
// hidden count as custom events alone.
func visitorMetrics() []metric {
	open := expr.Not(hidden)
	custom := expr.Or(ofKind(store.PageEvent), ofKind(store.Custom))
	viewed := ofKind(store.Pageview)
	// A session that counts does so for whoever has an event in it, when it began in the range.
	session := ifElse(expr.And(open, expr.Gt(expr.Call(dialect.Coalesce, ofSession("hits"), expr.Int(0)), expr.Int(0)),
		expr.Ge(ofSession("start"), expr.RangeFrom()), expr.Lt(ofSession("start"), expr.RangeTo())),
		expr.Call(dialect.Concat, ofSession("session_id"), expr.Lit("@"), ofSession("start")), expr.Lit(""))
	last := func(e expr.Expr) expr.Expr {
		return expr.Call(dialect.LatestIf, e, expr.List(eventOrder("t")...), open)
	}
	of := func(c column, e expr.Expr) metric { return metric{source: "visitors", column: c, expr: e} }
	lastOf := func(name expr.Ident, label string) metric {
		return of(textColumn("last_"+string(name), label, "Of the session of the latest event"), last(expr.Ref(name)))
	}
	return []metric{
		of(countColumn("activity_count", "Activity", "Pageviews and custom events that make a profile"),
			expr.Call(dialect.CountIf, expr.And(open, expr.Or(viewed, custom)))),
		of(textColumn("last_profile_id", "Profile", "Of the latest event"), last(row("profile_id"))),
		of(textColumn("display_name", "Name", "The trait name"), expr.Call(dialect.Min, expr.Lit(""))),
		of(instantColumn("first_visit", "First event", "In the range"), expr.Call(dialect.MinIf, row("time"), open)),
		of(instantColumn("last_visit", "Last event", "In the range"), expr.Call(dialect.MaxIf, row("time"), open)),
		of(countColumn("session_count", "Sessions", "That began in the range"), expr.Call(dialect.CountDistinct, session)),
		of(countColumn("total_events", "Events", "Page events, custom events and clicks"), expr.Call(dialect.CountIf, open)),
		of(countColumn("pageviews", "Pageviews", ""), expr.Call(dialect.CountIf, viewed)),
		of(countColumn("unique_pages", "Pages", "Distinct paths"), expr.Call(dialect.CountDistinct, ifElse(viewed, row("path"), expr.Lit("")))),
		of(countColumn("custom_event_count", "Custom events", "Also those whose names begin with $"), expr.Call(dialect.CountIf, custom)),
		lastOf("country", "Country code"), lastOf("region", "Region"), lastOf("device_type", "Device type"),
		lastOf("browser_name", "Browser"), lastOf("os_name", "Operating system"),
		of(textColumn("last_country_name", "Country", "English name"), countryName(last(expr.Ref("country")))),
		of(textColumn("last_referrer", "Referrer", "Address of the source, or direct"), referrerURL(last(expr.Ref("referrer")))),
	}
}
