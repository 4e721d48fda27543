package meta

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"github.com/sightline-analytics/sightline/store"
)

func checkPath(c Config) error {
	if c.Path == "" {
		return errors.New("store/meta: neither a path nor a DSN is given")
	}
	return nil
}

// openSQLite gives writers a single connection, so that they queue here rather than in
// the database.
func openSQLite(c Config, u use) (*sql.DB, error) {
	if u == writing {
		return openSource(1, source(c, "", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "secure_delete(1)"))
	}
	return openSource(8, source(c, "", "query_only(1)"))
}

// inspectFile has judge look without changing anything at all, not even by recovering from a crash.
func inspectFile(c Config, _ *sql.DB, judge func(*sql.DB) error) error {
	fresh, err := createFile(c)
	if err != nil || fresh {
		return err
	}
	db, err := openSource(1, source(c, "ro", "query_only(1)"))
	if err != nil {
		return err
	}
	return errors.Join(judge(db), db.Close())
}

func openSource(connections int, name string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, fmt.Errorf("store/meta: %w", err)
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db, nil
}

// source writes a SQLite data source. Transactions are immediate: they wait for the
// write lock when they begin, where waiting helps, rather than fail half-way.
func source(c Config, mode string, pragmas ...string) string {
	path := c.Path
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive letter
	}
	q := url.Values{"_txlock": {"immediate"}, "_dqs": {"0"}, "_error_rc": {"1"}}
	if mode != "" {
		q.Set("mode", mode)
	}
	q.Add("_pragma", "busy_timeout("+strconv.FormatInt(c.Wait.Milliseconds(), 10)+")")
	q.Add("_pragma", "trusted_schema(0)")
	for _, p := range pragmas {
		q.Add("_pragma", p)
	}
	u := url.URL{Scheme: "file", Path: path, OmitHost: true, RawQuery: q.Encode()}
	return u.String()
}

// createFile makes the file when it is missing, for its owner's eyes only, and reports
// whether it holds nothing yet.
//
// It opens no file that somebody may have open as a database: when a process closes any
// handle of a file it loses all its locks on it, those of SQLite too. So a new file is
// made under another name, closed, and then given its own.
func createFile(c Config) (fresh bool, err error) {
	info, err := os.Stat(c.Path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := createAside(c.Path); err != nil {
			return false, fmt.Errorf("store/meta: %w: %w", store.ErrUnavailable, err)
		}
		info, err = os.Stat(c.Path)
	}
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", c.Path)
	}
	if err != nil {
		return false, fmt.Errorf("store/meta: %w: %w", store.ErrUnavailable, err)
	}
	return info.Size() == 0, nil
}

func createAside(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // of mode 0600
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	err = os.Link(f.Name(), path)
	if errors.Is(err, fs.ErrExist) {
		err = nil // another was quicker
	} else if err != nil {
		// A file system without links: then only a database that this process opens
		// within this very moment would lose its locks.
		err = createExclusive(path)
	}
	return errors.Join(err, os.Remove(f.Name()))
}

func createExclusive(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// undamaged asks for the first sign of damage in each table but those of the audit trail,
// which may be large, and which audit.Verify reads anyway.
func undamaged(ctx context.Context, db *sql.DB) error {
	checks, err := texts(ctx, db, `SELECT 'PRAGMA quick_check("' || replace(name, '"', '""') || '")' FROM sqlite_master
		WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'audit~_%' ESCAPE '~'`)
	for _, check := range checks {
		var damage []string
		if damage, err = texts(ctx, db, check); err != nil {
			break
		}
		if !slices.Equal(damage, []string{"ok"}) {
			return fmt.Errorf("%w: %q", store.ErrCorrupt, damage[:min(len(damage), 1)])
		}
	}
	return err
}

// truncateLog empties the write-ahead log, which it cannot while somebody reads it.
func truncateLog(ctx context.Context, db *sql.DB) (bool, error) {
	busy, err := texts(ctx, db, "PRAGMA wal_checkpoint(TRUNCATE)")
	return slices.Equal(busy, []string{"0"}), err
}

func sqliteFault(err error) error {
	var e *driver.Error
	if !errors.As(err, &e) {
		return nil
	}
	switch e.Code() {
	case codes.SQLITE_CONSTRAINT_PRIMARYKEY, codes.SQLITE_CONSTRAINT_UNIQUE:
		return ErrExists
	case codes.SQLITE_CONSTRAINT_FOREIGNKEY:
		return store.ErrNotFound
	case codes.SQLITE_IOERR_SHMSIZE: // the file beside the log cannot grow
		return store.ErrFull
	}
	switch e.Code() & 0xff { // the rest of the bits say more than is needed
	case codes.SQLITE_CORRUPT, codes.SQLITE_NOTADB, codes.SQLITE_FORMAT:
		return store.ErrCorrupt
	case codes.SQLITE_FULL:
		return store.ErrFull
	case codes.SQLITE_BUSY, codes.SQLITE_LOCKED, codes.SQLITE_CANTOPEN, codes.SQLITE_IOERR,
		codes.SQLITE_READONLY, codes.SQLITE_PERM, codes.SQLITE_PROTOCOL:
		return store.ErrUnavailable
	}
	return nil
}
