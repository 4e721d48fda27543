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

// scanner is a row of an answer.
type scanner interface{ Scan(into ...any) error }

// querier is a pool or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// errSlow ends operations that their own context would let go on.
var errSlow = fmt.Errorf("%w: no answer within the timeout", store.ErrUnavailable)

// bounded is ctx with the timeout of Config.
func (s *Store) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, s.cfg.Timeout, errSlow)
}

// again runs f, and runs it again while the connections that it gets turn out to be
// broken: after a restart of the database all of a pool may be. f must not have changed
// anything by then.
func (s *Store) again(f func() error) error {
	const pool = 8
	for try := 0; ; try++ {
		if err := f(); err == nil || try == pool || !s.lang.lost(err) {
			return err
		}
	}
}

// collect reads all rows of q; never nil without an error.
func collect[T any](ctx context.Context, s *Store, what string, q sq.Sqlizer, scan func(scanner) (T, error)) ([]T, error) {
	ctx, cancel := s.bounded(ctx)
	defer cancel()
	var all []T
	err := s.again(func() (err error) {
		all, err = collectFrom(ctx, s.read, q, scan)
		return err
	})
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
	if !keepable(args...) {
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

// number scans the only column of a row.
func number(row scanner) (int64, error) {
	var n int64
	err := row.Scan(&n)
	return n, err
}

// keepable reports whether all texts among args are such as every database can keep.
// About others PostgreSQL refuses even to be asked.
func keepable(args ...any) bool {
	return !slices.ContainsFunc(args, func(a any) bool {
		text, ok := a.(string)
		return ok && (!utf8.ValidString(text) || strings.ContainsRune(text, 0))
	})
}

// update runs f in a transaction: all of it is on disk when update returns nil, and none of
// it after an error, unless that wraps ErrInDoubt. f runs once, and uses the context that
// it is given. It first waits for its turn among other updates, see newTurns.
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

// updateNext is update before all updates that wait for their turn.
func (s *Store) updateNext(ctx context.Context, what string, f func(context.Context, querier) error) error {
	ctx, cancel := s.bounded(ctx)
	defer cancel()
	var tx *sql.Tx
	err := s.again(func() (err error) {
		tx, err = s.write.BeginTx(ctx, &sql.TxOptions{Isolation: s.lang.isolation})
		return err
	})
	if err != nil {
		return s.wrap(ctx, what, err)
	}
	if err := f(ctx, tx); err != nil {
		// A failed rollback adds nothing: without a commit the work is gone.
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

// insert is update with a single statement, for an owner who must be known; "" is nobody.
func (s *Store) insert(ctx context.Context, what, owner string, q sq.InsertBuilder) error {
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
	if ctx.Err() != nil && !errors.Is(err, context.Cause(ctx)) {
		return fmt.Errorf("%w: %w", context.Cause(ctx), err)
	}
	if k := l.fault(err); k != nil && !errors.Is(err, k) {
		return fmt.Errorf("%w: %w", k, err)
	}
	return err
}
