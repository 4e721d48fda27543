package meta

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/pgtest"
)

// onEach runs a test with an empty database of every engine. SQLite always runs. PostgreSQL runs if POSTGRES_DSN
// names a database in which schemas can be created.
func onEach(t *testing.T, test func(t *testing.T, cfg Config)) {
	t.Helper()
	onEachEngine(t, func(t *testing.T, config func(testing.TB) Config) { test(t, config(t)) })
}

// onEachEngine is like onEach, for a test that needs several databases. It runs the test in parallel with other
// tests, so nothing may follow it in a test.
func onEachEngine(t *testing.T, test func(t *testing.T, config func(testing.TB) Config)) {
	t.Helper()
	t.Parallel()
	for name, config := range map[string]func(testing.TB) Config{"sqlite": config, "postgres": configPostgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, config)
		})
	}
}

// config returns the Config of a file that does not exist yet.
func config(t testing.TB) Config {
	t.Helper()
	c := patient()
	c.Path = filepath.Join(t.TempDir(), "meta.sqlite")
	return c
}

// configPostgres returns the Config of a new schema, which is dropped when the test ends.
func configPostgres(t testing.TB) Config {
	t.Helper()
	c := patient()
	c.DSN = pgtest.Schema(t)
	return c
}

// patient returns a Config with timeouts that even a slow machine does not reach. Tests of timeouts set shorter
// ones.
func patient() Config {
	return Config{Pepper: pepper, Now: func() time.Time { return noon }, Wait: 2 * time.Minute,
		Timeout: 4 * time.Minute}
}

// A clock shows the time that a test sets. Stores also read it in the background.
type clock struct{ shown atomic.Pointer[time.Time] }

func newClock(at time.Time) *clock {
	var c clock
	c.set(at)
	return &c
}

func (c *clock) now() time.Time   { return *c.shown.Load() }
func (c *clock) set(at time.Time) { c.shown.Store(&at) }

// mustOpen opens a store, creates the owners that tests use, and closes the store when the test ends.
func mustOpen(t testing.TB, cfg Config) *Store {
	t.Helper()
	s, err := Open(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	for _, id := range []string{"acme", "other"} {
		if _, err := s.EnsureOwner(context.Background(), Owner{ID: id}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// startProcess runs a test of this package in another process, for at most five minutes. It returns the process
// and the lines of its stdout.
func startProcess(t *testing.T, test string, env ...string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, exe, "-test.run=^"+test+"$")
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

// configAt returns the Config for another process, with a path or a DSN and the real clock.
func configAt(at string) Config {
	c := patient()
	c.Now = nil
	if strings.HasPrefix(at, "postgres") {
		c.DSN = at
	} else {
		c.Path = at
	}
	return c
}

// raw runs statements on a database, and closes the connection.
func raw(t *testing.T, cfg Config, statements ...string) {
	t.Helper()
	db, err := langOf(cfg).open(cfg, writing)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// filesOf returns the content of the files of the database. On PostgreSQL, only a superuser can read them.
func filesOf(t *testing.T, s *Store) string {
	t.Helper()
	if s.cfg.Path == "" {
		return filesOfPostgres(t, s.read)
	}
	var all strings.Builder
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		content, err := os.ReadFile(s.cfg.Path + suffix)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		all.Write(content)
	}
	return all.String()
}

func filesOfPostgres(t *testing.T, db *sql.DB) string {
	t.Helper()
	var super bool
	if err := db.QueryRowContext(t.Context(),
		"SELECT usesuper FROM pg_user WHERE usename = current_user").Scan(&super); err != nil {
		t.Fatal(err)
	}
	if !super {
		t.Skip("the user of POSTGRES_DSN is not a superuser, so it cannot read files")
	}
	if _, err := db.ExecContext(t.Context(), "CHECKPOINT"); err != nil {
		t.Fatal(err)
	}
	files, err := texts(t.Context(), db, `SELECT pg_relation_filepath(oid) FROM pg_class
		WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'i')`)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range files {
		var content []byte
		if err := db.QueryRowContext(t.Context(), "SELECT pg_read_binary_file($1)", f).Scan(&content); err != nil {
			t.Fatal(err)
		}
		all.Write(content)
	}
	return all.String()
}
