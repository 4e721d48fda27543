//go:build cgo

package duckdb

import (
	"context"
	sqldriver "database/sql/driver"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/internal/ledger"
	"github.com/sightline-analytics/sightline/store/schema"
)

// This file stores states: package query computes them and merges them into answers.
//
// To read a row, the engine reads its whole vector: 2048 rows in the order in which they were stored. Therefore
// a state is split into pieces, each in a row of few bytes. The pieces of all days of a name are next to each
// other. So a query reads its own pieces and few others. States are saved day by day; Maintain sorts them.

// pieceBytes is the maximum number of bytes in a piece. The engine would store larger values separately.
const pieceBytes = 2000

// States implements [store.StateKeeper].
func (s *Store) States(ctx context.Context, subject store.Subject) ([]store.State, error) {
	return s.states(ctx, subject, selectStates("''::BLOB")+" AND piece = 0")
}

// LoadStates implements [store.StateKeeper].
func (s *Store) LoadStates(ctx context.Context, subject store.Subject, names []store.StateName,
	from, to time.Time) ([]store.State, error) {
	if len(names) == 0 || !from.Before(to) {
		return nil, ctx.Err()
	}
	args := []sqldriver.NamedValue{named("first", schema.DayOf(from.UnixMilli())), named("last", schema.LastDay(to))}
	each := make([]string, len(names))
	for i, name := range names {
		each[i] = selectStates("state") + " AND day BETWEEN $first::INTEGER AND $last::INTEGER AND" +
			fmt.Sprintf(" kind = %d AND number = %d", name.Kind, name.Number)
	}
	// One SELECT per name: the engine would apply any other condition on names only after it has read the
	// bytes.
	return s.states(ctx, subject, strings.Join(each, " UNION ALL "), args...)
}

// selectStates returns SQL for the pieces of a subject's states. bytes is the expression for their content.
func selectStates(bytes string) string {
	return "SELECT kind, number, day::BIGINT, version, piece::BIGINT, empty, " + bytes +
		" FROM partials WHERE subject = $subject::INTEGER"
}

// states runs question and returns the states of subject. Like a query it uses a slot and a connection for
// queries.
func (s *Store) states(ctx context.Context, subject store.Subject, question string,
	args ...sqldriver.NamedValue) (found []store.State, err error) {
	number := s.ledger.Number(subject)
	if number == ledger.Unknown {
		return nil, ctx.Err()
	}
	if err := s.takeSlot(ctx); err != nil {
		return nil, err
	}
	defer func() { <-s.slots }()
	type stateDay struct {
		name store.StateName
		day  int64
	}
	all := map[stateDay]*pieces{}
	err = s.withReader(ctx, func(ctx context.Context, c *conn) error {
		return c.eachIn(ctx, question, append(args, named("subject", number)), func(v []sqldriver.Value) error {
			var at stateDay
			var version, piece int64
			if err := scan(v, &at.name.Kind, &at.name.Number, &at.day, &version, &piece); err != nil {
				return err
			}
			empty, isCondition := v[5].(bool)
			state, isBytes := v[6].([]byte)
			if !isCondition || !isBytes {
				return fmt.Errorf("duckdb: a state has types %T and %T, want a condition and bytes", v[5], v[6])
			}
			of := all[at]
			if of == nil {
				of = &pieces{version: version, empty: empty}
				all[at] = of
			}
			of.add(piece, state)
			return nil
		})
	})
	for at, of := range all {
		// Version was converted from uint64
		found = append(found, store.State{StateName: at.name, Day: time.UnixMilli(at.day * schema.DayMillis).UTC(),
			Version: uint64(of.version), Empty: of.empty, Bytes: slices.Concat(of.all...)})
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("duckdb: states: %w", explain(err))
	}
	return found, nil
}

// A pieces value has the pieces of one state.
type pieces struct {
	version int64
	empty   bool
	all     [][]byte
}

func (p *pieces) add(number int64, bytes []byte) {
	for int64(len(p.all)) <= number {
		p.all = append(p.all, nil)
	}
	p.all[number] = bytes
}

// SaveStates implements [store.StateKeeper], in one transaction on a separate connection. It waits for Seal and
// Erase, and they wait for it.
func (s *Store) SaveStates(ctx context.Context, subject store.Subject, states []store.State) error {
	if err := s.shrinkLog(ctx); err != nil {
		return err
	}
	s.deriving.Lock()
	defer s.deriving.Unlock()
	number := s.ledger.Number(subject)
	states = slices.DeleteFunc(slices.Clone(states), func(one store.State) bool {
		day := schema.DayOf(one.Day.UnixMilli())
		return s.ledger.Day(ledger.SubjectDay{Subject: number, Day: day}).Version != one.Rows
	})
	if number == ledger.Unknown || len(states) == 0 {
		return ctx.Err()
	}
	kinds, numbers, days := make([]int64, len(states)), make([]int64, len(states)), make([]int64, len(states))
	for i, one := range states {
		kinds[i], numbers[i], days[i] = one.Kind, one.Number, schema.DayOf(one.Day.UnixMilli())
	}
	err := s.withConnection(ctx, func(_ context.Context, c *conn) error {
		return transact(c, func() error {
			if err := c.exec("DELETE FROM partials USING (SELECT unnest($kinds::BIGINT[]) AS kind,"+
				" unnest($numbers::BIGINT[]) AS number, unnest($days::BIGINT[]) AS day) AS n"+
				" WHERE partials.subject = $subject::INTEGER AND partials.kind = n.kind AND partials.number = n.number"+
				" AND partials.day = n.day",
				named("kinds", kinds), named("numbers", numbers), named("days", days),
				named("subject", number)); err != nil {
				return err
			}
			return c.fill("partials", func(add func(...sqldriver.Value) error) error {
				for i, one := range states {
					for piece, bytes := int32(0), one.Bytes; piece == 0 || len(bytes) > 0; piece++ {
						n := min(len(bytes), pieceBytes)
						// versions are below 1<<63
						if err := add(int32(number), one.Kind, one.Number, int32(days[i]), int64(one.Version),
							one.Empty, piece, bytes[:n:n]); err != nil {
							return err
						}
						bytes = bytes[n:]
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
func (s *Store) DropStates(ctx context.Context, subject store.Subject, kinds []int64, but []int64) error {
	s.deriving.Lock()
	defer s.deriving.Unlock()
	if len(kinds) == 0 {
		return ctx.Err()
	}
	statement, args := "DELETE FROM partials WHERE subject = $subject::INTEGER"+
		" AND kind IN (SELECT unnest($kinds::BIGINT[]))",
		[]sqldriver.NamedValue{named("subject", s.ledger.Number(subject)), named("kinds", kinds)}
	if len(but) > 0 {
		statement, args = statement+" AND number NOT IN (SELECT unnest($but::BIGINT[]))", append(args, named("but", but))
	}
	err := s.withConnection(ctx, func(_ context.Context, c *conn) error {
		return transact(c, func() error { return c.exec(statement, args...) })
	})
	if err != nil {
		return fmt.Errorf("duckdb: states: %w", explain(err))
	}
	return nil
}

// fewRuns is the number of runs, or of dead rows, below which packStates does nothing.
const fewRuns = 1000

// packStates rewrites the table of states, ordered by subject, name and day, if that is worthwhile: half of its
// rows are dead because they were replaced, or it has many runs. A run is a sequence of rows with one name.
// States that were stored on different days are in different runs. The engine frees the space of dead rows only
// if all rows of a row group are dead.
func (s *Store) packStates(ctx context.Context) error {
	s.deriving.Lock()
	defer s.deriving.Unlock()
	return s.withConnection(ctx, func(ctx context.Context, c *conn) error {
		var live, all, names, runs int64
		err := c.eachIn(ctx, "SELECT count(*), coalesce(max(place), -1) + 1, count(DISTINCT (subject, kind, number)), coalesce(sum((new)::INTEGER), 0)::BIGINT FROM"+
			" (SELECT rowid AS place, subject, kind, number, coalesce(number <> lag(number) OVER (ORDER BY rowid), true) AS new FROM partials)", nil,
			func(v []sqldriver.Value) error { return scan(v, &live, &all, &names, &runs) })
		if err != nil || all-live < max(live, fewRuns) && runs < 8*names+live/1024+fewRuns {
			return err
		}
		return transact(c, func() error { return s.rewriteStates(ctx, c) })
	})
}

// rewriteStates sorts the states of one subject after the other, because sorting all at once takes more memory.
func (s *Store) rewriteStates(ctx context.Context, c *conn) error {
	schema, err := schemaFiles.ReadFile("schema/0001_tables.sql")
	if err != nil {
		return err
	}
	const create = "CREATE TABLE partials("
	_, columns, _ := strings.Cut(string(schema), create)
	columns, _, _ = strings.Cut(columns, ";")
	if err := c.exec("ALTER TABLE partials RENAME TO old_partials; " + create + columns); err != nil {
		return err
	}
	var subjects []int64
	err = c.eachIn(ctx, "SELECT DISTINCT subject::BIGINT FROM old_partials ORDER BY 1", nil,
		func(v []sqldriver.Value) error {
			subjects = append(subjects, 0)
			return scan(v, &subjects[len(subjects)-1])
		})
	for _, subject := range subjects {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = c.exec("INSERT INTO partials FROM old_partials WHERE subject = $subject::INTEGER ORDER BY kind, number, day, piece", named("subject", subject))
		}
	}
	if err != nil {
		return err
	}
	return c.exec("DROP TABLE old_partials")
}
