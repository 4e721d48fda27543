package httpapi

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/auth"
)

// benchmarked is a query with a series, totals and a breakdown.
const benchmarked = `{"parameters":["summary","summary_metrics","pages"],"startDate":"2026-02-01","endDate":"2026-02-28"}`

// BenchmarkHandler is a whole call, from its bytes to those of the answer, with a store
// that answers at once.
func BenchmarkHandler(b *testing.B) {
	w := newWorld(b, func(cfg *Config) { cfg.Audit, cfg.Limiter = auth.Discard, auth.Unlimited })
	serve(b, w.handler)
}

// BenchmarkBare sends the same bytes with net/http alone.
func BenchmarkBare(b *testing.B) {
	w := newWorld(b)
	body := w.send("POST", "/v1/query?website_id=site_a", "all", benchmarked).Body.Bytes()
	serve(b, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body)
	}))
}

func serve(b *testing.B, h http.Handler) {
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest("POST", "/v1/query?website_id=site_a", strings.NewReader(benchmarked))
		r.Header.Set("X-Api-Key", "all")
		r.Header.Set("Content-Type", "application/json")
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		if rec.Code != http.StatusOK {
			b.Fatalf("%d %s", rec.Code, rec.Body)
		}
	}
}
