package reference

import (
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

func TestSeriesOfRows(t *testing.T) {
	d := NewData(read(t, `
		01T09:00:00 error  e1 s=S1 a=anna message=boom path=/
		01T10:00:00 error  e2 a=ben message=boom path=/
		01T10:00:00 error  e3 a=ben message=bang type=TypeError path=/docs
		01T09:00:00 vital  v1 s=S1 a=anna path=/ LCP=1000 CLS=1000
		01T09:01:00 vital  v2 s=S1 a=ben path=/ LCP=2001 FPS=60
		02T09:00:00 custom c1 s=S1 a=anna name=go
		02T09:00:00 custom c2 a=anna name=$flag`))
	for _, w := range []wanted{
		{why: "by type", name: "error_types", rows: `
			{"error_type":"Error","count":2,"users":2,"last_seen":"2024-05-01T10:00:00.000Z","percentage":66.67}
			{"error_type":"TypeError","count":1,"users":1,"last_seen":"2024-05-01T10:00:00.000Z","percentage":33.33}`},
		{why: "by page", name: "errors_by_page", rows: `
			{"path":"/","name":"/","errors":2,"users":2,"unique_messages":1,"percentage":66.67}
			{"path":"/docs","name":"/docs","errors":1,"users":1,"unique_messages":1,"percentage":33.33}`},
		{why: "by day", name: "error_trends", rows: `
			{"date":"2024-05-01","errors":3,"users":2,"sessions":1}
			{"date":"2024-05-02","errors":0,"users":0,"sessions":0}`},
		{why: "of one message", name: "error_trends", ask: where("message", "eq", "bang"), rows: `
			{"date":"2024-05-01","errors":1,"users":1,"sessions":0}
			{"date":"2024-05-02","errors":0,"users":0,"sessions":0}`},
		{why: "by page", name: "web_vitals_by_page", rows: `
			{"path":"/","name":"/","samples":4,"visitors":2,"p75_lcp":1750.75,"p75_fcp":null,"p75_cls":0.1,"p75_inp":null,"p75_ttfb":null}`},
		// LCP 1000, 2001: 1500.5, 1750.75, 1900.9, 1950.95, 1990.99.
		{why: "in the order of the list", name: "vitals_overview", rows: `
			{"metric_name":"LCP","p50":1500.5,"p75":1750.75,"p90":1900.9,"p95":1950.95,"p99":1990.99,"avg_value":1500.5,"samples":2}
			{"metric_name":"CLS","p50":0.1,"p75":0.1,"p90":0.1,"p95":0.1,"p99":0.1,"avg_value":0.1,"samples":1}
			{"metric_name":"FPS","p50":60,"p75":60,"p90":60,"p95":60,"p99":60,"avg_value":60,"samples":1}`},
		{why: "ties of a chosen order are ordered by name", name: "vitals_overview",
			ask: func(q *Question) { q.SortBy, q.SortOrder, q.Limit = "samples", "asc", 2 }, rows: `
			{"metric_name":"CLS","p50":0.1,"p75":0.1,"p90":0.1,"p95":0.1,"p99":0.1,"avg_value":0.1,"samples":1}
			{"metric_name":"FPS","p50":60,"p75":60,"p90":60,"p95":60,"p99":60,"avg_value":60,"samples":1}`},
		{why: "of one metric", name: "vitals_time_series", ask: where("metric_name", "eq", "LCP"), rows: `
			{"date":"2024-05-01","samples":2,"p75_lcp":1750.75,"p75_fcp":null,"p75_cls":null,"p75_inp":null,"p75_ttfb":null}
			{"date":"2024-05-02","samples":0,"p75_lcp":null,"p75_fcp":null,"p75_cls":null,"p75_inp":null,"p75_ttfb":null}`},
		{why: "names in $ count", name: "custom_events_trends", rows: `
			{"date":"2024-05-01","total_events":0,"unique_users":0,"unique_sessions":0}
			{"date":"2024-05-02","total_events":2,"unique_users":1,"unique_sessions":1}`},
	} {
		w.check(t, d)
	}
}

// The checks of a monitor's day: some of every status, two at the same instant.
func TestChecks(t *testing.T) {
	d := NewData(read(t, `
		01T06:00:00 up          k1 region=eu total=100 ttfb=10 http=200 valid=true url=/u
		01T07:00:00 up          k2 region=eu total=201 http=200
		01T08:00:00 down        k4 region=us total=9000 http=503 valid=false error=late
		01T08:00:00 pending     k3 region=asia
		02T09:00:00 maintenance k5 region=us`))
	for _, w := range []wanted{
		{why: "all checks, ties by status", name: "uptime_status_breakdown", rows: `
			{"status":1,"http_code":200,"count":2,"percentage":40}
			{"status":0,"http_code":503,"count":1,"percentage":20}
			{"status":2,"http_code":0,"count":1,"percentage":20}
			{"status":3,"http_code":0,"count":1,"percentage":20}`},
		{why: "latest first, at the same instant by id", name: "uptime_recent_checks", rows: `
			{"timestamp":"2024-05-02T09:00:00.000Z","url":"","status":3,"http_code":0,"ttfb_ms":null,"total_ms":null,"probe_region":"us","ssl_valid":null,"error":""}
			{"timestamp":"2024-05-01T08:00:00.000Z","url":"","status":2,"http_code":0,"ttfb_ms":null,"total_ms":null,"probe_region":"asia","ssl_valid":null,"error":""}
			{"timestamp":"2024-05-01T08:00:00.000Z","url":"","status":0,"http_code":503,"ttfb_ms":null,"total_ms":9000,"probe_region":"us","ssl_valid":false,"error":"late"}
			{"timestamp":"2024-05-01T07:00:00.000Z","url":"","status":1,"http_code":200,"ttfb_ms":null,"total_ms":201,"probe_region":"eu","ssl_valid":null,"error":""}
			{"timestamp":"2024-05-01T06:00:00.000Z","url":"/u","status":1,"http_code":200,"ttfb_ms":10,"total_ms":100,"probe_region":"eu","ssl_valid":true,"error":""}`},
		// 100, 201: 150.5, 175.75, 190.9, 195.95, 199.99.
		{why: "of checks that are up", name: "uptime_response_time_trends", rows: `
			{"date":"2024-05-01","avg_response_time":150.5,"p50_response_time":150.5,"p75_response_time":175.75,"p90_response_time":190.9,"p95_response_time":195.95,"p99_response_time":199.99,"min_response_time":100,"max_response_time":201,"avg_ttfb":10}
			{"date":"2024-05-02","avg_response_time":null,"p50_response_time":null,"p75_response_time":null,"p90_response_time":null,"p95_response_time":null,"p99_response_time":null,"min_response_time":null,"max_response_time":null,"avg_ttfb":null}`},
		{why: "the latest check has no certificate data", name: "uptime_ssl_status",
			rows: `{"ssl_expiry":"2025-01-02T03:04:05.006Z","ssl_valid":false,"invalid_ssl_checks":1}`},
		{why: "of a day", name: "uptime_ssl_status", ask: func(q *Question) {
			q.EndDate = "2024-05-01"
			where("probe_region", "eq", "us")(q)
		}, rows: `{"ssl_expiry":"2025-01-02T03:04:05.006Z","ssl_valid":false,"invalid_ssl_checks":1}`},
		{why: "without checks", name: "uptime_ssl_status", ask: where("probe_region", "eq", "x"),
			rows: `{"ssl_expiry":null,"ssl_valid":null,"invalid_ssl_checks":0}`},
		{why: "regions with only pending checks are excluded", name: "uptime_by_region", rows: `
			{"region":"eu","uptime_percentage":100,"total_checks":2,"avg_response_time":150.5,"p95_response_time":195.95}
			{"region":"us","uptime_percentage":0,"total_checks":1,"avg_response_time":null,"p95_response_time":null}`},
	} {
		w.kind = store.KindSchedule
		w.check(t, d)
	}
}

func TestVisitsOfLinks(t *testing.T) {
	d := NewData(read(t, `
		01T09:00:00 visit v1 country=DE region=Bavaria city=Munich device=smarttv browser=Chrome from=google.com
		01T10:00:00 visit v2 country=DE region=Bavaria
		01T11:00:00 visit v3 country=DE
		01T12:00:00 visit v4`))
	for _, w := range []wanted{
		{why: "including direct", name: "link_top_referrers", rows: `
			{"name":"Direct","referrer":"direct","source":"direct","domain":"","referrer_type":"direct","clicks":3,"percentage":75}
			{"name":"Google","referrer":"https://google.com","source":"google.com","domain":"google.com","referrer_type":"search","clicks":1,"percentage":25}`},
		{why: "including an unknown country", name: "link_top_countries", rows: `
			{"name":"Germany","country":"Germany","country_code":"DE","country_name":"Germany","clicks":3,"percentage":75}
			{"name":"Unknown","country":"","country_code":"","country_name":"","clicks":1,"percentage":25}`},
		{why: "one row for unknown regions of all countries; ties by code", name: "link_top_regions", rows: `
			{"name":"Unknown","country":"","country_code":"","country_name":"","region":"","clicks":2,"percentage":50}
			{"name":"Bavaria","country":"Germany","country_code":"DE","country_name":"Germany","region":"Bavaria","clicks":2,"percentage":50}`},
		{why: "one row for unknown cities of all regions", name: "link_top_cities", rows: `
			{"name":"Unknown","country":"","country_code":"","country_name":"","region":"","city":"","clicks":3,"percentage":75}
			{"name":"Munich","country":"Germany","country_code":"DE","country_name":"Germany","region":"Bavaria","city":"Munich","clicks":1,"percentage":25}`},
		{why: "by their names", name: "link_top_devices", rows: `
			{"name":"Unknown","clicks":3,"percentage":75}
			{"name":"Smart TV","clicks":1,"percentage":25}`},
		{why: "of a country", name: "link_top_browsers", ask: grouped("country"), rows: `
			{"country":"DE","name":"Unknown","clicks":2,"percentage":50}
			{"country":"","name":"Unknown","clicks":1,"percentage":25}
			{"country":"DE","name":"Chrome","clicks":1,"percentage":25}`},
	} {
		w.kind = store.KindLink
		w.check(t, d)
	}
}

// Types that use the clock: it is 18:30 in UTC, 00:15 on 2 May in Kathmandu.
func TestWindows(t *testing.T) {
	d := NewData(read(t, `
		01T00:00:00     view p1 s=S1 a=anna path=/
		01T18:14:59.999 view p2 s=S1 a=anna path=/
		01T18:15:00     view p3 s=S2 a=ben path=/docs country=FR
		01T18:25:00     view p4 s=S3 a=carl path=/edge
		01T18:25:00.001 view p5 s=S3 a=carl path=/docs
		01T18:28:00     view p6 s=S4 path=/edge
		01T18:28:00.001 view p7 s=S4 path=/a
		01T18:30:00     view p8 a=dora path=/b
		01T18:30:00.001 view p9 a=emil path=/soon`))
	at := func(more ...func(*Question)) func(*Question) {
		return func(q *Question) {
			q.Now, q.StartDate, q.EndDate = time.Date(2024, 5, 1, 18, 30, 0, 0, time.UTC), "2020-01-01", "2020-01-01"
			for _, change := range more {
				change(q)
			}
		}
	}
	kathmandu := func(q *Question) { q.Zone = "Asia/Kathmandu" }
	for _, w := range []wanted{
		{why: "everything before now", name: "today_metrics", ask: at(),
			rows: `{"pageviews":7,"visitors":3,"sessions":4}`},
		{why: "since the local midnight", name: "today_metrics", ask: at(kathmandu),
			rows: `{"pageviews":5,"visitors":2,"sessions":3}`},
		{why: "filters hold", name: "today_metrics", ask: at(where("country", "eq", "france")),
			rows: `{"pageviews":1,"visitors":1,"sessions":1}`},
		{why: "five minutes, now included", name: "active_stats", ask: at(),
			rows: `{"active_users":2,"active_sessions":2}`},
		{why: "two minutes, now included", name: "realtime_pages", ask: at(), rows: `
			{"path":"/b","name":"/b","pageviews":1,"visitors":1,"percentage":100}
			{"path":"/a","name":"/a","pageviews":1,"visitors":0,"percentage":0}`},
	} {
		w.check(t, d)
	}
}

func TestClicks(t *testing.T) {
	d := NewData(read(t, `
		01T09:00:00 click k1 s=S1 a=anna href=https://www.Example.org:443/a text=A
		01T09:01:00 click k2 s=S1 a=anna href=https://www.Example.org:443/a text=A
		01T09:02:00 click k3 a=ben href=http://u:p@example.org. text=
		01T09:03:00 click k4 href=mailto:x@example.org
		03T09:00:00 view  p1 s=S3 path=/ country=DE
		03T09:01:00 click k5 s=S3 href=https://x.example/ text=B country=FR`))
	for _, w := range []wanted{
		{why: "by address and text", name: "outbound_links", rows: `
			{"href":"https://www.Example.org:443/a","text":"A","total_clicks":2,"unique_users":1,"unique_sessions":1,"percentage":50,"last_clicked":"2024-05-01T09:01:00.000Z"}
			{"href":"http://u:p@example.org.","text":"","total_clicks":1,"unique_users":1,"unique_sessions":0,"percentage":25,"last_clicked":"2024-05-01T09:02:00.000Z"}
			{"href":"mailto:x@example.org","text":"","total_clicks":1,"unique_users":0,"unique_sessions":0,"percentage":25,"last_clicked":"2024-05-01T09:03:00.000Z"}`},
		{why: "by host", name: "outbound_domains", rows: `
			{"domain":"example.org","total_clicks":3,"unique_users":2,"unique_links":2,"percentage":75}
			{"domain":"","total_clicks":1,"unique_users":0,"unique_links":1,"percentage":25}`},
		{why: "a key with a filter on text sees no pageviews, so no sessions", name: "outbound_domains",
			ask: func(q *Question) {
				keyed(leaf("text", "eq", "B"))(q)
				grouped("country")(q)
				q.StartDate, q.EndDate = "2024-05-03", "2024-05-03"
			}, rows: `{"country":"FR","domain":"x.example","total_clicks":1,"unique_users":0,"unique_links":1,"percentage":100}`},
		{why: "a key that also sees pageviews sees the session's country", name: "outbound_domains",
			ask: func(q *Question) {
				where("text", "eq", "B")(q)
				grouped("country")(q)
				q.StartDate, q.EndDate = "2024-05-03", "2024-05-03"
			}, rows: `{"country":"DE","domain":"x.example","total_clicks":1,"unique_users":0,"unique_links":1,"percentage":100}`},
		{why: "of a text", name: "outbound_domains", ask: where("text", "eq", "A"), rows: `
			{"domain":"example.org","total_clicks":2,"unique_users":1,"unique_links":1,"percentage":100}`},
	} {
		w.check(t, d)
	}
	for _, tt := range [][2]string{
		{"https://www.www.example.org", "www.example.org"}, {"//cdn.example.org:80/x", "cdn.example.org"},
		{"/a//b", ""},
		{"http://[::1]:8080/", "[::1]"}, {"HTTP://x.example?y=//z@w", "x.example"}, {"javascript:void(0)", ""},
		{"", ""},
		{"market://details?id=x", "details"}, {"example.org", ""}, {"http://x.example/a@b", "x.example"},
	} {
		if got := domainOf(tt[0]); got != tt[1] {
			t.Errorf("the domain of %q is %q, want %q", tt[0], got, tt[1])
		}
	}
}
