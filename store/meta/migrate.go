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

// versionTable differs from goose's default, so that tables of other programs that use goose are not taken for
// tables of this package.
const versionTable = "sightline_meta_version"

func migrations() fs.FS {
	files, err := fs.Sub(embedded, "migrations")
	if err != nil {
		return embedded // impossible, because the folder is embedded; goose would report that it has no migrations
	}
	return files
}

// inspect creates a missing file. It returns an error, without changing anything, if the tables are not for this
// program.
func (s *Store) inspect(ctx context.Context, files fs.FS) error {
	return s.lang.inspect(s.cfg, s.read, func(db *sql.DB) error {
		if err := checkTables(ctx, s.lang, db, files); err != nil {
			return fmt.Errorf("store/meta: %s: %w", s.at, err)
		}
		return nil
	})
}

// checkTables returns an error if this program cannot work with the tables in db.
func checkTables(ctx context.Context, l lang, db *sql.DB, files fs.FS) error {
	if err := l.usable(ctx, db); err != nil {
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
		return fmt.Errorf("%w: the tables belong to another program: %q", store.ErrCorrupt, tables)
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
		return fmt.Errorf("%w: the tables have version %d, this program knows %d", store.ErrNewerSchema, have.Int64,
			known)
	}
	return nil
}

// newest returns the version of the last migration.
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
	options := []goose.ProviderOption{goose.WithTableName(versionTable), goose.WithDisableGlobalRegistry(true),
		goose.WithGoMigrations(steps...)}
	if l.locker != nil {
		options = append(options, goose.WithSessionLocker(l.locker(db)))
	}
	p, err := goose.NewProvider(l.migrations, db, nil, options...)
	if err != nil {
		return nil, fmt.Errorf("store/meta: migrations: %w", err)
	}
	return p, nil
}

// steps returns the migrations in files. They cannot be undone. Each file is sent to the database as one text,
// because goose would split it line by line, with a buffer of 4 MiB for each line.
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

// migrate applies the missing migrations. Each is one transaction, which also stores its version. So after a
// commit with an unknown outcome a migration is stored completely or not at all. Without a lock, a migration fails
// if another process migrates at the same time. It is retried then.
func (s *Store) migrate(ctx context.Context, files fs.FS) error {
	for try := 1; ; try++ {
		// a new provider for each try, because a provider remembers failed migrations
		p, err := provider(s.lang, s.write, files)
		if err != nil {
			return err
		}
		done, err := p.Up(ctx)
		for _, m := range done {
			s.cfg.Logger.LogAttrs(ctx, slog.LevelInfo, "schema migrated",
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

// SchemaVersion returns the version of the tables that this program writes. A program opens files with the same version
// and with smaller ones.
func SchemaVersion() (int, error) {
	all, err := steps(migrations())
	if err != nil {
		return 0, fmt.Errorf("store/meta: migrations: %w", err)
	}
	return int(all[len(all)-1].Version), nil
}
