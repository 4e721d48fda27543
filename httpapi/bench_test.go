package httpapi

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/query"
)

// benchmarked is a query with a series, totals and a breakdown, as a body and as a URL.
const (
	benchmarked        = `{"parameters":["summary","summary_metrics","pages"],"startDate":"2026-02-01","endDate":"2026-02-28"}`
	benchmarkedAddress = "/v1/query?website_id=site_a&parameters=summary,summary_metrics,pages&startDate=2026-02-01&endDate=2026-02-28"
)

// BenchmarkHandler measures a whole call, from the bytes of the request to the bytes of the response, with a store that
// answers at once.
func BenchmarkHandler(b *testing.B) {
	for _, kept := range []bool{false, true} {
		b.Run(map[bool]string{false: "computed", true: "kept"}[kept], func(b *testing.B) {
			serve(b, benchWorld(b, kept).handler, "POST", "/v1/query?website_id=site_a", benchmarked, "")
		})
	}
	b.Run("confirmed", func(b *testing.B) {
		w := benchWorld(b, true)
		tag := w.send("GET", benchmarkedAddress, "all", "").Header().Get("ETag")
		serve(b, w.handler, "GET", benchmarkedAddress, "", tag)
	})
}

// BenchmarkBare sends the same bytes with net/http only.
func BenchmarkBare(b *testing.B) {
	w := newWorld(b)
	body := w.send("POST", "/v1/query?website_id=site_a", "all", benchmarked).Body.Bytes()
	serve(b, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body)
	}), "POST", "/v1/query?website_id=site_a", benchmarked, "")
}

// benchWorld returns a world without limits and audit trail. Its store reports that data never changes.
func benchWorld(b *testing.B, kept bool) *world {
	return newVersioned(b, &versions{}, query.Config{
		EngineOptions: query.EngineOptions{ResultCache: map[bool]int64{false: -1}[kept]},
	}, func(cfg *Config) {
		cfg.Audit, cfg.Limiter = auth.Discard, auth.Unlimited
	})
}

func serve(b *testing.B, h http.Handler, method, target, body, tag string) {
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest(method, target, strings.NewReader(body))
		r.Header.Set("X-Api-Key", "all")
		r.Header.Set("Content-Type", "application/json")
		if tag != "" {
			r.Header.Set("If-None-Match", tag)
		}
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		if want := map[bool]int{true: http.StatusNotModified, false: http.StatusOK}[tag != ""]; rec.Code != want {
			b.Fatalf("%d %s", rec.Code, rec.Body)
		}
	}
}
