//go:build cgo

package e2e

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/internal/chtest"
)

// TestServeOnClickHouse does what a new user does, with --clickhouse.
func TestServeOnClickHouse(t *testing.T) {
	t.Parallel()
	dsn, conn := emptyClickHouse(t)
	dir := filepath.Join(t.TempDir(), "data")
	p := launch(t, dir, "--clickhouse", dsn, "--demo-days", "5")
	testCommands(t, p)
	p.stop(t)
	before := countRows(t, conn)
	again := start(t, dir, "--clickhouse", dsn, "--demo-days", "5")
	if now := countRows(t, conn); now < before || now > before+1000 {
		t.Errorf("%d rows at first, %d after a restart", before, now)
	}
	if _, err := os.Stat(filepath.Join(dir, "analytics.duckdb")); err == nil {
		t.Error("the server also created a DuckDB file")
	}
	status, answer, err := do(t.Context(), call{method: "GET", url: again.Address + "/health"})
	if err != nil || status != 200 || answer["clickhouse"] != true {
		t.Errorf("health: status %d, %v, %v", status, answer, err)
	}
	again.stop(t)
}

func TestClickHouseThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	dsn, _ := emptyClickHouse(t)
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	wrong, nowhere, away := *u, *u, *u
	wrong.User = url.UserPassword("default", "not-the-password")
	nowhere.Path = "/not_there"
	away.Host = "127.0.0.1:1"
	for _, row := range []struct{ name, dsn, want string }{
		{"a wrong password", wrong.String(), "user or password is wrong"},
		{"no such database", nowhere.String(), "create the database"},
		{"nobody there", away.String(), "unavailable"},
		{"no address at all", "duck", "DSN is not of the form"},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, args := range [][]string{
				{"serve", "--addr", "127.0.0.1:0", "--data", dir, "--clickhouse", row.dsn},
				{"clickhouse", "migrate", "--clickhouse", row.dsn},
			} {
				out, errs, code := run(t, args...)
				if code != 1 || out != "" || !strings.Contains(errs, row.want) ||
					strings.Contains(errs, "not-the-password") {
					t.Errorf("%s: exit code %d, %q, %q; want %q", args[0], code, out, errs, row.want)
				}
			}
		})
	}
}

// emptyClickHouse creates an empty database and returns its address and a connection.
func emptyClickHouse(t *testing.T) (dsn string, conn driver.Conn) {
	t.Helper()
	dsn = chtest.Database(t, chtest.Address(t, "CLICKHOUSE_DSN"))
	return dsn, chtest.Connect(t, dsn)
}
