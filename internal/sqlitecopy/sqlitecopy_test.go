package sqlitecopy

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// open returns a database with the numbers 1 to n in table t, and a connection to it.
func open(t *testing.T, n int) (*sql.DB, *sql.Conn) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "source.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	_, err = db.ExecContext(t.Context(), `PRAGMA journal_mode = WAL; CREATE TABLE t(n INTEGER, pad BLOB);
		WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT ?) INSERT INTO t SELECT n, zeroblob(3000) FROM s`, n)
	if err != nil {
		t.Fatal(err)
	}
	c, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return db, c
}

// A copy has the state of Pin, although others write before it and while it runs.
func TestCopyHasThePinnedState(t *testing.T) {
	const n = 4000 // several steps
	db, c := open(t, n)
	path := filepath.Join(t.TempDir(), "c?py%.db")
	err := c.Raw(func(connection any) error {
		if err := Pin(t.Context(), connection); err != nil {
			return err
		}
		if _, err := db.ExecContext(t.Context(),
			"UPDATE t SET n = -n; INSERT INTO t VALUES (0, NULL); CREATE TABLE later(x)"); err != nil {
			return err
		}
		return errors.Join(Copy(t.Context(), connection, path), Unpin(connection))
	})
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the copy: %v, %v", info, err)
	}
	source, err := name(path)
	if err != nil {
		t.Fatal(err)
	}
	copied, err := sql.Open("sqlite", source)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = copied.Close() }()
	var rows, sum, tables int
	var sound string
	if err := copied.QueryRowContext(t.Context(),
		"SELECT count(*), sum(n), (SELECT count(*) FROM sqlite_schema) FROM t").Scan(&rows, &sum, &tables); err != nil {
		t.Fatal(err)
	}
	if err := copied.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&sound); err != nil || sound != "ok" {
		t.Errorf("integrity_check: %q, %v", sound, err)
	}
	if rows != n || sum != n*(n+1)/2 || tables != 1 {
		t.Errorf("the copy has %d rows with the sum %d in %d tables, want %d, %d and 1", rows, sum, tables, n,
			n*(n+1)/2)
	}
	if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM later").Scan(&rows); err != nil {
		t.Errorf("the source: %v", err)
	}
}

// A copy that fails leaves no file, and an existing file is not replaced.
func TestFailedCopiesLeaveNothing(t *testing.T) {
	_, c := open(t, 10)
	path := filepath.Join(t.TempDir(), "copy.db")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	err := c.Raw(func(connection any) error { return Copy(ended, connection, path) })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a copy whose context has ended: %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file stays: %v", err)
	}
	if err := os.WriteFile(path, []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := c.Raw(func(connection any) error { return Copy(t.Context(), connection, path) }); !errors.Is(err,
		os.ErrExist) {
		t.Errorf("a copy to an existing file: %v", err)
	}
	if text, err := os.ReadFile(path); string(text) != "other" || err != nil {
		t.Errorf("the existing file now has %q, %v", text, err)
	}
	if Pin(t.Context(), 1) == nil || Unpin(1) == nil || Copy(t.Context(), 1, path) == nil {
		t.Error("something else than a connection can be copied")
	}
}
