package sqlite

import (
	"context"
	sqldriver "database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/internal/collect"
	"github.com/sightline-analytics/sightline/store/internal/erasing"
	"github.com/sightline-analytics/sightline/store/internal/ledger"
	"github.com/sightline-analytics/sightline/store/schema"
)

// ErasePerson implements [store.PersonEraser], in one transaction. It reads all rows of the website, and writes wait
// meanwhile.
func (s *Store) ErasePerson(ctx context.Context, p store.Person) (map[string]int64, error) {
	if err := erasing.Check(p); err != nil {
		return nil, fmt.Errorf("sqlite: erase: %w", err)
	}
	c, err := s.take(ctx, s.sealing)
	if err != nil {
		return nil, err
	}
	defer func() { s.sealing <- c }()
	e := personEraser{store: s, conn: c, of: p,
		subject: s.ledger.Number(store.Subject{Kind: store.KindWebsite, ID: p.Website}),
		days:    erasing.Days{}, removed: map[string]int64{}}
	var version uint64
	var touched []ledger.SubjectDay
	err = s.change(ctx, c, func() error {
		version = s.ledger.Latest() + 1
		err := e.erase(ctx)
		if err == nil {
			touched, err = e.settle(ctx, version)
		}
		return err
	}, func() {
		if len(touched) == 0 {
			return
		}
		s.ledger.Publish(version, nil, touched)
		for _, one := range e.days.Stretches() {
			s.ledger.Unseal(e.subject, one.First, one.Last)
		}
	})
	if err != nil {
		return nil, errors.Join(s.usable(ctx), fmt.Errorf("sqlite: erase: %w", explain(err)))
	}
	return e.removed, nil
}

// HashVisitors implements [store.VisitorHasher].
func (s *Store) HashVisitors(_ context.Context, ids []string) ([]int64, error) {
	hashes := make([]int64, len(ids))
	for i, id := range ids {
		hashes[i] = schema.HashText(s.hashKey, id)
	}
	return hashes, nil
}

// A personEraser removes the rows of a person in a transaction.
type personEraser struct {
	store   *Store
	conn    *conn
	of      store.Person
	subject int64

	days    erasing.Days
	removed map[string]int64
}

// hasID is the condition for a row with an id of the person. Its arguments are lists of ids.
const hasID = "(anonymous_id IN (SELECT value FROM json_each(?2)) OR profile_id IN (SELECT value FROM json_each(?3)))"

// erase removes the rows and their receipts.
func (e *personEraser) erase(ctx context.Context) error {
	anonymous, profiles := textList(e.of.AnonymousIDs), textList(e.of.ProfileIDs)
	sessions := map[string]bool{}
	for _, t := range erasing.Tables() {
		err := e.conn.each(ctx, "SELECT DISTINCT session_id FROM "+t.ID.String()+
			" WHERE subject = ?1 AND session_id <> '' AND "+hasID,
			arguments([]any{e.subject, anonymous, profiles}), func(v []sqldriver.Value) error {
				session, _ := v[0].(string)
				sessions[session] = true
				return nil
			})
		if err != nil {
			return err
		}
	}
	inSessions := textList(slices.Sorted(maps.Keys(sessions)))
	for _, t := range erasing.Tables() {
		kind := "0"
		if t.ID == schema.Events {
			kind = "kind"
		}
		var removed []schema.Identity
		n := int64(0)
		err := e.conn.each(ctx, "DELETE FROM "+t.ID.String()+" WHERE subject = ?1 AND ("+hasID+
			" OR anonymous_id = '' AND profile_id = '' AND session_id IN (SELECT value FROM json_each(?4))) RETURNING event_id, time, keyed, "+kind,
			arguments([]any{e.subject, anonymous, profiles, inSessions}), func(v []sqldriver.Value) error {
				var numbers [3]int64
				for i := range numbers {
					var err error
					if numbers[i], err = collect.Int(v[i+1]); err != nil {
						return err
					}
				}
				id, _ := v[0].(string)
				n++
				e.days.Add(schema.DayOf(numbers[0]))
				removed = append(removed, erasing.Identity(&t, e.of.Website, id, numbers[2], numbers[1] != 0))
				return nil
			})
		if err != nil {
			return err
		}
		e.removed[t.ID.String()] = n
		for _, of := range removed {
			r := receiptOf(of)
			if _, err := e.conn.change(ctx, "DELETE FROM receipts WHERE hi = ? AND lo = ?",
				arguments([]any{r.hi, r.lo})); err != nil {
				return err
			}
		}
	}
	return nil
}

// settle deletes the results computed for the days around removed rows, and gives these days a new version. It returns
// these days.
func (e *personEraser) settle(ctx context.Context, version uint64) (touched []ledger.SubjectDay, err error) {
	for _, of := range e.days.Stretches() {
		touched = append(touched, e.store.ledger.WithVersion(e.subject, of.First, of.Last)...)
		for _, t := range schema.ComputedTables() {
			if err := forgetDays(ctx, e.conn, &t, e.subject, of.First, of.Last, ""); err != nil {
				return nil, err
			}
		}
		// it fits: commits are numbered from 1
		if err := e.conn.exec("UPDATE versions SET version = ? WHERE subject = ? AND day BETWEEN ? AND ?",
			int64(version), e.subject, of.First, of.Last); err != nil {
			return nil, err
		}
	}
	return touched, nil
}

// textList returns texts as a JSON list.
func textList(texts []string) string {
	if texts == nil {
		texts = []string{}
	}
	list, err := json.Marshal(texts) // stored texts are valid UTF-8
	if err != nil {
		return "[]"
	}
	return string(list)
}

// Purge implements [store.Purger]. It rewrites the file in place (VACUUM) while writes and seals wait, and empties the
// log. Queries wait for the last part. The temporary copy is a file that SQLite removes; a host can choose its folder
// with SQLITE_TMPDIR. Purge does nothing for a store in memory.
func (s *Store) Purge(ctx context.Context) error {
	if s.cfg.memory() {
		return s.usable(ctx)
	}
	c, err := s.take(ctx, s.sealing)
	if err != nil {
		return err
	}
	defer func() { s.sealing <- c }()
	w, err := s.take(ctx, s.writing)
	if err != nil {
		return err
	}
	defer func() { s.writing <- w }()
	if err := s.purge(ctx, w); err != nil {
		return errors.Join(s.usable(ctx), fmt.Errorf("sqlite: purge: %w", explain(err)))
	}
	return nil
}

func (s *Store) purge(ctx context.Context, w *conn) (err error) {
	w.prepared.Purge() // VACUUM fails beside a statement that is not reset
	if err := w.exec("PRAGMA temp_store = FILE"); err != nil {
		return err
	}
	_, err = w.raw.ExecContext(ctx, "VACUUM", nil)
	if err = errors.Join(err, w.exec("PRAGMA temp_store = MEMORY")); err != nil {
		return err
	}
	for range cap(s.reading) { // no reader needs the old log
		r, err := s.take(ctx, s.reading)
		if err != nil {
			return err
		}
		defer func() { s.reading <- r }()
	}
	busy, err := w.number("PRAGMA wal_checkpoint(TRUNCATE)")
	if err == nil && busy != 0 {
		err = fmt.Errorf("%w: the log is in use", store.ErrUnavailable)
	}
	return err
}
