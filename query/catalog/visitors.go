package catalog

import (
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// EventOrder is the order of the events of a session, under alias of: by time, then pageviews, exits and others, then
// by event id. Kinds that share an id come one after the other. Events of senders with a key come last.
func EventOrder(of expr.Alias) []expr.Expr {
	rank := expr.Call(dialect.Least, expr.Col(of, "kind"), expr.Int(int64(store.PageEvent)))
	return []expr.Expr{expr.Col(of, "time"), rank, expr.Col(of, "event_id"), expr.Col(of, "kind"),
		expr.Col(of, "keyed")}
}

// eventListMetrics are the values of single events.
func eventListMetrics() []BoundMetric {
	of := func(c Output, e expr.Expr) BoundMetric {
		return BoundMetric{source: "event_list", PerRow: true, Output: c, Expr: e}
	}
	return []BoundMetric{
		of(textColumn("event_id", "Event", "Id of the event, as it was sent or made"), Row("event_id")),
		of(instantColumn("timestamp", "Time", "When it happened"), Row("time")),
		of(textColumn("kind", "Kind", "pageview, exit, event or click"), kindName("t")),
		of(textColumn("name", "Name", "Of a click its address"), eventName("t")),
		of(Output{Name: "properties", Label: "Properties", Format: JSON, Description: "An object"}, properties("t")),
		{source: "sessions", PerRow: true,
			Output: Output{Name: "events", Label: "First events", Format: JSON,
				Description: "The session's first 200 events, in their order"},
			Expr: expr.Call(dialect.Concat, expr.Lit("["), OfSession("events_json"), expr.Lit("]"))},
	}
}

func kindName(of expr.Alias) expr.Expr {
	is := func(k store.EventKind) expr.Expr { return expr.Eq(expr.Col(of, "kind"), expr.Int(int64(k))) }
	return IfElse(is(store.Pageview), expr.Lit("pageview"), IfElse(is(store.Exit), expr.Lit("exit"),
		IfElse(is(store.Click), expr.Lit("click"), expr.Lit("event"))))
}

func eventName(of expr.Alias) expr.Expr {
	return IfElse(expr.Eq(expr.Col(of, "kind"), expr.Int(int64(store.Click))), expr.Col(of, "href"),
		expr.Col(of, "name"))
}

func properties(of expr.Alias) expr.Expr {
	return IfElse(expr.Eq(expr.Col(of, "properties"), expr.Lit("")), expr.Lit("{}"), expr.Col(of, "properties"))
}

// eventObject is an event as the JSON object that session_events has for a row.
func eventObject(of expr.Alias) expr.Expr {
	quoted := func(e expr.Expr) expr.Expr { return expr.Call(dialect.TextToJSON, e) }
	return expr.Call(dialect.Concat,
		expr.Lit(`{"event_id":`), quoted(expr.Col(of, "event_id")),
		expr.Lit(`,"timestamp":"`), expr.Call(dialect.ISO8601, expr.Col(of, "time")),
		expr.Lit(`","kind":"`), kindName(of),
		expr.Lit(`","name":`), quoted(eventName(of)),
		expr.Lit(`,"path":`), quoted(expr.Col(of, "path")),
		expr.Lit(`,"properties":`), properties(of), expr.Lit("}"))
}

// visitorMetrics are about visitors: all their events in the range. Events that are
// hidden count as custom events alone.
func visitorMetrics() []BoundMetric {
	open := expr.Not(Hidden)
	custom := expr.Or(OfKind(store.PageEvent), OfKind(store.Custom))
	viewed := OfKind(store.Pageview)
	// A session that counts and began in the range counts for every visitor with an event in it.
	session := IfElse(expr.And(open,
		expr.Gt(expr.Call(dialect.Coalesce, OfSession(MatchingPageviews), expr.Int(0)), expr.Int(0)),
		expr.Ge(OfSession("start"), expr.RangeFrom()), expr.Lt(OfSession("start"), expr.RangeTo())),
		expr.Call(dialect.Concat, OfSession("session_hash"), expr.Lit("@"), OfSession("start")), expr.Lit(""))
	last := func(e expr.Expr) expr.Expr {
		return expr.Call(dialect.ArgMaxListIf, e, expr.List(EventOrder("t")...), open)
	}
	of := func(c Output, e expr.Expr) BoundMetric { return BoundMetric{source: "visitors", Output: c, Expr: e} }
	lastOf := func(name expr.Ident, label string) BoundMetric {
		return of(textColumn("last_"+string(name), label, "Of the session of the latest event"), last(expr.Ref(name)))
	}
	return []BoundMetric{
		of(countColumn("activity_count", "Activity", "Pageviews and custom events that make a profile"),
			expr.Call(dialect.CountIf, expr.And(open, expr.Or(viewed, custom)))),
		of(textColumn("last_profile_id", "Profile", "Of the latest event"), last(Row("profile_id"))),
		{source: "visitors", NameOf: "last_profile_id",
			Output: textColumn("display_name", "Name",
				"The trait username, else name, of the profile; no answer can be sorted by it"),
			Expr: expr.Call(dialect.Min, expr.Lit(""))},
		of(instantColumn("first_visit", "First event", "In the range"), expr.Call(dialect.MinIf, Row("time"), open)),
		of(instantColumn("last_visit", "Last event", "In the range"), expr.Call(dialect.MaxIf, Row("time"), open)),
		of(countColumn("session_count", "Sessions", "That began in the range"),
			expr.Call(dialect.CountDistinct, session)),
		of(countColumn("total_events", "Events", "Page events, custom events and clicks"),
			expr.Call(dialect.CountIf, open)),
		of(countColumn("pageviews", "Pageviews", "Pages seen in the range"), expr.Call(dialect.CountIf, viewed)),
		of(countColumn("unique_pages", "Pages", "Distinct paths"),
			expr.Call(dialect.CountDistinct, IfElse(viewed, Row("path"), expr.Lit("")))),
		of(countColumn("custom_event_count", "Custom events", "Also those whose names begin with $"),
			expr.Call(dialect.CountIf, custom)),
		lastOf("country", "Country code"), lastOf("region", "Region"), lastOf("device_type", "Device type"),
		lastOf("browser_name", "Browser"), lastOf("os_name", "Operating system"),
		// One text says all, since each aggregate costs: the address of a referrer, direct, or a campaign source as it
		// is stored.
		of(textColumn("last_referrer", "Referrer", "Address of a referrer, or a campaign source"),
			last(IfElse(expr.Eq(expr.Ref("campaign_kind"), expr.Lit("")), referrerURL(shownReferrer()),
				shownReferrer()))),
	}
}
