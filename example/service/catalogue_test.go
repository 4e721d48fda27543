//go:build cgo

package service

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/example/demo"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/duckdb"
)

// promised are the columns of every type, in their order, as they are defined.
var promised = map[string]string{
	"summary":                       "date, pageviews, visitors, sessions, bounce_rate, median_session_duration, pages_per_session, total_events",
	"events_by_date":                "date, pageviews, visitors, sessions, bounce_rate, median_session_duration, pages_per_session, total_events",
	"summary_metrics":               "pageviews, visitors, unique_visitors, sessions, bounce_rate, median_session_duration, pages_per_session, total_events",
	"today_metrics":                 "pageviews, visitors, sessions",
	"active_stats":                  "active_users, active_sessions",
	"pages":                         "path, name, pageviews, visitors, percentage, median_time_on_page, avg_load_time",
	"top_pages":                     "path, name, pageviews, visitors, percentage",
	"realtime_pages":                "path, name, pageviews, visitors, percentage",
	"entry_pages":                   "path, name, sessions, pageviews, visitors, percentage",
	"exit_pages":                    "path, name, sessions, pageviews, visitors, percentage",
	"page_time_analysis":            "path, name, sessions_with_time, visitors, median_time_on_page, percentage",
	"traffic":                       "name, pageviews, visitors, percentage, referrer, source, domain, referrer_type",
	"traffic_sources":               "name, pageviews, visitors, percentage, referrer, source, domain, referrer_type",
	"top_referrers":                 "name, pageviews, visitors, percentage, referrer, source, domain, referrer_type",
	"utm_sources":                   "name, pageviews, visitors, percentage",
	"utm_mediums":                   "name, pageviews, visitors, percentage",
	"utm_campaigns":                 "name, pageviews, visitors, percentage",
	"utm_terms":                     "name, pageviews, visitors, percentage",
	"utm_content":                   "name, pageviews, visitors, percentage",
	"language":                      "name, pageviews, visitors, percentage",
	"timezone":                      "name, pageviews, visitors, percentage",
	"screen_resolutions":            "name, pageviews, visitors, percentage",
	"browser_name":                  "name, pageviews, visitors, percentage",
	"os_name":                       "name, pageviews, visitors, percentage",
	"device_types":                  "name, pageviews, visitors, percentage, device_type",
	"browsers_grouped":              "name, pageviews, visitors, percentage, sessions, versions",
	"browser_versions":              "name, version, pageviews, visitors, sessions, percentage",
	"os_versions":                   "name, version, pageviews, visitors, sessions, percentage",
	"countries":                     "name, pageviews, visitors, percentage, country_code, country_name",
	"country":                       "name, pageviews, visitors, percentage, country_code, country_name",
	"region":                        "name, pageviews, visitors, percentage, region, country, country_code, country_name",
	"cities":                        "name, pageviews, visitors, percentage, city, region, country, country_code, country_name",
	"city":                          "name, pageviews, visitors, percentage, city, region, country, country_code, country_name",
	"errors":                        "message, error_type, path, count, users, sessions, first_seen, last_seen, percentage",
	"error_types":                   "error_type, count, users, last_seen, percentage",
	"errors_by_page":                "path, name, errors, users, unique_messages, percentage",
	"error_trends":                  "date, errors, users, sessions",
	"performance":                   "path, name, pageviews, samples, p75_lcp, p75_fcp, p75_cls, p75_inp, p75_ttfb, avg_load_time, avg_dom_ready_time, avg_ttfb",
	"web_vitals_by_page":            "path, name, samples, visitors, p75_lcp, p75_fcp, p75_cls, p75_inp, p75_ttfb",
	"vitals_overview":               "metric_name, p50, p75, p90, p95, p99, avg_value, samples",
	"vitals_time_series":            "date, samples, p75_lcp, p75_fcp, p75_cls, p75_inp, p75_ttfb",
	"sessions":                      "session_id, first_visit, last_visit, duration, page_views, total_events, bounced, entry_page, exit_page, visitor_id, profile_id, country, country_code, country_name, region, city, referrer, source, referrer_type, referrer_name, device_type, browser_name, os_name, language",
	"session_list":                  "session_id, first_visit, last_visit, duration, page_views, total_events, bounced, entry_page, exit_page, visitor_id, profile_id, country, country_code, country_name, region, city, referrer, source, referrer_type, referrer_name, device_type, browser_name, os_name, language, events",
	"session_events":                "event_id, timestamp, kind, name, path, properties",
	"session_metrics":               "total_sessions, avg_session_duration, median_session_duration, bounce_rate, pages_per_session, total_events",
	"sessions_time_series":          "date, sessions, visitors, avg_session_duration, bounce_rate",
	"session_duration_distribution": "duration_range, sessions, visitors, percentage",
	"custom_events":                 "name, total_events, unique_users, unique_sessions, first_occurrence, last_occurrence, events_with_properties, percentage",
	"custom_event_properties":       "name, property_key, property_value, count",
	"flag_exposures":                "flag, variant, visitors, sessions, exposures",
	"blocked_traffic":               "reason, bot_name, requests, percentage, last_seen",
	"blocked_traffic_trends":        "date, requests",
	"flag_outcomes":                 "flag, variant, visitors, converted, conversion_rate, conversion_low, conversion_high, statuses",
	"custom_events_trends":          "date, total_events, unique_users, unique_sessions",
	"profiles":                      "visitor_id, profile_id, display_name, first_visit, last_visit, session_count, total_events, pageviews, unique_pages, custom_event_count, country, country_code, country_name, region, device_type, browser_name, os_name, referrer",
	"profile_list":                  "visitor_id, profile_id, display_name, first_visit, last_visit, session_count, total_events, pageviews, unique_pages, custom_event_count, country, country_code, country_name, region, device_type, browser_name, os_name, referrer",
	"outbound_links":                "href, text, total_clicks, unique_users, unique_sessions, percentage, last_clicked",
	"outbound_domains":              "domain, total_clicks, unique_users, unique_links, percentage",
	"engagement":                    "path, name, pageviews, visitors, sessions, avg_scroll_depth, avg_time_on_page, median_time_on_page, avg_interactions, interaction_rate",
	"scroll_depth_distribution":     "depth_range, visitors, sessions, percentage",
	"frustration_by_page":           "path, name, sessions, visitors, rage_clicks, dead_clicks, errors",
	"link_total_clicks":             "total",
	"link_clicks_by_day":            "date, clicks",
	"link_top_referrers":            "name, referrer, source, domain, referrer_type, clicks, percentage",
	"link_top_countries":            "name, country, country_code, country_name, clicks, percentage",
	"link_top_regions":              "name, country, country_code, country_name, region, clicks, percentage",
	"link_top_cities":               "name, country, country_code, country_name, region, city, clicks, percentage",
	"link_top_devices":              "name, clicks, percentage",
	"link_top_browsers":             "name, clicks, percentage",
	"uptime_overview":               "uptime_percentage, total_checks, successful_checks, avg_response_time, p50_response_time, p75_response_time, p95_response_time, p99_response_time, min_response_time, max_response_time, avg_ttfb, ssl_expiry, ssl_valid",
	"uptime_time_series":            "date, uptime_percentage, total_checks, successful_checks, downtime_seconds, avg_response_time, p50_response_time, p95_response_time, max_response_time, avg_ttfb, p50_ttfb, p95_ttfb",
	"uptime_status_breakdown":       "status, http_code, count, percentage",
	"uptime_recent_checks":          "timestamp, url, status, http_code, ttfb_ms, total_ms, probe_region, ssl_valid, error",
	"uptime_response_time_trends":   "date, avg_response_time, p50_response_time, p75_response_time, p90_response_time, p95_response_time, p99_response_time, min_response_time, max_response_time, avg_ttfb",
	"uptime_ssl_status":             "ssl_expiry, ssl_valid, invalid_ssl_checks",
	"uptime_by_region":              "region, uptime_percentage, total_checks, avg_response_time, p95_response_time",
}

// TestEveryTypeAnswersOnTheDemo asks each type on the demo's data, series by day and by
// hour, and wants rows that keep what the type's metadata says.
func TestEveryTypeAnswersOnTheDemo(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 17, 56, 30, 0, time.UTC) // a moment with somebody there
	s, err := duckdb.Open(t.Context(), duckdb.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	g := demo.New(demo.Config{Seed: demoSeed, Website: demoWebsite, Domain: demoDomain, Link: demoLink, Schedule: demoMonitor})
	if _, err := s.Write(t.Context(), g.Batch(now.AddDate(0, 0, -9), now)); err != nil {
		t.Fatal(err)
	}
	e, err := query.New(query.Config{Store: s, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	session := anySession(t, e)
	for _, info := range e.Types() {
		known[info.Name] = true
		for _, granularity := range append([]string{"daily"}, info.Granularity...) {
			t.Run(info.Name+" "+granularity, func(t *testing.T) {
				req := query.Request{Parameters: []query.Parameter{{Name: info.Name}}, Preset: "last_7d", Granularity: granularity, TimeZone: "America/New_York"}
				if info.RequiredFilter != "" {
					req.Filters = []query.Filter{{Field: info.RequiredFilter, Op: query.Eq, Values: []string{session}}}
				}
				asExpected(t, info, ask(t, e, info, req))
			})
		}
	}
	for name := range promised {
		if !known[name] {
			t.Errorf("there is no type %s", name)
		}
	}
}

func ask(t *testing.T, e *query.Engine, info query.Info, req query.Request) []byte {
	t.Helper()
	id := map[store.SubjectKind]string{store.KindWebsite: demoWebsite, store.KindLink: demoLink, store.KindSchedule: demoMonitor}[info.Subject]
	resp, err := e.Run(t.Context(), query.Access{Subject: store.Subject{Kind: info.Subject, ID: id}}, req)
	if err != nil {
		t.Fatal(err)
	}
	if r := resp.Data[0]; !r.Success {
		t.Fatal(r.Error, r.Cause)
	}
	return resp.Data[0].Data.AppendJSON(nil)
}

// anySession is the id of a session of the demo.
func anySession(t *testing.T, e *query.Engine) string {
	t.Helper()
	answer := ask(t, e, query.Info{Name: "sessions", Subject: store.KindWebsite},
		query.Request{Parameters: []query.Parameter{{Name: "sessions"}}, Preset: "last_7d"})
	var rows []struct {
		ID string `json:"session_id"`
	}
	if err := json.Unmarshal(answer, &rows); err != nil || len(rows) == 0 {
		t.Fatal(err, len(rows))
	}
	return rows[0].ID
}

// asExpected holds rows against the promised columns and the types of the metadata.
func asExpected(t *testing.T, info query.Info, answer []byte) {
	t.Helper()
	want := strings.Split(promised[info.Name], ", ")
	var told []string
	for _, f := range info.Output {
		told = append(told, f.Name)
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("columns (-promised +told):\n%s", diff)
	}
	var rows []json.RawMessage
	if err := json.Unmarshal(answer, &rows); err != nil || len(rows) == 0 {
		t.Fatalf("%v: %d rows", err, len(rows))
	}
	for _, row := range rows {
		if diff := cmp.Diff(want, keys(t, row)); diff != "" {
			t.Fatalf("columns of a row (-promised +got):\n%s", diff)
		}
		var cells map[string]any
		if err := json.Unmarshal(row, &cells); err != nil {
			t.Fatal(err)
		}
		for _, f := range info.Output {
			if !fits(f.Type, cells[f.Name]) {
				t.Fatalf("%s is no %s: %v", f.Name, f.Type, cells[f.Name])
			}
		}
	}
}

// keys are the names in an object, in its order.
func keys(t *testing.T, object []byte) []string {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(object)))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	var names []string
	for d.More() {
		name, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name.(string))
		var skip json.RawMessage
		if err := d.Decode(&skip); err != nil {
			t.Fatal(err)
		}
	}
	return names
}

func fits(f query.Format, v any) bool {
	switch f {
	case query.String:
		_, ok := v.(string)
		return ok
	case query.Integer:
		n, ok := v.(float64)
		return v == nil || ok && n == float64(int64(n))
	case query.Number:
		_, ok := v.(float64)
		return v == nil || ok
	case query.Boolean:
		_, ok := v.(bool)
		return v == nil || ok
	case query.Date:
		text, _ := v.(string)
		_, day := time.Parse("2006-01-02", text)
		_, hour := time.Parse("2006-01-02 15:00:00", text)
		return day == nil || hour == nil
	case query.DateTime:
		text, ok := v.(string)
		_, err := time.Parse("2006-01-02T15:04:05.000Z", text)
		return v == nil || ok && err == nil
	case query.JSON:
		switch v.(type) {
		case map[string]any, []any:
			return true
		}
	}
	return false
}
