package dataset

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

// A spelled is a named type spelled out as a choice of metrics. Dimensions and metrics have the form FIELD or
// FIELD=COLUMN, where COLUMN is the column of the named type.
type spelled struct {
	name, dataset, dimensions, metrics string
	// the field that must not be empty, since the named type leaves empty names out
	known string
}

const (
	visits = "sessions bounce_rate median_session_duration pages_per_session total_events"
	perB   = "visitors pageviews percentage"
)

func allSpelled() []spelled {
	list := []spelled{
		{name: "summary", dataset: "pageviews", dimensions: "date", metrics: "pageviews visitors " + visits},
		{name: "summary_metrics", dataset: "pageviews", metrics: "pageviews visitors " + visits},
		{name: "session_metrics", dataset: "pageviews",
			metrics: "sessions=total_sessions avg_session_duration median_session_duration bounce_rate pages_per_session total_events"},
		{name: "sessions_time_series", dataset: "pageviews", dimensions: "date",
			metrics: "sessions visitors avg_session_duration bounce_rate"},
		{name: "top_pages", dataset: "pageviews", dimensions: "path", metrics: perB},
		{name: "pages", dataset: "pageviews", dimensions: "path", metrics: perB + " avg_load_time"},
		{name: "entry_pages", dataset: "entries", dimensions: "path",
			metrics: "sessions pageviews visitors percentage"},
		{name: "exit_pages", dataset: "exits", dimensions: "path", metrics: "sessions pageviews visitors percentage"},
		{name: "entry_pages", dataset: "sessions", dimensions: "entry_page=path",
			metrics: "sessions visitors percentage"},
		{name: "exit_pages", dataset: "sessions", dimensions: "exit_page=path",
			metrics: "sessions visitors percentage"},
		{name: "countries", dataset: "pageviews", dimensions: "country=country_code", metrics: perB, known: "country"},
		{name: "region", dataset: "pageviews", dimensions: "country=country_code region", metrics: perB,
			known: "region"},
		{name: "cities", dataset: "pageviews", dimensions: "country=country_code region city", metrics: perB,
			known: "city"},
		{name: "device_types", dataset: "pageviews", dimensions: "device_type", metrics: perB, known: "device_type"},
		{name: "browsers_grouped", dataset: "pageviews", dimensions: "browser_name=name", metrics: perB + " sessions",
			known: "browser_name"},
		{name: "browser_versions", dataset: "pageviews", dimensions: "browser_name=name browser_version=version",
			metrics: perB + " sessions", known: "browser_name"},
		{name: "os_versions", dataset: "pageviews", dimensions: "os_name=name os_version=version", metrics: perB +
			" sessions", known: "os_name"},
		{name: "errors", dataset: "errors", dimensions: "message error_type",
			metrics: "count users sessions percentage"},
		{name: "error_types", dataset: "errors", dimensions: "error_type", metrics: "count users percentage"},
		{name: "errors_by_page", dataset: "errors", dimensions: "path",
			metrics: "count=errors users unique_messages percentage"},
		{name: "error_trends", dataset: "errors", dimensions: "date", metrics: "count=errors users sessions"},
		{name: "web_vitals_by_page", dataset: "vitals", dimensions: "path",
			metrics: "samples visitors p75_lcp p75_fcp p75_cls p75_inp p75_ttfb"},
		{name: "vitals_time_series", dataset: "vitals", dimensions: "date",
			metrics: "samples p75_lcp p75_fcp p75_cls p75_inp p75_ttfb"},
		{name: "custom_events", dataset: "events", dimensions: "event_name=name",
			metrics: "unique_users total_events unique_sessions events_with_properties percentage"},
		{name: "custom_events_trends", dataset: "events", dimensions: "date",
			metrics: "total_events unique_users unique_sessions"},
		{name: "outbound_links", dataset: "clicks", dimensions: "href text",
			metrics: "total_clicks unique_users unique_sessions percentage"},
		{name: "link_total_clicks", dataset: "link_visits", metrics: "clicks=total"},
		{name: "link_clicks_by_day", dataset: "link_visits", dimensions: "date", metrics: "clicks"},
		{name: "link_top_countries", dataset: "link_visits", dimensions: "country=country_code",
			metrics: "clicks percentage"},
		{name: "blocked_traffic", dataset: "blocked", dimensions: "reason bot_name", metrics: "requests percentage"},
		{name: "blocked_traffic_trends", dataset: "blocked", dimensions: "date", metrics: "requests"},
		{name: "uptime_time_series", dataset: "checks", dimensions: "date",
			metrics: "uptime_percentage total_checks successful_checks avg_response_time p50_response_time " +
				"p95_response_time max_response_time avg_ttfb p50_ttfb p95_ttfb"},
		{name: "uptime_response_time_trends", dataset: "checks", dimensions: "date",
			metrics: "avg_response_time p50_response_time p75_response_time p90_response_time " +
				"p95_response_time p99_response_time min_response_time max_response_time avg_ttfb"},
	}
	for name, field := range map[string]string{
		"utm_sources": "utm_source", "utm_mediums": "utm_medium", "utm_campaigns": "utm_campaign",
		"utm_terms": "utm_term", "utm_content": "utm_content",
		"language": "language", "timezone": "timezone", "screen_resolutions": "screen_resolution",
		"browser_name": "browser_name", "os_name": "os_name",
	} {
		list = append(list, spelled{name, "pageviews", field + "=name", perB, field})
	}
	return list
}

// Named types and the same choices spelled out have equal rows and totals.
func TestChoicesEqualNamedTypes(t *testing.T) {
	testenv.WithoutRace(t)
	w := New(13)
	data := reference.NewData(w.Batch)
	rng := rand.New(rand.NewPCG(13, 3))
	types := reference.Types()
	for _, s := range allSpelled() {
		kind := types[slices.IndexFunc(types, func(t reference.Type) bool { return t.Name == s.name })]
		for range 6 {
			q := w.ask(rng, kind)
			q.GroupBy = q.GroupBy[:min(len(q.GroupBy), 1)]
			q.SortBy, q.SortOrder, q.Limit, q.Page, q.Compare, q.Totals = "", "", 10_000, 1, "", true
			if len(q.GroupBy) == 0 && len(kind.GroupBy) > 0 && kind.Allows("property:plan") && rng.IntN(3) == 0 {
				q.GroupBy = []string{"property:plan"}
			}
			if s.known != "" {
				q.Filters = append(q.Filters, reference.Filter{Field: s.known, Op: "ne", Values: []string{""}})
			}
			choice := q
			choice.Type, choice.Dataset, choice.Dimensions, choice.GroupBy = "", s.dataset, slices.Clone(q.GroupBy), nil
			columns := slices.Clone(q.GroupBy)
			for _, d := range strings.Fields(s.dimensions) {
				field, column, _ := strings.Cut(d+"="+d, "=")
				column, _, _ = strings.Cut(column, "=")
				choice.Dimensions, columns = append(choice.Dimensions, field), append(columns, column)
			}
			fields := slices.Clone(choice.Dimensions)
			for _, m := range strings.Fields(s.metrics) {
				name, column, _ := strings.Cut(m, "=")
				if column == "" {
					column = name
				}
				choice.Metrics = append(choice.Metrics, reference.Metric{Name: name, As: column})
				fields, columns = append(fields, column), append(columns, column)
			}
			want, wantTotals, err := project(data, q, columns)
			got, gotTotals, other := project(data, choice, fields)
			if errors.Is(err, reference.ErrTooLong) && errors.Is(other, reference.ErrTooLong) {
				continue
			}
			if err != nil || other != nil || !slices.Equal(want, got) || wantTotals != gotTotals {
				t.Errorf("%v: got\n%s %s %v\nfor %v\n%s %s %v", choice, strings.Join(got, "\n"), gotTotals, other, q,
					strings.Join(want, "\n"), wantTotals, err)
			}
		}
	}
}

// project returns the rows of the answer to q with only some columns, sorted as texts, and the totals.
func project(data *reference.Data, q reference.Question, columns []string) (rows []string, totals string, err error) {
	answer, err := data.Compared(q)
	if err != nil {
		return nil, "", err
	}
	text := func(row map[string]json.RawMessage) string {
		var cells []string
		for _, c := range columns {
			cells = append(cells, string(row[c]))
		}
		return strings.Join(cells, " ")
	}
	var all []map[string]json.RawMessage
	if err := json.Unmarshal(answer.Rows, &all); err != nil {
		return nil, "", err
	}
	for _, row := range all {
		rows = append(rows, text(row))
	}
	slices.Sort(rows)
	var one map[string]json.RawMessage
	if err := json.Unmarshal(answer.Totals, &one); err != nil {
		return nil, "", err
	}
	return rows, text(one), nil
}
