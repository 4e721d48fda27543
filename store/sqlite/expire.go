package sqlite

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/internal/ledger"
	"github.com/sightline-analytics/sightline/store/schema"
)

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
	x := expiry{store: s, conn: c, keep: keep,
		day: ledger.SubjectDay{Subject: s.ledger.Number(subject), Day: schema.DayOf(day.UnixMilli())}}
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
	day   ledger.SubjectDay
	keep  []int64
}

func (x *expiry) run(ctx context.Context) (removed int64, err error) {
	from, to := x.day.Day*schema.DayMillis, (x.day.Day+1)*schema.DayMillis
	rows, computed := int64(0), int64(0)
	for t := range schema.NumTables {
		n, err := x.conn.number("SELECT count(*) FROM "+t.String()+" WHERE subject = ? AND time >= ? AND time < ?",
			x.day.Subject, from, to)
		if err != nil {
			return 0, err
		}
		rows += n
	}
	if computed, err = x.conn.number("SELECT count(*) FROM partials WHERE subject = ? AND day = ?"+ofNoKind,
		x.day.Subject, x.day.Day, numberList(x.keep)); err != nil {
		return 0, err
	}
	known := x.store.ledger.Day(x.day)
	if known.Version == 0 || rows == 0 && computed == 0 && known.Expired == known.Version {
		return 0, nil
	}
	// A question that begins while rows are removed must not take them for complete.
	x.store.ledger.Expire(x.day, max(known.Expired, 1), false)
	defer func() {
		if err != nil && removed == 0 {
			x.store.ledger.Expire(x.day, known.Expired, false)
		}
	}()
	pieces := rows/expireRows + 1
	for i := range pieces {
		if err = ctx.Err(); err != nil {
			return removed, err
		}
		began := x.store.cfg.Now()
		n := int64(0)
		begin, end := from+i*schema.DayMillis/pieces, from+(i+1)*schema.DayMillis/pieces
		if n, err = x.remove(ctx, begin, end, i == pieces-1); err != nil {
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
		version = x.store.ledger.Latest() + 1
		for t := range schema.NumTables {
			n, err := x.conn.change(ctx, "DELETE FROM "+t.String()+" WHERE subject = ? AND time >= ? AND time < ?",
				arguments([]any{x.day.Subject, from, to}))
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
			arguments([]any{x.day.Subject, x.day.Day, int64(expired)})); err != nil {
			return err
		}
		// it fits: commits are numbered from 1
		return x.conn.exec("UPDATE versions SET version = ? WHERE subject = ? AND day = ?", int64(version),
			x.day.Subject, x.day.Day)
	}, func() {
		x.store.ledger.Publish(version, nil, []ledger.SubjectDay{x.day})
		x.store.ledger.Expire(x.day, max(expired, 1), last)
	})
	return removed, err
}

// forget removes what was computed of the day.
func (x *expiry) forget(ctx context.Context) error {
	for _, t := range schema.ComputedTables() {
		kinds, values := "", []any(nil)
		if t.Kinds {
			kinds, values = ofNoKind, []any{numberList(x.keep)}
		}
		if err := forgetDays(ctx, x.conn, &t, x.day.Subject, x.day.Day, x.day.Day, kinds, values...); err != nil {
			return err
		}
	}
	return nil
}

// ofNoKind is the condition for a row of none of some kinds. Its argument is a list of numbers.
const ofNoKind = " AND kind NOT IN (SELECT value FROM json_each(?))"

// forgetDays deletes the rows of a day table that belong to the days from first to last of a subject. further is a
// further condition with its values, as SQL that begins with AND, or an empty text.
func forgetDays(ctx context.Context, c *conn, t *schema.DayTable, subject, first, last int64, further string,
	values ...any) error {
	_, err := c.change(ctx,
		fmt.Sprintf("DELETE FROM %s WHERE subject = ? AND %s >= ? AND %s < ?%s", t.Name, t.Day, t.Day, further),
		arguments(append([]any{subject, t.At(first), t.At(last + 1)}, values...)))
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
