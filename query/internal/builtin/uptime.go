package builtin

import (
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/store"
)

func uptimeTypes() []catalog.Type {
	return []catalog.Type{
		{Name: "uptime_overview", Title: "Uptime", Category: "Uptime", Visualization: "metric", Tags: []string{"uptime", "totals"},
			Description: "Uptime, response times and certificate over the whole range",
			Subject:     store.KindSchedule, Source: "checks", Shape: catalog.Totals,
			Columns: []string{"uptime_percentage", "total_checks", "successful_checks", "avg_response_time", "p50_response_time", "p75_response_time",
				"p95_response_time", "p99_response_time", "min_response_time", "max_response_time", "avg_ttfb", "ssl_expiry", "ssl_valid"}},
		{Name: "uptime_time_series", Title: "Uptime over time", Category: "Uptime", Visualization: "timeseries", Tags: []string{"uptime", "series"},
			Description: "Uptime, downtime and response times by day or hour",
			Subject:     store.KindSchedule, Source: "checks", Joins: []string{"outages"}, Shape: catalog.Series,
			Columns: []string{"date", "uptime_percentage", "total_checks", "successful_checks", "downtime_seconds", "avg_response_time", "p50_response_time",
				"p95_response_time", "max_response_time", "avg_ttfb", "p50_ttfb", "p95_ttfb"},
			Order: []string{"date"}},
		{Name: "uptime_status_breakdown", Title: "Statuses", Category: "Uptime", Visualization: "table", Tags: []string{"uptime"},
			Description: "Checks by their outcome and HTTP status",
			Subject:     store.KindSchedule, Source: "checks", Shape: catalog.Breakdown, Dimensions: []string{"status", "http_code"},
			Columns: []string{"status", "http_code", "count", "percentage"}, Order: []string{"-count"}},
		{Name: "uptime_recent_checks", Title: "Checks", Category: "Uptime", Visualization: "table", Tags: []string{"uptime", "list"},
			Description: "Single checks, the latest first",
			Subject:     store.KindSchedule, Source: "checks", Shape: catalog.List,
			Columns: []string{"timestamp", "url", "status", "http_code", "ttfb_ms", "total_ms", "probe_region", "ssl_valid", "error"},
			Order:   []string{"-timestamp"}},
		{Name: "uptime_response_time_trends", Title: "Response times", Category: "Uptime", Visualization: "timeseries", Tags: []string{"uptime", "speed", "series"},
			Description: "Response times by day or hour",
			Subject:     store.KindSchedule, Source: "checks", Shape: catalog.Series,
			Columns: []string{"date", "avg_response_time", "p50_response_time", "p75_response_time", "p90_response_time", "p95_response_time",
				"p99_response_time", "min_response_time", "max_response_time", "avg_ttfb"},
			Order: []string{"date"}},
		{Name: "uptime_ssl_status", Title: "Certificate", Category: "Uptime", Visualization: "metric", Tags: []string{"uptime", "ssl"},
			Description: "The certificate as seen by the latest check that tested it",
			Subject:     store.KindSchedule, Source: "checks", Shape: catalog.Totals, Columns: []string{"ssl_expiry", "ssl_valid", "invalid_ssl_checks"}},
		{Name: "uptime_by_region", Title: "Regions", Category: "Uptime", Visualization: "table", Tags: []string{"uptime", "regions"},
			Description: "Uptime and response times by the region of the probe",
			Subject:     store.KindSchedule, Source: "checks", Shape: catalog.Breakdown, Dimensions: []string{"probe_region"}, SkipZero: "total_checks",
			Columns: []string{"region=probe_region", "uptime_percentage", "total_checks", "avg_response_time", "p95_response_time"},
			Order:   []string{"region"}},
	}
}
