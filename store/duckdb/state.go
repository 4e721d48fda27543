//go:build cgo

package duckdb

import (
	"context"
	sqldriver "database/sql/driver"
	"fmt"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// States implements [store.StateKeeper].
func (s *Store) States(ctx context.Context, subject store.Subject) ([]store.State, error) {
	return s.states(ctx, subject, "''::BLOB", "true")
}

// LoadStates implements [store.StateKeeper].
func (s *Store) LoadStates(ctx context.Context, subject store.Subject, names []int64, from, to time.Time) ([]store.State, error) {
	if len(names) == 0 || !from.Before(to) {
		return nil, ctx.Err()
	}
	return s.states(ctx, subject, "state", "name IN (SELECT unnest($names::BIGINT[])) AND day BETWEEN $first::INTEGER AND $last::INTEGER",
		named("names", names), named("first", utcDay(from.UnixMilli())), named("last", lastDay(to)))
}

// states selects those of a subject. Like a query it takes a slot and a reader's connection.
func (s *Store) states(ctx context.Context, subject store.Subject, bytes, where string, args ...sqldriver.NamedValue) (found []store.State, err error) {
	number := s.catalog.number(subject)
	if number == unknownSubject {
		return nil, ctx.Err()
	}
	select {
	case <-s.closing:
		return nil, errClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	case s.slots <- struct{}{}:
	}
	defer func() { <-s.slots }()
	question := "SELECT name, day::BIGINT, version, " + bytes + " FROM partials WHERE subject = $subject::INTEGER AND " + where
	err = s.reading(ctx, func(ctx context.Context, c *conn) error {
		return c.eachIn(ctx, question, append(args, named("subject", number)), func(v []sqldriver.Value) error {
			var name, day, version int64
			if err := scan(v, &name, &day, &version); err != nil {
				return err
			}
			state, ok := v[3].([]byte)
			if !ok {
				return fmt.Errorf("duckdb: a state is %T, not bytes", v[3])
			}
			found = append(found, store.State{Name: name, Day: time.UnixMilli(day * dayMillis).UTC(), Version: uint64(version), Bytes: state}) //nolint:gosec // it was one
			return nil
		})
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("duckdb: states: %w", explain(err))
	}
	return found, nil
}

// SaveStates implements [store.StateKeeper], in one transaction on a connection of its own. It waits for Seal, and
// Erase waits for it.
func (s *Store) SaveStates(ctx context.Context, subject store.Subject, states []store.State) error {
	s.deriving.Lock()
	defer s.deriving.Unlock()
	number := s.catalog.number(subject)
	states = slices.DeleteFunc(slices.Clone(states), func(one store.State) bool {
		day := utcDay(one.Day.UnixMilli())
		return s.catalog.between(subject, day, day) != one.Rows
	})
	if number == unknownSubject || len(states) == 0 {
		return ctx.Err()
	}
	names, days := make([]int64, len(states)), make([]int64, len(states))
	for i, one := range states {
		names[i], days[i] = one.Name, int64(utcDay(one.Day.UnixMilli()))
	}
	err := s.beside(ctx, func(_ context.Context, c *conn) error {
		return transact(c, func() error {
			if err := c.exec("DELETE FROM partials USING (SELECT unnest($names::BIGINT[]) AS name, unnest($days::BIGINT[]) AS day) AS n"+
				" WHERE partials.subject = $subject::INTEGER AND partials.name = n.name AND partials.day = n.day",
				named("names", names), named("days", days), named("subject", number)); err != nil {
				return err
			}
			return c.fill("partials", func(add func(...sqldriver.Value) error) error {
				for i, one := range states {
					if err := add(number, one.Name, int32(days[i]), int64(one.Version), one.Bytes); err != nil { //nolint:gosec // they fit
						return err
					}
				}
				return nil
			})
		})
	})
	if err != nil {
		return fmt.Errorf("duckdb: states: %w", explain(err))
	}
	return nil
}

// DropStates implements [store.StateKeeper].
func (s *Store) DropStates(ctx context.Context, subject store.Subject, but []int64) error {
	s.deriving.Lock()
	defer s.deriving.Unlock()
	statement, args := "DELETE FROM partials WHERE subject = $subject::INTEGER", []sqldriver.NamedValue{named("subject", s.catalog.number(subject))}
	if len(but) > 0 {
		statement, args = statement+" AND name NOT IN (SELECT unnest($but::BIGINT[]))", append(args, named("but", but))
	}
	err := s.beside(ctx, func(_ context.Context, c *conn) error {
		return transact(c, func() error { return c.exec(statement, args...) })
	})
	if err != nil {
		return fmt.Errorf("duckdb: states: %w", explain(err))
	}
	return nil
}

// fewDead is how many rows of the table may be dead in any case.
const fewDead = 2000

// createPartials makes the table as it is after the last migration.
const createPartials = "CREATE TABLE partials(subject INTEGER NOT NULL, name BIGINT NOT NULL, day INTEGER NOT NULL, version BIGINT NOT NULL," +
	" state BLOB USING COMPRESSION uncompressed NOT NULL);"

// packStates writes the table of states anew, in the order of subject, name and day, when half of its rows are dead:
// those that others replaced. The engine frees the place of dead rows only where all of a row group are, and a row
// group has more states than many a file.
func (s *Store) packStates(ctx context.Context) error {
	s.deriving.Lock()
	defer s.deriving.Unlock()
	return s.beside(ctx, func(_ context.Context, c *conn) error {
		var live, all int64
		err := c.each("SELECT count(*), coalesce(max(rowid), -1) + 1 FROM partials", nil, func(v []sqldriver.Value) error { return scan(v, &live, &all) })
		if err != nil || all-live < max(live, fewDead) {
			return err
		}
		return transact(c, func() error {
			return c.exec("ALTER TABLE partials RENAME TO old_partials;" + createPartials +
				"INSERT INTO partials FROM old_partials ORDER BY subject, name, day; DROP TABLE old_partials")
		})
	})
}
