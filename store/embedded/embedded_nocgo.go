//go:build !cgo

// This is the build without cgo: events are in SQLite. Its counterpart is embedded_cgo.go.

package embedded

import (
	"context"
	"fmt"

	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/sqlite"
)

// The store of this build.
const (
	Database = "SQLite"
	File     = "analytics.sqlite" // its file in the folder

	build      = "without cgo"
	otherFile  = "analytics.duckdb"
	otherBuild = "build it with CGO_ENABLED=1 and a C compiler, or use another folder"
)

// OpenBoth fails, because this build has no DuckDB. See embedded_cgo.go.
func OpenBoth(context.Context, Config) (from, to Store, err error) {
	return nil, nil, fmt.Errorf("store/embedded: this program was built %s, and cannot write %s; %s", build, otherFile,
		otherBuild)
}

// Dialect returns the dialect of the store.
func Dialect() *dialect.Dialect { return dialect.SQLite() }

// SchemaVersion returns the version of the schema of files that this build writes.
func SchemaVersion() (int, error) { return sqlite.SchemaVersion() }

func check(file string) (unfinished int64, err error) { return 0, sqlite.Check(file) }

func open(ctx context.Context, file string, cfg Config) (Store, error) {
	s, err := openLite(ctx, file, cfg)
	if err != nil {
		return nil, err
	}
	cfg.Logger.InfoContext(ctx, "this program is built without cgo, so events are in SQLite; DuckDB is faster", "file",
		file)
	return s, nil
}
