//go:build cgo

package e2e

import (
	"context"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/duckdb"
	"github.com/sightline-analytics/sightline/store/storetest"
)

// TestDiff sends the same SIGHTLINE_QUESTIONS random queries to DuckDB and ClickHouse, which have the same rows. The
// answers must be equal byte for byte. Of each four datasets one has no seals, one has seals of all days in DuckDB, and
// two have seals of some days. TestReference of each store compares it with the reference evaluator, so this runs only
// as a long proof.
func TestDiff(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	testenv.Night(t, "diff-1")
	storetest.Diff(t, inDuckDB(), inClickHouse(), storetest.RandomRunOf(t, 1, 20261125))
}

// TestDiffKillsMutants plants mistakes between ClickHouse and the comparison, which must find them.
func TestDiffKillsMutants(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	testenv.Night(t, "diff-mutants")
	storetest.DiffKillsMutants(t, inDuckDB(), inClickHouse(), storetest.Mutations())
}

func openClickHouse(t *testing.T, o clickhouse.Config) *clickhouse.Store {
	t.Helper()
	o.BatchDelay, o.WriteTimeout = -1, 5*time.Minute // so that a busy machine does not look like an outage
	s, err := clickhouse.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// inDuckDB returns a harness for DuckDB stores in memory.
func inDuckDB() storetest.Harness {
	return storetest.Harness{Open: func(t *testing.T, _ string,
		_ func() time.Time) store.Store {
		return openDuckDB(t)
	}}
}

func openDuckDB(t *testing.T) *duckdb.Store {
	t.Helper()
	s, err := duckdb.Open(t.Context(), duckdb.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// inClickHouse returns a harness for stores on the server of CLICKHOUSE_DSN.
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
