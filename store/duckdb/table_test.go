//go:build cgo

package duckdb

import (
	sqldriver "database/sql/driver"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/schema"
)

// The steps in schema/*.sql lead to the columns of package schema, and the types of their kinds.
func TestFilesHaveTheColumnsOfTheSchema(t *testing.T) {
	t.Parallel()
	types := map[schema.Kind]string{
		schema.Text: "VARCHAR NOT NULL", schema.LowCardinality: "VARCHAR NOT NULL", schema.Compressed: "VARCHAR NOT NULL",
		schema.Instant: "BIGINT NOT NULL", schema.Integer: "BIGINT NOT NULL", schema.Small: "UTINYINT NOT NULL", schema.Measure: "BIGINT",
	}
	s := mustOpen(t, Config{})
	for _, table := range schema.Tables() {
		want := []string{"subject INTEGER NOT NULL"}
		for _, c := range table.Columns {
			want = append(want, c.Name+" "+types[c.Kind])
		}
		var got []string
		do(t, s, func(w *writer) {
			err := w.conn.each(`SELECT column_name || ' ' || data_type || CASE WHEN is_nullable THEN '' ELSE ' NOT NULL' END
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

// A step can only add a column at the end of a table, wherever it stands in the schema.
func TestColumnsMayStandInAnotherOrder(t *testing.T) {
	t.Parallel()
	s, err := openWith(t.Context(), Config{Path: filepath.Join(t.TempDir(), "s.duckdb")}, steps(t,
		"ALTER TABLE visits RENAME TO old; CREATE TABLE visits AS SELECT * EXCLUDE (event_id, city), event_id, city FROM old; DROP TABLE old"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	visit := everything().Visits[0]
	visit.City, visit.Referrer = "Bonn", "https://x.example/"
	if _, err := s.Write(t.Context(), &store.Batch{Visits: []store.Visit{visit}}); err != nil {
		t.Fatal(err)
	}
	rows, err := s.Query(t.Context(), store.Statement{
		SQL: "SELECT event_id || ' ' || city || ' ' || referrer FROM visits", Kinds: []dialect.Kind{dialect.Text},
	})
	if err != nil || !slices.Equal(rows.Columns[0].Texts, []string{"1 Bonn https://x.example/"}) {
		t.Errorf("%+v, %v", rows, err)
	}
}

func TestAColumnThatNobodyKnowsIsRefused(t *testing.T) {
	t.Parallel()
	_, err := openWith(t.Context(), Config{Path: filepath.Join(t.TempDir(), "s.duckdb")}, steps(t, "ALTER TABLE visits ADD COLUMN strange INTEGER"))
	if !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("Open: %v, want ErrCorrupt", err)
	}
}
