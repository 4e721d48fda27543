//go:build cgo

package e2e

import (
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/duckdb"
	"github.com/sightline-analytics/sightline/store/storetest"
)

// TestDiff asks DuckDB and ClickHouse the same 1 000 random questions about the same rows, others than
// those of TestReference in store/duckdb, and wants the same bytes: 250 each of a dataset that both
// answer from rows alone, of one that DuckDB has sealed whole, and of two that it has sealed in part.
// See storetest.RandomRunOf for how to ask more.
func TestDiff(t *testing.T) {
	t.Parallel()
	storetest.Diff(t, inDuckDB(), inClickHouse(), storetest.RandomRunOf(t, 1000, 20261125))
}

// TestDiffKillsMutants plants mistakes between ClickHouse and the comparison, which
// must see them: one that needs no SQL of ClickHouse's, or all when SIGHTLINE_MUTATIONS=all.
// The others are planted beside the stores.
func TestDiffKillsMutants(t *testing.T) {
	t.Parallel()
	planted := storetest.Mutations()
	if !storetest.AllMutations() {
		planted = planted[:1]
	}
	storetest.DiffKillsMutants(t, inDuckDB(), inClickHouse(), planted)
}

func openClickHouse(t *testing.T, o clickhouse.Config) *clickhouse.Store {
	t.Helper()
	o.BatchDelay, o.WriteTimeout = -1, 5*time.Minute // a busy machine is no outage
	s, err := clickhouse.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// inDuckDB makes stores in memory.
func inDuckDB() storetest.Harness {
	return storetest.Harness{Open: func(t *testing.T, _ string, _ func() time.Time) store.Store { return openDuckDB(t) }}
}

func openDuckDB(t *testing.T) *duckdb.Store {
	t.Helper()
	s, err := duckdb.Open(t.Context(), duckdb.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// inClickHouse makes stores in databases of the server that CLICKHOUSE_DSN names.
func inClickHouse() storetest.Harness {
	return storetest.Harness{
		Remote: true,
		Create: func(t *testing.T) string { return chtest.Database(t, chtest.Address(t, "CLICKHOUSE_DSN")) },
		Open: func(t *testing.T, dsn string, _ func() time.Time) store.Store {
			s := openClickHouse(t, clickhouse.Config{DSN: dsn})
			if err := s.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			return s
		},
	}
}
