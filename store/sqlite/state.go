package sqlite

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/internal/collect"
	"github.com/sightline-analytics/sightline/store/internal/ledger"
	"github.com/sightline-analytics/sightline/store/schema"
)

// States implements [store.StateKeeper].
func (s *Store) States(ctx context.Context, subject store.Subject) ([]store.State, error) {
	return s.states(ctx, "SELECT kind, number, day, version, empty FROM partials WHERE subject = ?",
		[]any{s.ledger.Number(subject)})
}

// LoadStates implements [store.StateKeeper].
func (s *Store) LoadStates(ctx context.Context, subject store.Subject, names []store.StateName,
	from, to time.Time) ([]store.State, error) {
	if !from.Before(to) {
		return nil, s.usable(ctx)
	}
	number, first, last := s.ledger.Number(subject), schema.DayOf(from.UnixMilli()), schema.LastDay(to)
	each := make([][]any, len(names))
	for i, name := range names {
		each[i] = []any{number, name.Kind, name.Number, first, last}
	}
	return s.states(ctx, "SELECT kind, number, day, version, empty, state FROM partials"+
		" WHERE subject = ? AND kind = ? AND number = ? AND day BETWEEN ? AND ?", each...)
}

// states runs a query once for each list of arguments.
func (s *Store) states(ctx context.Context, text string, each ...[]any) (found []store.State, err error) {
	c, err := s.take(ctx, s.reading)
	if err != nil {
		return nil, err
	}
	defer func() { s.reading <- c }()
	running, cancel := s.until(ctx)
	defer cancel()
	for _, values := range each {
		err = c.each(running, text, arguments(values), func(v []sqldriver.Value) error {
			var n [5]int64
			for i := range n {
				var err error
				if n[i], err = collect.Int(v[i]); err != nil {
					return err
				}
			}
			one := store.State{StateName: store.StateName{Kind: n[0], Number: n[1]},
				Day:     time.UnixMilli(n[2] * schema.DayMillis).UTC(),
				Version: uint64(n[3]), // it was converted from uint64
				Empty:   n[4] != 0}
			if len(v) > len(n) {
				one.Bytes, _ = v[len(n)].([]byte)
			}
			found = append(found, one)
			return nil
		})
		if err != nil {
			return nil, errors.Join(s.usable(ctx), fmt.Errorf("sqlite: states: %w", explain(err)))
		}
	}
	return found, nil
}

// SaveStates implements [store.StateKeeper], in one transaction.
func (s *Store) SaveStates(ctx context.Context, subject store.Subject, states []store.State) error {
	if err := s.space.Check(); err != nil {
		return fmt.Errorf("sqlite: save states: %w", err)
	}
	return s.changeStates(ctx, func(c *conn) error {
		number := s.ledger.Number(subject)
		for _, one := range states {
			day := schema.DayOf(one.Day.UnixMilli())
			known := s.ledger.Day(ledger.SubjectDay{Subject: number, Day: day})
			if number == ledger.Unknown || known.Version != one.Rows {
				continue
			}
			bytes := one.Bytes
			if bytes == nil {
				bytes = []byte{}
			}
			if _, err := c.change(ctx, "INSERT OR REPLACE INTO partials VALUES (?, ?, ?, ?, ?, ?, ?)",
				// versions are below 1<<63
				arguments([]any{number, one.Kind, one.Number, day, int64(one.Version), one.Empty, bytes})); err != nil {
				return err
			}
		}
		return nil
	})
}

// DropStates implements [store.StateKeeper].
func (s *Store) DropStates(ctx context.Context, subject store.Subject, kinds []int64, keep []int64) error {
	return s.changeStates(ctx, func(c *conn) error {
		_, err := c.change(ctx, "DELETE FROM partials WHERE subject = ? AND kind IN (SELECT value FROM json_each(?))"+
			" AND number NOT IN (SELECT value FROM json_each(?))",
			arguments([]any{s.ledger.Number(subject), numberList(kinds), numberList(keep)}))
		return err
	})
}

func (s *Store) changeStates(ctx context.Context, do func(*conn) error) error {
	c, err := s.take(ctx, s.sealing)
	if err != nil {
		return err
	}
	defer func() { s.sealing <- c }()
	if err := s.change(ctx, c, func() error { return do(c) }, func() {}); err != nil {
		return errors.Join(s.usable(ctx), fmt.Errorf("sqlite: states: %w", explain(err)))
	}
	return nil
}
