//go:build cgo

// This is the build with cgo: events are in DuckDB. Its counterpart is embedded_nocgo.go.

package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/duckdb"
)

// The store of this build.
const (
	Database = "DuckDB"
	File     = "analytics.duckdb" // its file in the folder

	build      = "with cgo"
	otherFile  = "analytics.sqlite"
	otherBuild = "copy them with copy --to duckdb, use a build without cgo, or use another folder"
)

// OpenBoth opens the file of a build without cgo, and the file PartFile, to copy the events. Both are in cfg.Folder.
// The caller renames PartFile to File when the copy is complete and closed.
func OpenBoth(ctx context.Context, cfg Config) (from, to Store, err error) {
	old := filepath.Join(cfg.Folder, otherFile)
	if _, err := os.Stat(old); err != nil { // else it would be created
		return nil, nil, fmt.Errorf("store/embedded: no file to copy from: %w", err)
	}
	switch _, err := os.Stat(filepath.Join(cfg.Folder, File)); {
	case err == nil:
		return nil, nil, fmt.Errorf("store/embedded: %s exists already", File)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, nil, fmt.Errorf("store/embedded: %w", err)
	}
	from, err = openLite(ctx, old, cfg)
	if err != nil {
		return nil, nil, err
	}
	to, err = open(ctx, filepath.Join(cfg.Folder, PartFile), cfg)
	if err != nil {
		return nil, nil, errors.Join(err, from.Close(context.WithoutCancel(ctx)))
	}
	return from, to, nil
}

// Dialect returns the dialect of the store.
func Dialect() *dialect.Dialect { return duckdb.Dialect() }

// SchemaVersion returns the version of the schema of files that this build writes.
func SchemaVersion() (int, error) { return duckdb.SchemaVersion() }

func check(file string) (unfinished int64, err error) { return duckdb.Check(duckdb.Config{Path: file}) }

func open(ctx context.Context, file string, cfg Config) (Store, error) {
	s, err := duckdb.Open(ctx,
		duckdb.Config{Path: file, MemoryLimit: cfg.Memory, MinFree: cfg.MinFree, Now: cfg.Now, Logger: cfg.Logger})
	if err != nil {
		return nil, err // a nil *duckdb.Store in the interface would not be nil
	}
	return s, nil
}
