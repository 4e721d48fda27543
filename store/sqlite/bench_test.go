//go:build unix

package sqlite

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/demo"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

func BenchmarkWrite(b *testing.B) {
	for _, n := range []int{1, 100, 5_000} {
		b.Run(fmt.Sprintf("rows=%d", n), func(b *testing.B) {
			s := open(b, Config{Path: filepath.Join(b.TempDir(), "s.sqlite")})
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				events := batch(fmt.Sprintf("%d-", i), n)
				b.StartTimer()
				if _, err := s.Write(context.Background(), events); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
	b.Run("rows=1/callers=64", func(b *testing.B) {
		s := open(b, Config{Path: filepath.Join(b.TempDir(), "s.sqlite")})
		var next atomic.Int64
		b.SetParallelism(32)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, err := s.Write(context.Background(), batch(fmt.Sprintf("%d-", next.Add(1)), 1)); err != nil {
					b.Error(err)
				}
			}
		})
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	})
}

// The days of the benchmark of answers.
const benchStart, benchEnd = "2026-05-15", "2026-06-13"

// benchSessions returns the sessions of an ordinary weekday that make about SIGHTLINE_BENCH_PAGEVIEWS pageviews in 30
// days; without the variable, 100 000.
func benchSessions() int {
	n, err := strconv.Atoi(os.Getenv("SIGHTLINE_BENCH_PAGEVIEWS"))
	if err != nil {
		n = 100_000
	}
	return max(n*1150/100_000, 1)
}

// processorTime returns how long the process has used processors.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// BenchmarkAnswers asks about 30 days, by default with 100 000 pageviews: from events, from sealed rows, and merged
// from states. It reports the elapsed time and the processor time of a question.
func BenchmarkAnswers(b *testing.B) {
	s := open(b, Config{Path: filepath.Join(b.TempDir(), "s.sqlite")})
	from := time.Date(2026, 5, 13, 0, 0, 0, 0, time.UTC)
	now := from.AddDate(0, 2, 0)
	for day := range 34 {
		made := demo.New(demo.Config{Seed: 1, Website: "w", Domain: "shop.example", PerDay: benchSessions()})
		if _, err := s.Write(b.Context(), made.Batch(from.AddDate(0, 0, day), from.AddDate(0, 0, day+1))); err != nil {
			b.Fatal(err)
		}
	}
	site := store.Subject{Kind: store.KindWebsite, ID: "w"}
	ways := []struct {
		name string
		cfg  query.Config
	}{{"from events", query.Config{EngineOptions: query.EngineOptions{NoDerived: true}}},
		{"from sealed rows", query.Config{EngineOptions: query.EngineOptions{MaxPartials: -1}}},
		{"merged", query.Config{}}}
	for i, way := range ways {
		way.cfg.Store, way.cfg.ResultCache, way.cfg.Now = s, -1, func() time.Time { return now }
		e, err := query.New(way.cfg)
		if err != nil {
			b.Fatal(err)
		}
		if i == 1 {
			if err := e.Seal(b.Context(), site, from, from.AddDate(0, 0, 34)); err != nil {
				b.Fatal(err)
			}
		}
		for _, name := range []string{"summary_metrics", "events_by_date", "pages", "entry_pages", "countries",
			"top_referrers", "session_metrics",
			"sessions", "profiles", "custom_events"} {
			ask := func(b *testing.B) {
				resp, err := e.Run(b.Context(), query.Access{Subject: site}, query.Request{
					Parameters: []query.Parameter{{Name: name}}, StartDate: benchStart, EndDate: benchEnd})
				if err != nil || !resp.Data[0].Success {
					b.Fatal(err, resp)
				}
			}
			b.Run(way.name+"/"+name, func(b *testing.B) {
				for range 2 { // states are computed after the second question
					ask(b)
					if err := e.Wait(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
				before := processorTime(b)
				for b.Loop() {
					ask(b)
				}
				used := processorTime(b) - before
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/question")
				b.ReportMetric(float64(used.Microseconds())/1000/float64(b.N), "processor-ms/question")
			})
		}
	}
}
