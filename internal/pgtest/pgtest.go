// Package pgtest gives each test its own schema in a PostgreSQL database:
//
//	func TestStore(t *testing.T) {
//		dsn := pgtest.Schema(t)               // dropped at the end of the test
//		store, err := meta.Open(t.Context(), meta.Config{DSN: dsn})
//		db := pgtest.Open(t)                  // the database itself
//	}
//
// The database is in the environment variable POSTGRES_DSN. Without it tests are skipped, or fail with CI=true.
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

	"github.com/sightline-analytics/sightline/internal/testenv"
)

const variable = "POSTGRES_DSN"

// Schema creates a schema and returns the address of the database with only this schema in its search path. The schema
// is dropped at the end of the test.
func Schema(t testing.TB) string {
	t.Helper()
	dsn := testenv.Address(t, variable)
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
		t.Fatalf("%s is not a valid address", variable) // the error would show the password
	}
	q := u.Query()
	q.Set("search_path", schema)
	u.RawQuery = q.Encode()
	return u.String()
}

// shared is the pool for creating and dropping schemas, since a new connection costs the server more.
var shared = sync.OnceValues(func() (*sql.DB, error) { return sql.Open("pgx", os.Getenv(variable)) })

// Open returns a pool of connections to the database, which is closed at the end of the test.
func Open(t testing.TB) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", testenv.Address(t, variable))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}
