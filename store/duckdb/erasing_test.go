//go:build cgo

package duckdb

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
	h.Create = func(t *testing.T) string { return filepath.Join(t.TempDir(), "s.duckdb") }
	storetest.Erasing(t, h, storetest.Inside{Dump: dump, Folder: filepath.Dir},
		uint64(storetest.Number(t, "SIGHTLINE_SEED", 20260310)), storetest.Number(t, "SIGHTLINE_QUESTIONS", 1))
}

// dump returns all cells of every table in the catalogue of the engine.
func dump(t *testing.T, s store.Store) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	err := s.(*Store).withConnection(t.Context(), func(ctx context.Context, c *conn) error {
		var names []string
		err := c.eachIn(ctx, "SELECT table_name FROM duckdb_tables()", nil, func(v []sqldriver.Value) error {
			names = append(names, fmt.Sprint(v[0]))
			return nil
		})
		for _, name := range names {
			all[name] = nil
			if err == nil {
				err = c.eachIn(ctx, "FROM "+quoted(name, `"`), nil, func(v []sqldriver.Value) error {
					for _, value := range v {
						if b, ok := value.([]byte); ok {
							value = string(b)
						}
						all[name] = append(all[name], fmt.Sprint(value))
					}
					return nil
				})
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
