//go:build cgo

package duckdb

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/schema"
)

// older creates a file with one event and the schema of steps. If logged is true, the event is in its log, as
// after a kill.
func older(t *testing.T, steps []string, logged bool) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.duckdb")
	s := openSteps(t, Config{Path: path}, steps)
	mustWrite(t, s, event("e"))
	if logged {
		killed := filepath.Join(t.TempDir(), "killed.duckdb")
		put(t, killed, read(t, path))
		put(t, killed+".wal", read(t, path+".wal"))
		path = killed
	}
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	return path
}

// steps returns all migrations and more.
func steps(t *testing.T, more ...string) []string {
	t.Helper()
	known, err := migrations()
	if err != nil {
		t.Fatal(err)
	}
	return append(known, more...)
}

func TestNewerSchemaIsUnchanged(t *testing.T) {
	t.Parallel()
	for _, logged := range []bool{false, true} {
		refuse(t, older(t, steps(t, "CREATE TABLE of_the_future(x INTEGER)"), logged), store.ErrNewerSchema)
	}
}

func TestOlderSchemaIsUpgraded(t *testing.T) {
	t.Parallel()
	for _, logged := range []bool{false, true} {
		path := older(t, steps(t), logged)
		s := openSteps(t, Config{Path: path}, steps(t,
			"CREATE TABLE second(x INTEGER)",
			"INSERT INTO second SELECT count(*) FROM events; CREATE VIEW third AS SELECT * FROM second"))
		if e, v := count(t, s, "events"), count(t, s, "third"); e != 1 || v != 1 {
			t.Errorf("logged %t: %d events and %d rows in the new view, want one of each", logged, e, v)
		}
		if got := mustWrite(t, s, event("e")); got.Repeated != 1 {
			t.Errorf("logged %t: second Write of the event = %+v, want a repeat", logged, got)
		}
		if err := s.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		refuse(t, path, store.ErrNewerSchema)
	}
}

func TestFailedMigrationChangesNothing(t *testing.T) {
	t.Parallel()
	path := older(t, steps(t), false)
	broken := steps(t, "CREATE TABLE second(x INTEGER); DROP TABLE visits", "CREATE TABLE second(x INTEGER)")
	if s, err := openWith(t.Context(), Config{Path: path},
		setup{broken, (*instance).engine, testClusterRows}); err == nil {
		_ = s.Close(context.Background())
		t.Fatal("Open with a failing step returned no error")
	}
	s := open(t, Config{Path: path})
	if e, v := count(t, s, "events"), count(t, s, "visits"); e != 1 || v != 0 {
		t.Errorf("%d events and %d visits, want 1 and 0", e, v)
	}
	if _, err := s.Query(t.Context(), store.Statement{SQL: "SELECT * FROM second"}); err == nil {
		t.Error("the step before the failed one was stored")
	}
}

func TestNewerEngineFileIsANewerSchema(t *testing.T) {
	t.Parallel()
	err := explainOpen(errors.New("IO Error: Trying to read a database file with version number 99, but we can only read versions between 64 and 67."))
	if !errors.Is(err, store.ErrNewerSchema) {
		t.Errorf("explainOpen = %v, want ErrNewerSchema", err)
	}
}

// TestFilesHaveTheColumnsOfTheSchema compares the tables that schema/*.sql creates with package schema.
func TestFilesHaveTheColumnsOfTheSchema(t *testing.T) {
	t.Parallel()
	types := map[schema.Kind]string{
		schema.Text: "VARCHAR NOT NULL", schema.LowCardinality: "VARCHAR NOT NULL",
		schema.Compressed: "VARCHAR NOT NULL",
		schema.Instant:    "BIGINT NOT NULL", schema.Integer: "BIGINT NOT NULL", schema.Small: "UTINYINT NOT NULL",
		schema.Measure: "BIGINT",
	}
	s := open(t, Config{})
	for _, table := range schema.Tables() {
		want := []string{"subject INTEGER NOT NULL"}
		for _, c := range table.Columns {
			if !c.Unread() {
				want = append(want, c.Name+" "+types[c.Kind])
			}
		}
		for _, h := range table.Hashes() {
			want = append(want, h.Name+" BIGINT")
		}
		want = append(want, "clustered UTINYINT")
		if table.ID == schema.Events {
			want = append(want, "version BIGINT")
		}
		var got []string
		do(t, s, func(w *writer) {
			err := w.engine.each(`SELECT column_name || ' ' || data_type || CASE WHEN is_nullable THEN '' ELSE ' NOT NULL' END
				FROM duckdb_columns() WHERE table_name = $name`,
				[]sqldriver.NamedValue{named("name", table.ID.String())},
				func(v []sqldriver.Value) error {
					got = append(got, "")
					return scan(v, &got[len(got)-1])
				})
			if err != nil {
				t.Error(err)
			}
		})
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-schema +file):\n%s", table.ID, diff)
		}
	}
}

// TestColumnsInAnotherOrder writes to a table whose columns have another order than in package schema:
// migrations can add columns only at the end.
func TestColumnsInAnotherOrder(t *testing.T) {
	t.Parallel()
	s := openSteps(t, Config{}, steps(t,
		"ALTER TABLE visits RENAME TO old; CREATE TABLE visits AS SELECT * EXCLUDE (event_id, city), event_id, city FROM old; DROP TABLE old"))
	visit := store.Visit{Link: "l", ID: "1", Time: time.Unix(1_700_000_000, 0), Referrer: "https://x.example/"}
	visit.City = "Bonn"
	mustWrite(t, s, &store.Batch{Visits: []store.Visit{visit}})
	rows := ask(t, s, "SELECT event_id || ' ' || city || ' ' || referrer FROM visits", []dialect.Kind{dialect.Text})
	if got := rows.Columns[0].Texts; !slices.Equal(got, []string{"1 Bonn https://x.example/"}) {
		t.Errorf("visits %q, want the values in their columns", got)
	}
}

func TestUnknownColumn(t *testing.T) {
	t.Parallel()
	_, err := openWith(t.Context(), Config{},
		setup{steps(t, "ALTER TABLE visits ADD COLUMN strange INTEGER"), (*instance).engine, testClusterRows})
	if !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("Open: %v, want ErrCorrupt", err)
	}
}
