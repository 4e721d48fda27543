package httpapi

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/health"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

func sortedKeys(v any) []string { return slices.Sorted(maps.Keys(v.(map[string]any))) }

func TestOverview(t *testing.T) {
	w := newWorld(t)
	rec := w.send("GET", "/v1/websites/site_a/analytics?timezone=Europe/Berlin&compare=previous_period", "all", "")
	expect(t, rec, 200, "")
	body := object(t, rec)
	if diff := cmp.Diff([]string{"changes", "comparison", "countries", "devices", "meta", "pages", "previous", "range",
		"series", "success", "totals", "traffic", "website"},
		sortedKeys(body)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]any{
		"startDate": "2026-02-28", "endDate": "2026-03-29", "timezone": "Europe/Berlin", "granularity": "daily",
		"from": "2026-02-27T23:00:00.000Z", "to": "2026-03-29T22:00:00.000Z", "until": "2026-03-29T12:00:00.000Z",
		"partial": true,
		"previous": map[string]any{"compare": "previous_period", "startDate": "2026-01-29", "endDate": "2026-02-27",
			"from": "2026-01-28T23:00:00.000Z", "to": "2026-02-27T13:00:00.000Z"},
	}, body["range"]); diff != "" {
		t.Error(diff)
	}
	for part, rows := range map[string]int{"series": 30, "pages": 10, "traffic": 2, "countries": 2, "devices": 2} {
		if got := len(body[part].([]any)); got != rows {
			t.Errorf("%s has %d rows, want %d", part, got, rows)
		}
	}
	for _, part := range []string{"totals", "previous"} {
		if _, ok := body[part].(map[string]any)["unique_visitors"]; !ok {
			t.Errorf("%s is not a row of summary_metrics: %v", part, body[part])
		}
	}
	if site := body["website"].(map[string]any); site["id"] != "site_a" ||
		site["createdAt"] != "2025-01-02T02:04:05.006Z" {
		t.Errorf("website %v", site)
	}
	for part, beside := range body["comparison"].(map[string]any) {
		rows, beside := body[part].([]any), beside.(map[string]any)
		if len(beside["previous"].([]any)) != len(rows) || len(beside["changes"].([]any)) != len(rows) {
			t.Errorf("%s has %d rows, compared rows %v", part, len(rows), beside)
		}
	}
	if n := w.store.asked.Load(); n != 12 {
		t.Errorf("%d statements, want 12", n)
	}
	if diff := cmp.Diff([]string{"query key_all 1", "query key_all 1"},
		slices.DeleteFunc(w.limiter.asked, func(s string) bool {
			return !strings.HasPrefix(s, "query")
		})); diff != "" {
		t.Errorf("a compared query costs twice (-want +got):\n%s", diff)
	}
}

func TestOverviewOfDates(t *testing.T) {
	w := newWorld(t)
	filters := url.QueryEscape(`[{"field":"country","op":"eq","value":"DE"}]`)
	rec := w.send("GET", "/v1/websites/site_a/analytics?startDate=2026-03-01&endDate=2026-03-02&granularity=hourly&filters="+filters, "all", "")
	expect(t, rec, 200, "")
	body := object(t, rec)
	if _, there := body["previous"]; there || len(body["series"].([]any)) != 48 ||
		body["meta"].(map[string]any)["filters_applied"] != 1.0 {
		t.Errorf("body %s", rec.Body)
	}
}

func TestOverviewMistakes(t *testing.T) {
	w := newWorld(t)
	for query, fields := range map[string][]string{
		"preset=last_8d":                      {"preset"},
		"startDate=2026-03-01":                {"endDate"},
		"timeZone=Mars/Base":                  {"timeZone"},
		"compare=last_year":                   {"compare"},
		"compare=previous_period&compare=x":   {"compare"},
		"parameters=pages":                    {"parameters"},
		"website_id=site_a":                   {"website_id"},
		"limit=5&timezone=Mars/Base&page=2":   {"limit", "page", "timezone"},
		"filters=" + url.QueryEscape(`[{}]`):  nil,
		"filters=x":                           {"filters"},
		"granularity=yearly&preset=last_7d":   {"granularity"},
		"granularity=hourly&preset=last_90d":  {"granularity"},
		"startDate=2026-03-02&endDate=yester": {"endDate"},
	} {
		rec := w.send("GET", "/v1/websites/site_a/analytics?"+query, "all", "")
		expect(t, rec, 400, "VALIDATION_ERROR")
		var got []string
		details, _ := object(t, rec)["details"].([]any)
		for _, d := range details {
			got = append(got, d.(map[string]any)["field"].(string))
		}
		if fields != nil && cmp.Diff(fields, got) != "" {
			t.Errorf("%s: reported %v, want %v", query, got, fields)
		}
	}
	expect(t, w.send("GET", "/v1/websites/site_a/analytics?x=%zz", "all", ""), 400, "VALIDATION_ERROR")
}

func TestAnOverviewInPart(t *testing.T) {
	w := newWorld(t)
	rec := w.send("GET", "/v1/websites/site_a/analytics", "pages", "")
	expect(t, rec, 200, "")
	body := object(t, rec)
	failed := map[string]bool{}
	for _, e := range body["errors"].([]any) {
		e := e.(map[string]any)
		failed[e["section"].(string)] = e["code"] == "FORBIDDEN"
	}
	if diff := cmp.Diff(map[string]bool{"totals": true, "series": true, "traffic": true, "countries": true,
		"devices": true}, failed); diff != "" {
		t.Error(diff)
	}
	if body["totals"] != nil || len(body["series"].([]any)) != 0 || len(body["pages"].([]any)) != 10 {
		t.Errorf("body %s", rec.Body)
	}
	w.keys["pages"].Types = []string{"sessions"}
	expect(t, w.send("GET", "/v1/websites/site_a/analytics", "pages", ""), 403, "FORBIDDEN")
	w.keys["pages"].Types = []string{}
	expect(t, w.send("GET", "/v1/websites/site_a/analytics", "pages", ""), 403, "FORBIDDEN")
	w.store.fail(errSecret)
	expect(t, w.send("GET", "/v1/websites/site_a/analytics", "all", ""), 500, "INTERNAL_SERVER_ERROR")
}

// versions lists days with a version that tests change: of all days, or of one.
type versions struct {
	n   atomic.Uint64
	of  time.Time
	err error
}

func (v *versions) Days(_ context.Context, _ store.Subject, from, to time.Time) (all []store.Day, err error) {
	for at := from; at.Before(to); at = at.AddDate(0, 0, 1) {
		day := store.Day{Start: at, Version: 1}
		if v.of.IsZero() || v.of.Equal(at) {
			day.Version += v.n.Load()
		}
		all = append(all, day)
	}
	return all, v.err
}

// newVersioned returns a world whose store has the versions v.
func newVersioned(t testing.TB, v store.DayLister, of query.Config, change ...func(*Config)) *world {
	t.Helper()
	canned := &cannedStore{}
	w := newWorld(t, append(change, over(t, struct {
		*cannedStore
		store.DayLister
	}{canned, v}, of))...)
	w.store = canned
	return w
}

// over returns a change of the engine to one over s.
func over(t testing.TB, s store.Store, of query.Config) func(*Config) {
	t.Helper()
	of.Store, of.Now = s, func() time.Time { return now }
	engine, err := query.New(of)
	if err != nil {
		t.Fatal(err)
	}
	return func(cfg *Config) { cfg.Engine = engine }
}

func TestConditionalRequestsForData(t *testing.T) {
	past := "startDate=2026-03-01&endDate=2026-03-02"
	for _, tc := range []struct{ name, target string }{
		{"a query", "/v1/query?website_id=site_a&parameters=summary_metrics,pages&" + past},
		{"an overview", "/v1/websites/site_a/analytics?compare=previous_period&" + past},
		{"today here is yesterday there",
			"/v1/query?website_id=site_a&parameters=pages&preset=yesterday&timezone=Pacific/Kiritimati"},
		{"a preset that ended", "/v1/query?website_id=site_a&parameters=pages&preset=yesterday"},
		{"today", "/v1/query?website_id=site_a&parameters=pages&preset=today"},
		{"an overview up to today", "/v1/websites/site_a/analytics"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := &versions{}
			w := newVersioned(t, v, query.Config{})
			first := w.send("GET", tc.target, "all", "")
			tag := first.Header().Get("ETag")
			if first.Code != 200 || !strings.HasPrefix(tag, `"`) || len(tag) < 20 {
				t.Fatalf("%d, ETag %q: %s", first.Code, tag, first.Body)
			}
			again := func(key, tag string) (*httptest.ResponseRecorder, int64) {
				before := w.store.asked.Load()
				rec := w.send("GET", tc.target, key, "", "If-None-Match", tag)
				return rec, w.store.asked.Load() - before
			}
			w.trail.take()
			rec, asked := again("all", `"other", W/`+tag)
			if rec.Code != 304 || asked != 0 || rec.Body.Len() != 0 || rec.Header().Get("ETag") != tag ||
				rec.Header().Get("Vary") == "" {
				t.Errorf("%d after %d statements, %d bytes, %v", rec.Code, asked, rec.Body.Len(), rec.Header())
			}
			if e := w.trail.take(); len(e) != 1 || e[0].Status != 304 || e[0].Outcome != "allowed" {
				t.Errorf("audit: %+v", e)
			}
			if rec, _ := again("rows", tag); rec.Code != 200 {
				t.Errorf("a key that may read less gets %d", rec.Code)
			}
			if rec, _ := again("nothing", tag); rec.Code != 403 {
				t.Errorf("a key that may read nothing gets %d", rec.Code)
			}
			v.n.Add(1)
			if rec, asked := again("all", tag); rec.Code != 200 || asked == 0 || rec.Header().Get("ETag") == tag {
				t.Errorf("after a write: %d with the old ETag %q", rec.Code, rec.Header().Get("ETag"))
			}
		})
	}
}

func TestContentOfATag(t *testing.T) {
	w := newVersioned(t, &versions{}, query.Config{})
	seen := map[string]string{}
	for _, target := range []string{
		"/v1/query?website_id=site_a&parameters=pages&preset=yesterday",
		"/v1/query?website_id=site_b&parameters=pages&preset=yesterday",
		"/v1/query?website_id=site_a&parameters=pages&preset=yesterday&id=x",
		"/v1/query?website_id=site_a&parameters=pages&preset=yesterday&limit=5",
		"/v1/query?website_id=site_a&parameters=pages&startDate=2026-03-27&endDate=2026-03-27",
		"/v1/query?website_id=site_a&parameters=pages&preset=yesterday&timezone=Asia/Tokyo",
		"/v1/websites/site_a/analytics?preset=yesterday",
		"/v1/websites/site_a/analytics?preset=yesterday&compare=previous_period",
		"/v1/websites/site_b/analytics?preset=yesterday",
	} {
		tag := w.send("GET", target, "all", "").Header().Get("ETag")
		if other, taken := seen[tag]; tag == "" || taken {
			t.Errorf("%s has the tag %q of %s", target, tag, other)
		}
		seen[tag] = target
	}
	w.dir.sites[0].Name = "another"
	if tag := w.send("GET", "/v1/websites/site_a/analytics?preset=yesterday", "all",
		"").Header().Get("ETag"); seen[tag] != "" {
		t.Error("the tag did not change with the website's name")
	}
}

func TestAWriteDuringTheRunIsNotMissed(t *testing.T) {
	v := &versions{}
	w := newVersioned(t, v, query.Config{})
	w.store.onQuery = func() { v.n.Add(1) }
	target := "/v1/query?website_id=site_a&parameters=pages&preset=yesterday"
	tag := w.send("GET", target, "all", "").Header().Get("ETag")
	w.store.onQuery = func() {}
	if rec := w.send("GET", target, "all", "", "If-None-Match", tag); rec.Code != 200 {
		t.Errorf("%d: the caller keeps the response from before the write", rec.Code)
	}
}

func TestAnswersWithoutATag(t *testing.T) {
	for _, tc := range []struct {
		name, method, target, key string
		versions                  *versions
	}{
		{"a range that ends now", "GET", "/v1/query?website_id=site_a&parameters=pages,active_stats&preset=yesterday",
			"all", &versions{}},
		{"today, compared up to now", "GET", "/v1/websites/site_a/analytics?compare=previous_period", "all",
			&versions{}},
		{"no versions", "GET", "/v1/query?website_id=site_a&parameters=pages&preset=yesterday", "all", nil},
		{"versions that fail", "GET", "/v1/query?website_id=site_a&parameters=pages&preset=yesterday", "all",
			&versions{err: errors.New("x")}},
		{"a parameter that failed", "GET", "/v1/query?website_id=site_a&parameters=pages,nonsense&preset=yesterday",
			"all", &versions{}},
		{"an incomplete overview", "GET", "/v1/websites/site_a/analytics?preset=yesterday", "pages", &versions{}},
		{"health", "GET", "/health", "", &versions{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			if tc.versions != nil {
				w = newVersioned(t, tc.versions, query.Config{})
			}
			rec := w.send(tc.method, tc.target, tc.key, "")
			if rec.Code != 200 || rec.Header().Get("ETag") != "" {
				t.Errorf("%d, ETag %q: %s", rec.Code, rec.Header().Get("ETag"), rec.Body)
			}
		})
	}
}

// TestVersionsOfATag checks that the engine decides which days a response depends on.
func TestVersionsOfATag(t *testing.T) {
	const target = "/v1/websites/site_a/analytics?startDate=2026-03-10&endDate=2026-03-11&compare=previous_period"
	for day, decides := range map[int]bool{5: false, 6: true, 12: true, 13: false} {
		v := &versions{of: time.Date(2026, 3, day, 0, 0, 0, 0, time.UTC)}
		w := newVersioned(t, v, query.Config{})
		tag := func() string { return w.send("GET", target, "all", "").Header().Get("ETag") }
		before := tag()
		v.n.Add(1)
		if after := tag(); (after != before) != decides || before == "" {
			t.Errorf("after a write on March %d the tag is %s, before it was %s", day, after, before)
		}
	}
}

func TestConditionalRequestsForLists(t *testing.T) {
	w := newWorld(t)
	for _, target := range []string{"/v1/query/types", "/v1/query/types?include_meta=true", "/v1/query/websites"} {
		tag := w.send("GET", target, "all", "").Header().Get("ETag")
		for sent, status := range map[string]int{tag: 304, "*": 304, `"x", ` + tag: 304, `"x"`: 200,
			strings.Trim(tag, `"`): 200} {
			w.trail.take()
			if rec := w.send("GET", target, "all", "", "If-None-Match", sent); rec.Code != status ||
				rec.Header().Get("ETag") != tag {
				t.Errorf("%s with %s: %d, want %d", target, sent, rec.Code, status)
			}
			if e := w.trail.take(); len(e) > 0 && e[0].Status != status {
				t.Errorf("%s with %s: audited as %d, want %d", target, sent, e[0].Status, status)
			}
		}
		w.dir.sites[0].Name = "another"
	}
	tag := w.send("GET", "/v1/query/websites", "all", "").Header().Get("ETag")
	if other := w.send("GET", "/v1/query/websites", "site_a", "").Header().Get("ETag"); other == tag {
		t.Error("two keys with different websites get the same tag")
	}
}

func TestHealth(t *testing.T) {
	down := func(context.Context) error { return fmt.Errorf("redis at 10.0.0.7 refused") }
	for _, tc := range []struct {
		name   string
		probes map[string]health.Probe
		status int
		want   string
	}{
		{"all probes succeed", nil, 200,
			`{"clickhouse":true,"database":true,"redis":true,"success":true,"version":"1.2.3","timestamp":"2026-03-29T12:00:00.000Z"}`},
		{"the cache is unavailable", map[string]health.Probe{health.Cache: down}, 503,
			`{"clickhouse":true,"database":true,"redis":false,"success":false,"version":"1.2.3","timestamp":"2026-03-29T12:00:00.000Z"}`},
	} {
		w := newWorld(t, func(cfg *Config) {
			cfg.Health = health.New(health.Config{Probes: tc.probes, Version: "1.2.3", Now: cfg.Now})
		})
		rec := w.send("GET", "/health", "", "")
		if diff := cmp.Diff(tc.want+"\n", rec.Body.String()); diff != "" || rec.Code != tc.status ||
			rec.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %v %s", tc.name, rec.Code, rec.Header(), diff)
		}
	}
	w := newWorld(t)
	if rec := w.send("GET", "/health/live", "", ""); rec.Code != 200 || rec.Body.String() != `{"success":true}`+"\n" {
		t.Errorf("live: %d %s", rec.Code, rec.Body)
	}
	if e := w.trail.take(); len(e) != 0 {
		t.Errorf("health is audited: %+v", e)
	}
}
