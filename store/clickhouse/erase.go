package clickhouse

import (
	"context"
	"fmt"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

var _ store.Eraser = (*Store)(nil)

// tablesOf are the tables with rows of a kind of subject.
func tablesOf(kind store.SubjectKind) []string {
	switch kind {
	case store.KindWebsite:
		return []string{"events", "errors", "vitals", "spans"}
	case store.KindLink:
		return []string{"visits"}
	case store.KindSchedule:
		return []string{"checks"}
	}
	return nil
}

// Erase removes all rows of subject that are stored, and reports how many there were.
// When it returns, no server that is up has a row of it in a table, and nothing brings
// one back; servers remove the files that had them eight minutes later, unless their
// configuration says otherwise (old_parts_lifetime). Rows that are written meanwhile may
// stay: stop their senders first. It rewrites every file with a row of subject, which may
// take minutes; when ctx ends first, the servers go on.
//
// Its error wraps ErrRights when the user may not ALTER DELETE.
func (s *Store) Erase(ctx context.Context, subject store.Subject) (int64, error) {
	tables := tablesOf(subject.Kind)
	if tables == nil {
		return 0, fmt.Errorf("clickhouse: erase: %w: no such kind of subject: %q", store.ErrInvalid, subject.Kind)
	}
	var sum int64
	for _, table := range tables {
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
	rows, err := s.Query(ctx, store.Statement{
		Label: "erase",
		SQL:   "SELECT toInt64(count()) FROM " + table + " AS t WHERE t.subject = {subject:String}",
		Args:  []dialect.Arg{{Name: "subject", Kind: dialect.Subject, Value: subject}},
		Kinds: []dialect.Kind{dialect.Int},
	})
	if err != nil {
		return 0, err
	}
	settings := s.settings(ctx, "erase "+table)
	settings["mutations_sync"] = 2 // every server has done it
	writing := driver.Context(timeless{ctx}, driver.WithSettings(settings))
	alter := "ALTER TABLE " + s.cfg.local(table) + s.cfg.on()
	if err := s.conn.Exec(writing, alter+" DELETE WHERE subject = {subject:String}", driver.Named("subject", subjectText(subject))); err != nil {
		return 0, err
	}
	// Copies that a race of writers left are hidden until now, and a DELETE passes by
	// what is hidden.
	return rows.Columns[0].Ints[0], s.conn.Exec(writing, alter+" APPLY DELETED MASK")
}
