package query

import "github.com/sightline-analytics/sightline/store"

// Builtin lists the types that every engine knows, in the order they are published.
// The slice is fresh: a host may append types of its own and give all of them to
// NewRegistry.
func Builtin() []Type {
	var all []Type
	for _, group := range [][]Type{overviewTypes(), pageTypes(), audienceTypes(), behaviourTypes(), linkTypes(), uptimeTypes()} {
		all = append(all, group...)
	}
	return all
}

func overviewTypes() []Type {
	return []Type{
		{Name: "summary", Title: "Summary", Category: "Analytics", Chart: "timeseries", Tags: []string{"overview", "kpi", "series"},
			About: "Pageviews, visitors, sessions and their quality by day or hour",
			Of:    store.KindWebsite, Rows: "pageviews", With: []string{"sessions", "activity"}, Series: true,
			Columns: []string{"date", "pageviews", "visitors", "sessions", "bounce_rate", "median_session_duration", "pages_per_session", "total_events"},
			Order:   []string{"date"}},
		{Name: "summary_metrics", Title: "Summary metrics", Category: "Analytics", Chart: "metric", Tags: []string{"overview", "kpi", "totals"},
			About: "Pageviews, visitors, sessions and their quality over the whole range",
			Of:    store.KindWebsite, Rows: "pageviews", With: []string{"sessions", "activity"},
			Columns: []string{"pageviews", "visitors", "unique_visitors=visitors", "sessions", "bounce_rate", "median_session_duration", "pages_per_session", "total_events"}},
	}
}

func pageTypes() []Type {
	return []Type{
		{Name: "pages", Title: "Pages", Category: "Content", Chart: "table", Tags: []string{"pages", "content"},
			About: "Pages by visitors, with time on page and load time",
			Of:    store.KindWebsite, Rows: "pageviews", With: []string{"exits"}, By: []string{"path"},
			Columns: []string{"path", "name=path", "pageviews", "visitors", "percentage", "median_time_on_page", "avg_load_time"},
			Order:   []string{"-visitors"}},
		{Name: "entry_pages", Title: "Entry pages", Category: "Content", Chart: "table", Tags: []string{"pages", "sessions", "landing"},
			About: "Pages that sessions begin on",
			Of:    store.KindWebsite, Rows: "sessions", By: []string{"entry_page"},
			Columns: []string{"path=entry_page", "name=entry_page", "sessions", "pageviews=sessions", "visitors", "percentage"},
			Order:   []string{"-sessions"}},
		{Name: "performance", Title: "Performance", Category: "Performance", Chart: "table", Tags: []string{"vitals", "speed"},
			About: "Web vitals and load times by page",
			Of:    store.KindWebsite, Rows: "pageviews", With: []string{"vitals"}, By: []string{"path"},
			Columns: []string{"path", "name=path", "pageviews", "samples", "p75_lcp", "p75_fcp", "p75_cls", "p75_inp", "p75_ttfb",
				"avg_load_time", "avg_dom_ready_time", "avg_ttfb"},
			Order: []string{"-pageviews"}, Either: true},
	}
}

// breakdown is pageviews and visitors by one dimension, rows without it left out.
func breakdown(ty Type, dimension string, columns ...string) Type {
	ty.Of, ty.Rows, ty.By = store.KindWebsite, "pageviews", []string{dimension}
	ty.Columns = columns
	ty.Order = []string{"-visitors"}
	return ty
}

func audienceTypes() []Type {
	traffic := breakdown(Type{Name: "traffic", Title: "Traffic sources", Category: "Acquisition", Chart: "table", Tags: []string{"referrers", "sources"},
		About: "Where visitors come from, direct traffic included"},
		"referrer", "name=referrer_name", "pageviews", "visitors", "percentage",
		"referrer=referrer_url", "source=referrer_source", "domain=referrer_domain", "referrer_type")
	traffic.Key = []string{"name"}
	countries := breakdown(Type{Name: "countries", Title: "Countries", Category: "Geography", Chart: "table", Tags: []string{"geo", "audience"},
		About: "Visitors by country", Named: "country"},
		"country", "name=country_name", "pageviews", "visitors", "percentage", "country_code", "country_name")
	browsers := breakdown(Type{Name: "browser_name", Title: "Browsers", Category: "Technology", Chart: "pie", Tags: []string{"browser", "audience"},
		About: "Visitors by browser family", Named: "browser_name"},
		"browser_name", "name=browser_name", "pageviews", "visitors", "percentage")
	devices := breakdown(Type{Name: "device_types", Title: "Devices", Category: "Technology", Chart: "pie", Tags: []string{"device", "audience"},
		About: "Visitors by kind of device", Named: "device_type"},
		"device_type", "name=device_name", "pageviews", "visitors", "percentage", "device_type")
	return []Type{traffic, countries, browsers, devices}
}

func behaviourTypes() []Type {
	return []Type{
		{Name: "sessions", Title: "Sessions", Category: "Sessions", Chart: "table", Tags: []string{"sessions", "list"},
			About: "Single sessions, the latest first",
			Of:    store.KindWebsite, Rows: "sessions", Each: true, Key: []string{"session_id", "first_visit"},
			Columns: []string{"session_id", "first_visit", "last_visit", "duration", "page_views", "total_events", "bounced",
				"entry_page", "exit_page", "visitor_id", "profile_id",
				"country=country_name", "country_code", "country_name", "region", "city",
				"referrer=referrer_url", "source=referrer_source", "referrer_type", "referrer_name",
				"device_type", "browser_name", "os_name", "language"},
			Order: []string{"-first_visit"}},
		{Name: "custom_events", Title: "Custom events", Category: "Custom Events", Chart: "table", Tags: []string{"events"},
			About: "Custom events by name",
			Of:    store.KindWebsite, Rows: "custom", By: []string{"event_name"},
			Columns: []string{"name=event_name", "total_events", "unique_users", "unique_sessions", "first_occurrence", "last_occurrence",
				"events_with_properties", "percentage"},
			Order: []string{"-unique_users", "-total_events"}},
		{Name: "errors", Title: "Errors", Category: "Errors", Chart: "table", Tags: []string{"errors", "quality"},
			About: "JavaScript errors by message and type",
			Of:    store.KindWebsite, Rows: "errors", By: []string{"message", "error_type"},
			Columns: []string{"message", "error_type", "path=latest_path", "count", "users", "sessions", "first_seen", "last_seen", "percentage"},
			Order:   []string{"-count"}},
	}
}
