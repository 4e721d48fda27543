//go:build cgo

package e2e

import (
	"testing"

	"github.com/sightline-analytics/sightline/internal/transfer"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/storetest/dataset"
)

// testCopy copies a dataset to two shards and back. Every row must be stored once.
func (c cluster) testCopy(t *testing.T) {
	type movable interface {
		transfer.Source
		transfer.Target
	}
	from, back := openDuckDB(t), openDuckDB(t)
	shards := openClickHouse(t, clickhouse.Config{DSN: c.database(t), Cluster: shards})
	w := dataset.New(11)
	if _, err := from.Write(t.Context(), &w.Batch); err != nil {
		t.Fatal(err)
	}
	for _, way := range [][2]movable{{from, shards}, {from, shards}, {shards, back}} {
		report, err := transfer.Copy(t.Context(), way[0], way[1], transfer.Options{Rows: 500})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d rows, %d copied", report.Rows, report.Copied)
		for _, d := range report.Differences {
			t.Errorf("%s", d)
		}
		if report.Rows < 1000 {
			t.Errorf("only %d rows", report.Rows)
		}
	}
}
