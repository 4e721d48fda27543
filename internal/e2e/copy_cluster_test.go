//go:build cgo

package e2e

import (
	"testing"

	"github.com/sightline-analytics/sightline/store/storetest"
	"github.com/sightline-analytics/sightline/store/storetest/dataset"
	"github.com/sightline-analytics/sightline/store/transfer"
)

// testCopy carries a dataset over to two shards and back, which hold it once.
func (c cluster) testCopy(t *testing.T) {
	movable := func(s storetest.Filled) storetest.Movable {
		m, ok := s.(storetest.Movable)
		if !ok {
			t.Fatalf("%T cannot be copied from or to", s)
		}
		return m
	}
	from, shards, back := movable(onDuckDB(t)), movable(c.open(t)), movable(onDuckDB(t))
	w := dataset.New(11)
	if _, err := from.Write(t.Context(), &w.Batch); err != nil {
		t.Fatal(err)
	}
	for _, way := range [][2]storetest.Movable{{from, shards}, {from, shards}, {shards, back}} {
		report, err := transfer.Copy(t.Context(), way[0], way[1], transfer.Options{Rows: 500})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d rows, %d carried over", report.Rows, report.Copied)
		for _, d := range report.Differences {
			t.Errorf("%s", d)
		}
		if report.Rows < 1000 {
			t.Errorf("%d rows are little", report.Rows)
		}
	}
}
