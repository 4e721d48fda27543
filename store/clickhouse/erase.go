package clickhouse

import (
	"context"
	"fmt"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/store"
)

var _ store.Eraser = (*Store)(nil)

// Erase removes all rows of subject that are stored, and reports how many there were.
// When it returns, no server that is up has a row of it in a table, and nothing brings
// one back; servers remove the files that had them eight minutes later, unless their
// configuration says otherwise (old_parts_lifetime). Rows that are written meanwhile may
// stay: stop their senders first. It rewrites every file with a row of subject, which may
// take minutes; when ctx ends first, the servers go on.
//
// Its error wraps ErrRights when the user may not ALTER DELETE.
func (s *Store) Erase(ctx context.Context, subject store.Subject) (int64, error) {
	names := namesOf(subject.Kind)
	if len(names) == 0 {
		return 0, fmt.Errorf("clickhouse: erase: %w: no such kind of subject: %q", store.ErrInvalid, subject.Kind)
	}
	if s.closing.Err() != nil {
		return 0, errClosed
	}
	var sum int64
	for _, table := range names {
		n, err := s.eraseFrom(ctx, table, subject)
		if err != nil && ctx.Err() != nil {
			return sum, ctx.Err()
		}
		if err != nil {
			return sum, fmt.Errorf("clickhouse: erase: %s: %w", table, explain(err))
		}
		sum += n
	}
	return sum, nil
}

func (s *Store) eraseFrom(ctx context.Context, table string, subject store.Subject) (int64, error) {
	settings := s.settings(ctx, "erase "+table)
	settings["mutations_sync"] = 2 // every server has done it
	writing := driver.Context(timeless{ctx}, driver.WithSettings(settings))
	const where = " WHERE subject = {subject:String}"
	id := driver.Named("subject", subjectText(subject))
	var rows uint64 // without the limits of a query: what was once written can be erased
	if err := s.conn.QueryRow(writing, "SELECT count() FROM "+table+where, id).Scan(&rows); err != nil {
		return 0, err
	}
	alter := "ALTER TABLE " + s.cfg.local(table) + s.cfg.on()
	if err := s.conn.Exec(writing, alter+" DELETE"+where, id); err != nil {
		return 0, err
	}
	// Copies that a race of writers left are hidden until now, and a DELETE passes by
	// what is hidden.
	return int64(rows), s.conn.Exec(writing, alter+" APPLY DELETED MASK")
}
