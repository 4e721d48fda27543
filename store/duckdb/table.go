//go:build cgo

package duckdb

import (
	sqldriver "database/sql/driver"
	"fmt"
	"slices"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// A table is a logical table as the file has it: the columns that follow the subject, in
// the order of the file, where those that a migration added come last.
type table []schema.Column

// readTables reads which columns the file has.
func readTables(c *conn) (all [schema.NumTables]table, err error) {
	for _, t := range schema.Tables() {
		err := c.each(`SELECT c.column_name FROM duckdb_columns() AS c
			WHERE c.database_name = current_database() AND c.table_name = $name AND c.column_name <> 'subject' ORDER BY c.column_index`,
			[]sqldriver.NamedValue{named("name", t.ID.String())},
			func(v []sqldriver.Value) error {
				var name string
				if err := scan(v, &name); err != nil {
					return err
				}
				i := slices.IndexFunc(t.Columns, func(c schema.Column) bool { return c.Name == name })
				if i < 0 {
					return &fault{kind: store.ErrCorrupt, cause: fmt.Errorf("%s has the column %q, which this program does not know", t.ID, name)}
				}
				all[t.ID] = append(all[t.ID], t.Columns[i])
				return nil
			})
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// encode appends the values of r to buf, in the order of the file.
func (t table) encode(buf []sqldriver.Value, subject int32, r schema.Row) []sqldriver.Value {
	buf = append(buf, subject)
	for i := range t {
		switch c := &t[i]; {
		case c.Kind.IsText():
			buf = append(buf, c.Text(r))
		case c.Kind == schema.Small:
			buf = append(buf, uint8(c.Number(r).V)) //nolint:gosec // it was checked
		default:
			buf = append(buf, number(c.Number(r)))
		}
	}
	return buf
}

// number is null when m is absent.
func number(m store.Measure) sqldriver.Value {
	if !m.Valid {
		return nil
	}
	return m.V
}
