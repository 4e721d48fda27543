package query

import (
	"slices"

	"github.com/sightline-analytics/sightline/store"
)

func errorTypes() []Type {
	return []Type{
		{Name: "errors", Title: "Errors", Category: "Errors", Chart: "table", Tags: []string{"errors", "quality"},
			About: "JavaScript errors by message and type",
			Of:    store.KindWebsite, Rows: "errors", By: []string{"message", "error_type"},
			Columns: []string{"message", "error_type", "path=latest_path", "count", "users", "sessions", "first_seen", "last_seen", "percentage"},
			Order:   []string{"-count"}},
		{Name: "error_types", Title: "Error types", Category: "Errors", Chart: "table", Tags: []string{"errors", "quality"},
			About: "JavaScript errors by type",
			Of:    store.KindWebsite, Rows: "errors", By: []string{"error_type"},
			Columns: []string{"error_type", "count", "users", "last_seen", "percentage"},
			Order:   []string{"-count"}},
		{Name: "errors_by_page", Title: "Errors by page", Category: "Errors", Chart: "table", Tags: []string{"errors", "pages"},
			About: "JavaScript errors by page",
			Of:    store.KindWebsite, Rows: "errors", By: []string{"path"},
			Columns: []string{"path", "name=path", "errors=count", "users", "unique_messages", "percentage"},
			Order:   []string{"-errors"}},
		{Name: "error_trends", Title: "Errors over time", Category: "Errors", Chart: "timeseries", Tags: []string{"errors", "series"},
			About: "JavaScript errors by day or hour",
			Of:    store.KindWebsite, Rows: "errors", Series: true,
			Columns: []string{"date", "errors=count", "users", "sessions"}, Order: []string{"date"}},
	}
}

func sessionTypes() []Type {
	sessions := Type{Name: "sessions", Title: "Sessions", Category: "Sessions", Chart: "table", Tags: []string{"sessions", "list"},
		About: "Single sessions, the latest first",
		Of:    store.KindWebsite, Rows: "sessions", Each: true, Key: []string{"session_id", "first_visit"},
		Columns: []string{"session_id", "first_visit", "last_visit", "duration", "page_views", "total_events", "bounced",
			"entry_page", "exit_page", "visitor_id", "profile_id",
			"country=country_name", "country_code", "country_name", "region", "city",
			"referrer=referrer_url", "source=referrer_source", "referrer_type", "referrer_name",
			"device_type", "browser_name", "os_name", "language"},
		Order: []string{"-first_visit"}}
	list := again(sessions, "session_list", "Sessions with events", "Single sessions with all their events, the latest first")
	list.Columns = append(slices.Clone(sessions.Columns), "events")
	return []Type{
		sessions, list,
		{Name: "session_events", Title: "Events of a session", Category: "Sessions", Chart: "table", Tags: []string{"sessions", "events", "list"},
			About: "What happened in one session, in order; needs a filter on session_id",
			Of:    store.KindWebsite, Rows: "moments", Each: true, Key: []string{"timestamp"}, Require: "session_id",
			Columns: []string{"event_id", "timestamp", "kind", "name", "path", "properties"}, Order: []string{"timestamp"}},
		{Name: "session_metrics", Title: "Session metrics", Category: "Sessions", Chart: "metric", Tags: []string{"sessions", "totals"},
			About: "Sessions and their quality over the whole range",
			Of:    store.KindWebsite, Rows: "sessions", With: []string{"pageviews", "activity"},
			Columns: []string{"total_sessions=sessions", "avg_session_duration", "median_session_duration", "bounce_rate", "pages_per_session", "total_events"}},
		{Name: "sessions_time_series", Title: "Sessions over time", Category: "Sessions", Chart: "timeseries", Tags: []string{"sessions", "series"},
			About: "Sessions and their quality by day or hour",
			Of:    store.KindWebsite, Rows: "pageviews", With: []string{"sessions"}, Series: true,
			Columns: []string{"date", "sessions", "visitors", "avg_session_duration", "bounce_rate"}, Order: []string{"date"}},
		{Name: "session_duration_distribution", Title: "Session durations", Category: "Sessions", Chart: "bar", Tags: []string{"sessions", "engagement"},
			About: "Sessions by their length, in six ranges",
			Of:    store.KindWebsite, Rows: "sessions", By: []string{"duration_range"}, Values: rangeNames(durationRanges), All: true,
			Columns: []string{"duration_range", "sessions", "visitors", "percentage"}, Share: "sessions"},
	}
}

func profileTypes() []Type {
	profiles := Type{Name: "profiles", Title: "Profiles", Category: "Profiles", Chart: "table", Tags: []string{"visitors", "list"},
		About: "Single visitors and what they did in the range, the latest first",
		Of:    store.KindWebsite, Rows: "people", By: []string{"visitor"}, Named: "visitor", Having: "doings",
		Columns: []string{"visitor_id=visitor", "profile_id=last_profile_id", "display_name", "first_visit", "last_visit", "session_count",
			"total_events", "pageviews", "unique_pages", "custom_event_count", "country=last_country_name", "country_code=last_country",
			"country_name=last_country_name", "region=last_region", "device_type=last_device_type", "browser_name=last_browser_name",
			"os_name=last_os_name", "referrer=last_referrer"},
		Order: []string{"-last_visit"}}
	return []Type{profiles, again(profiles, "profile_list", "Profiles", "Single visitors, under an older name")}
}

func eventTypes() []Type {
	return []Type{
		{Name: "custom_events", Title: "Custom events", Category: "Custom Events", Chart: "table", Tags: []string{"events"},
			About: "Custom events by name",
			Of:    store.KindWebsite, Rows: "custom", By: []string{"event_name"},
			Columns: []string{"name=event_name", "total_events", "unique_users", "unique_sessions", "first_occurrence", "last_occurrence",
				"events_with_properties", "percentage"},
			Order: []string{"-unique_users", "-total_events"}},
		{Name: "custom_event_properties", Title: "Event properties", Category: "Custom Events", Chart: "table", Tags: []string{"events", "properties"},
			About: "Values of the properties of custom events",
			Of:    store.KindWebsite, Rows: "properties", By: []string{"event_name", "property_key", "property_value"},
			Columns: []string{"name=event_name", "property_key", "property_value", "count"}, Order: []string{"-count"}},
		{Name: "custom_events_trends", Title: "Custom events over time", Category: "Custom Events", Chart: "timeseries", Tags: []string{"events", "series"},
			About: "Custom events by day or hour",
			Of:    store.KindWebsite, Rows: "custom", Series: true,
			Columns: []string{"date", "total_events", "unique_users", "unique_sessions"}, Order: []string{"date"}},
	}
}

func clickTypes() []Type {
	return []Type{
		{Name: "outbound_links", Title: "Outgoing links", Category: "Behavior", Chart: "table", Tags: []string{"clicks", "links"},
			About: "Clicks that leave the site, by address and text",
			Of:    store.KindWebsite, Rows: "clicks", By: []string{"href", "text"},
			Columns: []string{"href", "text", "total_clicks", "unique_users", "unique_sessions", "percentage", "last_clicked"},
			Order:   []string{"-total_clicks"}},
		{Name: "outbound_domains", Title: "Outgoing domains", Category: "Behavior", Chart: "table", Tags: []string{"clicks", "links"},
			About: "Clicks that leave the site, by domain",
			Of:    store.KindWebsite, Rows: "clicks", By: []string{"domain"},
			Columns: []string{"domain", "total_clicks", "unique_users", "unique_links", "percentage"},
			Order:   []string{"-total_clicks"}},
	}
}
