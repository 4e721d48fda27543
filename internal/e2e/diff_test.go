//go:build cgo

package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/duckdb"
	"github.com/sightline-analytics/sightline/store/storetest"
)

// TestDiff asks DuckDB and ClickHouse the same random questions about the same rows, and
// wants the same bytes: see storetest.CampaignOf for how many.
func TestDiff(t *testing.T) {
	storetest.Diff(t, storetest.Harness{Open: onDuckDB}, storetest.Harness{Open: onClickHouse}, storetest.CampaignOf(t, 2000))
}

// TestDiffCatchesMistakes plants mistakes between ClickHouse and the comparison, which
// must see them: those that need no SQL of ClickHouse's, whose own are planted beside its
// store.
func TestDiffCatchesMistakes(t *testing.T) {
	storetest.DiffCatches(t, storetest.Harness{Open: onDuckDB}, storetest.Harness{Open: onClickHouse}, storetest.Mistakes())
}

func onDuckDB(t *testing.T) storetest.Filled {
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

// onClickHouse opens a store in a new database of the server that CLICKHOUSE_DSN names.
func onClickHouse(t *testing.T) storetest.Filled {
	dsn := os.Getenv("CLICKHOUSE_DSN")
	switch {
	case dsn != "":
	case os.Getenv("CI") == "true":
		t.Fatal("CLICKHOUSE_DSN is not set")
	default:
		t.Skip("needs a ClickHouse server: set CLICKHOUSE_DSN to its address, as in clickhouse://default:@127.0.0.1:9000/default")
	}
	s, err := clickhouse.Open(t.Context(), clickhouse.Options{DSN: newDatabase(t, dsn), Linger: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// newDatabase makes an empty database and returns its address. It ends with the test.
func newDatabase(t *testing.T, dsn string) string {
	t.Helper()
	conn := connect(t, dsn)
	name := fmt.Sprintf("diff_%x", rand.Uint64())
	execute(t, conn, "CREATE DATABASE "+name)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := conn.Exec(ctx, "DROP DATABASE "+name+" SYNC"); err != nil {
			t.Error(err)
		}
	})
	return inDatabase(t, dsn, name)
}
