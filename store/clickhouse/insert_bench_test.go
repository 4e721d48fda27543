package clickhouse_test

import (
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
)

// BenchmarkInsert measures rows/s by number of senders and rows per Write, with the default Config.BatchDelay,
// as in real programs. A sender sends its next batch when the last one is stored.
func BenchmarkInsert(b *testing.B) {
	for _, protocol := range []string{"native", "http"} {
		for _, c := range []struct{ senders, rows int }{{1, 1}, {1, 72}, {1, 10_000}, {8, 1}, {8, 72}, {64, 1},
			{64, 72}} {
			b.Run(fmt.Sprintf("%s/senders=%d/rows=%d", protocol, c.senders, c.rows), func(b *testing.B) {
				dsn := chtest.Database(b, chtest.Address(b, protocols[protocol]))
				s := connect(b, clickhouse.Config{DSN: dsn, WriteTimeout: time.Minute})
				if err := s.Migrate(b.Context()); err != nil {
					b.Fatal(err)
				}
				benchmarkInsert(b, s, c.senders, c.rows)
			})
		}
	}
}

func benchmarkInsert(b *testing.B, s *clickhouse.Store, senders, rows int) {
	b.Helper()
	var next atomic.Int64
	var all sync.WaitGroup
	b.ResetTimer()
	for range senders {
		all.Go(func() {
			for {
				n := next.Add(1)
				if n > int64(b.N) {
					return
				}
				batch := visitBatch(int(n), rows)
				if got, err := s.Write(b.Context(), batch); err != nil || got.Stored != rows {
					b.Errorf("Write: %+v, %v", got, err)
					return
				}
			}
		})
	}
	all.Wait()
	b.ReportMetric(float64(b.N)*float64(rows)/b.Elapsed().Seconds(), "rows/s")
}

// visitBatch returns batch n of realistic events: several sites, visitors and pages over a few minutes.
func visitBatch(n, rows int) *store.Batch {
	b := &store.Batch{Events: make([]store.Event, rows)}
	for i := range b.Events {
		k := n*rows + i
		b.Events[i] = store.Event{
			Website: "site-" + strconv.Itoa(k%5),
			ID:      fmt.Sprintf("%08x-%04x-4000-8000-%012x", k*2654435761%(1<<32), k%65536, k),
			Name:    "screen_view", Time: monthEnd.Add(time.Duration(k%300_000) * time.Millisecond),
			Identity: store.Identity{AnonymousID: "anon-" + strconv.Itoa(k%1000), SessionID: "sess-" +
				strconv.Itoa(k%3000)},
			Agent: store.Agent{BrowserName: "Firefox", BrowserVersion: "140.0", OSName: "Linux",
				DeviceType: "desktop", Country: "DE", Region: "Berlin", City: "Berlin"},
			Path: "/page/" + strconv.Itoa(k%200), Title: "A page of some title",
			Referrer:       "https://example.org/search?q=" + strconv.Itoa(k%50),
			ReferrerDomain: "example.org", Language: "de-DE", Timezone: "Europe/Berlin", Screen: "1920x1080",
			Viewport: "1200x800",
			LoadTime: store.Known(int64(k % 4000)), TTFB: store.Known(int64(k % 300)),
		}
	}
	return b
}
