//go:build cgo

package duckdb_test

import (
	"path/filepath"
	"testing"

	"github.com/sightline-analytics/sightline/store/duckdb"
	"github.com/sightline-analytics/sightline/store/storetest"
)

func TestRestore(t *testing.T) {
	t.Parallel()
	storetest.RunRestore(t, func(t *testing.T) storetest.Movable {
		return open(t, duckdb.Config{Path: filepath.Join(t.TempDir(), "s.duckdb")})
	})
}
