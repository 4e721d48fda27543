package query

import (
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// Builtin lists the types that every engine knows, in the order they are published.
// The slice is fresh: a host may append types of its own and give all of them to
// NewRegistry.
func Builtin() []Type {
	return slices.Concat(overviewTypes(), pageTypes(), performanceTypes(), sourceTypes(), technologyTypes(), placeTypes(),
		errorTypes(), sessionTypes(), profileTypes(), eventTypes(), clickTypes(), linkTypes(), uptimeTypes())
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
