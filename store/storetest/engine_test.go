package storetest_test

import (
	"context"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/sqlite"
	"github.com/sightline-analytics/sightline/store/storetest"
)

// inSQLite gives storetest stores of SQLite in memory, which take the least time.
func inSQLite() storetest.Harness {
	return storetest.Harness{Open: func(t *testing.T, _ string, now func() time.Time) store.Store {
		s, err := sqlite.OpenConfig(t.Context(), sqlite.Config{Now: now})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(context.Background()); err != nil {
				t.Error(err)
			}
		})
		return s
	}}
}

// TestEngine proves the engine on SQLite. At night the other stores prove it, too.
func TestEngine(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	h := inSQLite()
	h.SampleEvery = storetest.Number(t, "SIGHTLINE_SAMPLE_EVERY", 32)
	storetest.ProveEngine(t, h)
}

// TestMutants plants one mistake at a time, and expects the tests of the engine to notice each.
func TestMutants(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	d := dialect.SQLite()
	// One mutation of SQLMutations changes words that the dialect of SQLite does not have; this mistake is made here.
	storetest.KillsAllMutants(t, inSQLite(), d, storetest.Mutation{
		Name: "fields of the session's last event, by time", Op: dialect.ArgMinRowIf,
		Template: "sightline_first_row(-substr($2, 1, 16), $1) FILTER (WHERE $3)",
	})
}

// TestMergedBesideWrites asks for merged answers while rows are written.
func TestMergedBesideWrites(t *testing.T) {
	t.Parallel()
	storetest.MergedBesideWrites(t, inSQLite())
}

// TestWarehouse proves a store that only answers queries and is filled by the test.
func TestWarehouse(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	type readOnly struct{ store.Store }
	h := inSQLite()
	storetest.Prove(t, storetest.Harness{
		Open: func(t *testing.T, _ string, now func() time.Time) store.Store { return readOnly{h.Open(t, "", now)} },
		Fill: func(t *testing.T, s store.Store, b *store.Batch) {
			filled := s.(readOnly).Store.(store.Writer)
			if got, err := filled.Write(t.Context(), b); err != nil || got.Repeated > 0 {
				t.Fatalf("Write = %+v, %v", got, err)
			}
		},
		SampleEvery: 120, NoMistakes: true,
	})
}
