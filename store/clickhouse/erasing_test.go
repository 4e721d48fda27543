package clickhouse_test

import (
	"fmt"
	"testing"

	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/storetest"
)

// TestErasing erases visitors of a dataset, and searches the tables for them. SIGHTLINE_SEED selects the dataset.
func TestErasing(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	storetest.Erasing(t, over("CLICKHOUSE_DSN"), storetest.Inside{Dump: dump},
		uint64(storetest.Number(t, "SIGHTLINE_SEED", 20260310)), storetest.Number(t, "SIGHTLINE_QUESTIONS", 2))
}

// dump returns all cells of every table of the database.
func dump(t *testing.T, s store.Store) map[string][]string {
	t.Helper()
	columns, err := s.Query(t.Context(), store.Statement{Label: "dump",
		SQL:   "SELECT c.table, c.name FROM system.columns AS c WHERE c.database = currentDatabase() ORDER BY c.table, c.position",
		Kinds: []dialect.Kind{dialect.Text, dialect.Text}})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for i, table := range columns.Columns[0].Texts {
		column := s.Dialect().Ident(columns.Columns[1].Texts[i])
		cells, err := s.Query(t.Context(), store.Statement{Label: "dump",
			SQL:   fmt.Sprintf("SELECT ifNull(toString(x.%s), '') FROM %s AS x", column, s.Dialect().Ident(table)),
			Kinds: []dialect.Kind{dialect.Text}})
		if err != nil {
			t.Fatal(err)
		}
		all[table] = append(all[table], cells.Columns[0].Texts...)
	}
	return all
}
