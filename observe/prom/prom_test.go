package prom_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/observe"
	"github.com/sightline-analytics/sightline/observe/prom"
)

// lines returns the lines of the metrics in a scrape.
func lines(t *testing.T, c *prom.Collector) []string {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	if err := registry.Register(c); err != nil {
		t.Fatal(err)
	}
	rec := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(rec,
		httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
	if rec.Code != http.StatusOK {
		t.Fatalf("%d %s", rec.Code, rec.Body)
	}
	return strings.Split(rec.Body.String(), "\n")
}

func wants(t *testing.T, got []string, want ...string) {
	t.Helper()
	all := "\n" + strings.Join(got, "\n") + "\n"
	for _, line := range want {
		if !strings.Contains(all, "\n"+line+"\n") {
			t.Errorf("the line %q is missing in %s", line, all)
		}
	}
}

func TestMetrics(t *testing.T) {
	c := prom.New()
	tell := c.Observe("api")
	good := observe.Request{Route: "POST /v1/query", Class: auth.ClassQuery, Status: 200,
		Duration: 20 * time.Millisecond, Store: 15 * time.Millisecond, Rows: 40}
	tell(t.Context(), good)
	tell(t.Context(), good)
	tell(t.Context(), observe.Request{Route: "POST /v1/query", Class: auth.ClassQuery, Status: 429,
		Code: "RATE_LIMITED", Duration: time.Millisecond})
	c.Observe("track")(t.Context(), observe.Request{Class: auth.ClassPublic, Status: 404, Code: "NOT_FOUND"})
	var during []string
	c.InFlight("api", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { during = lines(t, c) })).
		ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", http.NoBody))
	wants(t, during, `sightline_requests_in_flight{handler="api"} 1`)
	wants(t, lines(t, c),
		`sightline_requests_in_flight{handler="api"} 0`,
		`sightline_requests_total{class="query",handler="api",route="POST /v1/query",status="200"} 2`,
		`sightline_requests_total{class="query",handler="api",route="POST /v1/query",status="429"} 1`,
		`sightline_requests_total{class="public",handler="track",route="none",status="404"} 1`,
		`sightline_errors_total{code="RATE_LIMITED",handler="api",route="POST /v1/query"} 1`,
		`sightline_errors_total{code="NOT_FOUND",handler="track",route="none"} 1`,
		`sightline_rows_total{handler="api",route="POST /v1/query"} 80`,
		`sightline_request_duration_seconds_count{handler="api",route="POST /v1/query"} 3`,
		`sightline_request_duration_seconds_bucket{handler="api",route="POST /v1/query",le="0.01"} 1`,
		`sightline_store_duration_seconds_count{handler="api",route="POST /v1/query"} 2`,
		`sightline_store_duration_seconds_sum{handler="api",route="POST /v1/query"} 0.03`)
}

// An expected error has a series before it happens, and counts from 0.
func TestExpectedErrors(t *testing.T) {
	c := prom.New()
	c.Expect("api", "", "TIMEOUT")
	c.Expect("api", "POST /v1/query", "TIMEOUT")
	c.Observe("api")(t.Context(), observe.Request{Route: "POST /v1/query", Status: 504, Code: "TIMEOUT"})
	wants(t, lines(t, c),
		`sightline_errors_total{code="TIMEOUT",handler="api",route="none"} 0`,
		`sightline_errors_total{code="TIMEOUT",handler="api",route="POST /v1/query"} 1`)
}

// TestCodesAreBounded checks that errors of a host with any code do not create many series.
func TestCodesAreBounded(t *testing.T) {
	c := prom.New()
	for i := range 10 * prom.MaxCodes {
		c.Observe("api")(t.Context(), observe.Request{Status: 409, Code: fmt.Sprintf("OWN_%d", i)})
	}
	series := 0
	for _, line := range lines(t, c) {
		if strings.HasPrefix(line, "sightline_errors_total{") {
			series++
		}
	}
	if series != prom.MaxCodes+1 {
		t.Errorf("%d series of errors, want %d and one for the others", series, prom.MaxCodes)
	}
}
