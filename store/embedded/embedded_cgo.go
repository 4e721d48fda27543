//go:build cgo

// This is the build with cgo: events are in DuckDB. Its counterpart is embedded_nocgo.go.

package embedded

import (
	"context"

	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/duckdb"
)

// The store of this build.
const (
	Database = "DuckDB"
	File     = "analytics.duckdb" // its file in the folder

	build      = "with cgo"
	otherFile  = "analytics.sqlite"
	otherBuild = "use a build without cgo, or another folder"
)

// Dialect returns the dialect of the store.
func Dialect() *dialect.Dialect { return dialect.DuckDB() }

// SchemaVersion returns the version of the schema of files that this build writes.
func SchemaVersion() (int, error) { return duckdb.SchemaVersion() }

func check(file string) (unfinished int64, err error) { return duckdb.Check(duckdb.Config{Path: file}) }

func open(ctx context.Context, file string, cfg Config) (Store, error) {
	s, err := duckdb.Open(ctx, duckdb.Config{Path: file, MemoryLimit: cfg.Memory, Now: cfg.Now, Logger: cfg.Logger})
	if err != nil {
		return nil, err // a nil *duckdb.Store in the interface would not be nil
	}
	return s, nil
}
