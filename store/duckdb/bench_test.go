//go:build cgo

package duckdb

import (
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

func BenchmarkWrite(b *testing.B) {
	for _, n := range []int{1, 100, 10_000} {
		b.Run(fmt.Sprintf("rows=%d", n), func(b *testing.B) {
			s := open(b, Config{Path: filepath.Join(b.TempDir(), "s.duckdb")})
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
		s := open(b, Config{Path: filepath.Join(b.TempDir(), "s.duckdb")})
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

func BenchmarkQuery(b *testing.B) {
	s := open(b, Config{Path: filepath.Join(b.TempDir(), "s.duckdb")})
	for _, c := range []struct {
		name string
		stmt store.Statement
	}{
		{"one", store.Statement{SQL: "SELECT 1", Kinds: []dialect.Kind{dialect.Int}}},
		{"10000 rows with 4 columns", store.Statement{
			SQL:   "SELECT range, range / 3, 'text ' || range, NULL::BIGINT FROM range(10000)",
			Kinds: []dialect.Kind{dialect.Int, dialect.Float, dialect.Text, dialect.Int},
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Query(context.Background(), c.stmt); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("days", func(b *testing.B) {
		if _, err := s.Write(context.Background(), batch("e", 100)); err != nil {
			b.Fatal(err)
		}
		w := store.Subject{Kind: store.KindWebsite, ID: "w"}
		from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		to := from.AddDate(1, 0, 0)
		for b.Loop() {
			if _, err := s.Days(context.Background(), w, from, to); err != nil {
				b.Fatal(err)
			}
		}
	})
}
