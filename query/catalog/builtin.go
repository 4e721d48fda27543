package catalog

import (
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// Builtin lists the types that every engine knows, in the order they are published. The slice is fresh: a host may append more
// types and give all of them to NewRegistry.
func Builtin() []Type {
	return slices.Concat(overviewTypes(), pageTypes(), performanceTypes(), sourceTypes(), technologyTypes(), placeTypes(),
		errorTypes(), sessionTypes(), profileTypes(), eventTypes(), flagTypes(), clickTypes(), blockedTypes(), linkTypes(), uptimeTypes())
}

// renamed is ty under another name.
func renamed(ty Type, name, title, about string) Type {
	ty.Name, ty.Title, ty.Description = name, title, about
	return ty
}

// breakdown is pageviews and visitors by ty.Dimensions, rows without ty.SkipEmpty left out.
func breakdown(ty Type, columns ...string) Type {
	ty.Subject, ty.Source, ty.Shape = store.KindWebsite, "pageviews", Breakdown
	ty.Columns, ty.Order = columns, []string{"-visitors"}
	return ty
}

// byField is a breakdown by one field, named like it.
func byField(name, title, about, category, chart, field string) Type {
	return breakdown(Type{Name: name, Title: title, Description: about, Category: category, Visualization: chart,
		Tags: []string{"audience"}, Dimensions: []string{field}, SkipEmpty: field},
		"name="+field, "pageviews", "visitors", "percentage")
}

func overviewTypes() []Type {
	summary := Type{Name: "summary", Title: "Summary", Category: "Analytics", Visualization: "timeseries", Tags: []string{"overview", "kpi", "series"},
		Description: "Pageviews, visitors, sessions and their quality by day or hour",
		Subject:     store.KindWebsite, Source: "pageviews", Joins: []string{"sessions", "activity"}, Shape: Series,
		Columns: []string{"date", "pageviews", "visitors", "sessions", "bounce_rate", "median_session_duration", "pages_per_session", "total_events"},
		Order:   []string{"date"}}
	return []Type{
		summary,
		renamed(summary, "events_by_date", "Events by date", "The summary by day or hour, under its older name"),
		{Name: "summary_metrics", Title: "Summary metrics", Category: "Analytics", Visualization: "metric", Tags: []string{"overview", "kpi", "totals"},
			Description: "Pageviews, visitors, sessions and their quality over the whole range",
			Subject:     store.KindWebsite, Source: "pageviews", Shape: Totals, Joins: []string{"sessions", "activity"},
			Columns: []string{"pageviews", "visitors", "unique_visitors=visitors", "sessions", "bounce_rate", "median_session_duration", "pages_per_session", "total_events"}},
		{Name: "today_metrics", Title: "Today", Category: "Realtime", Visualization: "metric", Tags: []string{"today", "totals"},
			Description: "Pageviews, visitors and sessions since local midnight, whatever the range",
			Subject:     store.KindWebsite, Source: "pageviews", Shape: Totals, Joins: []string{"sessions"}, Window: Today,
			Columns: []string{"pageviews", "visitors", "sessions"}},
		{Name: "active_stats", Title: "Active now", Category: "Realtime", Visualization: "metric", Tags: []string{"live", "totals"},
			Description: "Visitors and sessions with a pageview in the last five minutes, whatever the range",
			Subject:     store.KindWebsite, Source: "pageviews", Shape: Totals, Window: Window(5 * time.Minute),
			Columns: []string{"active_users=visitors", "active_sessions=session_ids"}},
	}
}

func sourceTypes() []Type {
	traffic := breakdown(Type{Name: "traffic", Title: "Traffic sources", Category: "Acquisition", Visualization: "table", Tags: []string{"referrers", "sources"},
		Description: "Where visitors come from, campaigns and direct traffic included",
		Dimensions:  []string{"referrer", "campaign_kind"}, TieBreak: []string{"name", "source", "referrer_type", "domain"}},
		"name=referrer_name", "pageviews", "visitors", "percentage",
		"referrer=traffic_url", "source=traffic_source", "domain=traffic_domain", "referrer_type=traffic_type")
	referrers := breakdown(Type{Name: "top_referrers", Title: "Referrers", Category: traffic.Category, Visualization: traffic.Visualization, Tags: traffic.Tags,
		Description: "Other sites that visitors come from", Dimensions: []string{"referrer"}, TieBreak: []string{"name"}, SkipEmpty: "referrer", OnlyEmpty: "campaign_kind"},
		"name=referrer_name", "pageviews", "visitors", "percentage",
		"referrer=referrer_url", "source=referrer_source", "domain=referrer_domain", "referrer_type")
	types := []Type{traffic, renamed(traffic, "traffic_sources", "Traffic sources", "Where visitors come from, under its older name"), referrers}
	for _, utm := range []struct{ name, title, field string }{
		{"utm_sources", "UTM sources", "utm_source"}, {"utm_mediums", "UTM mediums", "utm_medium"}, {"utm_campaigns", "UTM campaigns", "utm_campaign"},
		{"utm_terms", "UTM terms", "utm_term"}, {"utm_content", "UTM content", "utm_content"},
	} {
		types = append(types, byField(utm.name, utm.title, "Visitors by "+utm.field+" of the address they came by", "Acquisition", "table", utm.field))
	}
	return types
}

func technologyTypes() []Type {
	versions := func(name, title, about, family, version string) Type {
		ty := breakdown(Type{Name: name, Title: title, Description: about, Category: "Technology", Visualization: "table", Tags: []string{"audience", "versions"},
			Dimensions: []string{family, version}, SkipEmpty: family},
			"name="+family, "version="+version, "pageviews", "visitors", "sessions", "percentage")
		ty.Joins = []string{"sessions"}
		return ty
	}
	grouped := breakdown(Type{Name: "browsers_grouped", Title: "Browsers and sessions", Category: "Technology", Visualization: "table", Tags: []string{"browser", "audience"},
		Description: "Visitors and sessions by browser family, with the number of versions", Dimensions: []string{"browser_name"}, SkipEmpty: "browser_name", Joins: []string{"sessions"}},
		"name=browser_name", "pageviews", "visitors", "percentage", "sessions", "versions=browser_versions")
	return []Type{
		byField("browser_name", "Browsers", "Visitors by browser family", "Technology", "pie", "browser_name"),
		byField("os_name", "Operating systems", "Visitors by operating system", "Technology", "pie", "os_name"),
		breakdown(Type{Name: "device_types", Title: "Devices", Category: "Technology", Visualization: "pie", Tags: []string{"device", "audience"},
			Description: "Visitors by kind of device", Dimensions: []string{"device_type"}, SkipEmpty: "device_type"},
			"name=device_name", "pageviews", "visitors", "percentage", "device_type"),
		grouped,
		versions("browser_versions", "Browser versions", "Visitors and sessions by browser and version", "browser_name", "browser_version"),
		versions("os_versions", "System versions", "Visitors and sessions by operating system and version", "os_name", "os_version"),
		byField("screen_resolutions", "Screens", "Visitors by screen resolution", "Technology", "table", "screen_resolution"),
		byField("language", "Languages", "Visitors by language", "Audience", "table", "language"),
	}
}

func placeTypes() []Type {
	countries := breakdown(Type{Name: "countries", Title: "Countries", Category: "Geography", Visualization: "table", Tags: []string{"geo", "audience"},
		Description: "Visitors by country", Dimensions: []string{"country"}, SkipEmpty: "country"},
		"name=country_name", "pageviews", "visitors", "percentage", "country_code", "country_name")
	cities := breakdown(Type{Name: "cities", Title: "Cities", Category: "Geography", Visualization: "table", Tags: []string{"geo", "audience"},
		Description: "Visitors by city", Dimensions: []string{"country", "region", "city"}, SkipEmpty: "city"},
		"name=city", "pageviews", "visitors", "percentage", "city", "region", "country=country_name", "country_code", "country_name")
	return []Type{
		countries,
		renamed(countries, "country", "Countries", "Visitors by country, under its older name"),
		breakdown(Type{Name: "region", Title: "Regions", Category: "Geography", Visualization: "table", Tags: []string{"geo", "audience"},
			Description: "Visitors by region", Dimensions: []string{"country", "region"}, SkipEmpty: "region"},
			"name=region", "pageviews", "visitors", "percentage", "region", "country=country_name", "country_code", "country_name"),
		cities,
		renamed(cities, "city", "Cities", "Visitors by city, under its older name"),
		byField("timezone", "Time zones", "Visitors by their time zone", "Geography", "table", "timezone"),
	}
}
