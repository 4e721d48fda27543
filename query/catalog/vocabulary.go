package catalog

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// rowKind says what the rows of a table are.
type rowKind uint8

const (
	PlainRows      rowKind = iota // rows of a logical table, alias t
	SessionRows                   // whole sessions, alias s, made of events
	OutageRows                    // stretches of downtime, alias o, made of checks
	OutcomeRows                   // what became of those who were shown a flag, alias o, made of events
	TransitionRows                // steps from one page of a session to the next, alias o, made of events
	CohortRows                    // visitors by the bucket of their first event, alias o, made of events
	GoalRows                      // goals of a parameter, alias o, made of events
	FunnelRows                    // steps of a funnel, alias o, made of events
	ChangeRows                    // values of dimensions in two periods, made of the answers to other plans
)

// Table is a set of rows that metrics count and types are about.
type Table struct {
	Name          string
	About         string // for people
	subject       store.SubjectKind
	Rows          rowKind
	Logical       expr.Ident
	Where         expr.Expr // which rows of the logical table, on alias t
	fields        []string  // per-row fields that callers may filter on
	dimensions    []string  // dimensions that only types may group by
	Events        bool      // rows are events
	LeadsGroups   bool      // of several tables, its rows say which combinations of groupBy are shown
	PerProperty   bool      // a row per property of each row, under alias q
	WholeSessions bool      // rows outside the range count too, when their session has an event in it
	EarlyRows     bool      // rows may lie before the session that they belong to
	visitorless   bool      // rows of a website that belong to no visitor
	PageEvents    bool      // rows are page events: the first one of their session is not later
	Visible       bool      // rows are events that sessions are formed of
	// callers filter by fields of sessions alone: the request says elsewhere which events it means
	BySession bool
}

// HasSessions says whether the rows of tb belong to sessions.
func (tb *Table) HasSessions() bool { return tb.subject == store.KindWebsite && !tb.visitorless }

// Reach returns how many days around a day decide the sessions of its rows. With late, fields that EndsLate are asked
// of them.
func (tb *Table) Reach(late bool) Reach {
	switch {
	case !tb.HasSessions():
		return Reach{}
	case tb.Rows == SessionRows:
		return ReachOfSessions
	case tb.PageEvents && !late:
		return ReachOfPageEvents
	case tb.EarlyRows:
		return ReachOfEarlyRows
	}
	return ReachOfEvents
}

// Hidden events neither belong to a session nor count as activity.
var Hidden = expr.Computed("hidden", expr.Call(dialect.StartsWith, Row("name"), expr.Lit("$")))

// Derived says whether the rows of tb are of a relation o of the statement, which has the fields
// under their names.
func (tb *Table) Derived() bool { return tb.Rows >= OutageRows }

// Row is a column of the stored row, ofSession one of its session.
func Row(name expr.Ident) expr.Expr { return expr.Col("t", name) }

// OfSession is a column of the session of a row.
func OfSession(name expr.Ident) expr.Expr { return expr.Col("s", name) }

// RowVisitor is the id of the visitor that a row counts for.
var RowVisitor = IfElse(expr.Eq(Row("profile_id"), expr.Lit("")), Row("anonymous_id"), Row("profile_id"))

// HasDailyID holds for rows whose visitor has another id on the next day. Trackers' ids are stored as an HMAC under the
// salt of the day, in 64 hexadecimal digits, unless an event opts out of that. The id of a profile stays the same.
var HasDailyID = expr.And(expr.Eq(Row("profile_id"), expr.Lit("")),
	expr.Call(dialect.Matches, Row("anonymous_id"), expr.Lit("^[0-9a-f]{64}$")))

// OfKind holds for rows of one kind of event.
func OfKind(k store.EventKind) expr.Expr { return expr.Eq(Row("kind"), expr.Int(int64(k))) }

// tables are the lists of rows that numbers are counted over, each defined once.
var tables = []*Table{
	Pageviews,
	website(Table{Name: "exits", About: "Departures from pages", Logical: "events", Where: OfKind(store.Exit),
		PageEvents: true}),
	website(Table{Name: "stays", About: "Departures with a time of more than 1 s and less than 1 h on the page",
		Logical: "events", Where: expr.And(OfKind(store.Exit),
			expr.Gt(Row("time_on_page"), expr.Int(1000)), expr.Lt(Row("time_on_page"), expr.Int(3_600_000))),
		PageEvents: true}),
	website(Table{Name: "scrolls", About: "Departures with a scroll depth", Logical: "events",
		Where:      expr.And(OfKind(store.Exit), expr.IsNotNull(Row("scroll_depth"))),
		dimensions: []string{"depth_range"}, PageEvents: true}),
	website(Table{Name: "clicks", About: "Clicks on outgoing links", Logical: "events", Where: OfKind(store.Click),
		fields: []string{"href", "text"}, dimensions: []string{"domain"}}),
	website(Table{Name: "activity", About: "Page events, custom events and clicks", Logical: "events",
		Where: expr.Not(Hidden), Visible: true}),
	website(Table{Name: "custom", About: "Custom events", Logical: "events",
		Where:  expr.Or(OfKind(store.PageEvent), OfKind(store.Custom)),
		fields: []string{"event_name", "namespace"}, EarlyRows: true}),
	website(Table{Name: "properties", About: "Properties of custom events, a row for each", Logical: "events",
		Where: expr.Or(OfKind(store.PageEvent), OfKind(store.Custom)), PerProperty: true,
		fields: []string{"event_name", "namespace"}, dimensions: []string{"property_key", "property_value"},
		EarlyRows: true}),
	website(Table{Name: "exposures", About: "Events that record which result of a flag a visitor got",
		Logical: "events", Where: expr.And(Exposed, expr.Ne(exposedFlag, expr.Lit(""))),
		fields: []string{"namespace"}, dimensions: []string{"flag", "variant"}, EarlyRows: true}),
	website(Table{Name: "outcomes", About: "Visitors who were exposed to a flag, and what they did then",
		Rows: OutcomeRows, Logical: "events",
		fields: []string{"event_name", "namespace"}, dimensions: []string{"flag", "variant"}}),
	website(Table{Name: "outcome_statuses", About: "Statuses of outcomes, a row for each", Rows: OutcomeRows,
		Logical: "events",
		fields:  []string{"event_name", "namespace"}, dimensions: []string{"flag", "variant"}}),
	{Name: "transitions", About: "Steps from one page of a session to another, into the session and out of it",
		subject: store.KindWebsite, Rows: TransitionRows, Logical: "events",
		dimensions: []string{"from_path", "to_path"}, BySession: true},
	{Name: "cohorts", About: "Visitors by the time of their first event, and when they returned",
		subject: store.KindWebsite, Rows: CohortRows, Logical: "events",
		dimensions: []string{"period"}, BySession: true},
	{Name: "goals", About: "Goals of the parameter, a row for each", subject: store.KindWebsite, Rows: GoalRows,
		Logical:    "events",
		dimensions: []string{"goal"}, Events: true, BySession: true},
	{Name: "funnel", About: "Steps of the funnel of a parameter", subject: store.KindWebsite, Rows: FunnelRows,
		Logical:    "events",
		dimensions: []string{"step"}, BySession: true},
	website(Table{Name: "changes", About: "Values of dimensions, with a metric in two periods", Rows: ChangeRows,
		Logical: "events", dimensions: []string{ChangedDimension, ChangedValue}}),
	{Name: "blocked", About: "Traffic that was turned away", subject: store.KindWebsite, Logical: "blocked",
		visitorless: true, fields: []string{"website", "reason", "bot_name"}},
	EventList,
	website(Table{Name: "visitors", About: "All events, for lists of visitors", Logical: "events", EarlyRows: true,
		dimensions: []string{"visitor"}}),
	website(Table{Name: "sessions", About: "Whole sessions", Rows: SessionRows, Logical: "events",
		dimensions: []string{"duration_range"}}),
	website(Table{Name: "errors", About: "JavaScript errors", Logical: "errors",
		fields: []string{"message", "error_type"}, EarlyRows: true}),
	website(Table{Name: "vitals", About: "Web vitals, a row for each sample", Logical: "vitals",
		fields: []string{"metric_name"}, EarlyRows: true}),
	website(Table{Name: "spans", About: "What visitors did on single pages", Logical: "spans", EarlyRows: true}),
	{Name: "visits", About: "Uses of a short link", subject: store.KindLink, Logical: "visits",
		fields: []string{"referrer", "referrer_letters", "country", "region", "city", "device_type",
			"browser_name"},
		dimensions: []string{"region_country", "city_country", "city_region"}},
	Checks,
	{Name: "outages", About: "Stretches in which a monitor was down", subject: store.KindSchedule, Rows: OutageRows,
		Logical: "checks", fields: []string{"probe_region"}},
}

// Pageviews are views of pages.
var Pageviews = website(Table{Name: "pageviews", About: "Views of pages", Logical: "events",
	Where: OfKind(store.Pageview), fields: []string{"title"}, PageEvents: true, LeadsGroups: true})

// EventList are all events. They have every field that events have.
var EventList = website(Table{Name: "event_list", About: "All events, for the list of the events of a session",
	Logical: "events", WholeSessions: true, EarlyRows: true,
	fields: []string{"title", "event_name", "namespace", "href", "text"}})

// StoredTables returns a table for each kind of rows that is stored of a kind of subject. It has all of these rows.
func StoredTables(of store.SubjectKind) []*Table {
	return slices.DeleteFunc([]*Table{EventList, TableNamed("errors"), TableNamed("vitals"), TableNamed("spans"),
		TableNamed("blocked"),
		TableNamed("visits"), Checks}, func(tb *Table) bool { return tb.subject != of })
}

// OfSessionRows reports whether some rows that belong to sessions have f.
func OfSessionRows(f *Field) bool {
	return slices.ContainsFunc(tables, func(tb *Table) bool { return tb.HasSessions() && tb.Has(f) })
}

// EventFields returns the names of the fields that events have themselves, and not only as rows of a session.
func EventFields() []string {
	var names []string
	for _, f := range fields {
		if !f.Session && EventList.Has(f) {
			names = append(names, f.Name)
		}
	}
	return names
}

// Checks are checks of monitors. Outages are computed from them.
var Checks = &Table{Name: "checks", About: "Checks of a monitor", subject: store.KindSchedule, Logical: "checks",
	fields:     []string{"probe_region"},
	dimensions: []string{"status", "http_code"}}

// website is a table of rows that belong to visitors and sessions.
func website(tb Table) *Table {
	tb.subject = store.KindWebsite
	tb.fields = append(tb.fields, "path", "session_id", "anonymous_id", "profile_id")
	tb.Events = tb.Logical == "events"
	return &tb
}

// referrerLetters is a host beyond ASCII as people read it.
var referrerLetters = &Field{Name: "referrer_letters", About: "The source in letters, where it is stored otherwise",
	Column: "referrer_letters", Session: true, Carried: carriedByEvents}

// Website is the website of a row. All rows of a session have the same, so it counts as a field of sessions, though
// rows have it themselves. A statement has its column where it reads rows of several websites, or where it asks for it.
var Website = &Field{Name: "website", About: "Id of the website", Column: "website", Session: true,
	Ops: []ask.Op{ask.Eq, ask.Ne, ask.In, ask.NotIn}}

// WebsiteName returns the column of the name of a website, which answers show behind its id.
func WebsiteName() *Output {
	name := textColumn("website_name", "Website name", "Name of the website, as it is now")
	name.Role = DimensionRole
	return &name
}

// title is the title of a page. Of the tables that types count, pageviews alone list it. Types whose rows are pageviews
// also count other events, by the title that these were sent with.
var title = &Field{Name: "title", About: "Title of the page; empty when none was sent", Column: "title",
	Texts: sentences}

// fields lists what callers filter and group by. Session fields come first, as in answers.
var fields = []*Field{
	{Name: "referrer",
		About:  "Main domain of the source, its host, or the text of a campaign; empty for direct traffic",
		Column: "referrer_domain", Session: true, Carried: carriedByEvents, Match: ByReferrer,
		Letters: referrerLetters},
	{Name: "utm_source", About: "utm_source of the address that the session came by", Column: "utm_source",
		Session: true, Carried: carriedByEvents},
	{Name: "utm_medium", About: "utm_medium of the address that the session came by", Column: "utm_medium",
		Session: true, Carried: carriedByEvents},
	{Name: "utm_campaign", About: "utm_campaign of the address that the session came by", Column: "utm_campaign",
		Session: true, Carried: carriedByEvents},
	{Name: "utm_term", About: "utm_term of the address that the session came by", Column: "utm_term", Session: true,
		Carried: carriedByEvents},
	{Name: "utm_content", About: "utm_content of the address that the session came by", Column: "utm_content",
		Session: true, Carried: carriedByEvents},
	{Name: "gclid", About: "Click id of a Google ad that the session came by", Column: "gclid", Session: true,
		Carried: carriedByEvents},
	{Name: "country", About: "ISO 3166-1 alpha-2", Column: "country", Session: true, Carried: carriedByAll,
		Match: ByCountry},
	{Name: "region", About: "Name of the region; empty when it is not known", Column: "region", Session: true,
		Carried: carriedByAll},
	{Name: "city", About: "Name of the city; empty when it is not known", Column: "city", Session: true,
		Carried: carriedByAll},
	{Name: "device_type",
		About:  "Id of the kind of device: mobile, tablet, desktop, smarttv, console, wearable, embedded, xr",
		Column: "device_type", Session: true, Carried: carriedByAll, Match: AnyCase, Texts: devices},
	{Name: "browser_name", About: "Browser family; empty when it is not known", Column: "browser_name", Session: true,
		Carried: carriedByAll, Match: AnyCase},
	{Name: "browser_version", About: "Version of the browser; empty when it is not known", Column: "browser_version",
		Session: true, Carried: carriedByAll},
	{Name: "os_name", About: "Operating system; empty when it is not known", Column: "os_name", Session: true,
		Carried: carriedByAll, Match: AnyCase},
	{Name: "os_version", About: "Version of the operating system; empty when it is not known", Column: "os_version",
		Session: true, Carried: carriedByAll},
	{Name: "language", About: "Language of the browser, as in de-AT", Column: "language", Session: true,
		Carried: carriedByEvents},
	{Name: "timezone", About: "Time zone of the browser, as in Europe/Berlin", Column: "timezone", Session: true,
		Carried: carriedByEvents},
	{Name: "screen_resolution", About: "Size of the screen, as in 1920x1080", Column: "screen_resolution",
		Session: true, Carried: carriedByEvents},
	{Name: "entry_page", About: "Path of the first pageview of the session; empty without one", Column: "entry_page",
		Session: true, Match: ByPath, Texts: paths},
	{Name: "exit_page", About: "Path of the last pageview of the session; empty without one", Column: "exit_page",
		Session: true, Match: ByPath, Texts: paths},
	Website,
	{Name: "path", About: "Path of the page, without query and trailing slash", Column: "path", Match: ByPath,
		Texts: paths},
	title,
	{Name: "event_name", About: "Name of the event", Column: "name"},
	{Name: "namespace", About: "Namespace of a custom event; mostly empty", Column: "namespace"},
	{Name: "message", About: "Message of the error", Column: "message", Texts: sentences},
	{Name: "error_type", About: "Type of the error, as in TypeError", Column: "error_type", Default: "Error"},
	{Name: "href", About: "Address that the link leads to", Column: "href", Texts: sentences},
	{Name: "text", About: "Text of the link", Column: "text", Texts: sentences},
	{Name: "metric_name", About: "The vital: FCP, LCP, CLS, INP, TTFB or FPS", Column: "metric_name",
		Texts: metricNames},
	{Name: "session_id", About: "Id of the session, as it was sent", Column: "session_id"},
	{Name: "anonymous_id", About: "Id of the visitor, as it was sent or made", Column: "anonymous_id"},
	{Name: "profile_id", About: "Id of the profile, as it was sent; empty when nobody was identified",
		Column: "profile_id"},
	{Name: "reason",
		About:  "Why the request was ignored or refused: bot, origin, address, window, key, quota, paused or properties",
		Column: "reason", Texts: reasons},
	{Name: "bot_name", About: "Name of the bot; empty for other reasons", Column: "bot_name"},
	{Name: "probe_region", About: "Region that the check was made from", Column: "probe_region"},
}

// typeFields lists fields that types may group by and callers may not name.
var typeFields = []*Field{
	referrerLetters,
	{Name: "campaign_kind", About: "Kind of the campaign source; empty for a referrer and for direct traffic",
		Column: "campaign_kind", Session: true, Carried: carriedByEvents},
	{Name: "visitor", About: "Profile id, else anonymous id", computed: RowVisitor, Hash: "visitor_hash"},
	{Name: "duration_range", About: "Length of the session, the lower bound included",
		computed: binOf(duration, durationBins)},
	{Name: "depth_range", About: "Percent of the page that was seen, the lower bound included",
		computed: binOf(Row("scroll_depth"), depthBins)},
	{Name: "domain", About: "Host that the link leads to, without www.",
		computed: expr.Call(dialect.URLHost, Row("href"))},
	{Name: "property_key", About: "Name of the property", computed: expr.Col("q", "key")},
	{Name: "property_value", About: "Value of the property: a text as it is, all else as JSON",
		computed: expr.Col("q", "value")},
	{Name: "flag", About: "Key of the flag", computed: exposedFlag},
	{Name: "variant", About: "Key of the variant; without one, true or false: whether the flag was enabled",
		computed: flagVariant},
	{Name: "from_path", About: "Path before the step; empty where the session begins", Column: "from_path"},
	{Name: "to_path", About: "Path after the step; empty where the session ends", Column: "to_path"},
	{Name: "period", About: "Number of days, weeks or months since the cohort's: 0 is its own", Column: "period",
		Number: true},
	{Name: "goal", About: "Name of the goal", Column: "goal"},
	{Name: "step", About: "Place of the step in the funnel, from 1", Column: "step", Number: true},
	{Name: ChangedDimension, About: "Field whose value the row is about", Column: ChangedDimension},
	{Name: ChangedValue, About: "Value of the dimension", Column: ChangedValue},
	{Name: "status", About: "1 up, 0 down, 2 pending, 3 maintenance", Column: "status", Number: true},
	{Name: "http_code", About: "HTTP status of the answer; 0 without an answer", Column: "http_code", Number: true},
	{Name: "hour_of_day",
		About:  "Local hour of the row, or of the start of the session, in the time zone of the request: 0 to 23",
		Number: true, Clock: HourOfDay},
	{Name: "weekday", About: "Local day of the week: 1 Monday to 7 Sunday", Number: true, Clock: Weekday},
	// A visit without a region is of no place, whatever its country.
	{Name: "region_country", About: "ISO 3166-1 alpha-2",
		computed: IfElse(expr.Ne(Row("region"), expr.Lit("")), Row("country"), expr.Lit(""))},
	{Name: "city_country", About: "ISO 3166-1 alpha-2",
		computed: IfElse(expr.Ne(Row("city"), expr.Lit("")), Row("country"), expr.Lit(""))},
	{Name: "city_region", About: "Name of the region",
		computed: IfElse(expr.Ne(Row("city"), expr.Lit("")), Row("region"), expr.Lit(""))},
}

// bin is a range of numbers: those below its bound, and at or above the one before.
type bin struct {
	below int64
	name  string
}

var (
	durationBins = []bin{{30_000, "0-30s"}, {60_000, "30s-1m"}, {300_000, "1m-5m"}, {900_000, "5m-15m"},
		{3_600_000, "15m-1h"}, {0, "1h+"}}
	depthBins = []bin{{20, "0-20"}, {40, "20-40"}, {60, "40-60"}, {80, "60-80"}, {0, "80-100"}}
)

// binOf names the bin that the number e lies in; the last has no bound.
func binOf(e expr.Expr, bounds []bin) expr.Expr {
	named := expr.Arg(dialect.Text, bounds[len(bounds)-1].name)
	for i := len(bounds) - 2; i >= 0; i-- {
		named = IfElse(expr.Lt(e, expr.Int(bounds[i].below)), expr.Arg(dialect.Text, bounds[i].name), named)
	}
	return named
}

// DurationRanges returns the values of the dimension duration_range, the shortest first.
func DurationRanges() []string { return binNames(durationBins) }

// DepthRanges returns the values of the dimension depth_range, the least depth first.
func DepthRanges() []string { return binNames(depthBins) }

// binNames are the names of bounds in their order.
func binNames(bounds []bin) []string {
	names := make([]string, len(bounds))
	for i, b := range bounds {
		names[i] = b.name
	}
	return names
}

// IfElse is yes in the rows where cond holds, and no in the others.
func IfElse(cond, yes, no expr.Expr) expr.Expr { return expr.Call(dialect.If, cond, yes, no) }

// MatchingPageviews is a column of sessions: how many of their pageviews pass the filters of the caller on rows.
const MatchingPageviews = "matching_pageviews"

// listedEvents bounds the events that are listed with a session.
const listedEvents = 200

// Facts are the columns of a session, over its events p in the order p.sort_key. Session fields that are missing here
// have the value of the earliest page event.
var Facts = map[expr.Ident]expr.Expr{
	"session_id": expr.Call(dialect.AnyValue, expr.Col("p", "session_id")),
	"ended":      expr.Call(dialect.MaxNotNull, expr.Col("p", "time")),
	"pageviews":  expr.Call(dialect.CountIf, IsKind(store.Pageview)),
	"events":     expr.Call(dialect.Count),
	// custom events and clicks
	"interaction_count": expr.Call(dialect.CountIf, expr.Ge(expr.Col("p", "kind"), expr.Int(int64(store.PageEvent)))),
	"page_events":       expr.Call(dialect.CountIf, IsPageEvent),
	"exit_time":         expr.Call(dialect.SumIf, expr.Col("p", "time_on_page"), IsKind(store.Exit)),
	"events_json": expr.Call(dialect.StringAgg, eventObject("p"), expr.Col("p", "sort_key"),
		expr.Int(listedEvents)),
	"entry_page": expr.Call(dialect.ArgMinIf, expr.Col("p", "path"), expr.Col("p", "sort_key"),
		IsKind(store.Pageview)),
	"exit_page": expr.Call(dialect.ArgMaxIf, expr.Col("p", "path"), expr.Col("p", "sort_key"),
		IsKind(store.Pageview)),
}

// IsPageEvent holds for the page events among the events p of a session.
var IsPageEvent = expr.Le(expr.Col("p", "kind"), expr.Int(int64(store.PageEvent)))

// IsKind holds for one kind of event among the events p of a session.
func IsKind(k store.EventKind) expr.Expr {
	return expr.Eq(expr.Col("p", "kind"), expr.Int(int64(k)))
}

// Lengths of a session: its length in milliseconds, and whether it bounced.
var (
	duration = expr.Call(dialect.Least, expr.Int(28_800_000), expr.Call(dialect.Greatest,
		expr.Sub(expr.Col("s", "ended"), expr.Col("s", "start")), expr.Col("s", "exit_time")))
	bounced = expr.And(
		expr.Eq(expr.Col("s", "pageviews"), expr.Int(1)),
		expr.Lt(duration, expr.Int(10_000)),
		expr.Eq(expr.Col("s", "interaction_count"), expr.Int(0)))
)
