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
		return errors.New("store/meta: Path or DSN is required")
	}
	return nil
}

// openSQLite opens a single connection for writing, so that writers wait in this process and not in the database.
func openSQLite(c Config, u use) (*sql.DB, error) {
	if u == writing {
		return openSource(1, source(c, "", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)",
			"secure_delete(1)"))
	}
	return openSource(8, source(c, "", "query_only(1)"))
}

// inspectFile calls checkTables without changing the file. It does not even recover from a crash.
func inspectFile(c Config, _ *sql.DB, checkTables func(*sql.DB) error) error {
	fresh, err := createFile(c)
	if err != nil || fresh {
		return err
	}
	db, err := openSource(1, source(c, "ro", "query_only(1)"))
	if err != nil {
		return err
	}
	return errors.Join(checkTables(db), db.Close())
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

// source returns a SQLite data source name. Transactions are immediate: they wait for the write lock when they
// begin, because a transaction that needs it later could only fail.
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

// createFile creates the file if it is missing, readable for its owner only, and reports whether it is empty.
//
// It never opens a file that this process may have open as a database: when a process closes any handle of a file,
// it loses all its locks on it, including the locks of SQLite. Therefore it creates a new file under another name,
// closes it, and then gives it its name.
func createFile(c Config) (fresh bool, err error) {
	info, err := os.Stat(c.Path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := createAside(c.Path); err != nil {
			return false, fmt.Errorf("store/meta: %w: %w", store.ErrUnavailable, err)
		}
		info, err = os.Stat(c.Path)
	}
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", c.Path)
	}
	if err != nil {
		return false, fmt.Errorf("store/meta: %w: %w", store.ErrUnavailable, err)
	}
	return info.Size() == 0, nil
}

func createAside(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // has mode 0600
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	err = os.Link(f.Name(), path)
	if errors.Is(err, fs.ErrExist) {
		err = nil // another process created it first
	} else if err != nil {
		// The file system has no links. In this case a database can lose its locks, but only if this process
		// opens it at this moment.
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

// undamaged looks for damage in each table, and returns the first problem as an error. It omits the tables of the
// audit trail, which may be large, and which audit.Verify checks.
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

// truncateLog empties the write-ahead log. It reports false if another connection uses the log.
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
	case codes.SQLITE_IOERR_SHMSIZE: // the file for shared memory cannot grow
		return store.ErrFull
	}
	switch e.Code() & 0xff { // the other bits have details
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
