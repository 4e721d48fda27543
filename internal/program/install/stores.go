package install

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/ratelimit/redislimit"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/embedded"
	"github.com/sightline-analytics/sightline/store/meta"
)

// OpenFile opens the file of events in a data folder, or creates it. It sets the folder in cfg.
func OpenFile(ctx context.Context, dir string, cfg embedded.Config) (embedded.Store, error) {
	if err := CheckRestored(dir); err != nil {
		return nil, err
	}
	cfg.Folder = dir
	s, err := embedded.Open(ctx, cfg)
	if err != nil {
		return nil, explain(filepath.Join(dir, EventsFile), err)
	}
	return s, nil
}

// OpenClickHouse opens a ClickHouse store and creates missing tables. A user without the right to create tables can use
// existing ones.
func OpenClickHouse(ctx context.Context, o clickhouse.Config) (*clickhouse.Store, error) {
	s, err := clickhouse.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	err = s.Ping(ctx)
	if errors.Is(err, clickhouse.ErrNoSchema) {
		err = s.Migrate(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close(context.Background()))
	}
	return s, nil
}

// OpenRecords opens the relational store of a DSN or, without a DSN, of a folder.
func OpenRecords(ctx context.Context, dir, dsn string, pepper auth.Pepper, log *slog.Logger,
	now func() time.Time) (*meta.Store, error) {
	cfg := meta.Config{DSN: dsn, Pepper: pepper, Now: now, Logger: log}
	where := "--meta"
	if dsn == "" {
		if err := CheckRestored(dir); err != nil {
			return nil, err
		}
		where = filepath.Join(dir, RecordsFile)
		cfg.Path = where
	}
	m, err := meta.Open(ctx, cfg)
	if err != nil {
		return nil, explainPepper(where, explain(where, err))
	}
	if _, err := m.EnsureOwner(ctx, meta.Owner{ID: Owner, Name: "This install"}); err != nil {
		return nil, errors.Join(err, m.Close(context.Background()))
	}
	return m, nil
}

// OpenRedis returns a client. It does not connect, because Redis may be unavailable.
func OpenRedis(dsn string) (*redis.Client, error) {
	o, err := redislimit.Options(dsn)
	if err != nil {
		return nil, fmt.Errorf("--redis: %w", err)
	}
	return redis.NewClient(o), nil
}

// logSize describes the space that the log of events needs to be moved into its file. It is empty without a log.
func logSize(dir string) string {
	log, err := os.Stat(filepath.Join(dir, EventsFile+".wal"))
	if err != nil || log.Size() == 0 {
		return ""
	}
	const megabyte = 1_000_000
	return fmt.Sprintf("; free %d MB in the folder: the service moves the log %s into %s, which takes up to its size",
		log.Size()/megabyte+1, filepath.Base(log.Name()), EventsFile)
}

// explain returns err with what an operator can do about it.
func explain(file string, err error) error {
	switch {
	case errors.Is(err, store.ErrLocked):
		return inUseError{file}
	case errors.Is(err, store.ErrNewerSchema):
		return fmt.Errorf("%s was written by a newer version of this program; nothing was changed", file)
	case errors.Is(err, store.ErrCorrupt):
		return fmt.Errorf("%s is damaged, or not a file of this program; nothing was changed (%w)", file, err)
	case errors.Is(err, meta.ErrUnfinishedCopy):
		return fmt.Errorf("%s: %w: run the same copy --meta again, or name an empty database", file, err)
	case errors.Is(err, store.ErrFull):
		return fmt.Errorf("%s: the disk is full%s (%w)", file, logSize(filepath.Dir(file)), err)
	default:
		return fmt.Errorf("%s: %w", file, err)
	}
}

// An inUseError is a [store.ErrLocked] of a file.
type inUseError struct{ file string }

func (e inUseError) Error() string {
	return e.file + " is in use by another process; stop that process, or choose another --data"
}

func (inUseError) Unwrap() error { return store.ErrLocked }
