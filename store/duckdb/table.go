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
type table []column

// A column is a logical one or, when hashed, the hash of one or, when versioned, the version of the
// commit that stored the row or, when clustered, whether the row is in a cluster.
type column struct {
	schema.Column
	hashed, versioned, clustered bool
}

// versionColumn is the column of versions, which events alone have: nothing is kept of other rows.
const versionColumn = "version"

const clusteredColumn = "clustered"

// columnOf finds the column of t that the file calls name.
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

// readTables reads which columns the file has, in one statement: it costs as much to list the columns of
// one table as of all.
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
				return nil // the store's own
			}
			col, ok := columnOf(t, name)
			if !ok {
				return &fault{kind: store.ErrCorrupt, cause: fmt.Errorf("%s has the column %q, which this program does not know", t.ID, name)}
			}
			all[t.ID] = append(all[t.ID], col)
			return nil
		})
	return all, err
}

// A stamp is what the rows of a commit have beside what they came with.
type stamp struct {
	hashKey string
	version int64
}

// encode appends the values of r to buf, in the order of the file.
func (t table) encode(buf []sqldriver.Value, s stamp, subject int32, r schema.Row) []sqldriver.Value {
	buf = append(buf, subject)
	for i := range t {
		switch c := &t[i]; {
		case c.versioned:
			buf = append(buf, s.version)
		case c.clustered:
			buf = append(buf, uint8(0))
		case c.hashed:
			buf = append(buf, hashOf(s.hashKey, c.Text(r)))
		case c.Kind.IsText():
			buf = append(buf, c.Text(r))
		case c.Kind == schema.Small:
			buf = append(buf, uint8(c.Number(r).V)) // it was checked
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

func (w *writer) addSubjects(newcomers map[store.Subject]int32) error {
	if len(newcomers) == 0 {
		return nil
	}
	return w.engine.fill("subject_numbers", func(add func(...sqldriver.Value) error) error {
		for s, n := range newcomers {
			if err := add(string(s.Kind), s.ID, n); err != nil {
				return err
			}
		}
		return nil
	})
}

// addRows fills the logical tables, one after the other.
func (w *writer) addRows(group []*write, newcomers map[store.Subject]int32, version uint64) error {
	of := stamp{w.hashKey, int64(version)} // commits are counted
	for _, t := range schema.Tables() {
		fresh := func(r row) bool { return r.table == t.ID && !r.repeated }
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
					subject := w.number(r.subject, newcomers)
					for sample := range t.Rows(one.batch, r.index) {
						buf = w.tables[t.ID].encode(buf[:0], of, subject, schema.Row{Batch: one.batch, Item: r.index, Sample: sample})
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

func (w *writer) addReceipts(rows []*row, newcomers map[store.Subject]int32) error {
	day, part := receiptDay(w.store.cfg.Now()), w.parts.last().number
	return w.engine.fill("receipts", func(add func(...sqldriver.Value) error) error {
		for _, r := range rows {
			if err := add(w.number(r.subject, newcomers), day, r.key.hi, r.key.lo, part); err != nil {
				return err
			}
		}
		return nil
	})
}

func (w *writer) addVersions(version uint64, touched []subjectDay) error {
	return w.engine.fill("versions", func(add func(...sqldriver.Value) error) error {
		for _, t := range touched {
			if err := add(t.subject, t.day, int64(version)); err != nil {
				return err
			}
		}
		return nil
	})
}
