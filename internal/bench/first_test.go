//go:build cgo && unix

package bench

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
)

// BenchmarkFirst measures the first answer with a filter by country or path, of an engine that has answered the query
// without it. A user who selects a country on a dashboard sends such a query. It takes turns with SQL by hand, and
// reports the geometric mean of the speedups.
func BenchmarkFirst(b *testing.B) {
	r := newRun(b)
	s := r.open(b)
	for _, days := range []int{30, 90} {
		of, logs := subject{"big", days}, map[string][]float64{}
		for _, q := range filtered() {
			b.Run(fmt.Sprintf("%v/%s", of, q.name), func(b *testing.B) {
				logs[q.only] = append(logs[q.only], math.Log(r.first(b, s, q, of)))
			})
		}
		for only, all := range logs {
			b.Run(fmt.Sprintf("%v/mean of a %s", of, only), func(b *testing.B) {
				sum := 0.0
				for _, log := range all {
					sum += log
				}
				b.ReportMetric(math.Exp(sum/float64(len(all))), "times")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// first reports the p50 of both, and returns the speedup of the engine. Each answer comes from a new engine.
func (r *run) first(b *testing.B, s *service, q question, of subject) (times float64) {
	b.Helper()
	_, request := q.request(b, of)
	all, statement := request, q.statement(of)
	all.Filters = nil
	var engine, byHand []time.Duration
	for b.Loop() {
		var err error
		if s.engine, err = query.New(query.Config{Store: s.store, Now: func() time.Time { return end },
			EngineOptions: query.EngineOptions{Timeout: patience, ResultCache: -1,
				MaxPartials: r.memory.partials}}); err != nil {
			b.Fatal(err)
		}
		took := func(ask query.Request) time.Duration {
			began := time.Now()
			if _, err := s.run(b.Context(), ask, of); err != nil {
				b.Fatal(err)
			}
			return time.Since(began)
		}
		for range 2 { // after the second query partials are computed
			took(all)
		}
		if err := s.engine.Wait(b.Context()); err != nil {
			b.Fatal(err)
		}
		engine = append(engine, took(request))
		began := time.Now()
		if _, err := s.store.Query(b.Context(), statement); err != nil {
			b.Fatal(err)
		}
		byHand = append(byHand, time.Since(began))
	}
	b.ReportMetric(median(engine), "engine-ms")
	b.ReportMetric(median(byHand), "sql-ms")
	b.ReportMetric(median(byHand)/median(engine), "times")
	b.ReportMetric(0, "ns/op")
	return median(byHand) / median(engine)
}
