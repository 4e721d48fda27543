package sqlite

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// expiresTable has the days of which Expire removed rows. version is the version of the day after that. It is 0 while
// rows may be left. Files of earlier programs get it when they are opened.
const expiresTable = `CREATE TABLE IF NOT EXISTS expired(subject INTEGER NOT NULL, day INTEGER NOT NULL, version INTEGER NOT NULL, PRIMARY KEY(subject, day)) WITHOUT ROWID;`

// expireRows is about the number of rows that Expire removes in one transaction. Writes wait for it.
const expireRows = 5000

// Expire implements [store.Expirer], in transactions of about expireRows rows. After each it rests for as long as that
// took.
func (s *Store) Expire(ctx context.Context, subject store.Subject, day time.Time, keep []int64) (int64, error) {
	c, err := s.take(ctx, s.sealing)
	if err != nil {
		return 0, err
	}
	defer func() { s.sealing <- c }()
	x := expiry{store: s, conn: c, day: subjectDay{s.catalog.number(subject), utcDay(day.UnixMilli())}, keep: keep}
	removed, err := x.run(ctx)
	if err != nil {
		return removed, errors.Join(s.usable(ctx), fmt.Errorf("sqlite: expire: %w", explain(err)))
	}
	return removed, nil
}

// An expiry removes the rows of one day.
type expiry struct {
	store *Store
	conn  *conn
	day   subjectDay
	keep  []int64
}

func (x *expiry) run(ctx context.Context) (removed int64, err error) {
	from, to := x.day.day*dayMillis, (x.day.day+1)*dayMillis
	rows, computed := int64(0), int64(0)
	for t := range schema.NumTables {
		n, err := x.conn.number("SELECT count(*) FROM "+t.String()+" WHERE subject = ? AND time >= ? AND time < ?",
			x.day.subject, from, to)
		if err != nil {
			return 0, err
		}
		rows += n
	}
	if computed, err = x.conn.number("SELECT count(*) FROM states WHERE subject = ? AND day = ? AND name NOT IN (SELECT value FROM json_each(?))",
		x.day.subject, x.day.day, numberList(x.keep)); err != nil {
		return 0, err
	}
	state := x.store.catalog.state(x.day)
	if state.version == 0 || rows == 0 && computed == 0 && state.expired == state.version {
		return 0, nil
	}
	// A question that begins while rows are removed must not take them for complete.
	x.store.catalog.expire(x.day, max(state.expired, 1), false)
	defer func() {
		if err != nil && removed == 0 {
			x.store.catalog.expire(x.day, state.expired, false)
		}
	}()
	pieces := rows/expireRows + 1
	for i := range pieces {
		if err = ctx.Err(); err != nil {
			return removed, err
		}
		began := x.store.cfg.Now()
		n := int64(0)
		if n, err = x.remove(ctx, from+i*dayMillis/pieces, from+(i+1)*dayMillis/pieces, i == pieces-1); err != nil {
			return removed, err
		}
		if removed += n; i < pieces-1 {
			rest(ctx, x.store.cfg.Now().Sub(began))
		}
	}
	return removed, nil
}

// remove removes the rows of one piece of the day in one transaction. With the last one, the day has no rows.
func (x *expiry) remove(ctx context.Context, from, to int64, last bool) (removed int64, err error) {
	var version, expired uint64
	err = x.store.change(ctx, x.conn, func() error {
		version = x.store.catalog.latest() + 1
		for t := range schema.NumTables {
			n, err := x.conn.change(ctx, "DELETE FROM "+t.String()+" WHERE subject = ? AND time >= ? AND time < ?",
				arguments([]any{x.day.subject, from, to}))
			if err != nil {
				return err
			}
			removed += n
		}
		if last {
			if err := x.forget(ctx); err != nil {
				return err
			}
			expired = version
		}
		if _, err := x.conn.change(ctx, "INSERT OR REPLACE INTO expired VALUES (?, ?, ?)",
			arguments([]any{x.day.subject, x.day.day, int64(expired)})); err != nil {
			return err
		}
		// it fits: commits are numbered from 1
		return x.conn.exec("UPDATE versions SET version = ? WHERE subject = ? AND day = ?", int64(version),
			x.day.subject, x.day.day)
	}, func() {
		x.store.catalog.publish(version, nil, []subjectDay{x.day})
		x.store.catalog.expire(x.day, max(expired, 1), last)
	})
	return removed, err
}

// forget removes what was computed of the day.
func (x *expiry) forget(ctx context.Context) error {
	for _, t := range schema.SealedTables() {
		at := t.Columns[0].Name
		if _, err := x.conn.change(ctx,
			fmt.Sprintf("DELETE FROM %s WHERE subject = ? AND %s >= ? AND %s < ?", t.Name, at, at),
			arguments([]any{x.day.subject, x.day.day * dayMillis, (x.day.day + 1) * dayMillis})); err != nil {
			return err
		}
	}
	if _, err := x.conn.change(ctx, "DELETE FROM seals WHERE subject = ? AND day = ?",
		arguments([]any{x.day.subject, x.day.day})); err != nil {
		return err
	}
	_, err := x.conn.change(ctx,
		"DELETE FROM states WHERE subject = ? AND day = ? AND name NOT IN (SELECT value FROM json_each(?))",
		arguments([]any{x.day.subject, x.day.day, numberList(x.keep)}))
	return err
}

// rest waits for d, or until ctx ends.
func rest(ctx context.Context, d time.Duration) {
	over := time.NewTimer(d)
	defer over.Stop()
	select {
	case <-ctx.Done():
	case <-over.C:
	}
}
