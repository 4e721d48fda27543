//go:build cgo

package bench

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// BenchmarkLive measures queries after a new row in the last day. It measures answers that are merged from
// partials, and answers that are computed only from rows. The new rows stay in the file.
func BenchmarkLive(b *testing.B) {
	r := newRun(b)
	s := r.open(b)
	for _, c := range []struct {
		name        string
		maxPartials int64
		quiet       bool
	}{{"sealed", -1, true}, {"partials", 0, false}, {"rows", -1, false}} {
		engine, err := query.New(query.Config{Store: s.store, Now: func() time.Time { return end },
			EngineOptions: query.EngineOptions{ResultCache: -1, MaxPartials: c.maxPartials}})
		if err != nil {
			b.Fatal(err)
		}
		live := &service{store: s.store, engine: engine}
		for _, days := range []int{1, 7, 30} {
			of := subject{"big", days}
			for _, q := range plain() {
				if days <= r.Traffic.Days {
					b.Run(fmt.Sprintf("%s/%v/%s", c.name, of, q.name),
						func(b *testing.B) { live.beside(b, q, of, c.quiet) })
				}
			}
		}
	}
}

// beside sends the query after each new row. The first answers, which compute partials of the other days, do not count.
func (s *service) beside(b *testing.B, q question, of subject, quiet bool) {
	_, request := q.request(b, of)
	ask := func() time.Duration {
		if !quiet {
			if err := s.arrive(b.Context(), of); err != nil {
				b.Fatal(err)
			}
		}
		began := time.Now()
		if _, err := s.run(b.Context(), request, of); err != nil {
			b.Fatal(err)
		}
		return time.Since(began)
	}
	for range 3 {
		ask()
		if err := s.engine.Wait(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	var took []time.Duration
	for b.Loop() {
		took = append(took, ask())
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(0, "ns/op")
}

// arrive writes a pageview of a new visitor in the last hour.
func (s *service) arrive(ctx context.Context, of subject) error {
	id := fmt.Sprintf("live-%d", time.Now().UnixNano())
	_, err := s.store.Write(ctx,
		&store.Batch{Events: []store.Event{{Website: of.id(), ID: id, Name: "screen_view", Path: "/",
			Time:     end.Add(-time.Hour),
			Identity: store.Identity{AnonymousID: id, SessionID: id}}}})
	return err
}
