//go:build cgo

package duckdb

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// sealer makes an engine over s, and its sealer by a clock that does not move, which never rests.
func sealer(t *testing.T, s *Store) *query.Sealer {
	t.Helper()
	e, err := query.New(query.Config{Store: s, Now: func() time.Time { return time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC) }})
	if err != nil {
		t.Fatal(err)
	}
	return query.NewSealer(e)
}

func seal(t *testing.T, by *query.Sealer) int {
	t.Helper()
	n, err := by.Seal(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A day is sealed when its rows were the same for a round, once, and again after a late row; what
// was sealed is there after the file was opened again, and gone with the rows.
func TestQuietDaysAreSealedOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.duckdb")
	s := open(t, Config{Path: path})
	mustWrite(t, s, batch("a", 100))
	by := sealer(t, s)
	if n := seal(t, by); n != 0 {
		t.Errorf("%d days were sealed in the first round, when nothing is known to be quiet", n)
	}
	if n := seal(t, by); n == 0 {
		t.Error("no day was sealed that was quiet")
	}
	if hits, sessions := count(t, s, "sealed_hits"), count(t, s, "sealed_sessions"); hits != 100 || sessions != 100 {
		t.Errorf("%d hits and %d sessions are kept of 100 pageviews of 100 sessions", hits, sessions)
	}
	if n := seal(t, by); n != 0 {
		t.Errorf("%d days were sealed again whose seals stand", n)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	s = open(t, Config{Path: path})
	by = sealer(t, s)
	if n := seal(t, by) + seal(t, by); n != 0 {
		t.Errorf("%d days were sealed again after the file was opened again", n)
	}
	mustWrite(t, s, batch("late", 1))
	if n := seal(t, by); n != 0 {
		t.Errorf("%d days were sealed that changed since the round before", n)
	}
	if n := seal(t, by); n == 0 || count(t, s, "sealed_hits") != 101 {
		t.Errorf("%d days were sealed after a late row, with %d hits", n, count(t, s, "sealed_hits"))
	}
	if _, err := s.Erase(t.Context(), site); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"sealed_hits", "sealed_sessions", "seals"} {
		if n := count(t, s, table); n != 0 {
			t.Errorf("%d rows of %s were left by Erase", n, table)
		}
	}
}

// Close ends a Seal that runs, and nothing of it is kept.
func TestCloseEndsASeal(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.duckdb")
	s := open(t, Config{Path: path})
	mustWrite(t, s, batch("a", 1))
	slow := store.Statement{SQL: "SELECT 1::INTEGER AS subject FROM range(10000000) AS a, range(10000000) AS b WHERE a.range + b.range < 0"}
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	done := make(chan error, 1)
	go func() {
		done <- s.Seal(context.Background(), store.Derivation{Subject: site, From: day, To: day.AddDate(0, 0, 1), Sessions: slow, Hits: slow})
	}()
	for s.deriving.TryLock() { // until it runs
		s.deriving.Unlock()
		time.Sleep(time.Millisecond)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; err == nil {
		t.Error("a Seal that was ended reported success")
	}
	s = open(t, Config{Path: path})
	if n := count(t, s, "seals"); n != 0 {
		t.Errorf("%d seals are left of one that was ended", n)
	}
	if got := ask(t, s, "SELECT count(*) FROM events", []dialect.Kind{dialect.Int}).Columns[0].Ints[0]; got != 1 {
		t.Errorf("%d events, want 1", got)
	}
}
