package chtest

import (
	"context"
	"crypto/rand"
	"net/url"
	"strings"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/internal/testenv"
)

// Address returns the server in the environment variable CLICKHOUSE_DSN or CLICKHOUSE_HTTP_DSN. Queries over HTTP use
// as many threads as the server allows, and queries over the native protocol use one, which costs the server less time.
// No answer may depend on that.
func Address(t testing.TB, variable string) string {
	t.Helper()
	dsn := unlogged(t, testenv.Address(t, variable))
	if variable == "CLICKHOUSE_DSN" {
		dsn = with(t, dsn, "max_threads", "1")
	}
	return dsn
}

// unlogged returns dsn with query logs disabled, since a log entry takes the server longer than a small query. A query
// that must be logged sets log_queries = 1.
func unlogged(t testing.TB, dsn string) string {
	return with(t, dsn, "log_queries", "0")
}

// with returns dsn with a setting for every query.
func with(t testing.TB, dsn, setting, value string) string {
	return edited(t, dsn, func(u *url.URL) {
		q := u.Query()
		q.Set(setting, value)
		u.RawQuery = q.Encode()
	})
}

// Connect returns a plain connection to the database of dsn, which is closed at the end of the test.
func Connect(t testing.TB, dsn string) driver.Conn {
	t.Helper()
	o, err := driver.ParseDSN(dsn)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := driver.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// Exec runs a statement.
func Exec(t testing.TB, conn driver.Conn, statement string, args ...any) {
	t.Helper()
	if err := conn.Exec(t.Context(), statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// Number runs a query that returns one number, which must not be negative.
func Number(t testing.TB, conn driver.Conn, question string, args ...any) uint64 {
	t.Helper()
	var n uint64
	if err := conn.QueryRow(t.Context(), question, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", question, err)
	}
	return n
}

// Database creates an empty database on the server of dsn and returns its address. The database is dropped at the end
// of the test.
func Database(t testing.TB, dsn string) string {
	t.Helper()
	conn, name := Connect(t, dsn), "test_"+strings.ToLower(rand.Text())
	Exec(t, conn, "CREATE DATABASE "+name)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		err := conn.Exec(ctx, "DROP DATABASE IF EXISTS "+name+" SYNC")
		// the server closes idle connections, even if they were just taken from the pool
		for try := 0; try < 3 && err != nil; try++ {
			err = conn.Exec(ctx, "DROP DATABASE IF EXISTS "+name+" SYNC")
		}
		if err != nil {
			t.Error(err)
		}
	})
	return In(t, dsn, name)
}

// In returns the address of a database on the server of dsn. name may be the path.Base of another
// address.
func In(t testing.TB, dsn, name string) string {
	t.Helper()
	name, _, _ = strings.Cut(name, "?")
	return edited(t, dsn, func(u *url.URL) { u.Path = "/" + name })
}

func edited(t testing.TB, dsn string, change func(*url.URL)) string {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	change(u)
	return u.String()
}
