//go:build cgo

package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/duckdb"
)

// loaded measures the first answer over HTTP of a store whose rows were just written: no day is sealed yet. The file is
// written for the first question, and is not changed by the answers.
func (r *run) loaded(b *testing.B, q question, of subject) {
	unsealed := *r
	unsealed.file = r.file + ".unsealed"
	if _, err := os.Stat(unsealed.file); errors.Is(err, os.ErrNotExist) {
		s, err := duckdb.Open(b.Context(), duckdb.Config{Path: unsealed.file + ".new",
			Now: func() time.Time { return end }})
		if err != nil {
			b.Fatal(err)
		}
		err = errors.Join(writeAll(b.Context(), s, r.Traffic, 5_000), s.Close(context.Background()))
		if err := errors.Join(err, os.Rename(unsealed.file+".new", unsealed.file)); err != nil {
			b.Fatal(err)
		}
	}
	unsealed.firstOf(b, loaded, q, of)
}

// writeAll writes all rows of t, with a number of rows per commit.
func writeAll(ctx context.Context, w store.Writer, t traffic, size int) error {
	for batch := range t.batches(size) {
		if _, err := w.Write(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

// onClickHouse returns a function that measures answers of an engine on ClickHouse, with a tenth of the pageviews. The
// rows are written for the first question, and stay until all ends.
func (r *run) onClickHouse(all *testing.B) func(*testing.B, question, subject) {
	var s *service
	return func(b *testing.B, q question, of subject) {
		if s == nil {
			events, err := clickhouse.Open(b.Context(),
				clickhouse.Config{DSN: chtest.Database(all, chtest.Address(b, "CLICKHOUSE_DSN"))})
			if err != nil {
				b.Fatal(err)
			}
			all.Cleanup(func() {
				if err := events.Close(context.Background()); err != nil {
					all.Error(err)
				}
			})
			engine, err := query.New(query.Config{Store: events, Now: func() time.Time { return end },
				EngineOptions: query.EngineOptions{Timeout: patience, ResultCache: -1, MaxPartials: r.memory.partials}})
			if err := errors.Join(err, events.Migrate(b.Context()),
				writeAll(b.Context(), events, traffic{r.Traffic.Pageviews / 10, r.Traffic.Days}, 50_000)); err != nil {
				b.Fatal(err)
			}
			s = &service{engine: engine}
		}
		_, request := q.request(b, of)
		ask := way{byEngine, func(ctx context.Context) error {
			_, err := s.run(ctx, request, of)
			return err
		}}
		if err := errors.Join(ask.ask(b.Context()), s.engine.Wait(b.Context())); err != nil {
			b.Fatal(err)
		}
		r.repeat(b, 1, func() { r.ask(b, clickHouse, q, of, []way{ask}) })
	}
}

// The rows of a measurement of ingest.
const (
	ingested  = 2_000
	perCommit = 10
)

// ingest measures the time to write some rows to an empty file in small commits, by 8 senders and by one.
func (r *run) ingest(b *testing.B) {
	var batches []*store.Batch
	for batch := range (traffic{ingested, 1}).batches(perCommit) {
		if len(batches) < ingested/perCommit {
			batches = append(batches, &store.Batch{Events: append([]store.Event(nil), batch.Events...)})
		}
	}
	for _, senders := range []int{8, 1} {
		of := cell{Stage: ingest, Question: fmt.Sprintf("by %d", senders), Way: "write"}
		b.Run(fmt.Sprintf("%s/by-%d", ingest, senders), func(b *testing.B) {
			r.repeat(b, 1, func() {
				s, err := duckdb.Open(b.Context(), duckdb.Config{Path: filepath.Join(b.TempDir(), "ingest.duckdb"),
					MemoryLimit: r.memory.store})
				if err != nil {
					b.Fatal(err)
				}
				began := time.Now()
				err = writeBy(b.Context(), s, batches, senders)
				r.add(of, time.Since(began), err)
				if err := s.Close(context.Background()); err != nil {
					b.Fatal(err)
				}
			})
			b.ReportMetric(r.figure(of).quantile(0.5), "p50-ms")
		})
	}
}

// writeBy writes all batches by a number of senders.
func writeBy(ctx context.Context, w store.Writer, batches []*store.Batch, senders int) error {
	var sending sync.WaitGroup
	faults := make([]error, senders)
	for i := range senders {
		sending.Go(func() {
			for n := i; n < len(batches) && faults[i] == nil; n += senders {
				_, faults[i] = w.Write(ctx, batches[n])
			}
		})
	}
	sending.Wait()
	return errors.Join(faults...)
}
