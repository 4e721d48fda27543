//go:build cgo && unix

package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// BenchmarkStart measures the first answer after a file was opened: merged from stored partials, by a statement, and
// merged from partials in memory. These take turns. It reports wall-clock and processor times. Before, it stores the
// partials of the large website in the file, and reports their bytes per pageview and the growth of the file.
func BenchmarkStart(b *testing.B) {
	r := newRun(b)
	b.Run("stored", func(b *testing.B) {
		bytes, grown := r.storePartials(b)
		b.ReportMetric(bytes, "bytes/pageview")
		b.ReportMetric(grown, "file-bytes/pageview")
		b.ReportMetric(0, "ns/op")
	})
	for _, days := range []int{30, 90} {
		for _, q := range byHand() {
			b.Run(fmt.Sprintf("%v/%s", subject{"big", days}, q.name),
				func(b *testing.B) { r.start(b, q, subject{"big", days}) })
		}
	}
}

// storePartials stores the partials of the large website, except for the last two days, which may still change.
func (r *run) storePartials(b *testing.B) (bytes, grown float64) {
	b.Helper()
	before := fileSize(b, r.file)
	s := r.open(b)
	of, from, to := subject{"big", 90}.website(), end.AddDate(0, 0, -91), end.AddDate(0, 0, -2)
	if err := errors.Join(s.engine.Reseal(b.Context(), of, end.AddDate(0, 0, -5), end),
		s.engine.StorePartials(b.Context(), of, from, to)); err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(b.Context(), 30*time.Second) // sorting rows takes longer
	defer cancel()
	if err := s.store.Maintain(ctx); err != nil && ctx.Err() == nil {
		b.Fatal(err)
	}
	ask := func(text string) float64 {
		rows, err := s.store.Query(b.Context(),
			store.Statement{Label: "bench", SQL: text, Kinds: []dialect.Kind{dialect.Int},
				Args: []dialect.Arg{{Name: "of", Kind: dialect.Subject, Value: of}}})
		if err != nil {
			b.Fatal(err)
		}
		return float64(rows.Columns[0].Ints[0])
	}
	pageviews := ask("SELECT count(*) FROM events WHERE subject = $of::INTEGER AND kind = 0 AND time // 86400000 IN (SELECT day FROM partials WHERE subject = $of::INTEGER)")
	bytes = ask("SELECT sum(octet_length(state))::BIGINT FROM partials WHERE subject = $of::INTEGER") / max(pageviews,
		1)
	if err := s.close(); err != nil {
		b.Fatal(err)
	}
	return bytes, float64(fileSize(b, r.file)-before) / max(pageviews, 1)
}

func (s subject) website() store.Subject { return store.Subject{Kind: store.KindWebsite, ID: s.id()} }

func fileSize(b *testing.B, name string) int64 {
	b.Helper()
	info, err := os.Stat(name)
	if err != nil {
		b.Fatal(err)
	}
	return info.Size()
}

// start runs q about a subject in all ways, in turns.
func (r *run) start(b *testing.B, q question, of subject) {
	clock, processor := map[string][]time.Duration{}, map[string][]time.Duration{}
	_, request := q.request(b, of)
	for b.Loop() {
		for _, way := range []string{"stored", "plain"} {
			s, err := newService(b.Context(), r.file, r.memory, r.clients)
			if err != nil {
				b.Fatal(err)
			}
			most := r.memory.partials
			if way == "plain" {
				most = -1
			}
			if s.engine, err = query.New(query.Config{Store: s.store, Now: func() time.Time { return end },
				EngineOptions: query.EngineOptions{Timeout: patience, ResultCache: -1,
					MaxPartials: most}}); err != nil {
				b.Fatal(err)
			}
			query.NewSealer(s.engine) // as a server does when it starts
			ask := func(way string) {
				began, spent := time.Now(), processorTime(b)
				if _, err := s.run(context.WithoutCancel(b.Context()), request, of); err != nil {
					b.Fatal(err)
				}
				clock[way], processor[way] = append(clock[way], time.Since(began)),
					append(processor[way], processorTime(b)-spent)
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

// median returns a time in milliseconds.
func median(all []time.Duration) float64 {
	slices.Sort(all)
	return float64(all[len(all)/2].Microseconds()) / 1000
}
