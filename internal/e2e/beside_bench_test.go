//go:build cgo

package e2e

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/storetest"
)

// BenchmarkQueryBesideIngest measures queries of a dashboard over seven days, idle and during ingest of 5 000 events/s
// for the same website, with and without partials. Each commit makes the partials of today invalid. Each day has
// SIGHTLINE_BENCH_EVENTS events. All days are sealed at the start, and a Sealer seals them again. The number of rows
// grows, so the benchmark measures idle again at the end.
func BenchmarkQueryBesideIngest(b *testing.B) {
	in := newIngest(b)
	l := ingestLoad{"", "/batch?client_id=shop", "", 4, 100, nil}
	batches := 7 * int64(storetest.Number(b, "SIGHTLINE_BENCH_EVENTS", 100_000)/l.events)
	l.age = func(n int64) time.Duration {
		return time.Duration(batches-n) * (6 * 24 * time.Hour / time.Duration(batches))
	}
	var next atomic.Int64
	if _, err := l.run(b.Context(), in.url, func() (int64, bool) {
		n := next.Add(1)
		return n, n <= batches
	}); err != nil {
		b.Fatal(err)
	}
	l.age = nil
	sealing, err := query.New(query.Config{Store: in.store})
	if err != nil {
		b.Fatal(err)
	}
	seal := func() {
		if err := sealing.Seal(b.Context(), store.Subject{Kind: store.KindWebsite, ID: "shop"},
			time.Now().AddDate(0, 0, -7), time.Now().Add(time.Second)); err != nil {
			b.Fatal(err)
		}
	}
	seal()
	ask := func(name string) {
		for _, c := range []struct {
			name        string
			maxPartials int64
		}{{"with partials", 0}, {"without", -1}} {
			e, err := query.New(query.Config{Store: in.store,
				EngineOptions: query.EngineOptions{ResultCache: -1, MaxPartials: c.maxPartials}})
			if err != nil {
				b.Fatal(err)
			}
			ctx, stop := context.WithCancel(b.Context())
			var upkeep sync.WaitGroup
			upkeep.Go(func() { query.NewSealer(e).Run(ctx, func(err error) { b.Error(err) }) })
			b.Run(name+"/"+c.name, func(b *testing.B) { askPanel(b, e) })
			stop()
			upkeep.Wait()
		}
	}
	ask("idle")
	beside := func(name string, l ingestLoad, every time.Duration) {
		ctx, stop := context.WithCancel(b.Context())
		done := make(chan error, 1)
		go func() {
			_, err := l.run(b.Context(), in.url, paced(ctx, every, &next))
			done <- err
		}()
		ask(name)
		stop()
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
	beside("5000 events per s", l, time.Second/50)
	next.Store(next.Load() * int64(l.events/10)) // of new visitors
	l.events = 10
	beside("1000 events per s", l, time.Second/100)
	l.age = func(n int64) time.Duration { // one request in a hundred is up to seven days late
		if n%100 > 0 {
			return 0
		}
		return time.Duration(1+n/100%7) * 24 * time.Hour
	}
	beside("1000 events per s and some late", l, time.Second/100)
	seal()
	ask("idle again")
}

// askPanel sends the queries for the last seven days, one after the other.
func askPanel(b *testing.B, e *query.Engine) {
	b.Helper()
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		answer, err := e.Run(b.Context(), query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "shop"}},
			query.Request{Options: query.Options{Preset: "last_7d"},
				Parameters: []query.Parameter{{Name: "summary_metrics"}, {Name: "pages"}, {Name: "traffic_sources"}}})
		if err != nil || !answer.Data[0].Success {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
}
