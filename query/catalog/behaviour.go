package catalog

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

func errorTypes() []Type {
	return []Type{
		{Name: "errors", Title: "Errors", Category: "Errors", Visualization: "table", Tags: []string{"errors", "quality"},
			Description: "JavaScript errors by message and type",
			Subject:     store.KindWebsite, Source: "errors", Shape: Breakdown, Dimensions: []string{"message", "error_type"},
			Columns: []string{"message", "error_type", "path=latest_path", "count", "users", "sessions", "first_seen", "last_seen", "percentage"},
			Order:   []string{"-count"}},
		{Name: "error_types", Title: "Error types", Category: "Errors", Visualization: "table", Tags: []string{"errors", "quality"},
			Description: "JavaScript errors by type",
			Subject:     store.KindWebsite, Source: "errors", Shape: Breakdown, Dimensions: []string{"error_type"},
			Columns: []string{"error_type", "count", "users", "last_seen", "percentage"},
			Order:   []string{"-count"}},
		{Name: "errors_by_page", Title: "Errors by page", Category: "Errors", Visualization: "table", Tags: []string{"errors", "pages"},
			Description: "JavaScript errors by page",
			Subject:     store.KindWebsite, Source: "errors", Shape: Breakdown, Dimensions: []string{"path"},
			Columns: []string{"path", "name=path", "errors=count", "users", "unique_messages", "percentage"},
			Order:   []string{"-errors"}},
		{Name: "error_trends", Title: "Errors over time", Category: "Errors", Visualization: "timeseries", Tags: []string{"errors", "series"},
			Description: "JavaScript errors by day or hour",
			Subject:     store.KindWebsite, Source: "errors", Shape: Series,
			Columns: []string{"date", "errors=count", "users", "sessions"}, Order: []string{"date"}},
	}
}

func sessionTypes() []Type {
	sessions := Type{Name: "sessions", Title: "Sessions", Category: "Sessions", Visualization: "table", Tags: []string{"sessions", "list"},
		Description: "Single sessions, the latest first",
		Subject:     store.KindWebsite, Source: "sessions", Shape: List, TieBreak: []string{"session_id", "first_visit"},
		Columns: []string{"session_id", "first_visit", "last_visit", "duration", "page_views", "total_events", "bounced",
			"entry_page", "exit_page", "visitor_id", "profile_id",
			"country=country_name", "country_code", "country_name", "region", "city",
			"referrer=traffic_url", "source=traffic_source", "referrer_type=traffic_type", "referrer_name",
			"device_type", "browser_name", "os_name", "language"},
		Order: []string{"-first_visit"}}
	list := renamed(sessions, "session_list", "Sessions with events", "Single sessions with their first 200 events, the latest first")
	list.Columns = append(slices.Clone(sessions.Columns), "events")
	return []Type{
		sessions, list,
		{Name: "session_events", Title: "Events of a session", Category: "Sessions", Visualization: "table", Tags: []string{"sessions", "events", "list"},
			Description: "What happened in one session, in order; needs a filter on session_id",
			Subject:     store.KindWebsite, Source: "event_list", Shape: List, TieBreak: []string{"timestamp"}, RequiredFilter: "session_id",
			Columns: []string{"event_id", "timestamp", "kind", "name", "path", "properties"}, Order: []string{"timestamp"}},
		{Name: "session_metrics", Title: "Session metrics", Category: "Sessions", Visualization: "metric", Tags: []string{"sessions", "totals"},
			Description: "Sessions and their quality over the whole range",
			Subject:     store.KindWebsite, Source: "sessions", Shape: Totals, Joins: []string{"pageviews", "activity"},
			Columns: []string{"total_sessions=sessions", "avg_session_duration", "median_session_duration", "bounce_rate", "pages_per_session", "total_events"}},
		{Name: "sessions_time_series", Title: "Sessions over time", Category: "Sessions", Visualization: "timeseries", Tags: []string{"sessions", "series"},
			Description: "Sessions and their quality by day or hour",
			Subject:     store.KindWebsite, Source: "pageviews", Joins: []string{"sessions"}, Shape: Series,
			Columns: []string{"date", "sessions", "visitors", "avg_session_duration", "bounce_rate"}, Order: []string{"date"}},
		{Name: "session_duration_distribution", Title: "Session durations", Category: "Sessions", Visualization: "bar", Tags: []string{"sessions", "engagement"},
			Description: "Sessions by their length, in six ranges",
			Subject:     store.KindWebsite, Source: "sessions", Shape: Breakdown, Dimensions: []string{"duration_range"}, Values: binNames(durationBins), ZeroFill: true,
			Columns: []string{"duration_range", "sessions", "visitors", "percentage"}, ShareOf: "sessions"},
	}
}

func profileTypes() []Type {
	profiles := Type{Name: "profiles", Title: "Profiles", Category: "Profiles", Visualization: "table", Tags: []string{"visitors", "list"},
		Description: "Single visitors and what they did in the range, the latest first",
		Subject:     store.KindWebsite, Source: "visitors", Shape: Breakdown, Dimensions: []string{"visitor"}, SkipEmpty: "visitor", SkipZero: "activity_count",
		Columns: []string{"visitor_id=visitor", "profile_id=last_profile_id", "display_name", "first_visit", "last_visit", "session_count",
			"total_events", "pageviews", "unique_pages", "custom_event_count", "country=last_country_name", "country_code=last_country",
			"country_name=last_country_name", "region=last_region", "device_type=last_device_type", "browser_name=last_browser_name",
			"os_name=last_os_name", "referrer=last_referrer_url"},
		Order: []string{"-last_visit"}}
	return []Type{profiles, renamed(profiles, "profile_list", "Profiles", "Single visitors, under an older name")}
}

func eventTypes() []Type {
	return []Type{
		{Name: "custom_events", Title: "Custom events", Category: "Custom Events", Visualization: "table", Tags: []string{"events"},
			Description: "Custom events by name",
			Subject:     store.KindWebsite, Source: "custom", Shape: Breakdown, Dimensions: []string{"event_name"},
			Columns: []string{"name=event_name", "total_events", "unique_users", "unique_sessions", "first_occurrence", "last_occurrence",
				"events_with_properties", "percentage"},
			Order: []string{"-unique_users", "-total_events"}},
		{Name: "custom_event_properties", Title: "Event properties", Category: "Custom Events", Visualization: "table", Tags: []string{"events", "properties"},
			Description: "Values of the properties of custom events",
			Subject:     store.KindWebsite, Source: "properties", Shape: Breakdown, Dimensions: []string{"event_name", "property_key", "property_value"},
			Columns: []string{"name=event_name", "property_key", "property_value", "count"}, Order: []string{"-count"}},
		{Name: "custom_events_trends", Title: "Custom events over time", Category: "Custom Events", Visualization: "timeseries", Tags: []string{"events", "series"},
			Description: "Custom events by day or hour",
			Subject:     store.KindWebsite, Source: "custom", Shape: Series,
			Columns: []string{"date", "total_events", "unique_users", "unique_sessions"}, Order: []string{"date"}},
	}
}

func clickTypes() []Type {
	return []Type{
		{Name: "outbound_links", Title: "Outgoing links", Category: "Behavior", Visualization: "table", Tags: []string{"clicks", "links"},
			Description: "Clicks that leave the site, by address and text",
			Subject:     store.KindWebsite, Source: "clicks", Shape: Breakdown, Dimensions: []string{"href", "text"},
			Columns: []string{"href", "text", "total_clicks", "unique_users", "unique_sessions", "percentage", "last_clicked"},
			Order:   []string{"-total_clicks"}},
		{Name: "outbound_domains", Title: "Outgoing domains", Category: "Behavior", Visualization: "table", Tags: []string{"clicks", "links"},
			Description: "Clicks that leave the site, by domain",
			Subject:     store.KindWebsite, Source: "clicks", Shape: Breakdown, Dimensions: []string{"domain"},
			Columns: []string{"domain", "total_clicks", "unique_users", "unique_links", "percentage"},
			Order:   []string{"-total_clicks"}},
	}
}

// EventOrder is the order of the events of a session, under alias of: by time, then pageviews, exits and others, then by event
// id. Kinds that share an id come one after the other. Events of senders with a key come last.
func EventOrder(of expr.Alias) []expr.Expr {
	rank := expr.Call(dialect.Least, expr.Col(of, "kind"), expr.Int(int64(store.PageEvent)))
	return []expr.Expr{expr.Col(of, "time"), rank, expr.Col(of, "event_id"), expr.Col(of, "kind"), expr.Col(of, "keyed")}
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
		{source: "sessions", PerRow: true, Output: Output{Name: "events", Label: "First events", Format: JSON, Description: "The session's first 200 events, in their order"},
			Expr: expr.Call(dialect.Concat, expr.Lit("["), OfSession("events_json"), expr.Lit("]"))},
	}
}

func kindName(of expr.Alias) expr.Expr {
	is := func(k store.EventKind) expr.Expr { return expr.Eq(expr.Col(of, "kind"), expr.Int(int64(k))) }
	return IfElse(is(store.Pageview), expr.Lit("pageview"), IfElse(is(store.Exit), expr.Lit("exit"),
		IfElse(is(store.Click), expr.Lit("click"), expr.Lit("event"))))
}

func eventName(of expr.Alias) expr.Expr {
	return IfElse(expr.Eq(expr.Col(of, "kind"), expr.Int(int64(store.Click))), expr.Col(of, "href"), expr.Col(of, "name"))
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
	session := IfElse(expr.And(open, expr.Gt(expr.Call(dialect.Coalesce, OfSession(MatchingPageviews), expr.Int(0)), expr.Int(0)),
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
		{source: "visitors", NameOf: "last_profile_id", Output: textColumn("display_name", "Name", "The trait username, else name, of the profile; no answer can be sorted by it"),
			Expr: expr.Call(dialect.Min, expr.Lit(""))},
		of(instantColumn("first_visit", "First event", "In the range"), expr.Call(dialect.MinIf, Row("time"), open)),
		of(instantColumn("last_visit", "Last event", "In the range"), expr.Call(dialect.MaxIf, Row("time"), open)),
		of(countColumn("session_count", "Sessions", "That began in the range"), expr.Call(dialect.CountDistinct, session)),
		of(countColumn("total_events", "Events", "Page events, custom events and clicks"), expr.Call(dialect.CountIf, open)),
		of(countColumn("pageviews", "Pageviews", "Pages seen in the range"), expr.Call(dialect.CountIf, viewed)),
		of(countColumn("unique_pages", "Pages", "Distinct paths"), expr.Call(dialect.CountDistinct, IfElse(viewed, Row("path"), expr.Lit("")))),
		of(countColumn("custom_event_count", "Custom events", "Also those whose names begin with $"), expr.Call(dialect.CountIf, custom)),
		lastOf("country", "Country code"), lastOf("region", "Region"), lastOf("device_type", "Device type"),
		lastOf("browser_name", "Browser"), lastOf("os_name", "Operating system"),
		// One text says all, since each aggregate costs: the address of a referrer, direct, or a campaign source as it is stored.
		of(textColumn("last_referrer", "Referrer", "Address of a referrer, or a campaign source"),
			last(IfElse(expr.Eq(expr.Ref("campaign_kind"), expr.Lit("")), referrerURL(expr.Ref("referrer")), expr.Ref("referrer")))),
	}
}
