package query

import (
	"time"

	"github.com/sightline-analytics/sightline/store"
)

func overviewTypes() []Type {
	summary := Type{Name: "summary", Title: "Summary", Category: "Analytics", Chart: "timeseries", Tags: []string{"overview", "kpi", "series"},
		About: "Pageviews, visitors, sessions and their quality by day or hour",
		Of:    store.KindWebsite, Rows: "pageviews", With: []string{"sessions", "activity"}, Series: true,
		Columns: []string{"date", "pageviews", "visitors", "sessions", "bounce_rate", "median_session_duration", "pages_per_session", "total_events"},
		Order:   []string{"date"}}
	return []Type{
		summary,
		again(summary, "events_by_date", "Events by date", "The summary by day or hour, under its older name"),
		{Name: "summary_metrics", Title: "Summary metrics", Category: "Analytics", Chart: "metric", Tags: []string{"overview", "kpi", "totals"},
			About: "Pageviews, visitors, sessions and their quality over the whole range",
			Of:    store.KindWebsite, Rows: "pageviews", With: []string{"sessions", "activity"},
			Columns: []string{"pageviews", "visitors", "unique_visitors=visitors", "sessions", "bounce_rate", "median_session_duration", "pages_per_session", "total_events"}},
		{Name: "today_metrics", Title: "Today", Category: "Realtime", Chart: "metric", Tags: []string{"today", "totals"},
			About: "Pageviews, visitors and sessions since local midnight, whatever the range",
			Of:    store.KindWebsite, Rows: "pageviews", With: []string{"sessions"}, Today: true,
			Columns: []string{"pageviews", "visitors", "sessions"}},
		{Name: "active_stats", Title: "Active now", Category: "Realtime", Chart: "metric", Tags: []string{"live", "totals"},
			About: "Visitors and sessions with a pageview in the last five minutes, whatever the range",
			Of:    store.KindWebsite, Rows: "pageviews", Last: 5 * time.Minute,
			Columns: []string{"active_users=visitors", "active_sessions=session_ids"}},
	}
}
