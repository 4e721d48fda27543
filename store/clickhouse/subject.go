package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"strings"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// subjectText returns the stored text of a subject: its id, with a prefix for links and schedules. So tables of
// websites never match a link with the same id.
func subjectText(s store.Subject) string {
	switch s.Kind {
	case store.KindLink:
		return "link " + s.ID
	case store.KindSchedule:
		return "schedule " + s.ID
	default:
		return s.ID
	}
}

// namesOf returns the names of the tables with rows of a kind of subject.
func namesOf(kind store.SubjectKind) []string {
	var names []string
	for _, t := range schema.TablesOf(kind) {
		names = append(names, t.ID.String())
	}
	return names
}

// Subjects queries the subject column of every table.
func (s *Store) Subjects(ctx context.Context) ([]store.Subject, error) {
	var all []store.Subject
	for _, kind := range []store.SubjectKind{store.KindWebsite, store.KindLink, store.KindSchedule} {
		found, err := s.subjects(ctx, kind, "SELECT DISTINCT subject FROM "+
			strings.Join(namesOf(kind), " UNION DISTINCT SELECT subject FROM "))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, fmt.Errorf("listing: %w", explain(err))
		}
		all = append(all, found...)
	}
	return all, nil
}

func (s *Store) subjects(ctx context.Context, kind store.SubjectKind, from string) (all []store.Subject, err error) {
	rows, err := s.conn.Query(driver.Context(ctx, driver.WithSettings(s.reading(ctx, "subjects"))), from)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		one := store.Subject{Kind: kind}
		if err := rows.Scan(&one.ID); err != nil {
			return nil, err
		}
		one.ID = strings.TrimPrefix(one.ID, subjectText(store.Subject{Kind: kind}))
		all = append(all, one)
	}
	return all, rows.Err()
}

// Erase removes all stored rows of subject and returns their number. When it returns, no running server has a
// row of it in a table, and none reappears. Servers delete the files with the removed rows eight minutes later
// by default (see old_parts_lifetime).
//
// Rows that are written during Erase may stay, so stop the senders first. States that another process saves during
// Erase may stay, too. If other processes seal days of the website during Erase, their results stay in
// sealed_sessions and sealed_hits for an hour or two, but no query reads them.
//
// Erase rewrites every file that has a row of subject, which may take minutes. If ctx ends first, the servers
// continue. The error wraps ErrRights if the user lacks ALTER DELETE.
func (s *Store) Erase(ctx context.Context, subject store.Subject) (int64, error) {
	names := namesOf(subject.Kind)
	if len(names) == 0 {
		return 0, fmt.Errorf("clickhouse: erase: %w: unknown kind of subject: %q", store.ErrInvalid, subject.Kind)
	}
	if s.closing.Err() != nil {
		return 0, errClosed
	}
	var sum int64
	days, err := s.daysOf(ctx, names, subject)
	if err == nil {
		err = s.changing(ctx, days, func() error {
			s.deriving.Lock() // a running Seal would store results of the subject again
			defer s.deriving.Unlock()
			sum, err = s.eraseAll(ctx, names, subject)
			return err
		})
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return sum, ctx.Err()
	case err != nil:
		return sum, fmt.Errorf("clickhouse: erase: %w", explain(err))
	}
	return sum, nil
}

// daysOf returns the days on which subject has rows in tables.
func (s *Store) daysOf(ctx context.Context, tables []string, subject store.Subject) (days []changedDay, err error) {
	from := make([]string, len(tables))
	for i, table := range tables {
		from[i] = "SELECT " + utcDayOf("time") + " AS day FROM " + table + " WHERE subject = {subject:String}"
	}
	id := subjectText(subject)
	rows, err := s.conn.Query(s.erasing(ctx, "days"), "SELECT DISTINCT d.day FROM ("+strings.Join(from, " UNION ALL ")+
		") AS d", driver.Named("subject", id))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		one := changedDay{subject: versioned(subject.Kind, id)}
		if err := rows.Scan(&one.day); err != nil {
			return nil, err
		}
		days = append(days, one)
	}
	return days, rows.Err()
}

func (s *Store) eraseAll(ctx context.Context, tables []string, subject store.Subject) (int64, error) {
	var sum int64
	for _, table := range tables {
		n, err := s.eraseFrom(ctx, table, subject)
		if err != nil {
			return sum, fmt.Errorf("%s: %w", table, err)
		}
		sum += n
	}
	if subject.Kind != store.KindWebsite {
		return sum, nil
	}
	for _, t := range schema.DayTables() {
		if _, err := s.eraseFrom(ctx, t.Name, subject); err != nil {
			return sum, fmt.Errorf("%s: %w", t.Name, err)
		}
	}
	return sum, nil
}

// erasing returns a context without the limits of queries, so that any stored rows can be erased.
func (s *Store) erasing(ctx context.Context, table string) context.Context {
	settings := s.settings(ctx, "erase "+table)
	settings["mutations_sync"] = 2 // a DELETE returns after every server has applied it
	return driver.Context(noDeadline{ctx}, driver.WithSettings(settings))
}

func (s *Store) eraseFrom(ctx context.Context, table string, subject store.Subject) (int64, error) {
	writing := s.erasing(ctx, table)
	const where = " WHERE subject = {subject:String}"
	id := driver.Named("subject", subjectText(subject))
	var rows uint64
	if err := s.conn.QueryRow(writing, "SELECT count() FROM "+table+where, id).Scan(&rows); err != nil {
		return 0, err
	}
	// Copies of rows from a race of writers may already be marked as deleted. A DELETE alone would skip them.
	erase := "ALTER TABLE " + s.cfg.local(table) + s.cfg.on() + " DELETE" + where + ", APPLY DELETED MASK"
	if err := s.conn.Exec(writing, erase, id); err != nil {
		return 0, err
	}
	return int64(rows), nil
}
