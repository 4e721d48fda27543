//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// lose closes the engine under the store, as a fatal error and a failed opening do.
func lose(t *testing.T, s *Store) {
	t.Helper()
	do(t, s, func(w *writer) {
		if err := w.shut(); err != nil {
			t.Errorf("shut: %v", err)
		}
	})
}

func TestAQueryBringsALostEngineBack(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, Config{Path: filepath.Join(t.TempDir(), "s.duckdb")})
	if _, err := s.Write(context.Background(), event("e")); err != nil {
		t.Fatal(err)
	}
	lose(t, s)
	if err := s.Ping(context.Background()); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Ping without an engine: %v, want ErrUnavailable", err)
	}
	deadline := time.Now().Add(10 * time.Second)
	for s.Ping(context.Background()) != nil {
		if time.Now().After(deadline) {
			t.Fatal("the engine did not come back")
		}
		time.Sleep(5 * time.Millisecond)
	}
	if n := count(t, s, "events"); n != 1 {
		t.Errorf("%d events, want 1", n)
	}
}

func TestAWriteBringsALostEngineBack(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, Config{Path: filepath.Join(t.TempDir(), "s.duckdb")})
	for _, want := range []store.Written{{Stored: 1}, {Repeated: 1}} {
		lose(t, s)
		if got, err := s.Write(context.Background(), event("e")); err != nil || got != want {
			t.Errorf("Write without an engine = %+v, %v; want %+v", got, err, want)
		}
	}
	lose(t, s)
	if n, err := s.Erase(context.Background(), site); err != nil || n != 1 {
		t.Errorf("Erase without an engine = %d, %v; want 1 row", n, err)
	}
	lose(t, s)
	if err := s.Close(); err != nil {
		t.Errorf("Close without an engine: %v", err)
	}
}

func TestWhatWasInMemoryIsNotTakenForEmpty(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, Config{})
	lose(t, s)
	if _, err := s.Write(context.Background(), event("e")); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Write: %v, want ErrUnavailable", err)
	}
	if err := s.Ping(context.Background()); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Ping: %v, want ErrUnavailable", err)
	}
}

func TestQueriesSpillWhatDoesNotFitInMemory(t *testing.T) {
	t.Parallel()
	const big = "SELECT count(*) FROM (SELECT md5(range::VARCHAR) AS x, count(*) FROM range(2000000) GROUP BY x)"
	stmt := store.Statement{SQL: big, Kinds: []dialect.Kind{dialect.Int}}
	s := mustOpen(t, Config{Path: filepath.Join(t.TempDir(), "s.duckdb"), MemoryLimit: 80 << 20})
	rows, err := s.Query(context.Background(), stmt)
	if err != nil || rows.Columns[0].Ints[0] != 2_000_000 {
		t.Errorf("with a file: %v", err)
	}
	s = mustOpen(t, Config{MemoryLimit: 80 << 20})
	if _, err := s.Query(context.Background(), stmt); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("in memory, where nothing can be spilt: %v, want ErrUnavailable", err)
	}
	if err := s.Ping(context.Background()); err != nil {
		t.Errorf("Ping afterwards: %v", err)
	}
}
