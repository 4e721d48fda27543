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

	"github.com/sightline-analytics/sightline/internal/listing"
	"github.com/sightline-analytics/sightline/store"
)

// A record maps rows of a table to values of T. All statements and scans of whole rows use its list of fields.
type record[T any] struct {
	name   string // for errors
	table  string
	fields func(*T) []field
}

// A field is a column and a pointer to its value. Statements read the value, and scans write it.
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

func pointers(fields []field) (all []any) {
	for _, f := range fields {
		all = append(all, f.at)
	}
	return all
}

// byColumn returns fields as a map by column.
func byColumn(fields []field) map[string]any {
	all := map[string]any{}
	for _, f := range fields {
		all[f.column] = f.at
	}
	return all
}

// insert returns a statement that adds rows.
func (r record[T]) insert(s *Store, rows ...T) sq.InsertBuilder {
	q := s.sql.Insert(r.table).Columns(r.columns()...)
	for i := range rows {
		q = q.Values(pointers(r.fields(&rows[i]))...)
	}
	return q
}

// query returns a statement that selects whole rows.
func (r record[T]) query(s *Store) sq.SelectBuilder {
	return s.sql.Select(r.columns()...).From(r.table)
}

// scan reads a row of query. It returns the fields that it could read, even with an error.
func (r record[T]) scan(row scanner) (v T, err error) {
	err = row.Scan(pointers(r.fields(&v))...)
	return v, err
}

// byID returns the record with an id. Its error wraps store.ErrNotFound.
func (r record[T]) byID(ctx context.Context, s *Store, id string) (T, error) {
	return one(ctx, s, r.name, r.query(s).Where(sq.Eq{"id": id}), r.scan)
}

// lock reads the record with an id within a transaction, and locks it until the transaction ends. Its error wraps
// store.ErrNotFound.
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

// change applies amend to the record with an id, unless amend fails, and returns the stored result. Concurrent
// changes are applied one after another.
func (r record[T]) change(ctx context.Context, s *Store, id string, amend func(*T) error) (T, error) {
	var changed, none T
	err := s.update(ctx, "change "+r.name, func(ctx context.Context, db querier) (err error) {
		changed, err = r.changeIn(ctx, s, db, id, amend)
		return err
	})
	if err != nil {
		return none, err
	}
	return changed, nil
}

// changeIn is change within a transaction.
func (r record[T]) changeIn(ctx context.Context, s *Store, db querier, id string, amend func(*T) error) (T, error) {
	changed, err := r.lock(ctx, s, db, id)
	if err != nil {
		return changed, err
	}
	if err := amend(&changed); err != nil {
		return changed, err
	}
	_, err = change(ctx, db, s.sql.Update(r.table).SetMap(byColumn(r.fields(&changed))).Where(sq.Eq{"id": id}))
	return changed, err
}

// list returns the records that match a condition, by creation time, then id.
func (r record[T]) list(ctx context.Context, s *Store, where sq.Eq) ([]T, error) {
	return collect(ctx, s, "list "+r.name+"s", r.query(s).Where(where).OrderBy("created_at", "id"+s.lang.byBytes),
		r.scan)
}

// page returns a page of the records of an owner.
func (r record[T]) page(ctx context.Context, s *Store, owner string, page listing.Page) ([]T, error) {
	q := r.query(s).Where(sq.Eq{"owner": owner}).OrderBy("created_at", "id"+s.lang.byBytes)
	if after := page.After; after != (listing.Position{}) {
		at := after.At.UnixMilli()
		q = q.Where(sq.Or{sq.Gt{"created_at": at},
			sq.And{sq.Eq{"created_at": at}, sq.Expr("id"+s.lang.byBytes+" > ?", after.ID)}})
	}
	if page.Limit > 0 {
		q = q.Limit(uint64(page.Limit))
	}
	return collect(ctx, s, "list "+r.name+"s", q, r.scan)
}

// optional is a text that is stored as NULL if it is empty.
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

// millis is an instant, stored in milliseconds since 1970. The zero instant is stored as NULL.
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

// asJSON stores a value as JSON, which distinguishes a missing list from an empty one.
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

// textBytes is a text as bytes, which avoids a copy into a string.
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
		return fmt.Errorf("%T is not a text", from)
	}
	*b = text
	return nil
}
