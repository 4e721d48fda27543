package clickhouse

import (
	"context"
	"fmt"
	"maps"
	"slices"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/internal/erasing"
)

// ErasePerson implements [store.PersonEraser]. When it returns, no running server has a row of p in a table. Servers
// delete the files with the removed rows eight minutes later by default (see [Store.Purge]).
//
// Rows that are written during ErasePerson may stay, so call it again when the senders have stopped. If other processes
// seal days or save states meanwhile, their results may stay until the days are sealed again, but no query reads them.
//
// ErasePerson rewrites every file that has a row of p, or a seal or state of a day around one, which may take minutes.
// If ctx ends first, the servers continue. The error wraps ErrRights if the user lacks ALTER DELETE.
func (s *Store) ErasePerson(ctx context.Context, p store.Person) (map[string]int64, error) {
	if err := erasing.Check(p); err != nil {
		return nil, fmt.Errorf("clickhouse: erase: %w", err)
	}
	if s.closing.Err() != nil {
		return nil, errClosed
	}
	r := s.removal(store.Subject{Kind: store.KindWebsite, ID: p.Website}, erasing.Tables())
	err := r.ofPerson(ctx, p)
	if err == nil {
		err = r.run(ctx)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("clickhouse: erase: %w", explain(err))
	}
	return r.removed, nil
}

// HashVisitors implements [store.VisitorHasher].
func (s *Store) HashVisitors(ctx context.Context, ids []string) (hashes []int64, err error) {
	if s.closing.Err() != nil {
		return nil, errClosed
	}
	err = s.conn.QueryRow(s.erasing(ctx, "hashes"), "SELECT arrayMap(id -> "+hashOf("id")+", {ids:Array(String)})",
		driver.Named("ids", list(ids))).Scan(&hashes)
	if err != nil {
		return nil, fmt.Errorf("clickhouse: hashes: %w", explain(err))
	}
	return hashes, nil
}

// hasID is the condition for a row with an id of a person.
const hasID = "(anonymous_id IN {anonymous:Array(String)} OR profile_id IN {profiles:Array(String)})"

// ofPerson makes r remove the rows of a person. It reads the sessions of the person.
func (r *removal) ofPerson(ctx context.Context, p store.Person) error {
	r.args = append(r.args, driver.Named("anonymous", list(p.AnonymousIDs)),
		driver.Named("profiles", list(p.ProfileIDs)))
	sessions := map[string]bool{}
	for _, t := range r.tables {
		err := r.each(ctx, "sessions", "SELECT DISTINCT session_id FROM "+t.ID.String()+
			" WHERE subject = {subject:String} AND session_id <> '' AND "+hasID,
			func(scan func(...any) error) error {
				var session string
				err := scan(&session)
				sessions[session] = true
				return err
			})
		if err != nil {
			return err
		}
	}
	r.args = append(r.args, driver.Named("sessions", list(slices.Sorted(maps.Keys(sessions)))))
	r.where = "(" + hasID + " OR anonymous_id = '' AND profile_id = '' AND session_id IN {sessions:Array(String)})"
	return nil
}

// list returns a list that is not nil, because the driver has no text for nil.
func list(texts []string) []string {
	if texts == nil {
		return []string{}
	}
	return texts
}

// Purge implements [store.Purger]. It applies pending deletions on all servers. Each server then removes the files with
// deleted rows by itself, by default within some ten minutes: see its setting old_parts_lifetime. The user needs the
// right ALTER DELETE. The servers' logs, such as system.query_log, are not changed: they have the arguments of past
// queries until they expire.
func (s *Store) Purge(ctx context.Context) error {
	if s.closing.Err() != nil {
		return errClosed
	}
	err := s.purge(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("clickhouse: purge: %w", explain(err))
	}
	return nil
}

func (s *Store) purge(ctx context.Context) error {
	for _, l := range s.cfg.layouts() {
		table := s.cfg.local(l.name)
		if err := s.conn.Exec(s.erasing(ctx, "purge"), "ALTER TABLE "+table+s.cfg.on()+
			" APPLY DELETED MASK"); err != nil {
			return fmt.Errorf("%s: %w", table, err)
		}
	}
	return nil
}
