//go:build cgo

package duckdb

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/storetest"
)

// BenchmarkClusters queries one of a hundred websites, alternately with rows in the order of arrival and with the same
// rows in two clusters. SIGHTLINE_BENCH_EVENTS is the number of rows in a cluster, by default as many as stores have.
func BenchmarkClusters(b *testing.B) {
	size := storetest.Number(b, "SIGHTLINE_BENCH_EVENTS", clusterRows)
	rows, commit := 2*size+size/128, 10_000
	unmoved := openClustering(b, filepath.Join(b.TempDir(), "s.duckdb"), int64(size))
	moved := openClustering(b, filepath.Join(b.TempDir(), "s.duckdb"), int64(size))
	for i := 0; i < rows; i += commit {
		events := batch(fmt.Sprintf("%d-", i), commit)
		for j := range events.Events {
			e := &events.Events[j]
			e.Website, e.Time = fmt.Sprint(j%100), e.Time.Add(time.Duration(i+j)*time.Second)
			e.AnonymousID, e.SessionID = fmt.Sprintf("%d-%d", i, j/1000), fmt.Sprintf("%d-%d", i, j/500)
		}
		mustWrite(b, unmoved, events)
		mustWrite(b, moved, events)
	}
	if err := moved.Maintain(b.Context()); err != nil {
		b.Fatal(err)
	}
	for _, s := range []*Store{unmoved, moved} {
		do(b, s, func(w *writer) { w.checkpoint(0) })
	}
	pages := func(s *Store) time.Duration {
		began := time.Now()
		ask(b, s, "SELECT path, count(*), count(DISTINCT visitor_hash) FROM events WHERE subject = $subject::INTEGER GROUP BY path",
			[]dialect.Kind{dialect.Text, dialect.Int, dialect.Int},
			dialect.Arg{Name: "subject", Kind: dialect.Subject,
				Value: store.Subject{Kind: store.KindWebsite, ID: "42"}})
		return time.Since(began)
	}
	var times [2][]time.Duration
	for b.Loop() {
		for i, s := range []*Store{unmoved, moved} {
			times[i] = append(times[i], pages(s))
		}
	}
	slices.Sort(times[0])
	slices.Sort(times[1])
	b.ReportMetric(float64(times[0][b.N/2])/float64(times[1][b.N/2]), "times-faster")
	b.ReportMetric(float64(times[1][b.N/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(0, "ns/op")
}
