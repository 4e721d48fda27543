package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/internal/erasing"
	"github.com/sightline-analytics/sightline/store/schema"
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
	e := personEraser{store: s, of: p, days: erasing.Days{}, removed: map[string]int64{}}
	err := e.find(ctx)
	if err == nil && len(e.days) > 0 {
		var around []changedDay
		if around, err = e.around(ctx); err == nil {
			err = s.changing(ctx, around, func() error {
				s.deriving.Lock() // a running Seal would store results of the rows again
				defer s.deriving.Unlock()
				return e.erase(ctx)
			})
		}
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("clickhouse: erase: %w", explain(err))
	}
	return e.removed, nil
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

// A personEraser removes the rows of a person.
type personEraser struct {
	store *Store
	of    store.Person

	sessions []string // with rows that have an id of the person
	days     erasing.Days
	receipts []uint64 // numbers of the receipts of the rows
	removed  map[string]int64
}

const (
	// hasID is the condition for a row with an id of the person.
	hasID = "(anonymous_id IN {anonymous:Array(String)} OR profile_id IN {profiles:Array(String)})"
	// ofPerson is the condition for a row of the person.
	ofPerson = " WHERE subject = {subject:String} AND (" + hasID +
		" OR anonymous_id = '' AND profile_id = '' AND session_id IN {sessions:Array(String)})"
)

// args returns the arguments of hasID and ofPerson.
func (e *personEraser) args(more ...any) []any {
	return append([]any{driver.Named("subject", e.of.Website), driver.Named("anonymous", list(e.of.AnonymousIDs)),
		driver.Named("profiles", list(e.of.ProfileIDs)),
		driver.Named("sessions", list(e.sessions))}, more...)
}

// list returns a list that is not nil, because the driver has no text for nil.
func list(texts []string) []string {
	if texts == nil {
		return []string{}
	}
	return texts
}

// each runs a query without the limits of queries, and calls scanned for each row.
func (e *personEraser) each(ctx context.Context, label, question string, scanned func(scan func(...any) error) error,
	args ...any) (err error) {
	rows, err := e.store.conn.Query(e.store.erasing(ctx, label), question, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := scanned(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// find reads the sessions of the person, and then what identifies the rows.
func (e *personEraser) find(ctx context.Context) error {
	sessions := map[string]bool{}
	for _, t := range erasing.Tables() {
		err := e.each(ctx, "sessions", "SELECT DISTINCT session_id FROM "+t.ID.String()+
			" WHERE subject = {subject:String} AND session_id <> '' AND "+hasID,
			func(scan func(...any) error) error {
				var session string
				err := scan(&session)
				sessions[session] = true
				return err
			}, e.args()...)
		if err != nil {
			return err
		}
	}
	e.sessions = slices.Sorted(maps.Keys(sessions))
	for _, t := range erasing.Tables() {
		kind, n := "toUInt8(0)", int64(0)
		if t.ID == schema.Events {
			kind = "kind"
		}
		err := e.each(ctx, "rows", "SELECT event_id, time, keyed, "+kind+" FROM "+t.ID.String()+ofPerson,
			func(scan func(...any) error) error {
				var id string
				var at int64
				var keyed, kind uint8
				err := scan(&id, &at, &keyed, &kind)
				n++
				e.days.Add(int64(utcDay(at)))
				e.receipts = append(e.receipts,
					identity(erasing.Identity(&t, e.of.Website, id, int64(kind), keyed != 0)).hash())
				return err
			}, e.args()...)
		if err != nil {
			return err
		}
		e.removed[t.ID.String()] = n
	}
	return nil
}

// around returns the days whose versions grow: those with removed rows, and those around them that have a version.
func (e *personEraser) around(ctx context.Context) (days []changedDay, err error) {
	name := versioned(store.KindWebsite, e.of.Website)
	for _, of := range e.days.Stretches() {
		for day := of.First; day <= of.Last; day++ {
			if e.days[day] {
				days = append(days, changedDay{name, int32(day)}) // utcDay limits days
			}
		}
		found, err := e.store.states(ctx, store.Subject{Kind: store.KindWebsite, ID: e.of.Website}, int32(of.First),
			int32(of.Last))
		if err != nil {
			return nil, err
		}
		for day := range found.versions {
			if int64(day) >= of.First && int64(day) <= of.Last && !e.days[int64(day)] {
				days = append(days, changedDay{name, day})
			}
		}
	}
	return days, nil
}

// erase removes the rows, their receipts, and the results computed for the days around them.
func (e *personEraser) erase(ctx context.Context) error {
	for _, t := range erasing.Tables() {
		if err := e.remove(ctx, t.ID.String(), ofPerson, e.args()...); err != nil {
			return err
		}
	}
	for some := range slices.Chunk(e.receipts, forgetAtOnce) {
		if err := e.remove(ctx, "receipts", " WHERE id IN {ids:Array(UInt64)}", driver.Named("ids", some)); err != nil {
			return err
		}
	}
	for _, of := range e.days.Stretches() {
		for _, t := range schema.ComputedTables() {
			if err := e.remove(ctx, t.Name, " WHERE subject = {subject:String} AND "+inDays(&t, of.First, of.Last),
				driver.Named("subject", e.of.Website)); err != nil {
				return err
			}
		}
	}
	return nil
}

// forgetAtOnce is the number of receipts that one statement deletes.
const forgetAtOnce = 10_000

// remove deletes rows of a table, if it has some, on all servers.
func (e *personEraser) remove(ctx context.Context, table, where string, args ...any) error {
	writing := e.store.erasing(ctx, table)
	var rows uint64
	if err := e.store.conn.QueryRow(writing, "SELECT count() FROM "+table+where, args...).Scan(&rows); err != nil ||
		rows == 0 {
		return err
	}
	// Copies of rows from a race of writers may already be marked as deleted. A DELETE alone would skip them.
	err := e.store.conn.Exec(writing, "ALTER TABLE "+e.store.cfg.local(table)+e.store.cfg.on()+" DELETE"+where+
		", APPLY DELETED MASK", args...)
	if err != nil {
		return fmt.Errorf("%s: %w", table, err)
	}
	return nil
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
