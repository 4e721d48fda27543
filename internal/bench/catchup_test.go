//go:build cgo && unix

package bench

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store/duckdb"
	"github.com/sightline-analytics/sightline/store/storetest"
)

// BenchmarkCatchUp measures the time after many events arrived. It measures how long it takes to seal all days, to
// store their states and to move their rows together. It measures how much longer the second query for a range
// takes than the first one. It also measures queries and writes during sealing. Each part begins with a file
// without seals.
func BenchmarkCatchUp(b *testing.B) {
	dir := cmp.Or(os.Getenv("SIGHTLINE_BENCH_DIR"), b.TempDir())
	of := traffic{storetest.Number(b, "SIGHTLINE_BENCH_PAGEVIEWS", 1_000_000),
		storetest.Number(b, "SIGHTLINE_BENCH_DAYS", 90)}
	raw := filepath.Join(dir, fmt.Sprintf("%d-in-%d-raw.duckdb", of.Pageviews, of.Days))
	if _, err := os.Stat(raw); err != nil {
		loadRaw(b, raw, of)
	}
	b.Run("idle", func(b *testing.B) { openRaw(b, raw).idle(b) })
	b.Run("second question", func(b *testing.B) { openRaw(b, raw).again(b) })
	b.Run("beside", func(b *testing.B) { openRaw(b, raw).beside(b) })
}

func loadRaw(b *testing.B, file string, of traffic) {
	b.Helper()
	s, err := duckdb.Open(b.Context(), duckdb.Config{Path: file + ".part", Now: func() time.Time { return end }})
	if err != nil {
		b.Fatal(err)
	}
	for batch := range of.batches(5000) {
		if _, err := s.Write(b.Context(), batch); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Close(context.Background()); err != nil {
		b.Fatal(err)
	}
	if err := os.Rename(file+".part", file); err != nil {
		b.Fatal(err)
	}
}

// A catchUp has a copy of a file whose last event has just arrived.
type catchUp struct {
	*service
	now func() time.Time
}

func openRaw(b *testing.B, raw string) catchUp {
	b.Helper()
	rows, err := os.ReadFile(raw)
	if err != nil {
		b.Fatal(err)
	}
	file := filepath.Join(b.TempDir(), "copy.duckdb")
	if err := os.WriteFile(file, rows, 0o600); err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	now := func() time.Time { return end.Add(time.Since(began)) }
	s, err := duckdb.Open(b.Context(), duckdb.Config{Path: file, Now: now})
	if err != nil {
		b.Fatal(err)
	}
	c := catchUp{&service{store: s}, now}
	c.engine = c.newEngine(b, 0)
	b.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			b.Error(err)
		}
	})
	return c
}

func (c catchUp) newEngine(b *testing.B, partials int64) *query.Engine {
	b.Helper()
	e, err := query.New(query.Config{Store: c.store, Now: c.now,
		EngineOptions: query.EngineOptions{Timeout: patience, ResultCache: -1, MaxPartials: partials}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := e.Close(context.Background()); err != nil {
			b.Error(err)
		}
	})
	return e
}

// seal runs a Sealer until stop is called. all is closed when nothing is left to seal or to store.
func (c catchUp) seal(b *testing.B, e *query.Engine) (sealed, all <-chan time.Duration, stop func()) {
	b.Helper()
	began, first, last := time.Now(), make(chan time.Duration, 1), make(chan time.Duration, 1)
	by, seen := query.NewSealer(e), false
	by.Progress = func(left query.Backlog) {
		b.Logf("%3.0f s: %+v", time.Since(began).Seconds(), left)
		if left.Days == 0 && seen {
			select {
			case first <- time.Since(began):
			default:
			}
		}
		if seen = seen || left.Days > 0; seen && left == (query.Backlog{}) {
			select {
			case last <- time.Since(began):
			default:
			}
		}
	}
	ctx, cancel := context.WithCancel(b.Context())
	var running sync.WaitGroup
	running.Go(func() { by.Run(ctx, func(err error) { b.Error(err) }) })
	return first, last, func() {
		cancel()
		running.Wait()
	}
}

// idle measures the time to catch up without queries and writes.
func (c catchUp) idle(b *testing.B) {
	_, all, stop := c.seal(b, c.engine)
	took := <-all
	stop()
	b.ReportMetric(took.Seconds(), "sealed-and-stored-s")
	began := time.Now()
	if err := c.store.Maintain(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(time.Since(began).Seconds(), "moved-s")
	_, request := plain()[len(plain())-1].request(b, subject{"big", 30})
	began = time.Now()
	if _, err := c.run(b.Context(), request, subject{"big", 30}); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(time.Since(began).Microseconds())/1000, "panel-ms")
	b.ReportMetric(0, "ns/op")
}

// again sends each query until its answer is merged.
func (c catchUp) again(b *testing.B) {
	of, sum := subject{"big", 30}, [3]time.Duration{}
	for _, q := range byHand() {
		_, request := q.request(b, of)
		var took [3]time.Duration
		for i := range took {
			began := time.Now()
			if _, err := c.run(b.Context(), request, of); err != nil {
				b.Fatal(err)
			}
			took[i] = time.Since(began)
			sum[i] += took[i]
			if i == 1 {
				began = time.Now()
				if err := c.engine.Wait(b.Context()); err != nil {
					b.Fatal(err)
				}
				b.Logf("%s: computed in the background in %v", q.name, time.Since(began).Round(time.Millisecond))
			}
		}
		b.Logf("%s: %v", q.name, took)
	}
	b.ReportMetric(sum[1].Seconds()/sum[0].Seconds(), "second-by-first")
	b.ReportMetric(sum[2].Seconds()/sum[0].Seconds(), "third-by-first")
	b.ReportMetric(0, "ns/op")
}

// beside measures queries and writes without sealing, and then during sealing. Answers are not merged, so that
// both take the same work.
func (c catchUp) beside(b *testing.B) {
	e := c.newEngine(b, -1)
	questions, writes := c.traffic(b, e, time.Minute)
	_, _, stop := c.seal(b, c.engine)
	time.Sleep(31 * time.Second) // until the days have been unchanged for long enough to be sealed
	besideQuestions, besideWrites := c.traffic(b, e, time.Minute)
	stop()
	b.ReportMetric(p95(questions), "p95-ms")
	b.ReportMetric(p95(besideQuestions), "p95-beside-ms")
	b.ReportMetric(p95(besideQuestions)/p95(questions), "times")
	b.ReportMetric(p95(writes), "write-p95-ms")
	b.ReportMetric(p95(besideWrites), "write-p95-beside-ms")
	b.ReportMetric(0, "ns/op")
}

func p95(all []time.Duration) float64 {
	slices.Sort(all)
	return float64(all[len(all)*95/100].Microseconds()) / 1000
}

// traffic sends one query after the other, and writes ten events per second for a small website.
func (c catchUp) traffic(b *testing.B, e *query.Engine, d time.Duration) (questions, writes []time.Duration) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), d)
	defer cancel()
	var running sync.WaitGroup
	running.Go(func() {
		for ctx.Err() == nil {
			began := time.Now()
			if err := c.arrive(context.WithoutCancel(ctx), subject{"small", 1}); err != nil {
				b.Error(err)
			}
			writes = append(writes, time.Since(began))
			time.Sleep(100 * time.Millisecond)
		}
	})
	asking, of := &service{store: c.store, engine: e}, subject{"big", 7}
	var requests []query.Request
	for _, q := range byHand() {
		_, request := q.request(b, of)
		requests = append(requests, request)
	}
	for i := 0; ctx.Err() == nil; i++ {
		began := time.Now()
		if _, err := asking.run(context.WithoutCancel(ctx), requests[i%len(requests)], of); err != nil {
			b.Error(err)
		}
		questions = append(questions, time.Since(began))
	}
	running.Wait()
	return questions, writes
}
