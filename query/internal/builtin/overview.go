package builtin

import (
	"time"

	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/store"
)

func overviewTypes() []catalog.Type {
	summary := catalog.Type{Name: "summary", Title: "Summary", Category: "Analytics", Visualization: "timeseries",
		Tags:        []string{"overview", "kpi", "series"},
		Description: "Pageviews, visitors, sessions and their quality by day or hour",
		Subject:     store.KindWebsite, Source: "pageviews", Joins: []string{"sessions", "activity"},
		Shape: catalog.Series,
		Columns: []string{"date", "pageviews", "visitors", "sessions", "bounce_rate", "median_session_duration",
			"pages_per_session", "total_events"},
		Order: []string{"date"}}
	return []catalog.Type{
		summary,
		called(renamed(summary, "events_by_date", "Events by date", "The summary by day or hour, under its older name"),
			"daily", "timeseries"),
		{Name: "summary_metrics", Title: "Summary metrics", Category: "Analytics", Visualization: "metric",
			AlsoCalled: []string{"bounce", "bouncerate", "metrics", "overview", "pageviews", "stats", "total",
				"totals", "uniquevisitors", "views", "visitors"},
			Tags:        []string{"overview", "kpi", "totals"},
			Description: "Pageviews, visitors, sessions and their quality over the whole range",
			Subject:     store.KindWebsite, Source: "pageviews", Shape: catalog.Totals,
			Joins: []string{"sessions", "activity"},
			Columns: []string{"pageviews", "visitors", "unique_visitors=visitors", "sessions", "bounce_rate",
				"median_session_duration", "pages_per_session", "total_events"}},
		{Name: "today_metrics", Title: "Today", Category: "Realtime", Visualization: "metric",
			AlsoCalled:  []string{"today"},
			Tags:        []string{"today", "totals"},
			Description: "Pageviews, visitors and sessions since local midnight, whatever the range",
			Subject:     store.KindWebsite, Source: "pageviews", Shape: catalog.Totals, Joins: []string{"sessions"},
			Window:  catalog.Today,
			Columns: []string{"pageviews", "visitors", "sessions"}},
		{Name: "active_stats", Title: "Active now", Category: "Realtime", Visualization: "metric",
			AlsoCalled:  []string{"live", "online", "realtime"},
			Tags:        []string{"live", "totals"},
			Description: "Visitors and sessions with a pageview in the last five minutes, whatever the range",
			Subject:     store.KindWebsite, Source: "pageviews", Shape: catalog.Totals,
			Window:  catalog.Window(5 * time.Minute),
			Columns: []string{"active_users=visitors", "active_sessions=session_ids"}},
	}
}
