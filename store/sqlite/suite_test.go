package sqlite

import (
	"context"
	"path/filepath"
	"testing"
	"time"

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

// inMemoryHarness gives storetest stores in memory.
var inMemoryHarness = storetest.Harness{
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

// TestPitfalls runs queries that similar services are known to answer wrongly.
func TestPitfalls(t *testing.T) {
	t.Parallel()
	storetest.Pitfalls(t, inMemoryHarness)
}

// TestReference sends the same random queries to the engine and to the reference evaluator. See package
// store/duckdb and storetest.RandomRunOf.
func TestReference(t *testing.T) {
	t.Parallel()
	storetest.Reference(t, inMemoryHarness, storetest.RandomRunOf(t, 140, 20261128))
}

// TestAllTime tests that all time begins with the first row that the caller may see.
func TestAllTime(t *testing.T) {
	t.Parallel()
	storetest.AllTime(t, inMemoryHarness)
}

// TestIdentity tests that answers tell when most visitors have other ids on each day.
func TestIdentity(t *testing.T) {
	t.Parallel()
	storetest.Identity(t, inMemoryHarness)
}

// TestReferenceKillsMutants plants one mistake at a time, and expects the tests to detect each. One mutation of
// SQLMutations changes words that the dialect of SQLite does not have; this mistake is made here. With
// SIGHTLINE_MUTATIONS=all it also plants the mistakes that the tests of store/duckdb detect.
func TestReferenceKillsMutants(t *testing.T) {
	t.Parallel()
	planted := []storetest.Mutation{{Name: "fields of the session's last event, by time", Op: dialect.ArgMinRowIf,
		Template: "sightline_first_row(-substr($2, 1, 16), $1) FILTER (WHERE $3)"}}
	if storetest.AllMutations() {
		planted = append(planted, storetest.SQLMutations(dialect.SQLite())...)
	}
	storetest.KillsMutants(t, inMemoryHarness, planted)
}

// TestMergedBesideWrites asks for merged answers while rows are written.
func TestMergedBesideWrites(t *testing.T) {
	t.Parallel()
	storetest.MergedBesideWrites(t, inMemoryHarness)
}

// TestProperties tests properties that hold for every type and any rows. SIGHTLINE_SEED selects the dataset.
// With SIGHTLINE_SAMPLE_EVERY=1 it tests each property with every type.
func TestProperties(t *testing.T) {
	t.Parallel()
	h := inMemoryHarness
	h.SampleEvery = storetest.Number(t, "SIGHTLINE_SAMPLE_EVERY", 48)
	storetest.Properties(t, h, uint64(storetest.Number(t, "SIGHTLINE_SEED", 20261128)))
}

// TestKeys tests the answers for keys with mandatory filters. SIGHTLINE_SEED selects the dataset, and
// SIGHTLINE_KEY_SETS the number of tested sets of filters.
func TestKeys(t *testing.T) {
	t.Parallel()
	h := inMemoryHarness
	h.SampleEvery = storetest.Number(t, "SIGHTLINE_SAMPLE_EVERY", 16)
	storetest.Keys(t, h, uint64(storetest.Number(t, "SIGHTLINE_SEED", 1)), storetest.Number(t, "SIGHTLINE_KEY_SETS", 3))
}

// TestKeysAsking tests the answers for keys with mandatory groups of filters: see storetest.KeysAsking. In the other stores it is a long
// proof, since TestReference asks them with such groups, too.
func TestKeysAsking(t *testing.T) {
	t.Parallel()
	storetest.KeysAsking(t, inMemoryHarness, storetest.RandomRunOf(t, 40, 20260310))
}

// TestAnswers tests that stored answers equal newly computed ones.
func TestAnswers(t *testing.T) {
	t.Parallel()
	h := inMemoryHarness
	h.SampleEvery = storetest.Number(t, "SIGHTLINE_SAMPLE_EVERY", 24)
	storetest.Answers(t, h, uint64(storetest.Number(t, "SIGHTLINE_SEED", 20261128)))
}

// TestDependencies compares answers from all rows with answers from only the rows that they depend on. The engine decides which rows
// these are, so one store is enough.
func TestDependencies(t *testing.T) {
	t.Parallel()
	storetest.Dependencies(t, inMemoryHarness, storetest.RandomRunOf(t, 80, 20261128))
}

// TestExpired tests the answers about days whose rows were removed because of their age.
func TestExpired(t *testing.T) {
	t.Parallel()
	h := inMemoryHarness
	h.SampleEvery = storetest.Number(t, "SIGHTLINE_SAMPLE_EVERY", 24)
	storetest.Expired(t, h, uint64(storetest.Number(t, "SIGHTLINE_SEED", 20261128)))
}

// TestOrders tests that answers do not depend on what was asked or done before.
func TestOrders(t *testing.T) {
	t.Parallel()
	h := inMemoryHarness
	h.Create = func(t *testing.T) string { return filepath.Join(t.TempDir(), "s.sqlite") }
	storetest.Orders(t, h, storetest.RandomRunOf(t, 150, 20261128))
}
