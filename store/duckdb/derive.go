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

// Days implements [store.Deriver].
func (s *Store) Days(ctx context.Context, subject store.Subject, from, to time.Time) ([]store.Day, error) {
	if !from.Before(to) {
		return nil, ctx.Err()
	}
	return s.catalog.states(subject, utcDay(from.UnixMilli()), lastDay(to)), ctx.Err()
}

// Websites implements [store.Deriver].
func (s *Store) Websites(ctx context.Context) (map[store.Subject]uint64, error) {
	return s.catalog.websites(), ctx.Err()
}

// Seal implements [store.Deriver]. Sessions, hits and their seals are written in one transaction on a
// separate connection, while queries and writes go on. One Seal runs at a time, and none during Erase,
// which must leave nothing.
func (s *Store) Seal(ctx context.Context, d store.Derivation) error {
	made, err := s.derivation(d)
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
		return nil // without rows there is nothing to keep
	}
	days := sealedDays{subject: number, first: utcDay(d.From.UnixMilli()), last: lastDay(d.To), version: s.catalog.latest()}
	if d.Changed != nil && slices.ContainsFunc(s.catalog.states(d.Subject, days.first, days.last), func(day store.Day) bool { return day.Sealed == 0 }) {
		return &fault{kind: store.ErrUnavailable, cause: errors.New("seal: what was kept of the days is gone")}
	}
	err = s.beside(ctx, func(ctx context.Context, c *conn) error {
		return transact(c, func() error { return days.keep(ctx, c, made) })
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

// A boundDerivation has the statements of a store.Derivation.
type boundDerivation struct {
	sessions, hits boundStatement
	changed        *boundStatement
}

func (s *Store) derivation(d store.Derivation) (made boundDerivation, err error) {
	if made.sessions, err = s.binding(d.Sessions); err != nil {
		return made, err
	}
	if made.hits, err = s.binding(d.Hits); err != nil || d.Changed == nil {
		return made, err
	}
	changed, err := s.binding(*d.Changed)
	made.changed = &changed
	return made, err
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
func (d sealedDays) keep(ctx context.Context, c *conn, made boundDerivation) error {
	from, to, ids := int64(d.first)*dayMillis, int64(d.last+1)*dayMillis, ""
	run := func(text string, from boundStatement) error {
		_, err := c.raw.ExecContext(ctx, text+from.sql, from.args)
		return err
	}
	if made.changed != nil {
		if err := run("CREATE TEMP TABLE changed_ids AS ", *made.changed); err != nil {
			return err
		}
		ids = " AND session_hash IN (SELECT session_hash FROM changed_ids)"
	}
	forget := func(table, column string, from, to int64, ids string) error {
		return c.exec("DELETE FROM "+table+" WHERE subject = $subject::INTEGER AND "+column+" >= $from AND "+column+" < $to"+ids,
			named("subject", d.subject), named("from", from), named("to", to))
	}
	if err := errors.Join(forget("sealed_sessions", "start", from, to, ids), forget("sealed_hits", "time", from, to, ids),
		forget("seals", "day", int64(d.first), int64(d.last)+1, "")); err != nil {
		return err
	}
	if err := errors.Join(run("INSERT INTO sealed_sessions BY NAME ", made.sessions), run("INSERT INTO sealed_hits BY NAME ", made.hits)); err != nil {
		return err
	}
	return c.fill("seals", func(add func(...sqldriver.Value) error) error {
		for day := d.first; day <= d.last; day++ {
			if err := add(d.subject, day, int64(d.version)); err != nil { // commits are counted
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
