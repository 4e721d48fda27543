//go:build cgo

package duckdb_test

import (
	"testing"

	"github.com/sightline-analytics/sightline/store/storetest"
)

// TestKeys proves what keys with mandatory filters see. SIGHTLINE_SEED says of which
// dataset, and SIGHTLINE_KEY_SETS how many sets of filters are tried.
func TestKeys(t *testing.T) {
	t.Parallel()
	storetest.Keys(t, storetest.Harness{Open: inMemory}, uint64(storetest.Number(t, "SIGHTLINE_SEED", 20260311)),
		storetest.Number(t, "SIGHTLINE_KEY_SETS", 3))
}
