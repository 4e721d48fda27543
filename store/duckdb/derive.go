//go:build cgo

package duckdb

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// Days implements [store.Deriver].
func (s *Store) Days(subject store.Subject, from, to time.Time) []store.Day {
	if !from.Before(to) {
		return nil
	}
	return s.catalog.states(subject, utcDay(from.UnixMilli()), lastDay(to))
}

// Seal implements [store.Deriver]. Sessions, hits and their seals are written in one transaction on a
// separate connection, while queries and writes go on. One Seal runs at a time, and none during Erase,
// which must leave nothing.
func (s *Store) Seal(ctx context.Context, d store.Derivation) error {
	sessions, err := s.binding(d.Sessions)
	if err != nil {
		return err
	}
	hits, err := s.binding(d.Hits)
	if err != nil {
		return err
	}
	s.deriving.Lock()
	defer s.deriving.Unlock()
	number := s.catalog.number(d.Subject)
	if number == unknownSubject {
		return nil // without rows there is nothing to keep
	}
	days := sealedDays{subject: number, first: utcDay(d.From.UnixMilli()), last: lastDay(d.To), version: s.catalog.latest()}
	err = s.beside(ctx, func(ctx context.Context, c *conn) error {
		return transact(c, func() error {
			return days.keep(ctx, c, sessions, hits)
		})
	})
	if err != nil {
		return fmt.Errorf("duckdb: seal: %w", explain(err))
	}
	s.catalog.seal(days)
	return nil
}

// A boundStatement is one with the driver's arguments.
type boundStatement struct {
	sql  string
	args []sqldriver.NamedValue
}

func (s *Store) binding(stmt store.Statement) (boundStatement, error) {
	args, err := s.bind(stmt.Args)
	if err != nil {
		return boundStatement{}, fmt.Errorf("duckdb: %s: %w", stmt.Label, err)
	}
	return boundStatement{stmt.SQL, args}, nil
}

// sealedDays are days of a subject that are sealed at a version.
type sealedDays struct {
	subject, first, last int32
	version              uint64
}

// keep replaces what is kept of the days. It runs in a transaction of c.
func (d sealedDays) keep(ctx context.Context, c *conn, sessions, hits boundStatement) error {
	from, to := int64(d.first)*dayMillis, int64(d.last+1)*dayMillis
	forget := func(table, column string, from, to int64) error {
		return c.exec("DELETE FROM "+table+" WHERE subject = $subject::INTEGER AND "+column+" >= $from AND "+column+" < $to",
			named("subject", d.subject), named("from", from), named("to", to))
	}
	insert := func(table string, from boundStatement) error {
		_, err := c.raw.ExecContext(ctx, "INSERT INTO "+table+" BY NAME "+from.sql, from.args)
		return err
	}
	if err := errors.Join(forget("sealed_sessions", "start", from, to), forget("sealed_hits", "time", from, to),
		forget("seals", "day", int64(d.first), int64(d.last)+1)); err != nil {
		return err
	}
	if err := errors.Join(insert("sealed_sessions", sessions), insert("sealed_hits", hits)); err != nil {
		return err
	}
	return c.fill("seals", func(add func(...sqldriver.Value) error) error {
		for day := d.first; day <= d.last; day++ {
			if err := add(d.subject, day, int64(d.version)); err != nil { //nolint:gosec // commits are counted
				return err
			}
		}
		return nil
	})
}

// beside runs do on a connection that is neither the writer's nor a reader's, and keeps the
// engine open meanwhile. It ends early when ctx ends or the engine is closed.
func (s *Store) beside(ctx context.Context, do func(context.Context, *conn) error) error {
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
