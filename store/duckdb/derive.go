//go:build cgo

package duckdb

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// Days implements [store.DayLister] without a query. Commits of all subjects are numbered together.
func (s *Store) Days(ctx context.Context, subject store.Subject, from, to time.Time) ([]store.Day, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case <-s.closing:
		return nil, errClosed
	default:
	}
	if !from.Before(to) {
		return nil, nil
	}
	return s.catalog.states(subject, utcDay(from.UnixMilli()), lastDay(to)), nil
}

// Websites implements [store.Deriver].
func (s *Store) Websites(ctx context.Context) (map[store.Subject]uint64, error) {
	return s.catalog.websites(), ctx.Err()
}

// Seal implements [store.Deriver]. It writes sessions, hits and seals in one transaction on a separate
// connection, while queries and writes run. Only one Seal runs at a time. Seal and Erase wait for each other,
// so that Erase leaves no results.
func (s *Store) Seal(ctx context.Context, d store.Derivation) error { return s.seal(ctx, d, nil) }

// Reseal implements [store.Resealer]. It works as Seal does.
func (s *Store) Reseal(ctx context.Context, d store.Derivation, changed store.Statement) error {
	return s.seal(ctx, d, &changed)
}

// seal computes all session ids or, unless changed is nil, the ids that it selects.
func (s *Store) seal(ctx context.Context, d store.Derivation, changed *store.Statement) error {
	bound, err := s.derivation(d, changed)
	if err != nil {
		return err
	}
	if err := s.shrinkLog(ctx); err != nil {
		return err
	}
	s.deriving.Lock()
	defer s.deriving.Unlock()
	number := s.catalog.number(d.Subject)
	if number == unknownSubject {
		return nil // there are no rows
	}
	days := sealedDays{subject: number, first: utcDay(d.From.UnixMilli()), last: lastDay(d.To),
		version: s.catalog.latest()}
	if changed != nil && slices.ContainsFunc(s.catalog.states(d.Subject, days.first, days.last),
		func(day store.Day) bool { return day.Sealed == 0 }) {
		return &fault{kind: store.ErrUnavailable, cause: errors.New("reseal: one of the days has no seal")}
	}
	err = s.withConnection(ctx, func(ctx context.Context, c *conn) error {
		return transact(c, func() error { return days.keep(ctx, c, bound) })
	})
	if err != nil {
		return fmt.Errorf("duckdb: seal: %w", explain(err))
	}
	s.catalog.seal(days)
	return nil
}

// A boundStatement is a statement with the driver's arguments.
type boundStatement struct {
	sql  string
	args []sqldriver.NamedValue
}

// A boundDerivation has the statements of a store.Derivation, with the driver's arguments.
type boundDerivation struct {
	sessions, hits boundStatement
	changed        *boundStatement // nil: all session ids
}

// derivation returns d with the driver's arguments. changed may be nil.
func (s *Store) derivation(d store.Derivation, changed *store.Statement) (bound boundDerivation, err error) {
	if bound.sessions, err = s.binding(d.Sessions); err != nil {
		return bound, err
	}
	if bound.hits, err = s.binding(d.Hits); err != nil || changed == nil {
		return bound, err
	}
	ids, err := s.binding(*changed)
	bound.changed = &ids
	return bound, err
}

func (s *Store) binding(stmt store.Statement) (boundStatement, error) {
	args, err := s.bind(stmt.Args)
	if err != nil {
		return boundStatement{}, fmt.Errorf("duckdb: %s: %w", stmt.Label, err)
	}
	return boundStatement{stmt.SQL, args}, nil
}

// A sealedDays value has days of a subject that are sealed, and their version.
type sealedDays struct {
	subject, first, last int32
	version              uint64
}

// keep computes and stores the results of the days, and deletes earlier ones. It must run in a transaction of
// c.
func (d sealedDays) keep(ctx context.Context, c *conn, bound boundDerivation) error {
	from, to, ids := int64(d.first)*dayMillis, int64(d.last+1)*dayMillis, ""
	run := func(text string, from boundStatement) error {
		_, err := c.raw.ExecContext(ctx, text+from.sql, from.args)
		return err
	}
	if bound.changed != nil {
		if err := run("CREATE TEMP TABLE changed_ids AS ", *bound.changed); err != nil {
			return err
		}
		ids = " AND session_hash IN (SELECT session_hash FROM changed_ids)"
	}
	forget := func(table, column string, from, to int64, ids string) error {
		return c.exec("DELETE FROM "+table+" WHERE subject = $subject::INTEGER AND "+column+" >= $from AND "+column+
			" < $to"+ids,
			named("subject", d.subject), named("from", from), named("to", to))
	}
	if err := errors.Join(forget("sealed_sessions", "start", from, to, ids),
		forget("sealed_hits", "time", from, to, ids),
		forget("seals", "day", int64(d.first), int64(d.last)+1, "")); err != nil {
		return err
	}
	if err := errors.Join(run("INSERT INTO sealed_sessions BY NAME ", bound.sessions),
		run("INSERT INTO sealed_hits BY NAME ", bound.hits)); err != nil {
		return err
	}
	return c.fill("seals", func(add func(...sqldriver.Value) error) error {
		for day := d.first; day <= d.last; day++ {
			if err := add(d.subject, day, int64(d.version)); err != nil { // it fits: commits are numbered from 1
				return err
			}
		}
		return nil
	})
}

// withConnection runs do on a new connection, which no query and no write uses. The engine stays open
// meanwhile. The context of do ends when ctx ends or when the writer closes the engine.
func (s *Store) withConnection(ctx context.Context, do func(context.Context, *conn) error) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.inst == nil {
		s.askReopen()
		return fmt.Errorf("%w: the engine is not open", store.ErrUnavailable)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.inst.ctx, cancel)()
	c, err := s.inst.connect()
	if err != nil {
		return err
	}
	defer func() { _ = c.close() }()
	err = do(ctx, c)
	if fatal(err) {
		s.askReopen()
	}
	return err
}
