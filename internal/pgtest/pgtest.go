// Package pgtest gives tests a place of their own in the PostgreSQL database that
// POSTGRES_DSN names. Without the variable they are skipped, and fail when CI=true.
package pgtest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // registers "pgx"
)

const variable = "POSTGRES_DSN"

// Schema makes a schema, dropped when the test ends, and returns the address of the
// database with it alone in its search path.
func Schema(t testing.TB) string {
	t.Helper()
	dsn := address(t)
	db, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	schema := "test_" + strings.ToLower(rand.Text())
	if _, err := db.ExecContext(t.Context(), "CREATE SCHEMA "+schema); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := db.ExecContext(context.Background(), "DROP SCHEMA "+schema+" CASCADE"); err != nil {
			t.Error(err)
		}
	})
	u, err := url.Parse(dsn)
	if err != nil || u.Scheme == "" {
		t.Fatalf("%s is no address", variable) // the error would show the password
	}
	q := u.Query()
	q.Set("search_path", schema)
	u.RawQuery = q.Encode()
	return u.String()
}

// shared is the pool that makes and drops schemas: a connection costs the server more than they do.
var shared = sync.OnceValues(func() (*sql.DB, error) { return sql.Open("pgx", os.Getenv(variable)) })

// Open is a pool on the database itself, closed when the test ends.
func Open(t testing.TB) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", address(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func address(t testing.TB) string {
	t.Helper()
	dsn := os.Getenv(variable)
	if dsn == "" {
		const how = variable + " is not set; with " + variable + "=postgres://user:password@host/database this test runs too"
		if os.Getenv("CI") == "true" {
			t.Fatal(how)
		}
		t.Skip(how)
	}
	return dsn
}
