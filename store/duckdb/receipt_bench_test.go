//go:build cgo

package duckdb

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/sightline-analytics/sightline/store/schema"
	"github.com/sightline-analytics/sightline/store/storetest"
)

// BenchmarkReceipts commits 576 events, eight batches of 72, and opens the store. SIGHTLINE_BENCH_EVENTS is the
// number of remembered ids, by default one million.
func BenchmarkReceipts(b *testing.B) {
	n := storetest.Number(b, "SIGHTLINE_BENCH_EVENTS", 1_000_000)
	const rows = 576
	cfg := Config{Path: filepath.Join(b.TempDir(), "s.duckdb")}
	s := open(b, cfg)
	remember(b, s, n)
	if err := s.Close(context.Background()); err != nil {
		b.Fatal(err)
	}
	s = open(b, cfg) // computes the filters
	do(b, s, func(w *writer) {
		for w.parts.unstored() != nil {
			if err := w.storeFilter(); err != nil {
				b.Fatal(err)
			}
		}
		w.maintain() // deletes old receipts, which it does once a day
		w.checkpoint(0)
	})
	next := 0
	for _, c := range []struct {
		name   string
		repeat bool
		id     func(i int) int // for repeats: the id of event i
	}{
		{"new", false, nil},
		{"repeats of one part", true, func(i int) int { return (next*rows + i) % n }},
		{"repeats of all parts", true, func(i int) int { return (i*n/rows + next) % n }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				next++
				events := batch(fmt.Sprintf("new-%d-", next), rows)
				for i := range events.Events {
					if c.repeat {
						events.Events[i].ID = fmt.Sprint(c.id(i))
					}
				}
				if got := mustWrite(b, s, events); c.repeat != (got.Repeated == rows) ||
					c.repeat == (got.Stored == rows) {
					b.Fatalf("Write = %+v", got)
				}
			}
			b.ReportMetric(float64(rows*b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			if err := s.Close(context.Background()); err != nil {
				b.Fatal(err)
			}
			s = open(b, cfg)
		}
	})
}

// remember stores receipts of pageviews with the ids 0 to n-1, without the pageviews.
func remember(b *testing.B, s *Store, n int) {
	do(b, s, func(w *writer) {
		for from := 0; from < n; from += partKeys {
			err := w.engine.exec(fmt.Sprintf(`INSERT INTO receipts SELECT 1, %d,
				('0x' || h[1:16])::UBIGINT::BIT::BIGINT, ('0x' || h[17:24])::UINTEGER::BIT::INTEGER, %d
				FROM (SELECT sha256('\x00\x00\x00\x%02x%s'::BLOB || range::VARCHAR::BLOB) AS h FROM range(%d, %d))`,
				schema.DayOf(w.store.cfg.Now().UnixMilli()), from/partKeys, len(site.ID), site.ID, from,
				min(from+partKeys, n)))
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}
