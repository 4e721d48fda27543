package builtin

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/store"
)

func errorTypes() []catalog.Type {
	return []catalog.Type{
		{Name: "errors", Title: "Errors", Category: "Errors", Visualization: "table",
			AlsoCalled:  []string{"exceptions"},
			Tags:        []string{"errors", "quality"},
			Description: "JavaScript errors by message and type",
			Subject:     store.KindWebsite, Source: "errors", Shape: catalog.Breakdown,
			Dimensions: []string{"message", "error_type"},
			Columns: []string{"message", "error_type", "path=latest_path", "count", "users", "sessions", "first_seen",
				"last_seen", "percentage"},
			Order: []string{"-count"}},
		{Name: "error_types", Title: "Error types", Category: "Errors", Visualization: "table",
			Tags:        []string{"errors", "quality"},
			Description: "JavaScript errors by type",
			Subject:     store.KindWebsite, Source: "errors", Shape: catalog.Breakdown,
			Dimensions: []string{"error_type"},
			Columns:    []string{"error_type", "count", "users", "last_seen", "percentage"},
			Order:      []string{"-count"}},
		{Name: "errors_by_page", Title: "Errors by page", Category: "Errors", Visualization: "table",
			Tags:        []string{"errors", "pages"},
			Description: "JavaScript errors by page",
			Subject:     store.KindWebsite, Source: "errors", Shape: catalog.Breakdown, Dimensions: []string{"path"},
			Columns: []string{"path", "name=path", "errors=count", "users", "unique_messages", "percentage"},
			Order:   []string{"-errors"}},
		{Name: "error_trends", Title: "Errors over time", Category: "Errors", Visualization: "timeseries",
			Tags:        []string{"errors", "series"},
			Description: "JavaScript errors by day or hour",
			Subject:     store.KindWebsite, Source: "errors", Shape: catalog.Series,
			Columns: []string{"date", "errors=count", "users", "sessions"}, Order: []string{"date"}},
	}
}

func sessionTypes() []catalog.Type {
	sessions := catalog.Type{Name: "sessions", Title: "Sessions", Category: "Sessions", Visualization: "table",
		AlsoCalled:  []string{"visits"},
		Tags:        []string{"sessions", "list"},
		Description: "Single sessions, the latest first",
		Subject:     store.KindWebsite, Source: "sessions", Shape: catalog.List,
		TieBreak: []string{"session_id", "first_visit"},
		Columns: []string{"session_id", "first_visit", "last_visit", "duration", "page_views", "total_events",
			"bounced",
			"entry_page", "exit_page", "visitor_id", "profile_id",
			"country=country_name", "country_code", "country_name", "region", "city",
			"referrer=traffic_url", "source=traffic_source", "referrer_type=traffic_type", "referrer_name",
			"device_type", "browser_name", "os_name", "language"},
		Order: []string{"-first_visit"}}
	list := renamed(sessions, "session_list", "Sessions with events",
		"Single sessions with their first 200 events, the latest first")
	list.Columns = append(slices.Clone(sessions.Columns), "events")
	return []catalog.Type{
		sessions, list,
		{Name: "session_events", Title: "Events of a session", Category: "Sessions", Visualization: "table",
			Tags:        []string{"sessions", "events", "list"},
			Description: "What happened in one session, in order; needs a filter on session_id",
			Subject:     store.KindWebsite, Source: "event_list", Shape: catalog.List, TieBreak: []string{"timestamp"},
			RequiredFilter: "session_id",
			Columns:        []string{"event_id", "timestamp", "kind", "name", "path", "properties"},
			Order:          []string{"timestamp"}},
		{Name: "session_metrics", Title: "Session metrics", Category: "Sessions", Visualization: "metric",
			AlsoCalled:  []string{"bounce", "bouncerate"},
			Tags:        []string{"sessions", "totals"},
			Description: "Sessions and their quality over the whole range",
			Subject:     store.KindWebsite, Source: "sessions", Shape: catalog.Totals,
			Joins: []string{"pageviews", "activity"},
			Columns: []string{"total_sessions=sessions", "avg_session_duration", "median_session_duration",
				"bounce_rate", "pages_per_session", "total_events"}},
		{Name: "sessions_time_series", Title: "Sessions over time", Category: "Sessions", Visualization: "timeseries",
			Tags:        []string{"sessions", "series"},
			Description: "Sessions and their quality by day or hour",
			Subject:     store.KindWebsite, Source: "pageviews", Joins: []string{"sessions"}, Shape: catalog.Series,
			Columns: []string{"date", "sessions", "visitors", "avg_session_duration", "bounce_rate"},
			Order:   []string{"date"}},
		{Name: "session_duration_distribution", Title: "Session durations", Category: "Sessions", Visualization: "bar",
			AlsoCalled:  []string{"duration"},
			Tags:        []string{"sessions", "engagement"},
			Description: "Sessions by their length, in six ranges",
			Subject:     store.KindWebsite, Source: "sessions", Shape: catalog.Breakdown,
			Dimensions: []string{"duration_range"}, Values: catalog.DurationRanges(), ZeroFill: true,
			Columns: []string{"duration_range", "sessions", "visitors", "percentage"}, ShareOf: "sessions"},
	}
}

func profileTypes() []catalog.Type {
	profiles := catalog.Type{Name: "profiles", Title: "Profiles", Category: "Profiles", Visualization: "table",
		AlsoCalled:  []string{"people", "users"},
		Tags:        []string{"visitors", "list"},
		Description: "Single visitors and what they did in the range, the latest first",
		Subject:     store.KindWebsite, Source: "visitors", Shape: catalog.Breakdown, Dimensions: []string{"visitor"},
		SkipEmpty: "visitor", SkipZero: "activity_count",
		Columns: []string{"visitor_id=visitor", "profile_id=last_profile_id", "display_name", "first_visit",
			"last_visit", "session_count",
			"total_events", "pageviews", "unique_pages", "custom_event_count", "country=last_country_name",
			"country_code=last_country",
			"country_name=last_country_name", "region=last_region", "device_type=last_device_type",
			"browser_name=last_browser_name",
			"os_name=last_os_name", "referrer=last_referrer_url"},
		Order: []string{"-last_visit"}}
	return []catalog.Type{profiles,
		renamed(profiles, "profile_list", "Profiles", "Single visitors, under an older name")}
}

func eventTypes() []catalog.Type {
	return []catalog.Type{
		{Name: "custom_events", Title: "Custom events", Category: "Custom Events", Visualization: "table",
			AlsoCalled:  []string{"events"},
			Tags:        []string{"events"},
			Description: "Custom events by name",
			Subject:     store.KindWebsite, Source: "custom", Shape: catalog.Breakdown,
			Dimensions: []string{"event_name"},
			Columns: []string{"name=event_name", "total_events", "unique_users", "unique_sessions", "first_occurrence",
				"last_occurrence",
				"events_with_properties", "percentage"},
			Order: []string{"-unique_users", "-total_events"}},
		{Name: "custom_event_properties", Title: "Event properties", Category: "Custom Events", Visualization: "table",
			Tags:        []string{"events", "properties"},
			Description: "Values of the properties of custom events",
			Subject:     store.KindWebsite, Source: "properties", Shape: catalog.Breakdown,
			Dimensions: []string{"event_name", "property_key", "property_value"},
			Columns:    []string{"name=event_name", "property_key", "property_value", "count"},
			Order:      []string{"-count"}},
		{Name: "custom_events_trends", Title: "Custom events over time", Category: "Custom Events",
			Visualization: "timeseries", Tags: []string{"events", "series"},
			Description: "Custom events by day or hour",
			Subject:     store.KindWebsite, Source: "custom", Shape: catalog.Series,
			Columns: []string{"date", "total_events", "unique_users", "unique_sessions"}, Order: []string{"date"}},
	}
}

func goalTypes() []catalog.Type {
	return []catalog.Type{
		{Name: "goals", Title: "Goals", Category: "Behavior", Visualization: "table",
			AlsoCalled:  []string{"conversionrate", "conversions", "goal", "revenue"},
			Tags:        []string{"goals", "conversion"},
			Description: "Visitors who reached goals, how often, and what it was worth",
			Subject:     store.KindWebsite, Source: "goals", Shape: catalog.Breakdown, Dimensions: []string{"goal"},
			Needs:   []string{"goals"},
			Columns: []string{"name=goal", "visitors", "conversions", "conversion_rate", "value", "avg_value"}},
		{Name: "goals_trends", Title: "Goals over time", Category: "Behavior", Visualization: "timeseries",
			Tags:        []string{"goals", "conversion", "series"},
			Description: "Visitors who reached goals by hour, day, week or month",
			Subject:     store.KindWebsite, Source: "goals", Shape: catalog.Series, Dimensions: []string{"goal"},
			Needs:   []string{"goals"},
			Columns: []string{"date", "name=goal", "visitors", "conversions", "value"}},
	}
}

func clickTypes() []catalog.Type {
	return []catalog.Type{
		{Name: "outbound_links", Title: "Outgoing links", Category: "Behavior", Visualization: "table",
			AlsoCalled:  []string{"clicks"},
			Tags:        []string{"clicks", "links"},
			Description: "Clicks that leave the site, by address and text",
			Subject:     store.KindWebsite, Source: "clicks", Shape: catalog.Breakdown,
			Dimensions: []string{"href", "text"},
			Columns: []string{"href", "text", "total_clicks", "unique_users", "unique_sessions", "percentage",
				"last_clicked"},
			Order: []string{"-total_clicks"}},
		{Name: "outbound_domains", Title: "Outgoing domains", Category: "Behavior", Visualization: "table",
			Tags:        []string{"clicks", "links"},
			Description: "Clicks that leave the site, by domain",
			Subject:     store.KindWebsite, Source: "clicks", Shape: catalog.Breakdown, Dimensions: []string{"domain"},
			Columns: []string{"domain", "total_clicks", "unique_users", "unique_links", "percentage"},
			Order:   []string{"-total_clicks"}},
	}
}
