//go:build cgo

package duckdb

import (
	sqldriver "database/sql/driver"
	"errors"
	"path/filepath"
	"slices"
	"strings"
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
	if err := s.Close(); err != nil {
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
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		refuse(t, path, store.ErrNewerSchema)
	}
}

// everything returns one row of each kind in the first schema.
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

// undo takes the schema of w back to the first one. It drops later tables and columns, and adds columns that
// were dropped since.
func undo(t *testing.T, w *writer) {
	t.Helper()
	cfg, err := Config{}.resolve()
	if err != nil {
		t.Fatal(err)
	}
	inst, err := openInstance(cfg, cfg.Path, false)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = inst.close() }()
	first, err := inst.connect()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = first.close() }()
	if err := migrate(first, 0, steps(t)[:1]); err != nil {
		t.Fatal(err)
	}
	old := tablesOf(t, first)
	back := []string{"CREATE TABLE longer AS SELECT * REPLACE (lo::BIGINT * 4294967296 AS lo) FROM receipts; DROP TABLE receipts; ALTER TABLE longer RENAME TO receipts"}
	for table, columns := range tablesOf(t, w.engine) {
		if old[table] == nil {
			back = append(back, "DROP TABLE "+table)
			continue
		}
		for _, c := range columns {
			if !slices.Contains(old[table], c) {
				back = append(back, "ALTER TABLE "+table+" DROP COLUMN "+c)
			}
		}
		for _, c := range old[table] {
			if !slices.Contains(columns, c) {
				back = append(back, "ALTER TABLE "+table+" ADD COLUMN "+c+" VARCHAR")
			}
		}
	}
	if err := w.engine.exec(strings.Join(append(back, "UPDATE schema_version SET version = 1"), "; ")); err != nil {
		t.Fatal(err)
	}
}

// tablesOf returns all tables with their columns.
func tablesOf(t *testing.T, e engine) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	err := e.each("SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal", nil, func(v []sqldriver.Value) error {
		var table, name string
		err := scan(v, &table, &name)
		all[table] = append(all[table], name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestFirstSchemaIsUpgraded opens a file of the first schema that has a log. Its rows must be unchanged and
// have hashes, its ids must be known, and it must accept rows of a later table.
func TestFirstSchemaIsUpgraded(t *testing.T) {
	t.Parallel()
	now, path := filepath.Join(t.TempDir(), "s.duckdb"), filepath.Join(t.TempDir(), "killed.duckdb")
	first := open(t, Config{Path: now})
	mustWrite(t, first, event("e"))
	mustWrite(t, first, everything())
	do(t, first, func(w *writer) { undo(t, w) })
	columns := columnsOf(t, first)
	for table, names := range columns {
		columns[table] = strings.TrimSuffix(strings.TrimSuffix(names, ", visitor"), ", lo") // changed by later steps
	}
	before := dump(t, first, columns)
	put(t, path, read(t, now))
	put(t, path+".wal", read(t, now+".wal"))
	s := open(t, Config{Path: path})
	if diff := cmp.Diff(before, dump(t, s, columns)); diff != "" {
		t.Errorf("rows (-before +after the upgrade):\n%s", diff)
	}
	if n := ask(t, s, "SELECT count(*) FROM events WHERE session_hash IS NULL OR visitor_hash IS NULL", []dialect.Kind{dialect.Int}).Columns[0].Ints[0]; n != 0 {
		t.Errorf("%d old events have no hashes, want 0", n)
	}
	all := everything()
	all.Spans = []store.Span{{Website: "w", ID: "1", Time: time.Unix(1_700_000_000, 0), RageClicks: 3}}
	if got := mustWrite(t, s, all); got != (store.Written{Stored: 1, Repeated: 5}) {
		t.Errorf("Write of the old rows and a span = %+v, want only the span stored", got)
	}
	if n := count(t, s, "spans"); n != 1 {
		t.Errorf("%d spans, want 1", n)
	}
	if n, err := s.Erase(t.Context(), site); err != nil || n != 5 {
		t.Errorf("Erase = %d, %v; want 5: two events, an error, a vital and a span", n, err)
	}
}

// TestUpgradeDeletesInvalidSeals upgrades a file without versions of rows. Seals that are older than a row of
// their days must be deleted, because nobody can tell which rows are newer. Stored results must get country
// numbers, and later ones must be movable.
func TestUpgradeDeletesInvalidSeals(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.duckdb")
	s := open(t, Config{Path: path})
	first := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	mustWrite(t, s, batch("a", 10))
	if err := sealing(t, s).Seal(t.Context(), site, first.AddDate(0, 0, -3), first.AddDate(0, 0, 6)); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, s, batch("late", 1))
	do(t, s, func(w *writer) {
		undo := "ALTER TABLE events DROP COLUMN version; ALTER TABLE sealed_hits DROP COLUMN country_number; DROP TABLE partials; UPDATE schema_version SET version = 7"
		for _, table := range []string{"events", "sealed_sessions", "sealed_hits"} {
			undo += "; ALTER TABLE " + table + " DROP COLUMN campaign_kind"
		}
		for _, of := range clusterings() {
			undo += "; ALTER TABLE " + of.table + " DROP COLUMN clustered"
		}
		for _, table := range schema.TablesOf(store.KindWebsite) {
			if table.Has("visitor") {
				undo += "; ALTER TABLE " + table.ID.String() + " ADD COLUMN visitor VARCHAR"
			}
		}
		if err := w.engine.exec(undo); err != nil {
			t.Fatal(err)
		}
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, Config{Path: path})
	var left []time.Time
	days, err := s.Days(t.Context(), site, first.AddDate(0, 0, -9), first.AddDate(0, 0, 9))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range days {
		if d.Sealed > 0 {
			left = append(left, d.Start)
		}
	}
	if want := []time.Time{first.AddDate(0, 0, -3), first.AddDate(0, 0, -2), first.AddDate(0, 0, 4), first.AddDate(0, 0, 5)}; !slices.Equal(left, want) {
		t.Errorf("days with seals: %v, want %v", left, want)
	}
	numbers := ask(t, s, "SELECT count(*), count(*) FILTER (country_number = "+dialect.DuckDB().Call(dialect.PrefixNumber, "country")+") FROM sealed_hits WHERE country <> ''", []dialect.Kind{dialect.Int, dialect.Int})
	if all, right := numbers.Columns[0].Ints[0], numbers.Columns[1].Ints[0]; all == 0 || right != all {
		t.Errorf("%d of %d hits have the numbers of their countries, want all", right, all)
	}
	for _, table := range []string{"events", "sealed_sessions", "sealed_hits"} {
		if n := ask(t, s, "SELECT count(*) FROM "+table+" WHERE campaign_kind = ''", []dialect.Kind{dialect.Int}).Columns[0].Ints[0]; n == 0 || n != count(t, s, table) {
			t.Errorf("%d rows of %s have an empty campaign_kind, want all %d", n, table, count(t, s, table))
		}
	}
	if err := sealing(t, s).Seal(t.Context(), site, first.AddDate(0, 0, -3), first.AddDate(0, 0, 6)); err != nil {
		t.Fatal(err)
	}
	if n := ask(t, s, "SELECT count(*) FROM sealed_hits WHERE clustered = 0", []dialect.Kind{dialect.Int}).Columns[0].Ints[0]; n == 0 || n != count(t, s, "sealed_hits") {
		t.Errorf("%d hits are movable, want all %d", n, count(t, s, "sealed_hits"))
	}
}

// TestHashesAreTheSameInSQL compares hashSQL, which upgrades use, with hashOf.
func TestHashesAreTheSameInSQL(t *testing.T) {
	t.Parallel()
	do(t, open(t, Config{}), func(w *writer) {
		for _, text := range []string{"", "a", "zwölf", "8f14e45f-ceea-467f-a0e6-2b1f0a7b6c5d"} {
			var got int64
			err := w.engine.each("SELECT "+hashSQL("x")+"::BIGINT FROM (SELECT $text::VARCHAR AS x)",
				[]sqldriver.NamedValue{named("key", w.hashKey), named("text", text)}, func(v []sqldriver.Value) error { return scan(v, &got) })
			if want := hashOf(w.hashKey, text); err != nil || got != want || (want == 0) != (text == "") {
				t.Errorf("%q: %d in SQL, %d in Go; %v", text, got, want, err)
			}
		}
	})
}

// columnsOf returns the columns of each table, except the table schema_version.
func columnsOf(t *testing.T, s *Store) map[string]string {
	t.Helper()
	rows := ask(t, s, "SELECT table_name, string_agg(column_name, ', ' ORDER BY column_index) FROM duckdb_columns()"+
		" WHERE NOT internal AND table_name <> 'schema_version' GROUP BY ALL", []dialect.Kind{dialect.Text, dialect.Text})
	all := map[string]string{}
	for i, table := range rows.Columns[0].Texts {
		all[table] = rows.Columns[1].Texts[i]
	}
	return all
}

// dump returns the rows of tables as text. Only the given columns are included.
func dump(t *testing.T, s *Store, columns map[string]string) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for table, names := range columns {
		rows := ask(t, s, "SELECT row("+names+")::VARCHAR FROM "+table+" ORDER BY 1", []dialect.Kind{dialect.Text})
		if rows.Len == 0 {
			t.Fatalf("table %s has no rows", table)
		}
		all[table] = rows.Columns[0].Texts
	}
	if len(all) != 8 {
		t.Fatalf("%d tables, want the 8 tables of the first schema", len(all))
	}
	return all
}

func TestFailedMigrationChangesNothing(t *testing.T) {
	t.Parallel()
	path := older(t, steps(t), false)
	broken := steps(t, "CREATE TABLE second(x INTEGER); DROP TABLE visits", "CREATE TABLE second(x INTEGER)")
	if s, err := openWith(t.Context(), Config{Path: path}, setup{broken, (*instance).engine, testClusterRows}); err == nil {
		_ = s.Close()
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
		schema.Text: "VARCHAR NOT NULL", schema.LowCardinality: "VARCHAR NOT NULL", schema.Compressed: "VARCHAR NOT NULL",
		schema.Instant: "BIGINT NOT NULL", schema.Integer: "BIGINT NOT NULL", schema.Small: "UTINYINT NOT NULL", schema.Measure: "BIGINT",
	}
	s := open(t, Config{})
	for _, table := range schema.Tables() {
		want := []string{"subject INTEGER NOT NULL"}
		for _, c := range table.Columns {
			if !c.Derived() {
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
				FROM duckdb_columns() WHERE table_name = $name`, []sqldriver.NamedValue{named("name", table.ID.String())},
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
	visit := everything().Visits[0]
	visit.City, visit.Referrer = "Bonn", "https://x.example/"
	mustWrite(t, s, &store.Batch{Visits: []store.Visit{visit}})
	rows := ask(t, s, "SELECT event_id || ' ' || city || ' ' || referrer FROM visits", []dialect.Kind{dialect.Text})
	if got := rows.Columns[0].Texts; !slices.Equal(got, []string{"1 Bonn https://x.example/"}) {
		t.Errorf("visits %q, want the values in their columns", got)
	}
}

func TestUnknownColumn(t *testing.T) {
	t.Parallel()
	_, err := openWith(t.Context(), Config{}, setup{steps(t, "ALTER TABLE visits ADD COLUMN strange INTEGER"), (*instance).engine, testClusterRows})
	if !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("Open: %v, want ErrCorrupt", err)
	}
}
