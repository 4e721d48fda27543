//go:build cgo

package duckdb

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/internal/ledger"
	"github.com/sightline-analytics/sightline/store/schema"
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
	return s.ledger.Days(s.ledger.Number(subject), schema.DayOf(from.UnixMilli()), schema.LastDay(to)), nil
}

// Websites implements [store.Deriver].
func (s *Store) Websites(ctx context.Context) (map[store.Subject]uint64, error) {
	return s.ledger.Websites(), ctx.Err()
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
	if err := schema.CheckRows(d); err != nil {
		return fmt.Errorf("duckdb: seal: %w", err)
	}
	bound, err := s.derivation(d, changed)
	if err != nil {
		return err
	}
	if err := s.shrinkLog(ctx); err != nil {
		return err
	}
	s.deriving.Lock()
	defer s.deriving.Unlock()
	number := s.ledger.Number(d.Subject)
	if number == ledger.Unknown {
		return nil // there are no rows
	}
	days := sealedDays{subject: number, first: schema.DayOf(d.From.UnixMilli()), last: schema.LastDay(d.To),
		version: s.ledger.Latest()}
	if changed != nil && s.ledger.Unsealed(number, days.first, days.last) {
		return &fault{kind: store.ErrUnavailable, cause: errors.New("reseal: one of the days has no seal")}
	}
	err = s.withConnection(ctx, func(ctx context.Context, c *conn) error {
		return transact(c, func() error { return days.keep(ctx, c, bound) })
	})
	if err != nil {
		return fmt.Errorf("duckdb: seal: %w", explain(err))
	}
	s.ledger.Seal(number, days.first, days.last, days.version)
	return nil
}

// A boundStatement is a statement with the driver's arguments.
type boundStatement struct {
	sql  string
	args []sqldriver.NamedValue
}

// A boundDerivation has the statements of a store.Derivation, with the driver's arguments.
type boundDerivation struct {
	rows    []boundStatement // of each sealed table
	changed *boundStatement  // nil: all session ids
}

// derivation returns d with the driver's arguments. changed may be nil.
func (s *Store) derivation(d store.Derivation, changed *store.Statement) (bound boundDerivation, err error) {
	for _, stmt := range d.Rows {
		rows, err := s.binding(stmt)
		if err != nil {
			return bound, err
		}
		bound.rows = append(bound.rows, rows)
	}
	if changed == nil {
		return bound, nil
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
	subject, first, last int64
	version              uint64
}

// keep computes and stores the results of the days, and deletes earlier ones. It must run in a transaction of
// c.
func (d sealedDays) keep(ctx context.Context, c *conn, bound boundDerivation) error {
	ids := ""
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
	for i, t := range schema.SealedTables() {
		if err := forgetDays(c, &t, d.subject, d.first, d.last, ids); err != nil {
			return err
		}
		if err := run("INSERT INTO "+t.Name+" BY NAME ", bound.rows[i]); err != nil {
			return err
		}
	}
	if err := c.exec("DELETE FROM seals WHERE subject = $subject::INTEGER"+
		" AND day BETWEEN $first::INTEGER AND $last::INTEGER",
		named("subject", d.subject), named("first", d.first), named("last", d.last)); err != nil {
		return err
	}
	return c.fill("seals", func(add func(...sqldriver.Value) error) error {
		for day := d.first; day <= d.last; day++ {
			// they fit: commits are numbered from 1
			if err := add(int32(d.subject), int32(day), int64(d.version)); err != nil {
				return err
			}
		}
		return nil
	})
}

// forgetDays deletes the rows of a day table that belong to the days from first to last of a subject. further is a
// further condition, as SQL that begins with AND, or an empty text.
func forgetDays(c engine, t *schema.DayTable, subject, first, last int64, further string,
	args ...sqldriver.NamedValue) error {
	return c.exec("DELETE FROM "+t.Name+" WHERE subject = $subject::INTEGER AND "+t.Day+" >= $from AND "+t.Day+
		" < $to"+further, append(args, named("subject", subject), named("from", t.At(first)), named("to", t.At(last+1)))...)
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
