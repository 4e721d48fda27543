package meta

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strings"

	sq "github.com/Masterminds/squirrel"
)

// A copiedTable is a table as the database describes it, so a copy needs no list of tables and columns.
type copiedTable struct {
	name    string
	columns []copiedColumn
	key     []int // the columns of the primary key
}

// A copiedColumn has one of the types that exist in SQLite and in PostgreSQL.
type copiedColumn struct{ name, kind string }

// copiedTables returns the tables of a SQLite file in the order of their creation: a table comes after the
// tables that it refers to.
func copiedTables(ctx context.Context, db *sql.DB) (all []copiedTable, err error) {
	names, err := texts(ctx, db, sqlite().tables+" AND name <> '"+versionTable+"' ORDER BY rowid")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		t := copiedTable{name: name}
		columns, err := collectFrom(ctx, db, sq.Expr("SELECT name, type, pk FROM pragma_table_info(?) ORDER BY cid", name),
			func(row scanner) (int, error) {
				var c copiedColumn
				var place int
				err := row.Scan(&c.name, &c.kind, &place)
				t.columns = append(t.columns, c)
				return place, err
			})
		if err != nil {
			return nil, err
		}
		for place := 1; slices.Contains(columns, place); place++ {
			t.key = append(t.key, slices.Index(columns, place))
		}
		if len(t.key) == 0 {
			return nil, fmt.Errorf("the table %s has no primary key", name)
		}
		all = append(all, t)
	}
	return all, nil
}

func (t copiedTable) names() (all []string) {
	for _, c := range t.columns {
		all = append(all, c.name)
	}
	return all
}

// query returns all rows in the order of their keys, without the marks of the copy itself.
func (t copiedTable) query(b sq.StatementBuilderType, byBytes string) sq.SelectBuilder {
	q := b.Select(t.names()...).From(t.name)
	for _, i := range t.key {
		order := t.columns[i].name
		if t.columns[i].kind == "TEXT" {
			order += byBytes
		}
		q = q.OrderBy(order)
	}
	if t.name == "facts" {
		q = q.Where(sq.NotEq{"name": []string{factCopySource, factCopyTarget}})
	}
	return q
}

// scan returns the values of a row: a string, an int64, a bool or nil.
func (t copiedTable) scan(row scanner) ([]any, error) {
	into := make([]any, len(t.columns))
	for i, c := range t.columns {
		switch c.kind {
		case "TEXT":
			into[i] = new(sql.NullString)
		case "BIGINT":
			into[i] = new(sql.NullInt64)
		case "BOOLEAN":
			into[i] = new(sql.NullBool)
		default:
			return nil, fmt.Errorf("the column %s.%s has the unknown type %s", t.name, c.name, c.kind)
		}
	}
	if err := row.Scan(into...); err != nil {
		return nil, err
	}
	for i := range into {
		value, ok := into[i].(driver.Valuer)
		if !ok {
			return nil, fmt.Errorf("%T has no value", into[i])
		}
		var err error
		if into[i], err = value.Value(); err != nil {
			return nil, err
		}
	}
	return into, nil
}

// compare compares the keys of two rows. A row that is nil comes after all others.
func (t copiedTable) compare(a, b []any) int {
	if a == nil || b == nil {
		return cmp.Compare(len(b), len(a))
	}
	for _, i := range t.key {
		order := 0
		switch x := a[i].(type) {
		case string:
			y, _ := b[i].(string)
			order = strings.Compare(x, y)
		case int64:
			y, _ := b[i].(int64)
			order = cmp.Compare(x, y)
		}
		if order != 0 {
			return order
		}
	}
	return 0
}

// A difference counts rows of a table.
type difference struct{ missing, extra, changed int64 }

// progressRows is the number of rows from one report of progress to the next.
const progressRows = 10_000

// walk reads both tables in the order of their keys, and calls missing for each row that the target does not have. It
// returns the number of rows of the source.
func (c *copying) walk(ctx context.Context, t copiedTable, missing func(row []any) error) (n int64, d difference,
	err error) {
	here, err := readTable(ctx, c.from, t, t.query(sq.StatementBuilder, ""))
	if err != nil {
		return 0, d, wrapCopy(err)
	}
	defer func() { err = errors.Join(err, here.close()) }()
	there, err := readTable(ctx, c.to.read, t, t.query(c.to.sql, c.to.lang.byBytes))
	if err != nil {
		return 0, d, c.to.wrap(ctx, "copy table "+t.name, err)
	}
	defer func() { err = errors.Join(err, there.close()) }()
	for here.row != nil || there.row != nil {
		order := t.compare(here.row, there.row)
		switch {
		case order < 0:
			d.missing++
			err = missing(here.row)
		case order > 0:
			d.extra++
		case !slices.Equal(here.row, there.row):
			d.changed++
		}
		if order <= 0 {
			n++
			err = cmp.Or(err, wrapCopy(here.next()))
		}
		if order >= 0 {
			err = cmp.Or(err, c.to.wrap(ctx, "copy table "+t.name, there.next()))
		}
		if err != nil {
			return n, d, err
		}
		if n > 0 && n%progressRows == 0 {
			c.progress(t.name, n)
		}
	}
	return n, d, nil
}

// A tableReader reads the rows of a table one after another.
type tableReader struct {
	table copiedTable
	rows  *sql.Rows
	row   []any // nil at the end
}

func readTable(ctx context.Context, db querier, t copiedTable, q sq.SelectBuilder) (*tableReader, error) {
	query, args, err := q.ToSql()
	if err != nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, query, args...) //nolint:rowserrcheck // next checks it
	if err != nil {
		return nil, err
	}
	r := &tableReader{table: t, rows: rows}
	if err := r.next(); err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

func (r *tableReader) next() (err error) {
	r.row = nil
	if r.rows.Next() {
		r.row, err = r.table.scan(r.rows)
	}
	return errors.Join(err, r.rows.Err())
}

func (r *tableReader) close() error { return r.rows.Close() }
