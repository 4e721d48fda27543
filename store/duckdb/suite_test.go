//go:build cgo

package duckdb_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store/duckdb"
	"github.com/sightline-analytics/sightline/store/storetest"
)

// open opens cfg and closes the store when the test ends.
func open(t testing.TB, cfg duckdb.Config) *duckdb.Store {
	t.Helper()
	s, err := duckdb.Open(context.Background(), cfg)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

func TestWriter(t *testing.T) {
	t.Parallel()
	paths := make(map[storetest.WriterStore]string)
	storetest.RunWriter(t, storetest.WriterHarness{
		Open: func(t *testing.T, now func() time.Time) storetest.WriterStore {
			path := filepath.Join(t.TempDir(), "s.duckdb")
			s := open(t, duckdb.Config{Path: path, Now: now})
			paths[s] = path
			return s
		},
		Reopen: func(t *testing.T, s storetest.WriterStore, now func() time.Time) storetest.WriterStore {
			if err := s.(*duckdb.Store).Close(); err != nil {
				t.Fatalf("Close: %v", err)
			}
			again := open(t, duckdb.Config{Path: paths[s], Now: now})
			paths[again] = paths[s]
			return again
		},
	})
}

func TestWriterInMemory(t *testing.T) {
	t.Parallel()
	storetest.RunWriter(t, storetest.WriterHarness{
		Open: func(t *testing.T, now func() time.Time) storetest.WriterStore {
			return open(t, duckdb.Config{Now: now})
		},
	})
}
