package query

import "github.com/sightline-analytics/sightline/store"

func linkTypes() []Type {
	top := func(name, title, about string, by []string, columns ...string) Type {
		return Type{Name: name, Title: title, About: about, Category: "Links", Chart: "table", Tags: []string{"links"},
			Of: store.KindLink, Rows: "visits", By: by, Columns: append(columns, "clicks", "percentage"), Order: []string{"-clicks"}}
	}
	referrers := top("link_top_referrers", "Referrers of the link", "Where clicks come from", []string{"referrer"},
		"name=referrer_name", "referrer=referrer_url", "source=referrer_source", "domain=referrer", "referrer_type")
	referrers.Key = []string{"name"}
	devices := top("link_top_devices", "Devices of the link", "Clicks by kind of device", []string{"device_type"}, "name=known_device")
	devices.Key = []string{"name"}
	browsers := top("link_top_browsers", "Browsers of the link", "Clicks by browser", []string{"browser_name"}, "name=known_browser")
	browsers.Key = []string{"name"}
	return []Type{
		{Name: "link_total_clicks", Title: "Clicks", Category: "Links", Chart: "metric", Tags: []string{"links", "totals"},
			About: "Clicks on the link, bots left out",
			Of:    store.KindLink, Rows: "visits", Columns: []string{"total=clicks"}},
		{Name: "link_clicks_by_day", Title: "Clicks over time", Category: "Links", Chart: "timeseries", Tags: []string{"links", "series"},
			About: "Clicks on the link by day or hour",
			Of:    store.KindLink, Rows: "visits", Series: true, Columns: []string{"date", "clicks"}, Order: []string{"date"}},
		referrers,
		top("link_top_countries", "Countries of the link", "Clicks by country", []string{"country"},
			"name=known_country", "country=country_name", "country_code", "country_name"),
		top("link_top_regions", "Regions of the link", "Clicks by region", []string{"region_country", "region"},
			"name=known_region", "country=region_country_name", "country_code=region_country", "country_name=region_country_name", "region"),
		top("link_top_cities", "Cities of the link", "Clicks by city", []string{"city_country", "city_region", "city"},
			"name=known_city", "country=city_country_name", "country_code=city_country", "country_name=city_country_name", "region=city_region", "city"),
		devices, browsers,
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
		{Name: "uptime_status_breakdown", Title: "Statuses", Category: "Uptime", Chart: "table", Tags: []string{"uptime"},
			About: "Checks by their outcome and HTTP status",
			Of:    store.KindSchedule, Rows: "checks", By: []string{"status", "http_code"},
			Columns: []string{"status", "http_code", "count", "percentage"}, Order: []string{"-count"}},
		{Name: "uptime_recent_checks", Title: "Checks", Category: "Uptime", Chart: "table", Tags: []string{"uptime", "list"},
			About: "Single checks, the latest first",
			Of:    store.KindSchedule, Rows: "checks", Each: true,
			Columns: []string{"timestamp", "url", "status", "http_code", "ttfb_ms", "total_ms", "probe_region", "ssl_valid", "error"},
			Order:   []string{"-timestamp"}},
		{Name: "uptime_response_time_trends", Title: "Response times", Category: "Uptime", Chart: "timeseries", Tags: []string{"uptime", "speed", "series"},
			About: "Response times by day or hour",
			Of:    store.KindSchedule, Rows: "checks", Series: true,
			Columns: []string{"date", "avg_response_time", "p50_response_time", "p75_response_time", "p90_response_time", "p95_response_time",
				"p99_response_time", "min_response_time", "max_response_time", "avg_ttfb"},
			Order: []string{"date"}},
		{Name: "uptime_ssl_status", Title: "Certificate", Category: "Uptime", Chart: "metric", Tags: []string{"uptime", "ssl"},
			About: "The certificate as of the latest check",
			Of:    store.KindSchedule, Rows: "checks", Columns: []string{"ssl_expiry", "ssl_valid", "invalid_ssl_checks"}},
		{Name: "uptime_by_region", Title: "Regions", Category: "Uptime", Chart: "table", Tags: []string{"uptime", "regions"},
			About: "Uptime and response times by the region of the probe",
			Of:    store.KindSchedule, Rows: "checks", By: []string{"probe_region"}, Having: "total_checks",
			Columns: []string{"region=probe_region", "uptime_percentage", "total_checks", "avg_response_time", "p95_response_time"},
			Order:   []string{"region"}},
	}
}
