//go:build cgo

package duckdb_test

import (
	"database/sql"
	"path/filepath"
	"testing"
)

// strange is a DuckDB file that no store made.
func strange(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "strange.duckdb")
	db, err := sql.Open("duckdb", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("CREATE TABLE t AS SELECT range FROM range(10)"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return read(t, path)
}
