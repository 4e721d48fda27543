// Package embedded opens the embedded store of events that this build has: DuckDB if it is built with cgo, and SQLite
// if it is built without.
//
//	events, err := embedded.Open(ctx, embedded.Config{Folder: "sightline-data", Logger: log})
//	svc, err := sightline.New(sightline.Config{Events: events, Records: records})
//	err = events.Close(ctx)
//
// A program that needs DuckDB imports store/duckdb, and then fails to build without cgo. DuckDB answers questions about
// many rows faster, and its files are smaller. The two stores have separate files.
package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/internal/space"
	"github.com/sightline-analytics/sightline/store/sqlite"
)

// PartFile is the name of an incomplete copy of the events, see [OpenBoth].
const PartFile = File + ".part"

// Config configures [Open].
type Config struct {
	Folder string // of the file; must exist
	Memory int64  // bytes of memory for DuckDB; 0 means its default. SQLite ignores it
	// MinFree is the number of free bytes of the disk below which the store accepts no rows. 0 means 256 MiB, or 5 % of
	// the disk if that is less; a negative number means no limit
	MinFree int64
	Now     func() time.Time // nil means time.Now
	Logger  *slog.Logger     // of the store; also says when it is SQLite. Nil means no log
}

// FreeSpace returns the free bytes of the disk of a folder, and the limit below which a store there accepts no rows,
// with a [Config.MinFree]. The limit is 0 without one. The error wraps [errors.ErrUnsupported] on systems where
// stores cannot measure it.
func FreeSpace(folder string, minFree int64) (free, limit int64, err error) {
	return space.Free(folder, minFree)
}

// A Store is an embedded store of events. It has all abilities ([store.AllAbilities]), so a wrapper that embeds it
// keeps them: see the example.
type Store interface {
	store.Store
	store.Writer
	store.Resealer // it is a store.Deriver, and that a store.DayLister
	store.StateKeeper
	store.Bounded
	store.Loaded
	store.Eraser
	store.Expirer
	store.PersonEraser
	store.Remover
	store.VisitorHasher
	store.Purger
	store.Maintainer
	store.SpaceChecker
	store.Lister
	store.Restorer
	// Backup copies the database to the new file path, and its log, if it has one, to path + ".wal". It calls moment
	// once, between two commits: the copy has the rows of every write that returned before, and of no write that begins
	// later. Writes wait only for moment. After an error there are no new files.
	Backup(ctx context.Context, path string, moment func() error) error
	// Close closes the file. Call it after the last request. If ctx ends first, it returns its error, and closing
	// continues.
	Close(ctx context.Context) error
}

// Open opens the file in the folder, or creates it. It fails if the folder has a file of the other store, because the
// events in it would be missing from all answers.
func Open(ctx context.Context, cfg Config) (Store, error) {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	file := filepath.Join(cfg.Folder, File)
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		_, err := os.Stat(filepath.Join(cfg.Folder, otherFile))
		switch {
		case err == nil:
			return nil, fmt.Errorf("store/embedded: the events of this folder are in %s, but this program was built %s and stores events in %s; %s", otherFile, build, File, otherBuild)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("store/embedded: %w: %w", store.ErrUnavailable, err)
		}
	}
	return open(ctx, file, cfg)
}

// Files returns the names of the files of events of all builds. A folder has at most one of them in use.
func Files() []string { return []string{File, otherFile} }

// A lite is a SQLite store, which needs no maintenance.
type lite struct{ *sqlite.Store }

// Maintain implements [store.Maintainer]. It does nothing.
func (lite) Maintain(context.Context) error { return nil }

// openLite opens a SQLite file.
func openLite(ctx context.Context, file string, cfg Config) (Store, error) {
	s, err := sqlite.OpenConfig(ctx, sqlite.Config{Path: file, MinFree: cfg.MinFree, Now: cfg.Now, Logger: cfg.Logger})
	if err != nil {
		return nil, err // a nil *sqlite.Store in the interface would not be nil
	}
	return lite{s}, nil
}

// Check looks for damage in the file in folder, and changes nothing. It returns the errors of Open. unfinished is the
// number of bytes at the end of the log that Open would cut, because they were never acknowledged.
func Check(folder string) (unfinished int64, err error) { return check(filepath.Join(folder, File)) }
