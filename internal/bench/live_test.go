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

// BenchmarkLive measures how soon the engine answers about days of which the last has a new row
// since the question before, merged from partials and without them. The rows stay in the file.
func BenchmarkLive(b *testing.B) {
	r := newRun(b)
	s, err := newService(b.Context(), r.file, r.clients)
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := s.close(); err != nil {
			b.Error(err)
		}
	}()
	rows := 0
	for _, days := range []int{1, 7, 30} {
		if days > r.Traffic.Days {
			continue
		}
		of := subject{"big", days}
		for _, c := range []struct {
			name        string
			maxPartials int64
		}{{"partials", 0}, {"rows", -1}} {
			engine, err := query.New(query.Config{Store: s.store, Now: func() time.Time { return end }, ResultCache: -1, MaxPartials: c.maxPartials})
			if err != nil {
				b.Fatal(err)
			}
			for _, q := range plain() {
				_, request := q.request(b, of)
				b.Run(fmt.Sprintf("%v/%s/%s", of, q.name, c.name), func(b *testing.B) {
					with := *s
					with.engine = engine
					var took []time.Duration
					ask := func() {
						rows++
						if err := s.arrive(b.Context(), of, rows); err != nil {
							b.Fatal(err)
						}
						began := time.Now()
						if _, err := with.run(b.Context(), request, of); err != nil {
							b.Fatal(err)
						}
						took = append(took, time.Since(began))
					}
					for range 3 {
						ask()
					}
					took = nil
					for b.Loop() {
						ask()
					}
					slices.Sort(took)
					b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
					b.ReportMetric(0, "ns/op")
				})
			}
		}
	}
}

// arrive writes the n-th pageview of a visitor who comes in the last hour.
func (s *service) arrive(ctx context.Context, of subject, n int) error {
	id := fmt.Sprintf("live-%d-%d", time.Now().UnixNano(), n)
	_, err := s.store.Write(ctx, &store.Batch{Events: []store.Event{{Website: of.id(), ID: id, Name: "screen_view", Path: "/", Time: end.Add(-time.Hour),
		Identity: store.Identity{AnonymousID: id, SessionID: id}}}})
	return err
}
