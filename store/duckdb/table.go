//go:build cgo

package duckdb

import (
	sqldriver "database/sql/driver"
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/internal/ledger"
	"github.com/sightline-analytics/sightline/store/schema"
)

// A table lists the columns of a logical table in the file, except subject, in the order of the file. Columns
// added by migrations come last.
type table []column

// A column is a column of a logical table, or one that the store adds.
type column struct {
	schema.Column
	hashed    bool // it has the hash of the logical column
	versioned bool // it has the version of the commit that stored the row
	clustered bool // it reports whether the row is in a cluster
}

// versionColumn is the column with the version of a row. Only events have it, because results are only computed
// from events.
const versionColumn = "version"

// clusteredColumn is the column that reports whether a row is in a cluster. See cluster.go.
const clusteredColumn = "clustered"

// columnOf returns the column of t with the given name in the file. It reports false for an unknown name.
func columnOf(t *schema.Table, name string) (column, bool) {
	if t.ID == schema.Events && name == versionColumn {
		return column{versioned: true}, true
	}
	if name == clusteredColumn {
		return column{clustered: true}, true
	}
	hashed := false
	for _, h := range t.Hashes() {
		if h.Name == name {
			name, hashed = h.Of, true
		}
	}
	i := slices.IndexFunc(t.Columns, func(c schema.Column) bool { return c.Name == name })
	if i < 0 {
		return column{}, false
	}
	return column{Column: t.Columns[i], hashed: hashed}, true
}

// sealedDefinition returns the SQL that creates a sealed table.
func sealedDefinition(t *schema.DayTable) string {
	columns := []string{"subject INTEGER"}
	for _, c := range t.Columns {
		kind := "BIGINT"
		switch {
		case c.Kind.IsText():
			kind = "VARCHAR"
		case c.Kind == schema.Small:
			kind = "UTINYINT"
		case c.Kind == schema.Condition:
			kind = "BOOLEAN"
		}
		columns = append(columns, c.Name+" "+kind)
	}
	columns = append(columns, clusteredColumn+" UTINYINT DEFAULT 0")
	for _, n := range Dialect().Numbers {
		if n.Table == t.Name {
			columns = append(columns, n.Column+" INTEGER")
		}
	}
	return fmt.Sprintf("\nCREATE TABLE %s(%s);", t.Name, strings.Join(columns, ", "))
}

// readTables reads the columns of all tables with one query, because listing the columns of one table would
// take as long.
func readTables(c engine) (all [schema.NumTables]table, err error) {
	tables := make(map[string]*schema.Table)
	for _, t := range schema.Tables() {
		tables[t.ID.String()] = &t
	}
	err = c.each(`SELECT c.table_name, c.column_name FROM duckdb_columns() AS c
		WHERE c.database_name = current_database() AND c.column_name <> 'subject' ORDER BY c.table_name, c.column_index`, nil,
		func(v []sqldriver.Value) error {
			var of, name string
			if err := scan(v, &of, &name); err != nil {
				return err
			}
			t := tables[of]
			if t == nil {
				return nil // not a logical table
			}
			col, ok := columnOf(t, name)
			if !ok {
				return &fault{kind: store.ErrCorrupt,
					cause: fmt.Errorf("table %s has the unknown column %q", t.ID, name)}
			}
			all[t.ID] = append(all[t.ID], col)
			return nil
		})
	return all, err
}

// A stamp has the values for a commit's rows that do not come from the batch.
type stamp struct {
	hashKey []byte
	version int64
}

// encode appends the values of r to buf, in the order of the file.
func (t table) encode(buf []sqldriver.Value, s stamp, subject int64, r schema.Row) []sqldriver.Value {
	buf = append(buf, int32(subject)) // of the type of the column
	for i := range t {
		switch c := &t[i]; {
		case c.versioned:
			buf = append(buf, s.version)
		case c.clustered:
			buf = append(buf, uint8(0))
		case c.hashed:
			buf = append(buf, schema.HashText(s.hashKey, c.Text(r)))
		case c.Kind.IsText():
			buf = append(buf, c.Text(r))
		case c.Kind == schema.Small:
			buf = append(buf, uint8(c.Number(r).V)) // package schema has checked that it fits
		default:
			buf = append(buf, number(c.Number(r)))
		}
	}
	return buf
}

// number returns the value of m, or null if m is absent.
func number(m store.Measure) sqldriver.Value {
	if !m.Valid {
		return nil
	}
	return m.V
}

func (w *writer) addSubjects(newcomers map[store.Subject]int64) error {
	if len(newcomers) == 0 {
		return nil
	}
	return w.engine.fill("subject_numbers", func(add func(...sqldriver.Value) error) error {
		for s, n := range newcomers {
			if err := add(string(s.Kind), s.ID, int32(n)); err != nil {
				return err
			}
		}
		return nil
	})
}

// addRows appends the rows that are not repeats to the logical tables, one table after the other.
func (w *writer) addRows(group []*write, newcomers map[store.Subject]int64, version uint64) error {
	of := stamp{w.hashKey, int64(version)} // it fits: commits are numbered from 1
	for _, t := range schema.Tables() {
		fresh := func(r row) bool { return r.Table == t.ID && !r.repeated }
		if !slices.ContainsFunc(group, func(one *write) bool { return slices.ContainsFunc(one.rows, fresh) }) {
			continue
		}
		var buf []sqldriver.Value
		err := w.engine.fill(t.ID.String(), func(add func(...sqldriver.Value) error) error {
			for _, one := range group {
				for _, r := range one.rows {
					if !fresh(r) {
						continue
					}
					subject := w.number(r.Of(), newcomers)
					for sample := range t.Rows(one.batch, r.Index) {
						buf = w.tables[t.ID].encode(buf[:0], of, subject,
							schema.Row{Batch: one.batch, Item: r.Index, Sample: sample})
						if err := add(buf...); err != nil {
							return err
						}
					}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) addReceipts(rows []*row, newcomers map[store.Subject]int64) error {
	day, part := int32(schema.DayOf(w.store.cfg.Now().UnixMilli())), w.parts.last().number
	return w.engine.fill("receipts", func(add func(...sqldriver.Value) error) error {
		for _, r := range rows {
			if err := add(int32(w.number(r.Of(), newcomers)), day, r.key.hi, r.key.lo, part); err != nil {
				return err
			}
		}
		return nil
	})
}

func (w *writer) addVersions(version uint64, touched []ledger.SubjectDay) error {
	return w.engine.fill("versions", func(add func(...sqldriver.Value) error) error {
		for _, t := range touched {
			if err := add(int32(t.Subject), int32(t.Day), int64(version)); err != nil {
				return err
			}
		}
		return nil
	})
}
