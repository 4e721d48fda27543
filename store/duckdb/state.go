//go:build cgo

package duckdb

import (
	"context"
	sqldriver "database/sql/driver"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// How states lie in the file. Where a row is read the engine reads all of its vector, 2048 rows in the order in which
// they were stored. So a state is in rows of few bytes, its pieces, and the pieces of all days of a name lie
// together: a question reads its own, and hardly others. What is stored day by day is brought into that order by
// Maintain.

// pieceBytes are those of a piece. The engine puts larger ones elsewhere, one by one.
const pieceBytes = 2000

// States implements [store.StateKeeper].
func (s *Store) States(ctx context.Context, subject store.Subject) ([]store.State, error) {
	return s.states(ctx, subject, selectStates("''::BLOB")+" AND piece = 0")
}

// LoadStates implements [store.StateKeeper].
func (s *Store) LoadStates(ctx context.Context, subject store.Subject, names []int64, from, to time.Time) ([]store.State, error) {
	if len(names) == 0 || !from.Before(to) {
		return nil, ctx.Err()
	}
	args := []sqldriver.NamedValue{named("first", utcDay(from.UnixMilli())), named("last", lastDay(to))}
	each := make([]string, len(names))
	for i, name := range names {
		each[i] = selectStates("state") + " AND day BETWEEN $first::INTEGER AND $last::INTEGER AND name = " + strconv.FormatInt(name, 10)
	}
	// Of one name at a time: the engine looks at no other condition on names before it reads the bytes.
	return s.states(ctx, subject, strings.Join(each, " UNION ALL "), args...)
}

func selectStates(bytes string) string {
	return "SELECT name, day::BIGINT, version, piece::BIGINT, " + bytes + " FROM partials WHERE subject = $subject::INTEGER"
}

// states selects those of a subject. Like a query it takes a slot and a reader's connection.
func (s *Store) states(ctx context.Context, subject store.Subject, question string, args ...sqldriver.NamedValue) (found []store.State, err error) {
	number := s.catalog.number(subject)
	if number == unknownSubject {
		return nil, ctx.Err()
	}
	if err := s.takeSlot(ctx); err != nil {
		return nil, err
	}
	defer func() { <-s.slots }()
	all := map[[2]int64]*pieces{}
	err = s.reading(ctx, func(ctx context.Context, c *conn) error {
		return c.eachIn(ctx, question, append(args, named("subject", number)), func(v []sqldriver.Value) error {
			var name, day, version, piece int64
			if err := scan(v, &name, &day, &version, &piece); err != nil {
				return err
			}
			state, ok := v[4].([]byte)
			if !ok {
				return fmt.Errorf("duckdb: a state is %T, not bytes", v[4])
			}
			of := all[[2]int64{name, day}]
			if of == nil {
				of = &pieces{version: version}
				all[[2]int64{name, day}] = of
			}
			of.add(piece, state)
			return nil
		})
	})
	for at, of := range all {
		found = append(found, store.State{Name: at[0], Day: time.UnixMilli(at[1] * dayMillis).UTC(), Version: uint64(of.version), Bytes: slices.Concat(of.all...)}) // it was one
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("duckdb: states: %w", explain(err))
	}
	return found, nil
}

// pieces are those of a state.
type pieces struct {
	version int64
	all     [][]byte
}

func (p *pieces) add(number int64, bytes []byte) {
	for int64(len(p.all)) <= number {
		p.all = append(p.all, nil)
	}
	p.all[number] = bytes
}

// SaveStates implements [store.StateKeeper], in one transaction on a connection of its own. It waits for Seal, and
// Erase waits for it.
func (s *Store) SaveStates(ctx context.Context, subject store.Subject, states []store.State) error {
	if err := s.shrinkLog(ctx); err != nil {
		return err
	}
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
					for piece, bytes := int32(0), one.Bytes; piece == 0 || len(bytes) > 0; piece++ {
						n := min(len(bytes), pieceBytes)
						if err := add(number, one.Name, int32(days[i]), int64(one.Version), piece, bytes[:n:n]); err != nil { // they fit
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

// fewRuns is how many runs there may be in any case; see packStates.
const fewRuns = 1000

// packStates writes the table of states anew, in the order of subject, name and day, when half of its rows are dead,
// those that others replaced, or when the rows of a name lie in many places, as they do that were stored on different
// days. The engine frees the place of dead rows only where all of a row group are.
func (s *Store) packStates(ctx context.Context) error {
	s.deriving.Lock()
	defer s.deriving.Unlock()
	return s.beside(ctx, func(ctx context.Context, c *conn) error {
		var live, all, names, runs int64
		err := c.eachIn(ctx, "SELECT count(*), coalesce(max(place), -1) + 1, count(DISTINCT (subject, name)), coalesce(sum((new)::INTEGER), 0)::BIGINT FROM"+
			" (SELECT rowid AS place, subject, name, coalesce(name <> lag(name) OVER (ORDER BY rowid), true) AS new FROM partials)", nil,
			func(v []sqldriver.Value) error { return scan(v, &live, &all, &names, &runs) })
		if err != nil || all-live < max(live, fewRuns) && runs < 8*names+live/1024+fewRuns {
			return err
		}
		return transact(c, func() error { return s.rewriteStates(ctx, c) })
	})
}

// rewriteStates puts those of one subject after those of another, since to order all at once takes more memory.
func (s *Store) rewriteStates(ctx context.Context, c *conn) error {
	create, err := schemaFiles.ReadFile("schema/0010_partials.sql")
	if err != nil {
		return err
	}
	if err := c.exec("ALTER TABLE partials RENAME TO old_partials;" + string(create)); err != nil {
		return err
	}
	var subjects []int64
	err = c.eachIn(ctx, "SELECT DISTINCT subject::BIGINT FROM old_partials ORDER BY 1", nil, func(v []sqldriver.Value) error {
		subjects = append(subjects, 0)
		return scan(v, &subjects[len(subjects)-1])
	})
	for _, subject := range subjects {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = c.exec("INSERT INTO partials FROM old_partials WHERE subject = $subject::INTEGER ORDER BY name, day, piece", named("subject", subject))
		}
	}
	if err != nil {
		return err
	}
	return c.exec("DROP TABLE old_partials")
}
