package meta

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/store"
)

// scanner is a row of an answer.
type scanner interface{ Scan(into ...any) error }

// querier is a pool or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// collect reads all rows of q; never nil without an error.
func collect[T any](ctx context.Context, s *Store, what string, q sq.Sqlizer, scan func(scanner) (T, error)) ([]T, error) {
	all, err := collectFrom(ctx, s.read, q, scan)
	if err != nil {
		return nil, s.wrap(ctx, what, err)
	}
	return all, nil
}

func collectFrom[T any](ctx context.Context, db querier, q sq.Sqlizer, scan func(scanner) (T, error)) (_ []T, err error) {
	query, args, err := q.ToSql()
	if err != nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	all := []T{}
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

// one reads a single row; its error wraps store.ErrNotFound when there is none.
func one[T any](ctx context.Context, s *Store, what string, q sq.Sqlizer, scan func(scanner) (T, error)) (T, error) {
	var zero T
	all, err := collect(ctx, s, what, q, scan)
	if err != nil {
		return zero, err
	}
	if len(all) == 0 {
		return zero, s.wrap(ctx, what, store.ErrNotFound)
	}
	return all[0], nil
}

// text scans the only column of a row.
func text(row scanner) (string, error) {
	var t string
	err := row.Scan(&t)
	return t, err
}

// update runs f in a transaction: all of it is on disk when update returns nil, and
// none of it otherwise.
func (s *Store) update(ctx context.Context, what string, f func(querier) error) error {
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return s.wrap(ctx, what, err)
	}
	if err := f(tx); err != nil {
		// A failed rollback adds nothing: without a commit the work is gone.
		_ = tx.Rollback()
		return s.wrap(ctx, what, err)
	}
	return s.wrap(ctx, what, tx.Commit())
}

// change runs one statement of a transaction, and reports how many rows it changed.
func change(ctx context.Context, db querier, q sq.Sqlizer) (int64, error) {
	query, args, err := q.ToSql()
	if err != nil {
		return 0, err
	}
	res, err := db.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// insert is update with a single statement.
func (s *Store) insert(ctx context.Context, what string, q sq.InsertBuilder) error {
	return s.update(ctx, what, func(db querier) error {
		_, err := change(ctx, db, q)
		return err
	})
}

// wrap says what failed, and of which kind the error is.
func (s *Store) wrap(ctx context.Context, what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("store/meta: %s: %w", what, kind(ctx, s.lang, err))
}

// kind adds to err the error of store that it amounts to. When ctx has ended that is
// the cause, whatever the driver made of it.
func kind(ctx context.Context, l lang, err error) error {
	if ended := ctx.Err(); ended != nil && !errors.Is(err, ended) {
		return fmt.Errorf("%w: %w", ended, err)
	}
	if k := l.fault(err); k != nil {
		return fmt.Errorf("%w: %w", k, err)
	}
	return err
}
