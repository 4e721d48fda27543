package meta

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/store"
)

// scanner is a row of a result.
type scanner interface{ Scan(into ...any) error }

// querier is a pool or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// errSlow is the cause when Config.Timeout ends an operation.
var errSlow = fmt.Errorf("%w: no answer within the timeout", store.ErrUnavailable)

// bounded returns ctx with the timeout of Config.
func (s *Store) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, s.cfg.Timeout, errSlow)
}

// retry runs f, and runs it again while its connection turns out to be broken. After a restart of the database all
// connections of a pool may be broken. f must not change anything before it fails in this way.
func (s *Store) retry(f func() error) error {
	const pool = 8
	for try := 0; ; try++ {
		if err := f(); err == nil || try == pool || !s.lang.lost(err) {
			return err
		}
	}
}

// collect returns all rows of q. The result is not nil unless there is an error.
func collect[T any](ctx context.Context, s *Store, what string, q sq.Sqlizer, scan func(scanner) (T, error)) ([]T,
	error) {
	ctx, cancel := s.bounded(ctx)
	defer cancel()
	var all []T
	err := s.retry(func() (err error) {
		all, err = collectFrom(ctx, s.read, q, scan)
		return err
	})
	if err != nil {
		return nil, s.wrap(ctx, what, err)
	}
	return all, nil
}

func collectFrom[T any](ctx context.Context, db querier, q sq.Sqlizer, scan func(scanner) (T, error)) (_ []T,
	err error) {
	query, args, err := q.ToSql()
	if err != nil {
		return nil, err
	}
	if !storable(args...) {
		return []T{}, nil
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

// one returns the first row of q. Its error wraps store.ErrNotFound if q has no row.
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

// number scans the only column of a row.
func number(row scanner) (int64, error) {
	var n int64
	err := row.Scan(&n)
	return n, err
}

// storable reports whether every database can store all texts among args. PostgreSQL also rejects queries with
// other texts.
func storable(args ...any) bool {
	return !slices.ContainsFunc(args, func(a any) bool {
		text, ok := a.(string)
		return ok && (!utf8.ValidString(text) || strings.ContainsRune(text, 0))
	})
}

// update runs f in a transaction. If update returns nil, all changes are on disk. If it returns an error, none
// are, unless the error wraps ErrInDoubt. f runs once, and must use the context that it is given. update first
// waits for its turn among other updates: see newTurns.
func (s *Store) update(ctx context.Context, what string, f func(context.Context, querier) error) error {
	ctx, cancel := s.bounded(ctx)
	defer cancel()
	select {
	case s.turns <- struct{}{}:
		defer func() { <-s.turns }()
	case <-ctx.Done():
		return s.wrap(ctx, what, context.Cause(ctx))
	}
	return s.updateNext(ctx, what, f)
}

// updateNext is update without waiting for a turn, so it runs before all updates that wait.
func (s *Store) updateNext(ctx context.Context, what string, f func(context.Context, querier) error) error {
	ctx, cancel := s.bounded(ctx)
	defer cancel()
	var tx *sql.Tx
	err := s.retry(func() (err error) {
		if tx, err = s.write.BeginTx(ctx, &sql.TxOptions{Isolation: s.lang.isolation}); err != nil ||
			s.lang.bound == nil {
			return err
		}
		if err = s.lang.bound(ctx, s.cfg, tx); err != nil {
			_ = tx.Rollback() // it has changed nothing
		}
		return err
	})
	if err != nil {
		return s.wrap(ctx, what, err)
	}
	if err := f(ctx, tx); err != nil {
		// The error of a rollback does not matter: without a commit nothing is stored.
		_ = tx.Rollback()
		return s.wrap(ctx, what, err)
	}
	if err := tx.Commit(); err != nil {
		if s.lang.inDoubt(err) {
			err = fmt.Errorf("%w: %w", ErrInDoubt, err)
		}
		return s.wrap(ctx, what, fmt.Errorf("commit: %w", err))
	}
	return nil
}

// change runs one statement of a transaction, and returns the number of changed rows.
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

// insert runs a single statement as update does. If owner is not empty, it must exist.
func (s *Store) insert(ctx context.Context, what, owner string, q sq.Sqlizer) error {
	return s.update(ctx, what, func(ctx context.Context, db querier) error {
		if owner != "" {
			if err := s.needOwner(ctx, db, owner); err != nil {
				return err
			}
		}
		_, err := change(ctx, db, q)
		return err
	})
}

// wrap adds the name of the failed operation and the kind of the error to err.
func (s *Store) wrap(ctx context.Context, what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("store/meta: %s: %w", what, kind(ctx, s.lang, err))
}

// kind adds the matching error of package store to err. If ctx has ended, it adds the cause of that instead,
// because drivers report it in different ways.
func kind(ctx context.Context, l lang, err error) error {
	if ctx.Err() != nil && !errors.Is(err, context.Cause(ctx)) {
		return fmt.Errorf("%w: %w", context.Cause(ctx), err)
	}
	if k := l.fault(err); k != nil && !errors.Is(err, k) {
		return fmt.Errorf("%w: %w", k, err)
	}
	return err
}
