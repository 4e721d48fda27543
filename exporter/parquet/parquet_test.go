package parquet_test

import (
	"context"
	"io"
	"runtime"
	"strconv"
	"testing"

	"github.com/sightline-analytics/sightline/exporter"
	"github.com/sightline-analytics/sightline/exporter/parquet"
	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// events is a store with days of rowsPerDay events.
type events struct{ days int }

const rowsPerDay = 10_000

func (events) Dialect() *dialect.Dialect  { return dialect.DuckDB() }
func (events) Ping(context.Context) error { return nil }

func (e events) Query(_ context.Context, stmt store.Statement) (*store.Rows, error) {
	rows := &store.Rows{Columns: make([]store.Column, len(stmt.Kinds))}
	if stmt.Label == "count events" {
		rows.Len = e.days
		for day := range e.days {
			rows.Columns[0].Ints = append(rows.Columns[0].Ints, int64(20_000+day))
			rows.Columns[1].Ints = append(rows.Columns[1].Ints, rowsPerDay)
		}
		return rows, nil
	}
	rows.Len = rowsPerDay
	for n, kind := range stmt.Kinds {
		c := &rows.Columns[n]
		for i := range rowsPerDay {
			if kind == dialect.Text {
				c.Texts = append(c.Texts, "a text of some length "+strconv.Itoa(i*(n%5)))
			} else {
				c.Ints = append(c.Ints, int64(i%250))
			}
		}
	}
	return rows, nil
}

// TestMemoryIsBounded exports few and many rows, and compares the memory that is in use between pieces.
func TestMemoryIsBounded(t *testing.T) {
	testenv.WithoutRace(t)
	most := func(f exporter.Format, days int) (bytes uint64) {
		x, err := exporter.New(t.Context(), exporter.Config{
			Source: events{days}, Subject: store.Subject{Kind: store.KindWebsite, ID: "w"}, Table: "events",
			Rows: rowsPerDay,
			Tell: func(exporter.Progress) {
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				bytes = max(bytes, m.HeapAlloc)
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if done, err := x.Write(t.Context(), f, exporter.Target{To: io.Discard}); err != nil ||
			done.Rows != int64(days*rowsPerDay) {
			t.Fatalf("%d rows, %v", done.Rows, err)
		}
		return bytes
	}
	for _, f := range []exporter.Format{exporter.NDJSON(), parquet.Format()} {
		few, many := most(f, parquet.GroupRows/rowsPerDay), most(f, 3*parquet.GroupRows/rowsPerDay)
		t.Logf("%s: %d MB with %d rows, %d MB with %d", f.Name, few>>20, parquet.GroupRows, many>>20,
			3*parquet.GroupRows)
		if many > few+few/4+8<<20 {
			t.Errorf("%s: memory grows with the number of rows: %d MB, then %d MB", f.Name, few>>20, many>>20)
		}
	}
}
