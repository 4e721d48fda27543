//go:build cgo && unix

package bench

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// BenchmarkStart measures the first answer after a start, of a file that was just opened: merged from stored
// partials; the plain way, by a statement; and merged from partials in memory, as soon as they are there. These
// take turns. Times are those of the clock, and of the processor. What is stored is computed before, of the whole file
// as far as memory allows, and stays in the file: how many bytes it takes for each pageview of the days that it is of.
func BenchmarkStart(b *testing.B) {
	r := newRun(b)
	b.Run("stored", func(b *testing.B) {
		bytes, grown := r.keepPartials(b)
		b.ReportMetric(bytes, "bytes/pageview")
		b.ReportMetric(grown, "file-bytes/pageview")
		b.ReportMetric(0, "ns/op")
	})
	for _, days := range []int{30, 90} {
		for _, q := range byHand() {
			b.Run(fmt.Sprintf("%v/%s", subject{"big", days}, q.name), func(b *testing.B) { r.start(b, q, subject{"big", days}) })
		}
	}
}

// keepPartials has all partials stored that are computed ahead, and tells how many bytes those are for each
// pageview, and by how many the file grew.
func (r *run) keepPartials(b *testing.B) (bytes, grown float64) {
	b.Helper()
	before := fileSize(b, r.file)
	s := r.open(b)
	ask := func(text string) int64 {
		rows, err := s.store.Query(b.Context(), store.Statement{Label: "bench", SQL: text, Kinds: []dialect.Kind{dialect.Int}})
		if err != nil {
			b.Fatal(err)
		}
		return rows.Columns[0].Ints[0]
	}
	by, last := query.NewSealer(s.engine), int64(-1)
	for rows := int64(0); rows != last; {
		last = rows
		for range 3 { // sees rows, seals and computes ahead
			if _, err := by.Seal(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
		rows = ask("SELECT count(*) FROM partials WHERE piece = 0")
	}
	const pageviews = "SELECT count(*) FROM events AS e WHERE kind = 0 AND (subject, time // 86400000) IN (SELECT DISTINCT (subject, day::BIGINT) FROM partials)"
	of := float64(max(ask(pageviews), 1))
	bytes = float64(ask("SELECT coalesce(sum(octet_length(state) + 24), 0)::BIGINT FROM partials")) / of
	b.Logf("%.0f pageviews, %d states", of, last)
	if err := s.close(); err != nil {
		b.Fatal(err)
	}
	return bytes, float64(fileSize(b, r.file)-before) / of
}

func fileSize(b *testing.B, name string) int64 {
	b.Helper()
	info, err := os.Stat(name)
	if err != nil {
		b.Fatal(err)
	}
	return info.Size()
}

// start asks q about of in all ways by turns.
func (r *run) start(b *testing.B, q question, of subject) {
	clock, processor := map[string][]time.Duration{}, map[string][]time.Duration{}
	_, request := q.request(b, of)
	for b.Loop() {
		for _, way := range []string{"stored", "plain"} {
			s, err := newService(b.Context(), r.file, r.memory, r.clients)
			if err != nil {
				b.Fatal(err)
			}
			most := int64(0)
			if way == "plain" {
				most = -1
			}
			if s.engine, err = query.New(query.Config{Store: s.store, Timeout: patience, Now: func() time.Time { return end }, ResultCache: -1, MaxPartials: most}); err != nil {
				b.Fatal(err)
			}
			ask := func(way string) {
				began, spent := time.Now(), processorTime(b)
				if _, err := s.run(context.WithoutCancel(b.Context()), request, of); err != nil {
					b.Fatal(err)
				}
				clock[way], processor[way] = append(clock[way], time.Since(began)), append(processor[way], processorTime(b)-spent)
			}
			ask(way)
			if way == "stored" {
				ask("second")
				ask("memory")
			}
			if err := s.close(); err != nil {
				b.Fatal(err)
			}
		}
	}
	for _, way := range []string{"stored", "plain", "memory"} {
		b.ReportMetric(median(clock[way]), way+"-ms")
		b.ReportMetric(median(processor[way]), way+"-processor-ms")
	}
	b.ReportMetric(0, "ns/op")
}

// median is in milliseconds.
func median(all []time.Duration) float64 {
	slices.Sort(all)
	return float64(all[len(all)/2].Microseconds()) / 1000
}
