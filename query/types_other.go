package query

import "github.com/sightline-analytics/sightline/store"

func linkTypes() []Type {
	return []Type{
		{Name: "link_total_clicks", Title: "Clicks", Category: "Links", Chart: "metric", Tags: []string{"links", "totals"},
			About: "Clicks on the link, bots left out",
			Of:    store.KindLink, Rows: "visits", Columns: []string{"total=clicks"}},
		{Name: "link_clicks_by_day", Title: "Clicks over time", Category: "Links", Chart: "timeseries", Tags: []string{"links", "series"},
			About: "Clicks on the link by day or hour",
			Of:    store.KindLink, Rows: "visits", Series: true, Columns: []string{"date", "clicks"}, Order: []string{"date"}},
	}
}

func uptimeTypes() []Type {
	return []Type{
		{Name: "uptime_overview", Title: "Uptime", Category: "Uptime", Chart: "metric", Tags: []string{"uptime", "totals"},
			About: "Uptime, response times and certificate over the whole range",
			Of:    store.KindSchedule, Rows: "checks",
			Columns: []string{"uptime_percentage", "total_checks", "successful_checks", "avg_response_time", "p50_response_time", "p75_response_time",
				"p95_response_time", "p99_response_time", "min_response_time", "max_response_time", "avg_ttfb", "ssl_expiry", "ssl_valid"}},
		{Name: "uptime_time_series", Title: "Uptime over time", Category: "Uptime", Chart: "timeseries", Tags: []string{"uptime", "series"},
			About: "Uptime, downtime and response times by day or hour",
			Of:    store.KindSchedule, Rows: "checks", With: []string{"outages"}, Series: true,
			Columns: []string{"date", "uptime_percentage", "total_checks", "successful_checks", "downtime_seconds", "avg_response_time", "p50_response_time",
				"p95_response_time", "max_response_time", "avg_ttfb", "p50_ttfb", "p95_ttfb"},
			Order: []string{"date"}},
	}
}
