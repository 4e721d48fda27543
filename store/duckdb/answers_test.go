//go:build cgo

package duckdb_test

import (
	"testing"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/duckdb"
	"github.com/sightline-analytics/sightline/store/storetest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, storetest.Harness{
		Open: inMemory,
		Slow: store.Statement{
			Label: "slow",
			SQL:   "SELECT count(*) AS n FROM range(1000000) AS a, range(1000000000) AS b WHERE a.range * b.range = 7",
			Kinds: []dialect.Kind{dialect.Int},
		},
	})
}

// inMemory is an empty store in memory.
func inMemory(t *testing.T) storetest.Filled { return open(t, duckdb.Config{}) }

// TestReference asks the engine and the reference evaluator the same random questions:
// see storetest.CampaignOf for how many.
func TestReference(t *testing.T) {
	t.Parallel()
	storetest.Reference(t, storetest.Harness{Open: inMemory}, storetest.CampaignOf(t, 300))
}

// TestDependencies asks questions of all rows and of those that the answer depends on.
func TestDependencies(t *testing.T) {
	t.Parallel()
	storetest.Dependencies(t, storetest.Harness{Open: inMemory}, storetest.CampaignOf(t, 1000))
}

// TestReferenceCatchesMistakes plants one mistake at a time, and wants each to be seen.
func TestReferenceCatchesMistakes(t *testing.T) {
	t.Parallel()
	storetest.Catches(t, storetest.Harness{Open: inMemory}, append(storetest.Mistakes(), mistakes()...))
}
