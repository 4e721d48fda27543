//go:build cgo

package duckdb_test

import (
	"testing"

	"github.com/sightline-analytics/sightline/store/storetest"
)

// TestProperties proves what holds of every type whatever the rows are. SIGHTLINE_SEED says
// of which dataset.
func TestProperties(t *testing.T) {
	t.Parallel()
	storetest.Properties(t, storetest.Harness{Open: inMemory}, uint64(storetest.Number(t, "SIGHTLINE_SEED", 20260310)))
}
