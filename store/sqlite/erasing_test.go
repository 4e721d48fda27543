package sqlite

import (
	"context"
	sqldriver "database/sql/driver"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/storetest"
)

// TestErasing erases visitors of a dataset, and searches the tables and the file for them. SIGHTLINE_SEED selects the
// dataset.
func TestErasing(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	h := inMemoryHarness
	h.Create = func(t *testing.T) string { return filepath.Join(t.TempDir(), "s.sqlite") }
	storetest.Erasing(t, h, storetest.Inside{Dump: dump, Folder: filepath.Dir},
		uint64(storetest.Number(t, "SIGHTLINE_SEED", 20261128)), storetest.Number(t, "SIGHTLINE_QUESTIONS", 4))
}

// dump returns all cells of every table, also of those of SQLite itself.
func dump(t *testing.T, s store.Store) map[string][]string {
	t.Helper()
	of := s.(*Store)
	c, err := of.take(t.Context(), of.sealing)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { of.sealing <- c }()
	all := map[string][]string{}
	read := func(text string, cell func(any)) {
		t.Helper()
		err := c.each(context.Background(), text, nil, func(v []sqldriver.Value) error {
			for _, one := range v {
				cell(one)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	var names []string
	read("SELECT name FROM sqlite_schema WHERE type = 'table'",
		func(name any) { names = append(names, fmt.Sprint(name)) })
	for _, name := range names {
		all[name] = nil
		read("SELECT * FROM "+quoted(name), func(value any) {
			if b, ok := value.([]byte); ok {
				value = string(b)
			}
			all[name] = append(all[name], fmt.Sprint(value))
		})
	}
	return all
}
