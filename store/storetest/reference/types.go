package reference

import (
	"slices"

	"github.com/sightline-analytics/sightline/store"
)

// A ColumnKind says what a column holds, and so in which direction it is sorted
// unless a question says otherwise.
type ColumnKind int

// The kinds of column. Names and dates are sorted upwards, the others downwards.
const (
	Name ColumnKind = iota
	Date
	Metric
	Instant
	Boolean
)

func (k ColumnKind) descending() bool { return k > Date }

// A Column is one column of an answer.
type Column struct {
	Name string
	Kind ColumnKind
}

// A Type is one query type that Answer knows.
type Type struct {
	Name    string
	Kind    store.SubjectKind
	Series  bool     // a row per day or hour
	Columns []Column // without those of groupBy
	Filters []string // fields that filters may name
	GroupBy []string // fields that groupBy may name

	answer func(*asking) *table
}

// Types returns the query types that Answer knows.
func Types() []Type {
	return slices.Concat(totalTypes(), breakdownTypes(), listTypes(), uptimeTypes())
}

func totalTypes() []Type {
	link := []string{"referrer", "country", "region", "city", "device_type", "browser_name"}
	sessions := []string{"sessions", "bounce_rate", "median_session_duration", "pages_per_session", "total_events"}
	return []Type{
		{
			Name: "summary", Kind: store.KindWebsite, Series: true,
			Columns: slices.Concat(columns(Date, "date"), columns(Metric, "pageviews", "visitors"), columns(Metric, sessions...)),
			Filters: rowFields(), GroupBy: groupable(), answer: (*asking).summary,
		},
		{
			Name: "summary_metrics", Kind: store.KindWebsite,
			Columns: slices.Concat(columns(Metric, "pageviews", "visitors", "unique_visitors"), columns(Metric, sessions...)),
			Filters: rowFields(), GroupBy: groupable(), answer: (*asking).summary,
		},
		{
			Name: "link_total_clicks", Kind: store.KindLink, Columns: columns(Metric, "total"),
			Filters: link, GroupBy: link, answer: (*asking).visits,
		},
		{
			Name: "link_clicks_by_day", Kind: store.KindLink, Series: true,
			Columns: slices.Concat(columns(Date, "date"), columns(Metric, "clicks")),
			Filters: link, GroupBy: link, answer: (*asking).visits,
		},
	}
}

func breakdownTypes() []Type {
	b := slices.Concat(columns(Name, "name"), columns(Metric, "pageviews", "visitors", "percentage"))
	pages := columns(Name, "path", "name")
	return []Type{
		{
			Name: "pages", Kind: store.KindWebsite, Columns: slices.Concat(pages, columns(Metric,
				"pageviews", "visitors", "percentage", "median_time_on_page", "avg_load_time")),
			Filters: rowFields(), GroupBy: groupable(), answer: (*asking).pages,
		},
		{
			Name: "entry_pages", Kind: store.KindWebsite,
			Columns: slices.Concat(pages, columns(Metric, "sessions", "pageviews", "visitors", "percentage")),
			Filters: rowFields(), GroupBy: groupable(), answer: (*asking).entryPages,
		},
		{
			Name: "traffic", Kind: store.KindWebsite,
			Columns: slices.Concat(b, columns(Name, "referrer", "source", "domain", "referrer_type")),
			Filters: rowFields(), GroupBy: append(groupable("referrer"), "path"), answer: (*asking).traffic,
		},
		{
			Name: "countries", Kind: store.KindWebsite,
			Columns: slices.Concat(b, columns(Name, "country_code", "country_name")),
			Filters: rowFields(), GroupBy: append(groupable("country"), "path"), answer: (*asking).countries,
		},
		{
			Name: "browser_name", Kind: store.KindWebsite, Columns: b,
			Filters: rowFields(), GroupBy: append(groupable("browser_name"), "path"), answer: (*asking).browsers,
		},
		{
			Name: "device_types", Kind: store.KindWebsite,
			Columns: slices.Concat(b, columns(Name, "device_type")),
			Filters: rowFields(), GroupBy: append(groupable("device_type"), "path"), answer: (*asking).devices,
		},
		{
			Name: "performance", Kind: store.KindWebsite, Columns: slices.Concat(pages, columns(Metric,
				"pageviews", "samples", "p75_lcp", "p75_fcp", "p75_cls", "p75_inp", "p75_ttfb",
				"avg_load_time", "avg_dom_ready_time", "avg_ttfb")),
			Filters: rowFields(), GroupBy: groupable(), answer: (*asking).performance,
		},
	}
}

func listTypes() []Type {
	return []Type{
		{
			Name: "sessions", Kind: store.KindWebsite, Columns: slices.Concat(
				columns(Name, "session_id"), columns(Instant, "first_visit", "last_visit"),
				columns(Metric, "duration", "page_views", "total_events"), columns(Boolean, "bounced"),
				columns(Name, "entry_page", "exit_page", "visitor_id", "profile_id",
					"country", "country_code", "country_name", "region", "city",
					"referrer", "source", "referrer_type", "referrer_name",
					"device_type", "browser_name", "os_name", "language")),
			Filters: rowFields(), answer: (*asking).sessions,
		},
		{
			Name: "custom_events", Kind: store.KindWebsite, Columns: slices.Concat(
				columns(Name, "name"), columns(Metric, "total_events", "unique_users", "unique_sessions"),
				columns(Instant, "first_occurrence", "last_occurrence"),
				columns(Metric, "events_with_properties", "percentage")),
			Filters: rowFields("event_name", "namespace"), GroupBy: append(groupable(), "path"),
			answer: (*asking).customEvents,
		},
		{
			Name: "errors", Kind: store.KindWebsite, Columns: slices.Concat(
				columns(Name, "message", "error_type", "path"), columns(Metric, "count", "users", "sessions"),
				columns(Instant, "first_seen", "last_seen"), columns(Metric, "percentage")),
			Filters: rowFields("message", "error_type"), GroupBy: groupable(), answer: (*asking).errors,
		},
	}
}

func uptimeTypes() []Type {
	region := []string{"probe_region"}
	return []Type{
		{
			Name: "uptime_overview", Kind: store.KindSchedule, Columns: slices.Concat(columns(Metric,
				"uptime_percentage", "total_checks", "successful_checks", "avg_response_time",
				"p50_response_time", "p75_response_time", "p95_response_time", "p99_response_time",
				"min_response_time", "max_response_time", "avg_ttfb"),
				columns(Instant, "ssl_expiry"), columns(Boolean, "ssl_valid")),
			Filters: region, GroupBy: region, answer: (*asking).uptimeOverview,
		},
		{
			Name: "uptime_time_series", Kind: store.KindSchedule, Series: true,
			Columns: slices.Concat(columns(Date, "date"), columns(Metric,
				"uptime_percentage", "total_checks", "successful_checks", "downtime_seconds",
				"avg_response_time", "p50_response_time", "p95_response_time", "max_response_time",
				"avg_ttfb", "p50_ttfb", "p95_ttfb")),
			Filters: region, GroupBy: region, answer: (*asking).uptimeSeries,
		},
	}
}

// rowFields are the filter fields of a type of websites, extra ones last.
func rowFields(extra ...string) []string {
	return slices.Concat(sessionFields[:], []string{"path", "session_id", "anonymous_id", "profile_id"}, extra)
}

// groupable are the session fields, but for those that are columns already.
func groupable(without ...string) []string {
	return slices.DeleteFunc(slices.Clone(sessionFields[:]), func(f string) bool {
		return slices.Contains(without, f)
	})
}

func columns(kind ColumnKind, list ...string) []Column {
	var cs []Column
	for _, n := range list {
		cs = append(cs, Column{n, kind})
	}
	return cs
}
