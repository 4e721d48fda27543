//go:build !cgo

// This is the build without cgo. Its counterpart is embedded_cgo.go.

package embedded

import (
	"context"
	"errors"

	"github.com/sightline-analytics/sightline/store/dialect"
)

// The store of this build.
const (
	Database = "SQLite"
	File     = "analytics.sqlite" // its file in the folder

	build      = "without cgo"
	otherFile  = "analytics.duckdb"
	otherBuild = "build it with CGO_ENABLED=1 and a C compiler, or use another folder"
)

// Dialect returns the dialect of the store.
func Dialect() *dialect.Dialect { return dialect.DuckDB() }

func open(context.Context, string, Config) (Store, error) {
	return nil, errors.New("store/embedded: this program was built without cgo, which the embedded store needs: build it with CGO_ENABLED=1 and a C compiler, or use ClickHouse")
}
