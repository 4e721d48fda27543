package reference

import (
	"slices"

	"github.com/sightline-analytics/sightline/store"
)

func sessionTypes() []Type {
	profile := Type{
		Kind: store.KindWebsite, Columns: slices.Concat(
			columns(Name, "visitor_id", "profile_id"), columns(Object, "display_name"),
			columns(Instant, "first_visit", "last_visit"),
			metrics("session_count", "total_events", "pageviews", "unique_pages", "custom_event_count"),
			columns(Name, "country", "country_code", "country_name", "region",
				"device_type", "browser_name", "os_name"), columns(Host, "referrer")),
		Filters: rowFields(), noTotals: true, answer: (*evaluation).profiles,
	}
	return slices.Concat([]Type{
		{
			Name: "sessions", Single: true, Kind: store.KindWebsite, Columns: sessionColumns(),
			Filters: rowFields(), answer: (*evaluation).sessions,
		},
		{
			Name: "session_list", Single: true, Kind: store.KindWebsite,
			Columns: append(sessionColumns(), columns(Object, "events")...),
			Filters: rowFields(), answer: (*evaluation).sessions,
		},
		{
			Name: "session_events", Single: true, Kind: store.KindWebsite, NeedsSession: true, Columns: eventColumns(),
			Filters: rowFields("title", "event_name", "namespace", "href", "text"), answer: (*evaluation).sessionEvents,
		},
		{
			Name: "session_metrics", Kind: store.KindWebsite, Columns: metrics(
				"total_sessions", "avg_session_duration", "median_session_duration",
				"bounce_rate", "pages_per_session", "total_events"),
			Filters: rowFields(), GroupBy: groupable(), answer: (*evaluation).sessionMetrics,
		},
		{
			Name: "sessions_time_series", Kind: store.KindWebsite, Series: true, Columns: slices.Concat(
				columns(Date, "date"), metrics("sessions", "visitors", "avg_session_duration", "bounce_rate")),
			Filters: viewFields(), GroupBy: groupable(), answer: (*evaluation).sessionSeries,
		},
		{
			Name: "session_duration_distribution", Kind: store.KindWebsite,
			Columns: slices.Concat(columns(Name, "duration_range"), metrics("sessions", "visitors", "percentage")),
			Filters: rowFields(), GroupBy: groupable(), answer: (*evaluation).durations,
		},
	}, named(profile, "profiles", "profile_list"))
}

func sessionColumns() []Column {
	return hosts(slices.Concat(
		columns(Name, "session_id"), columns(Instant, "first_visit", "last_visit"),
		metrics("duration", "page_views", "total_events"), columns(Boolean, "bounced"),
		columns(Name, "entry_page", "exit_page", "visitor_id", "profile_id",
			"country", "country_code", "country_name", "region", "city",
			"referrer", "source", "referrer_type", "referrer_name",
			"device_type", "browser_name", "os_name", "language"),
	), "referrer", "source", "referrer_name")
}

func eventColumns() []Column {
	return slices.Concat(
		columns(Name, "event_id"), columns(Instant, "timestamp"), columns(Name, "kind", "name", "path"),
		columns(Object, "properties"),
	)
}

func uptimeTypes() []Type {
	region := []string{"probe_region"}
	series := func(name string, answer func(*evaluation) *table, more ...string) Type {
		return Type{
			Name: name, Kind: store.KindSchedule, Series: true,
			Columns: slices.Concat(columns(Date, "date"), metrics(more...)),
			Filters: region, GroupBy: region, answer: answer,
		}
	}
	return []Type{
		{
			Name: "uptime_overview", Kind: store.KindSchedule, Columns: slices.Concat(metrics(
				"uptime_percentage", "total_checks", "successful_checks", "avg_response_time",
				"p50_response_time", "p75_response_time", "p95_response_time", "p99_response_time",
				"min_response_time", "max_response_time", "avg_ttfb"),
				columns(Instant, "ssl_expiry"), columns(Boolean, "ssl_valid")),
			Filters: region, GroupBy: region, answer: (*evaluation).uptimeOverview,
		},
		series("uptime_time_series", (*evaluation).uptimeSeries,
			"uptime_percentage", "total_checks", "successful_checks", "downtime_seconds",
			"avg_response_time", "p50_response_time", "p95_response_time", "max_response_time",
			"avg_ttfb", "p50_ttfb", "p95_ttfb"),
		series("uptime_response_time_trends", (*evaluation).responseTimes,
			"avg_response_time", "p50_response_time", "p75_response_time", "p90_response_time", "p95_response_time",
			"p99_response_time", "min_response_time", "max_response_time", "avg_ttfb"),
		{
			Name: "uptime_status_breakdown", Kind: store.KindSchedule,
			Columns: slices.Concat(columns(Code, "status", "http_code"), metrics("count", "percentage")),
			Filters: region, GroupBy: region, answer: (*evaluation).statuses,
		},
		{
			Name: "uptime_recent_checks", Single: true, Kind: store.KindSchedule, Columns: slices.Concat(
				columns(Instant, "timestamp"), columns(Name, "url"), columns(Code, "status", "http_code"),
				metrics("ttfb_ms", "total_ms"), columns(Name, "probe_region"), columns(Boolean, "ssl_valid"),
				columns(Name, "error")),
			Filters: region, answer: (*evaluation).recentChecks,
		},
		{
			Name: "uptime_ssl_status", Kind: store.KindSchedule, Columns: slices.Concat(
				columns(Instant, "ssl_expiry"), columns(Boolean, "ssl_valid"), metrics("invalid_ssl_checks")),
			Filters: region, GroupBy: region, answer: (*evaluation).sslStatus,
		},
		{
			Name: "uptime_by_region", Kind: store.KindSchedule, Columns: slices.Concat(columns(Name, "region"),
				metrics("uptime_percentage", "total_checks", "avg_response_time", "p95_response_time")),
			Filters: region, answer: (*evaluation).uptimeByRegion,
		},
	}
}
