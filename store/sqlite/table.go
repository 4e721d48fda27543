package sqlite

import (
	"cmp"
	sqldriver "database/sql/driver"
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// The rows of a logical table are stored in a table without rowid, whose key is (subject, time, number). So the
// rows of a website and a range of time are next to each other, and a query reads no others. number makes the
// key unique: it is the version of the commit that stored the row, and the position of the row in that commit.
//
// SQLite reads the columns of a row from the first to the last one that a query needs. Therefore numbers come
// first, then short texts, then long ones.
//
// Only sealed sessions have an index, and rows of imports one that no question uses. A row that is found by an index is
// read from another place of the file, which costs more than to read a few days of a website. With an index of events
// by session, SQLite would read all events of a website in its order, for some questions.

// rowBits is the number of bits of a row's number that count the rows of a commit. So a commit has at most 16
// million rows, and there are 2³⁹ commits.
const rowBits = 24

const maxRows = 1<<rowBits - 1 // of a commit

// A column is a column that is stored: a column of the schema, or the hash of one.
type column struct {
	schema.Column
	name   string // in the table
	hashed bool   // it has the hash of the column
}

// A table has the columns of a logical table apart from subject, time and number.
type table struct {
	of      schema.Table
	columns []column
	insert  string // SQL that inserts a row
}

// order is the order of the columns in a row: how often queries read them, and how long they are.
func (c column) order() int {
	switch {
	case c.hashed, c.Kind == schema.Small:
		return 0
	case c.Kind == schema.Measure, c.Kind == schema.Integer, c.Kind == schema.Instant:
		return 1
	case c.Name == "path" || c.Name == "name":
		return 2
	case c.Kind == schema.LowCardinality:
		return 3
	case c.Kind == schema.Text:
		return 4
	}
	return 5
}

// tables returns the tables of all logical tables.
func tables() []table {
	var all []table
	for _, t := range schema.Tables() {
		one := table{of: t}
		for _, c := range t.Columns {
			if c.Name != "time" && !c.Unread() {
				one.columns = append(one.columns, column{Column: c, name: c.Name})
			}
			for _, h := range t.Hashes() {
				if h.Of == c.Name {
					one.columns = append(one.columns, column{Column: c, name: h.Name, hashed: true})
				}
			}
		}
		slices.SortStableFunc(one.columns, func(a, b column) int { return cmp.Compare(a.order(), b.order()) })
		one.insert = one.insertion()
		all = append(all, one)
	}
	return all
}

// definition returns the SQL that creates t.
func (t *table) definition() string {
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE %s(\n  subject INTEGER NOT NULL, time INTEGER NOT NULL, number INTEGER NOT NULL",
		t.of.ID)
	for i := range t.columns {
		fmt.Fprintf(&b, ",\n  %s %s", quoted(t.columns[i].name), t.columns[i].definition())
	}
	if t.of.ID == schema.Events {
		fmt.Fprintf(&b, ",\n  version INTEGER AS (number >> %d)", rowBits)
	}
	b.WriteString(",\n  PRIMARY KEY(subject, time, number)) WITHOUT ROWID")
	return b.String()
}

func (c *column) definition() string {
	switch {
	case c.hashed:
		return "INTEGER NOT NULL"
	case c.Kind.IsText():
		return "TEXT NOT NULL"
	case c.Kind == schema.Measure:
		return "INTEGER"
	}
	return "INTEGER NOT NULL"
}

// insertion returns the SQL that inserts a row into t.
func (t *table) insertion() string {
	names := []string{"subject", "time", "number"}
	for i := range t.columns {
		names = append(names, quoted(t.columns[i].name))
	}
	return fmt.Sprintf("INSERT INTO %s(%s) VALUES (?%s)", t.of.ID, strings.Join(names, ", "),
		strings.Repeat(", ?", len(names)-1))
}

// values appends the values of a row of t, after its subject, time and number.
func (t *table) values(to []sqldriver.NamedValue, key []byte, r schema.Row) []sqldriver.NamedValue {
	for i := range t.columns {
		switch c := &t.columns[i]; {
		case c.hashed:
			to = appendValue(to, schema.HashText(key, c.Text(r)))
		case c.Kind.IsText():
			to = appendValue(to, c.Text(r))
		default:
			to = appendValue(to, number(c.Number(r)))
		}
	}
	return to
}

// number returns the value of m, or null if m is absent.
func number(m store.Measure) sqldriver.Value {
	if !m.Valid {
		return nil
	}
	return m.V
}

func appendValue(to []sqldriver.NamedValue, v sqldriver.Value) []sqldriver.NamedValue {
	return append(to, sqldriver.NamedValue{Ordinal: len(to) + 1, Value: v})
}

// quoted returns a name in SQL.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
