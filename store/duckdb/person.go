//go:build cgo

package duckdb

import (
	"context"
	sqldriver "database/sql/driver"
	"fmt"
	"maps"
	"slices"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/internal/erasing"
	"github.com/sightline-analytics/sightline/store/internal/ledger"
	"github.com/sightline-analytics/sightline/store/schema"
)

// ErasePerson implements [store.PersonEraser], in one transaction of the writer, so writes wait. Once it has begun, it
// does not stop when ctx ends.
func (s *Store) ErasePerson(ctx context.Context, p store.Person) (removed map[string]int64, err error) {
	if err := erasing.Check(p); err != nil {
		return nil, fmt.Errorf("duckdb: erase: %w", err)
	}
	s.deriving.Lock() // no seal and no state of earlier rows is stored later
	defer s.deriving.Unlock()
	taskErr := s.task(ctx, func(w *writer) { removed, err = w.erasePerson(p) })
	if taskErr != nil {
		return nil, taskErr
	}
	return removed, err
}

// task has the writer run do, and waits for its end. If ctx ends before the writer begins, do is not run.
func (s *Store) task(ctx context.Context, do func(*writer)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	done := make(chan struct{})
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.closing:
		return errClosed
	case s.tasks <- func(w *writer) {
		defer close(done)
		do(w)
	}:
		<-done
		return nil
	}
}

func (w *writer) erasePerson(p store.Person) (map[string]int64, error) {
	if err := w.ready(); err != nil {
		return nil, err
	}
	known := w.store.ledger
	e := personEraser{engine: w.engine, of: p,
		subject: known.Number(store.Subject{Kind: store.KindWebsite, ID: p.Website}),
		days:    erasing.Days{}, removed: map[string]int64{}}
	version := known.Latest() + 1
	var touched []ledger.SubjectDay
	err := transact(w.engine, func() error {
		if err := e.erase(); err != nil {
			return err
		}
		if touched = e.touched(known); len(touched) == 0 {
			return nil
		}
		if err := e.unseal(); err != nil {
			return err
		}
		return w.addVersions(version, touched)
	})
	if err != nil {
		if err = w.outcome(err, version); err != nil {
			return nil, err
		}
		return e.removed, nil
	}
	if len(touched) == 0 {
		return e.removed, nil
	}
	w.versionRows += int64(len(touched))
	known.Publish(version, nil, touched)
	for _, of := range e.days.Stretches() {
		known.Unseal(e.subject, of.First, of.Last)
	}
	return e.removed, nil
}

// HashVisitors implements [store.VisitorHasher].
func (s *Store) HashVisitors(ctx context.Context, ids []string) ([]int64, error) {
	hashes := make([]int64, len(ids))
	err := s.inWriter(ctx, func(w *writer) error {
		for i, id := range ids {
			hashes[i] = schema.HashText(w.hashKey, id)
		}
		return nil
	})
	return hashes, err
}

// A personEraser removes the rows of a person in a transaction of the writer.
type personEraser struct {
	engine  engine
	of      store.Person
	subject int64

	days    erasing.Days
	removed map[string]int64
}

// hasID is the condition for a row with an id of the person.
const hasID = "(anonymous_id IN (SELECT unnest($anonymous::VARCHAR[])) OR profile_id IN (SELECT unnest($profiles::VARCHAR[])))"

// erase removes the rows and their receipts.
func (e *personEraser) erase() error {
	args := []sqldriver.NamedValue{named("subject", e.subject), named("anonymous", texts(e.of.AnonymousIDs)),
		named("profiles", texts(e.of.ProfileIDs))}
	sessions := map[string]bool{}
	for _, t := range erasing.Tables() {
		err := e.engine.each("SELECT DISTINCT session_id FROM "+t.ID.String()+
			" WHERE subject = $subject::INTEGER AND session_id <> '' AND "+hasID, args,
			func(v []sqldriver.Value) error {
				var session string
				err := scan(v, &session)
				sessions[session] = true
				return err
			})
		if err != nil {
			return err
		}
	}
	args = append(args, named("sessions", texts(slices.Sorted(maps.Keys(sessions)))))
	for _, t := range erasing.Tables() {
		keys, err := e.eraseFrom(&t, args)
		if err != nil {
			return err
		}
		if err := e.forget(keys); err != nil {
			return err
		}
	}
	return nil
}

// eraseFrom removes the rows of a table, and returns the keys of their receipts.
func (e *personEraser) eraseFrom(t *schema.Table, args []sqldriver.NamedValue) (keys []key, err error) {
	kind := "0"
	if t.ID == schema.Events {
		kind = "kind"
	}
	where := " WHERE subject = $subject::INTEGER AND (" + hasID +
		" OR anonymous_id = '' AND profile_id = '' AND session_id IN (SELECT unnest($sessions::VARCHAR[])))"
	err = e.engine.each("SELECT event_id, time, keyed::BIGINT, "+kind+"::BIGINT FROM "+t.ID.String()+where, args,
		func(v []sqldriver.Value) error {
			var id string
			var at, keyed, kind int64
			if err := scan(v, &id, &at, &keyed, &kind); err != nil {
				return err
			}
			e.days.Add(schema.DayOf(at))
			keys = append(keys, keyOf(erasing.Identity(t, e.of.Website, id, kind, keyed != 0)))
			return nil
		})
	if err != nil {
		return nil, err
	}
	e.removed[t.ID.String()] = int64(len(keys))
	if len(keys) == 0 {
		return nil, nil
	}
	n, err := e.engine.change("DELETE FROM "+t.ID.String()+where, args...)
	if err == nil && n != int64(len(keys)) {
		err = fmt.Errorf("the engine removed %d rows of %s, want %d", n, t.ID, len(keys))
	}
	return keys, err
}

// forgetAtOnce is the number of receipts that one statement deletes.
const forgetAtOnce = 50_000

// forget deletes receipts.
func (e *personEraser) forget(keys []key) error {
	for some := range slices.Chunk(keys, forgetAtOnce) {
		hi, lo := make([]int64, len(some)), make([]int64, len(some))
		for i, k := range some {
			hi[i], lo[i] = k.hi, int64(k.lo)
		}
		err := e.engine.exec("DELETE FROM receipts USING (SELECT DISTINCT unnest($hi::BIGINT[]) AS hi, unnest($lo::BIGINT[]) AS lo) AS k"+
			" WHERE receipts.subject = $subject::INTEGER AND receipts.hi = k.hi AND receipts.lo = k.lo",
			named("hi", hi), named("lo", lo), named("subject", e.subject))
		if err != nil {
			return err
		}
	}
	return nil
}

// touched returns the days around removed rows that have a version.
func (e *personEraser) touched(known *ledger.Ledger) (found []ledger.SubjectDay) {
	for _, of := range e.days.Stretches() {
		found = append(found, known.WithVersion(e.subject, of.First, of.Last)...)
	}
	return found
}

// unseal deletes the results computed for the days around removed rows.
func (e *personEraser) unseal() error {
	for _, of := range e.days.Stretches() {
		for _, t := range schema.ComputedTables() {
			if err := forgetDays(e.engine, &t, e.subject, of.First, of.Last, ""); err != nil {
				return err
			}
		}
	}
	return nil
}

// texts returns a list that is not nil, because the driver binds nil as null.
func texts(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
