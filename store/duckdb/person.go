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
	r := w.removal(store.Subject{Kind: store.KindWebsite, ID: p.Website})
	if err := r.commit(func() error { return r.person(p) }); err != nil {
		return nil, err
	}
	return r.removed, nil
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

// hasID is the condition for a row with an id of the person.
const hasID = "(anonymous_id IN (SELECT unnest($anonymous::VARCHAR[])) OR profile_id IN (SELECT unnest($profiles::VARCHAR[])))"

// person removes the rows of a person, and their receipts.
func (r *removal) person(p store.Person) error {
	args := []sqldriver.NamedValue{named("anonymous", texts(p.AnonymousIDs)), named("profiles", texts(p.ProfileIDs))}
	sessions := map[string]bool{}
	for _, t := range erasing.Tables() {
		err := r.engine.each("SELECT DISTINCT session_id FROM "+t.ID.String()+
			" WHERE subject = $subject::INTEGER AND session_id <> '' AND "+hasID,
			append(slices.Clip(args), named("subject", r.subject)), func(v []sqldriver.Value) error {
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
		if err := r.rows(&t, " AND ("+hasID+
			" OR anonymous_id = '' AND profile_id = '' AND session_id IN (SELECT unnest($sessions::VARCHAR[])))",
			args...); err != nil {
			return err
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
