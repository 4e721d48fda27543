package meta

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/store"
)

// A record is what the rows of a table are in Go. Its one list of fields makes the statements
// that write and read whole rows, and the scans of what they read.
type record[T any] struct {
	name   string // in errors
	table  string
	fields func(*T) []field
}

// A field is a column, and where its value lies: a pointer, which is written from and scanned into.
type field struct {
	column string
	at     any
}

func (r record[T]) columns() (names []string) {
	for _, f := range r.fields(new(T)) {
		names = append(names, f.column)
	}
	return names
}

func places(fields []field) (all []any) {
	for _, f := range fields {
		all = append(all, f.at)
	}
	return all
}

// named are the values of fields by column.
func named(fields []field) map[string]any {
	all := map[string]any{}
	for _, f := range fields {
		all[f.column] = f.at
	}
	return all
}

// insert adds rows.
func (r record[T]) insert(s *Store, rows ...T) sq.InsertBuilder {
	q := s.sql.Insert(r.table).Columns(r.columns()...)
	for i := range rows {
		q = q.Values(places(r.fields(&rows[i]))...)
	}
	return q
}

// query asks for whole rows.
func (r record[T]) query(s *Store) sq.SelectBuilder {
	return s.sql.Select(r.columns()...).From(r.table)
}

// scan reads a row of query. With an error it returns what it could read.
func (r record[T]) scan(row scanner) (v T, err error) {
	err = row.Scan(places(r.fields(&v))...)
	return v, err
}

// byID returns the one of an id. Its error wraps store.ErrNotFound.
func (r record[T]) byID(ctx context.Context, s *Store, id string) (T, error) {
	return one(ctx, s, r.name, r.query(s).Where(sq.Eq{"id": id}), r.scan)
}

// lock reads the one of an id within a transaction, and keeps it from others until that ends.
func (r record[T]) lock(ctx context.Context, s *Store, db querier, id string) (T, error) {
	var none T
	found, err := collectFrom(ctx, db, r.query(s).Where(sq.Eq{"id": id}).Suffix(s.lang.forUpdate), r.scan)
	if err != nil {
		return none, err
	}
	if len(found) == 0 {
		return none, store.ErrNotFound
	}
	return found[0], nil
}

// change lets amend change the one of an id, unless amend fails, and returns it as it is kept
// now. Changes at once follow one upon another.
func (r record[T]) change(ctx context.Context, s *Store, id string, amend func(*T) error) (T, error) {
	var kept, none T
	err := s.update(ctx, "change "+r.name, func(ctx context.Context, db querier) (err error) {
		if kept, err = r.lock(ctx, s, db, id); err != nil {
			return err
		}
		if err := amend(&kept); err != nil {
			return err
		}
		_, err = change(ctx, db, s.sql.Update(r.table).SetMap(named(r.fields(&kept))).Where(sq.Eq{"id": id}))
		return err
	})
	if err != nil {
		return none, err
	}
	return kept, nil
}

// list returns those with a condition by creation, then id.
func (r record[T]) list(ctx context.Context, s *Store, where sq.Eq) ([]T, error) {
	return collect(ctx, s, "list "+r.name+"s", r.query(s).Where(where).OrderBy("created_at", "id"+s.lang.byBytes), r.scan)
}

// optional is a text that is null when it is empty.
type optional string

// Value implements [driver.Valuer].
func (o optional) Value() (driver.Value, error) {
	return sql.NullString{String: string(o), Valid: o != ""}.Value()
}

// Scan implements [sql.Scanner].
func (o *optional) Scan(from any) error {
	var text sql.NullString
	err := text.Scan(from)
	*o = optional(text.String)
	return err
}

// millis is an instant in milliseconds since 1970; the zero one is null.
type millis time.Time

// Value implements [driver.Valuer].
func (m millis) Value() (driver.Value, error) {
	if time.Time(m).IsZero() {
		return nil, nil
	}
	return time.Time(m).UnixMilli(), nil
}

// Scan implements [sql.Scanner].
func (m *millis) Scan(from any) error {
	var ms sql.NullInt64
	err := ms.Scan(from)
	if *m = (millis{}); ms.Valid {
		*m = millis(instant(ms.Int64))
	}
	return err
}

// asJSON is a value as JSON, which keeps the difference between no list and an empty one.
type asJSON struct{ at any }

// Value implements [driver.Valuer].
func (j asJSON) Value() (driver.Value, error) {
	text, err := json.Marshal(j.at)
	return string(text), err
}

// Scan implements [sql.Scanner].
func (j asJSON) Scan(from any) error {
	var text sql.NullString
	err := text.Scan(from)
	if err == nil {
		err = json.Unmarshal([]byte(text.String), j.at)
	}
	if err != nil {
		err = fmt.Errorf("%w: %w", store.ErrCorrupt, err)
	}
	return err
}

// textBytes is a text, without the copy that a string would be.
type textBytes []byte

// Value implements [driver.Valuer].
func (b textBytes) Value() (driver.Value, error) { return string(b), nil }

// Scan implements [sql.Scanner].
func (b *textBytes) Scan(from any) error {
	var text []byte
	switch from := from.(type) {
	case string:
		text = []byte(from)
	case []byte:
		text = bytes.Clone(from)
	default:
		return fmt.Errorf("%T is no text", from)
	}
	*b = text
	return nil
}
