package sqlite

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/storetest"
)

// open opens a store and closes it when the test ends.
func open(t testing.TB, cfg Config) *Store {
	t.Helper()
	s, err := OpenConfig(t.Context(), cfg)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

// inMemoryHarness gives storetest stores in memory. The tests of store/storetest prove the engine on this store.
var inMemoryHarness = storetest.Harness{
	NoMistakes: true,
	Open: func(t *testing.T, path string, now func() time.Time) store.Store {
		return open(t, Config{Path: path, Now: now})
	},
	Slow: store.Statement{Label: "slow", Kinds: []dialect.Kind{dialect.Int},
		SQL: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"},
}

// TestStore runs all tests of storetest with a store in a file. With SIGHTLINE_SAMPLE_EVERY=1 it asks every
// query type in every way, and also tests a store in memory, which most other tests use.
func TestStore(t *testing.T) {
	t.Parallel()
	h := inMemoryHarness
	h.Create = func(t *testing.T) string { return filepath.Join(t.TempDir(), "s.sqlite") }
	h.SampleEvery = storetest.Number(t, "SIGHTLINE_SAMPLE_EVERY", 48)
	t.Run("file", func(t *testing.T) { storetest.Prove(t, h) })
	if h.SampleEvery == 1 {
		h.Create = nil
		t.Run("memory", func(t *testing.T) { storetest.Prove(t, h) })
	}
}

// TestReference sends the same random queries to the engine and to the reference evaluator, at least one of each type.
// Of four datasets one is not sealed, one is completely sealed, and two are sealed in part. The sealed datasets get
// late, repeated and backdated rows between the queries. See storetest.RandomRunOf for how to run more.
func TestReference(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	storetest.Reference(t, inMemoryHarness, storetest.RandomRunOf(t, 1, 20261128))
}

// TestSeveral sends random queries about several websites to the engine and to the reference evaluator.
func TestSeveral(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	storetest.Several(t, inMemoryHarness, storetest.RandomRunOf(t, 120, 20261201))
}

// TestSeveralLaws tests what holds for answers about several websites.
func TestSeveralLaws(t *testing.T) {
	t.Parallel()
	storetest.SeveralLaws(t, inMemoryHarness, 20261202)
}

// TestOrders tests that answers do not depend on what was asked or done before.
func TestOrders(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	h := inMemoryHarness
	h.NoMistakes = false
	h.Create = func(t *testing.T) string { return filepath.Join(t.TempDir(), "s.sqlite") }
	storetest.Orders(t, h, storetest.RandomRunOf(t, 150, 20261128))
}

// TestBeside tests answers that are computed while rows change.
func TestBeside(t *testing.T) {
	t.Parallel()
	h := inMemoryHarness
	h.NoMistakes = false
	h.Create = func(t *testing.T) string { return filepath.Join(t.TempDir(), "s.sqlite") }
	storetest.Beside(t, h, storetest.RandomRunOf(t, 100, 20261129))
}

// TestDayTables tests the tables in which the store keeps something about days.
func TestDayTables(t *testing.T) {
	t.Parallel()
	h := inMemoryHarness
	h.Create = func(t *testing.T) string { return filepath.Join(t.TempDir(), "s.sqlite") }
	storetest.DayTables(t, h)
}

// TestAbilities fixes which optional interfaces the store lacks.
func TestAbilities(t *testing.T) {
	t.Parallel()
	if _, lacks := store.Abilities((*Store)(nil)); !slices.Equal(lacks, []string{"Maintainer"}) {
		t.Errorf("the store lacks %q", lacks)
	}
}
