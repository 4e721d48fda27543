//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// older makes a file of the schema that steps lead to, with one event. With logged the
// event is in its log, as after a kill.
func older(t *testing.T, steps []string, logged bool) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "s.duckdb")
	s, err := openWith(context.Background(), Config{Path: path}, steps)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write(context.Background(), event("e")); err != nil {
		t.Fatal(err)
	}
	if !logged {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		return path
	}
	killed := filepath.Join(dir, "killed.duckdb")
	copyFile(t, path, killed)
	copyFile(t, path+".wal", killed+".wal")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return killed
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// bytesOf is the file at path and its log.
func bytesOf(t *testing.T, path string) (both [2]string) {
	t.Helper()
	for i, name := range []string{path, path + ".wal"} {
		data, err := os.ReadFile(name)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		both[i] = string(data)
	}
	return both
}

func steps(t *testing.T, more ...string) []string {
	t.Helper()
	known, err := migrations()
	if err != nil {
		t.Fatal(err)
	}
	return append(known, more...)
}

func TestANewerSchemaIsRefusedUntouched(t *testing.T) {
	t.Parallel()
	for _, logged := range []bool{false, true} {
		path := older(t, steps(t, "CREATE TABLE of_the_future(x INTEGER)"), logged)
		before := bytesOf(t, path)
		if _, err := Open(context.Background(), Config{Path: path}); !errors.Is(err, store.ErrNewerSchema) {
			t.Errorf("with a log %t: Open: %v, want ErrNewerSchema", logged, err)
		}
		if bytesOf(t, path) != before {
			t.Errorf("with a log %t: the refused file was changed", logged)
		}
	}
}

func TestAnOlderSchemaMigratesForward(t *testing.T) {
	t.Parallel()
	for _, logged := range []bool{false, true} {
		path := older(t, steps(t), logged)
		newer := steps(t,
			"CREATE TABLE second(x INTEGER)",
			"INSERT INTO second SELECT count(*) FROM events; CREATE VIEW third AS SELECT * FROM second")
		s, err := openWith(context.Background(), Config{Path: path}, newer)
		if err != nil {
			t.Fatalf("with a log %t: %v", logged, err)
		}
		if e, v := count(t, s, "events"), count(t, s, "third"); e != 1 || v != 1 {
			t.Errorf("with a log %t: %d events, %d rows in the new view; want one of each", logged, e, v)
		}
		if got, err := s.Write(context.Background(), event("e")); err != nil || got.Repeated != 1 {
			t.Errorf("with a log %t: the event again = %+v, %v; want a repeat", logged, got, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(context.Background(), Config{Path: path}); !errors.Is(err, store.ErrNewerSchema) {
			t.Errorf("with a log %t: Open by the older program: %v, want ErrNewerSchema", logged, err)
		}
	}
}

// everything is one row of each kind that the first schema knew.
func everything() *store.Batch {
	at := time.Unix(1_700_000_000, 0)
	return &store.Batch{
		Events: []store.Event{{Website: "w", ID: "1", Time: at, Path: "/a", TimeOnPage: store.Known(0)}},
		Errors: []store.Error{{Website: "w", ID: "1", Time: at, Message: "m"}},
		Vitals: []store.Vital{{Website: "w", ID: "1", Time: at, Samples: []store.Sample{{Metric: "LCP", Value: 7}}}},
		Visits: []store.Visit{{Link: "l", ID: "1", Time: at}},
		Checks: []store.Check{{Schedule: "s", ID: "1", Time: at, Status: store.Up}},
	}
}

// A file that the first program made opens with all it holds, remembers its ids, and
// takes what came later.
func TestAFileOfTheFirstSchemaTakesSpans(t *testing.T) {
	t.Parallel()
	path := older(t, steps(t)[:1], true)
	first, err := openWith(t.Context(), Config{Path: path}, steps(t)[:1])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := first.Write(t.Context(), everything()); err != nil {
		t.Fatal(err)
	}
	columns := columnsOf(t, first)
	before := dump(t, first, columns)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, Config{Path: path})
	if diff := cmp.Diff(before, dump(t, s, columns)); diff != "" {
		t.Errorf("the data before (-) and after (+) the migration:\n%s", diff)
	}
	all := everything()
	all.Spans = []store.Span{{Website: "w", ID: "1", Time: time.Unix(1_700_000_000, 0), RageClicks: 3}}
	if got, err := s.Write(t.Context(), all); err != nil || got != (store.Written{Stored: 1, Repeated: 5}) {
		t.Errorf("writing all again, with a span = %+v, %v; want the span alone", got, err)
	}
	if n := count(t, s, "spans"); n != 1 {
		t.Errorf("%d spans, want 1", n)
	}
	if n, err := s.Erase(t.Context(), site); err != nil || n != 5 {
		t.Errorf("Erase = %d, %v; want two events, an error, a vital and a span", n, err)
	}
}

// columnsOf are the columns of each table of the first schema but for its version.
func columnsOf(t *testing.T, s *Store) map[string]string {
	t.Helper()
	rows, err := s.Query(t.Context(), store.Statement{
		SQL: "SELECT table_name, string_agg(column_name, ', ' ORDER BY column_index) FROM duckdb_columns()" +
			" WHERE NOT internal AND table_name <> 'schema_version' GROUP BY ALL",
		Kinds: []dialect.Kind{dialect.Text, dialect.Text},
	})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for i, table := range rows.Columns[0].Texts {
		all[table] = rows.Columns[1].Texts[i]
	}
	return all
}

// dump is what the columns of tables hold.
func dump(t *testing.T, s *Store, columns map[string]string) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for table, names := range columns {
		rows, err := s.Query(t.Context(), store.Statement{
			SQL:   "SELECT row(" + names + ")::VARCHAR FROM " + table + " ORDER BY 1",
			Kinds: []dialect.Kind{dialect.Text},
		})
		if err != nil {
			t.Fatalf("reading %s: %v", table, err)
		}
		if rows.Len == 0 {
			t.Fatalf("%s is empty: this test proves nothing", table)
		}
		all[table] = rows.Columns[0].Texts
	}
	if len(all) != 8 {
		t.Fatalf("%d tables, want the eight of the first schema", len(all))
	}
	return all
}

func TestAMigrationThatFailsChangesNothing(t *testing.T) {
	t.Parallel()
	path := older(t, steps(t), false)
	broken := steps(t, "CREATE TABLE second(x INTEGER); DROP TABLE visits", "CREATE TABLE second(x INTEGER)")
	if s, err := openWith(context.Background(), Config{Path: path}, broken); err == nil {
		_ = s.Close()
		t.Fatal("Open with a step that fails succeeded")
	}
	s := mustOpen(t, Config{Path: path})
	if e, v := count(t, s, "events"), count(t, s, "visits"); e != 1 || v != 0 {
		t.Errorf("%d events, %d visits; want 1 and 0", e, v)
	}
	_, err := s.Query(context.Background(), store.Statement{SQL: "SELECT * FROM second"})
	if err == nil {
		t.Error("a step before the one that failed was kept")
	}
}

func TestNewerFilesOfTheEngineAreNewerSchemas(t *testing.T) {
	t.Parallel()
	err := explainOpen(errors.New("IO Error: Trying to read a database file with version number 99, but we can only read versions between 64 and 67."))
	if !errors.Is(err, store.ErrNewerSchema) {
		t.Errorf("%v, want ErrNewerSchema", err)
	}
}
