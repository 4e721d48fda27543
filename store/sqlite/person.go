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
	"github.com/sightline-analytics/sightline/store/internal/erasing"
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
	r := s.removal(c, store.Subject{Kind: store.KindWebsite, ID: p.Website})
	if err := r.commit(ctx, func() error { return r.person(ctx, p) }); err != nil {
		return nil, errors.Join(s.usable(ctx), fmt.Errorf("sqlite: erase: %w", explain(err)))
	}
	return r.removed, nil
}

// HashVisitors implements [store.VisitorHasher].
func (s *Store) HashVisitors(_ context.Context, ids []string) ([]int64, error) {
	hashes := make([]int64, len(ids))
	for i, id := range ids {
		hashes[i] = schema.HashText(s.hashKey, id)
	}
	return hashes, nil
}

// hasID is the condition for a row with an id of the person. Its arguments are lists of ids.
const hasID = "(anonymous_id IN (SELECT value FROM json_each(?2)) OR profile_id IN (SELECT value FROM json_each(?3)))"

// person removes the rows of a person, and their receipts.
func (r *removal) person(ctx context.Context, p store.Person) error {
	anonymous, profiles := textList(p.AnonymousIDs), textList(p.ProfileIDs)
	sessions := map[string]bool{}
	for _, t := range erasing.Tables() {
		err := r.conn.each(ctx, "SELECT DISTINCT session_id FROM "+t.ID.String()+
			" WHERE subject = ?1 AND session_id <> '' AND "+hasID,
			arguments([]any{r.subject, anonymous, profiles}), func(v []sqldriver.Value) error {
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
		if err := r.rows(ctx, &t, " AND ("+hasID+
			" OR anonymous_id = '' AND profile_id = '' AND session_id IN (SELECT value FROM json_each(?4)))",
			anonymous, profiles, inSessions); err != nil {
			return err
		}
	}
	return nil
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
