package reference

import (
	"errors"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

func TestErrors(t *testing.T) {
	d := NewData(read(t, `
		01T09:00:00 view  p1 s=S1 a=anna path=/ country=DE
		01T08:00:00 error e1 s=S1 a=anna path=/old message=boom type=TypeError
		01T10:00:00 error e3 s=S1 a=anna path=/b message=boom type=TypeError
		01T10:00:00 error e2 s=S1 a=anna path=/a message=boom type=TypeError
		01T11:00:00 error e4 a=ben path=/a message=boom country=FR
		01T12:00:00 error e5 path=/a message=boom type=Error country=FR
		03T12:00:00 error e6 path=/a message=boom`))
	for _, w := range []wanted{
		{why: "the path of the latest error, ties by id; an empty type is Error", name: "errors", rows: `
			{"message":"boom","error_type":"TypeError","path":"/b","count":3,"users":1,"sessions":1,"first_seen":"2024-05-01T08:00:00.000Z","last_seen":"2024-05-01T10:00:00.000Z","percentage":60}
			{"message":"boom","error_type":"Error","path":"/a","count":2,"users":1,"sessions":0,"first_seen":"2024-05-01T11:00:00.000Z","last_seen":"2024-05-01T12:00:00.000Z","percentage":40}`},
		{why: "ascending by a name column by default", name: "errors", ask: func(q *Question) {
			q.SortBy = "path"
			q.Limit = 1
		}, rows: `
			{"message":"boom","error_type":"Error","path":"/a","count":2,"users":1,"sessions":0,"first_seen":"2024-05-01T11:00:00.000Z","last_seen":"2024-05-01T12:00:00.000Z","percentage":40}`},
		{why: "the session's country, also for errors before the session", name: "errors",
			ask: where("country", "eq", "DE"), rows: `
			{"message":"boom","error_type":"TypeError","path":"/b","count":3,"users":1,"sessions":1,"first_seen":"2024-05-01T08:00:00.000Z","last_seen":"2024-05-01T10:00:00.000Z","percentage":100}`},
		{why: "the error's country without a session", name: "errors", ask: func(q *Question) {
			grouped("country")(q)
			where("error_type", "eq", "Error")(q)
		}, rows: `
			{"country":"FR","message":"boom","error_type":"Error","path":"/a","count":2,"users":1,"sessions":0,"first_seen":"2024-05-01T11:00:00.000Z","last_seen":"2024-05-01T12:00:00.000Z","percentage":100}`},
	} {
		w.check(t, d)
	}
}

func TestPerformance(t *testing.T) {
	d := NewData(read(t, `
		01T09:00:00 view  p1 s=S1 a=anna path=/ country=DE load=100 dom=50 ttfb=0
		01T09:00:01 view  p2 s=S1 a=anna path=/ load=101
		01T09:00:02 vital v1 s=S1 path=/ LCP=1000 CLS=1234 TTFB=80
		01T09:00:03 vital v2 s=S1 path=/ LCP=2000 CLS=0 FPS=60
		01T09:00:03 vital v2 s=S1 path=/ LCP=9000
		01T09:00:04 vital v3 s=S1 path=/docs INP=40 FCP=7
		01T09:00:05 vital v4 path=/docs INP=80 country=FR`))
	for _, w := range []wanted{
		// p75 of LCP 1000, 2000: position 0.75; of CLS 0, 0.1234: 0.09255; of INP 40, 80: 70.
		{why: "pages with pageviews or samples", name: "performance", rows: `
			{"path":"/","name":"/","pageviews":2,"samples":6,"p75_lcp":1750,"p75_fcp":null,"p75_cls":0.0926,"p75_inp":null,"p75_ttfb":80,"avg_load_time":100.5,"avg_dom_ready_time":50,"avg_ttfb":0}
			{"path":"/docs","name":"/docs","pageviews":0,"samples":3,"p75_lcp":null,"p75_fcp":7,"p75_cls":null,"p75_inp":70,"p75_ttfb":null,"avg_load_time":null,"avg_dom_ready_time":null,"avg_ttfb":null}`},
		{why: "a combination needs a pageview, on any page", name: "performance", ask: grouped("country"), rows: `
			{"country":"DE","path":"/","name":"/","pageviews":2,"samples":6,"p75_lcp":1750,"p75_fcp":null,"p75_cls":0.0926,"p75_inp":null,"p75_ttfb":80,"avg_load_time":100.5,"avg_dom_ready_time":50,"avg_ttfb":0}
			{"country":"DE","path":"/docs","name":"/docs","pageviews":0,"samples":2,"p75_lcp":null,"p75_fcp":7,"p75_cls":null,"p75_inp":40,"p75_ttfb":null,"avg_load_time":null,"avg_dom_ready_time":null,"avg_ttfb":null}`},
	} {
		w.check(t, d)
	}
}

func TestLinks(t *testing.T) {
	d := NewData(read(t, `
		01T09:00:00 visit v1 country=DE from=google.com
		01T09:00:00 visit v1 country=DE from=google.com
		01T10:00:00 visit v2 country=DE
		02T23:59:59.999 visit v3 country=FR
		03T00:00:00 visit v4 country=FR
		01T10:00:00 visit v2 on=other`))
	for _, w := range []wanted{
		{why: "each visit once", kind: store.KindLink, name: "link_total_clicks", rows: `{"total":3}`},
		{why: "of a country", kind: store.KindLink, name: "link_total_clicks", ask: where("country", "contains", "Ger"),
			rows: `{"total":2}`},
		{why: "by source", kind: store.KindLink, name: "link_total_clicks", ask: grouped("referrer"), rows: `
			{"referrer":"direct","total":2}
			{"referrer":"google.com","total":1}`},
		{why: "filled to the end", kind: store.KindLink, name: "link_clicks_by_day",
			ask: func(q *Question) { q.EndDate = "2024-05-04" }, rows: `
			{"date":"2024-05-01","clicks":2}
			{"date":"2024-05-02","clicks":1}
			{"date":"2024-05-03","clicks":1}
			{"date":"2024-05-04","clicks":0}`},
		{why: "without a limit there is only one page", kind: store.KindLink, name: "link_clicks_by_day",
			ask: func(q *Question) { q.Page = 2 }},
		{why: "sorted in descending order, then limited", kind: store.KindLink, name: "link_clicks_by_day",
			ask: func(q *Question) {
				q.EndDate, q.SortBy, q.Limit, q.Page = "2024-05-04", "clicks", 2, 2
			}, rows: `
			{"date":"2024-05-03","clicks":1}
			{"date":"2024-05-04","clicks":0}`},
		{why: "a day that does not exist", kind: store.KindLink, name: "link_clicks_by_day", ask: func(q *Question) {
			q.Zone, q.StartDate, q.EndDate = "Pacific/Apia", "2011-12-30", "2011-12-30"
		}},
		{why: "a total on it is zero", kind: store.KindLink, name: "link_total_clicks", ask: func(q *Question) {
			q.Zone, q.StartDate, q.EndDate = "Pacific/Apia", "2011-12-30", "2011-12-30"
		}, rows: `{"total":0}`},
	} {
		w.check(t, d)
	}
}

// monitor: down since 29 April; up in eu on 1 May at 06:00; down in us from 22:00, until a pending check in eu
// on 2 May at 01:00; down again at 12:00, and no check afterwards.
const monitor = `
01T06:00:00 up      k2 region=eu total=100 ttfb=10 valid=true
01T07:00:00 up      k3 region=eu total=200
01T22:00:00 down    k4 region=us total=9000
02T01:00:00 pending k5 region=eu total=7000
02T12:00:00 down    k6 region=us valid=false
`

func TestUptime(t *testing.T) {
	b := read(t, monitor)
	b.Checks = append(b.Checks, store.Check{
		Schedule: "w", ID: "k1", Time: time.Date(2024, 4, 29, 0, 0, 0, 0, time.UTC), Region: "us", Status: store.Down,
	})
	d := NewData(b)
	for _, w := range []wanted{
		// Up 2 of 4. Times 100, 200: p75 175, p95 195, p99 199.
		{why: "the whole range", kind: store.KindSchedule, name: "uptime_overview", rows: `
			{"uptime_percentage":50,"total_checks":4,"successful_checks":2,"avg_response_time":150,"p50_response_time":150,"p75_response_time":175,"p95_response_time":195,"p99_response_time":199,"min_response_time":100,"max_response_time":200,"avg_ttfb":10,"ssl_expiry":"2025-01-02T03:04:05.006Z","ssl_valid":false}`},
		{why: "without checks", kind: store.KindSchedule, name: "uptime_overview",
			ask: where("probe_region", "eq", "asia"), rows: `
			{"uptime_percentage":null,"total_checks":0,"successful_checks":0,"avg_response_time":null,"p50_response_time":null,"p75_response_time":null,"p95_response_time":null,"p99_response_time":null,"min_response_time":null,"max_response_time":null,"avg_ttfb":null,"ssl_expiry":null,"ssl_valid":null}`},
		// 1 May: 6 h + 2 h. 2 May: 1 h + 12 h.
		{why: "by day", kind: store.KindSchedule, name: "uptime_time_series", rows: `
			{"date":"2024-05-01","uptime_percentage":66.67,"total_checks":3,"successful_checks":2,"downtime_seconds":28800,"avg_response_time":150,"p50_response_time":150,"p95_response_time":195,"max_response_time":200,"avg_ttfb":10,"p50_ttfb":10,"p95_ttfb":10}
			{"date":"2024-05-02","uptime_percentage":0,"total_checks":1,"successful_checks":0,"downtime_seconds":46800,"avg_response_time":null,"p50_response_time":null,"p95_response_time":null,"max_response_time":null,"avg_ttfb":null,"p50_ttfb":null,"p95_ttfb":null}`},
		{why: "cut at now", kind: store.KindSchedule, name: "uptime_time_series", ask: func(q *Question) {
			q.StartDate, q.Now = "2024-05-02", time.Date(2024, 5, 2, 12, 0, 1, 5e6, time.UTC)
		}, rows: `
			{"date":"2024-05-02","uptime_percentage":0,"total_checks":1,"successful_checks":0,"downtime_seconds":3601.01,"avg_response_time":null,"p50_response_time":null,"p95_response_time":null,"max_response_time":null,"avg_ttfb":null,"p50_ttfb":null,"p95_ttfb":null}`},
		// Only us: down from April to the end, from each check to the next.
		{why: "each region separately", kind: store.KindSchedule, name: "uptime_time_series", ask: func(q *Question) {
			grouped("probe_region")(q)
			q.EndDate = "2024-05-01"
		}, rows: `
			{"probe_region":"eu","date":"2024-05-01","uptime_percentage":100,"total_checks":2,"successful_checks":2,"downtime_seconds":0,"avg_response_time":150,"p50_response_time":150,"p95_response_time":195,"max_response_time":200,"avg_ttfb":10,"p50_ttfb":10,"p95_ttfb":10}
			{"probe_region":"us","date":"2024-05-01","uptime_percentage":0,"total_checks":1,"successful_checks":0,"downtime_seconds":86400,"avg_response_time":null,"p50_response_time":null,"p95_response_time":null,"max_response_time":null,"avg_ttfb":null,"p50_ttfb":null,"p95_ttfb":null}`},
	} {
		w.check(t, d)
	}
}

func TestRefusedQuestions(t *testing.T) {
	d := NewData(read(t, "01T09:00:00 view p1 s=S1 country=DE\n01T10:00:00 view p2 country=FR"))
	for _, tt := range []struct {
		why  string
		kind store.SubjectKind
		name string
		ask  func(*Question)
		want error
	}{
		{"an unknown type", store.KindWebsite, "weather", nil, ErrType},
		{"a type for links", store.KindWebsite, "link_total_clicks", nil, ErrType},
		{"a field that errors do not have", store.KindWebsite, "errors", where("event_name", "eq", "x"), ErrFilter},
		{"a mandatory filter on a field that pages do not have", store.KindWebsite, "pages",
			keyed(leaf("message", "eq", "x")), ErrFilter},
		{"a column", store.KindWebsite, "countries", grouped("country"), ErrGroupBy},
		{"a path of sessions", store.KindWebsite, "summary", grouped("path"), ErrGroupBy},
		{"the same field twice", store.KindWebsite, "summary", grouped("city", "city"), ErrGroupBy},
		{"no such column", store.KindWebsite, "pages", func(q *Question) { q.SortBy = "date" }, ErrSort},
		{"an invalid date", store.KindWebsite, "pages", func(q *Question) { q.EndDate = "2024-02-30" }, ErrRange},
		{"more than 10 000 rows", store.KindWebsite, "summary", func(q *Question) {
			grouped("country")(q)
			q.StartDate = "2010-05-01"
		}, ErrTooLong},
	} {
		if _, err := d.Answer(ask(tt.kind, tt.name, tt.ask)); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.why, err, tt.want)
		}
	}
}
