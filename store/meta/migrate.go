package meta

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"time"

	"github.com/pressly/goose/v3"

	"github.com/sightline-analytics/sightline/store"
)

//go:embed migrations/*.sql
var embedded embed.FS

// versionTable is not goose's own default, so that another program's is not taken for ours.
const versionTable = "sightline_meta_version"

func migrations() fs.FS {
	files, err := fs.Sub(embedded, "migrations")
	if err != nil {
		return embedded // cannot be: the name is a constant; then goose finds no migrations and says so
	}
	return files
}

// inspect refuses what is not for this program, without changing it, and makes a
// missing file.
func (s *Store) inspect(ctx context.Context, files fs.FS) error {
	return s.lang.inspect(s.cfg, s.read, func(db *sql.DB) error {
		if err := judge(ctx, s.lang, db, files); err != nil {
			return fmt.Errorf("store/meta: %s: %w", s.at, err)
		}
		return nil
	})
}

// judge says whether this program can work with what db holds.
func judge(ctx context.Context, l lang, db *sql.DB, files fs.FS) error {
	if err := l.sound(ctx, db); err != nil {
		return kind(ctx, l, err)
	}
	tables, err := texts(ctx, db, l.tables)
	if err != nil {
		return kind(ctx, l, err)
	}
	if len(tables) == 0 {
		return nil
	}
	if !slices.Contains(tables, versionTable) {
		return fmt.Errorf("%w: it holds the tables of another program, %q", store.ErrCorrupt, tables)
	}
	var have sql.NullInt64
	if err := db.QueryRowContext(ctx, "SELECT max(version_id) FROM "+versionTable).Scan(&have); err != nil {
		return kind(ctx, l, err)
	}
	known, err := newest(l, db, files)
	if err != nil {
		return err
	}
	if have.Int64 > known {
		return fmt.Errorf("%w: it has version %d, this program knows %d", store.ErrNewerSchema, have.Int64, known)
	}
	return nil
}

// newest is the version of the last migration.
func newest(l lang, db *sql.DB, files fs.FS) (int64, error) {
	p, err := provider(l, db, files)
	if err != nil {
		return 0, err
	}
	sources := p.ListSources()
	return sources[len(sources)-1].Version, nil
}

func provider(l lang, db *sql.DB, files fs.FS) (*goose.Provider, error) {
	steps, err := steps(files)
	if err != nil {
		return nil, fmt.Errorf("store/meta: migrations: %w", err)
	}
	options := []goose.ProviderOption{goose.WithTableName(versionTable), goose.WithDisableGlobalRegistry(true), goose.WithGoMigrations(steps...)}
	if l.locker != nil {
		options = append(options, goose.WithSessionLocker(l.locker))
	}
	p, err := goose.NewProvider(l.migrations, db, nil, options...)
	if err != nil {
		return nil, fmt.Errorf("store/meta: migrations: %w", err)
	}
	return p, nil
}

// steps are the migrations in files, which go forward only. The statements of each are sent as one text:
// goose would split a file line by line, with a buffer of 4 MiB for each line.
func steps(files fs.FS) (all []*goose.Migration, err error) {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		version, err := goose.NumericComponent(name)
		if err != nil {
			return nil, err
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		up := &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, string(text))
			return err
		}}
		all = append(all, goose.NewGoMigration(version, up, nil))
	}
	return all, nil
}

// migrate brings the schema forward. Each migration is one transaction, in which its version
// is noted too: a commit whose outcome is unknown was made whole or not at all. Where no lock
// keeps other processes out, whoever trips over another's work looks again.
func (s *Store) migrate(ctx context.Context, files fs.FS) error {
	for try := 1; ; try++ {
		p, err := provider(s.lang, s.write, files) // a new one, since one remembers what it tried
		if err != nil {
			return err
		}
		done, err := p.Up(ctx)
		for _, m := range done {
			s.cfg.Logger.LogAttrs(ctx, slog.LevelInfo, "schema brought forward",
				slog.String("at", s.at), slog.Int64("version", m.Source.Version))
		}
		if err == nil {
			return nil
		}
		if s.lang.locker != nil || try == 10 || ctx.Err() != nil {
			return s.wrap(ctx, "migrate", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(try) * 10 * time.Millisecond):
		}
	}
}

// texts returns the first column of all rows.
func texts(ctx context.Context, db *sql.DB, query string) (_ []string, err error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var all []string
	for rows.Next() {
		var first string
		into := []any{&first}
		for range columns[1:] {
			into = append(into, new(any))
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		all = append(all, first)
	}
	return all, rows.Err()
}
