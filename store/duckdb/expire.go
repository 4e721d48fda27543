//go:build cgo

package duckdb

import (
	"context"
	sqldriver "database/sql/driver"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/internal/ledger"
	"github.com/sightline-analytics/sightline/store/schema"
)

// expireRows is about the number of rows that Expire removes in one transaction. Writes wait for it.
const expireRows = 20_000

// Expire implements [store.Expirer], in transactions of about expireRows rows. After each it rests for as long as that
// took. It waits for Seal, SaveStates and Erase, and they wait for it.
func (s *Store) Expire(ctx context.Context, subject store.Subject, day time.Time, keep []int64) (removed int64,
	err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	s.deriving.Lock()
	defer s.deriving.Unlock()
	x := expiry{
		day:  ledger.SubjectDay{Subject: s.ledger.Number(subject), Day: schema.DayOf(day.UnixMilli())},
		keep: append([]int64{}, keep...)}
	var pieces int64
	if err := s.inWriter(ctx, func(w *writer) (err error) {
		pieces, err = w.expiryPieces(x)
		return err
	}); err != nil {
		return 0, err
	}
	if pieces == 0 {
		return 0, nil
	}
	// A question that begins while rows are removed must not take them for complete.
	before := s.ledger.Day(x.day).Expired
	s.ledger.Expire(x.day, max(before, 1), false)
	defer func() {
		if err != nil && removed == 0 {
			s.ledger.Expire(x.day, before, false)
		}
	}()
	for i := range pieces {
		began, n := s.cfg.Now(), int64(0)
		from := x.day.Day * schema.DayMillis
		err := s.inWriter(ctx, func(w *writer) (err error) {
			n, err = w.expire(x, from+i*schema.DayMillis/pieces, from+(i+1)*schema.DayMillis/pieces, i == pieces-1)
			return err
		})
		if err != nil {
			return removed, err
		}
		if removed += n; i < pieces-1 {
			rest := time.NewTimer(s.cfg.Now().Sub(began))
			select {
			case <-rest.C:
			case <-ctx.Done():
				rest.Stop()
				return removed, ctx.Err()
			}
		}
	}
	return removed, nil
}

// inWriter runs do in the goroutine of the writer, between two groups of writes, and returns its error. Once do has
// begun, it does not stop when ctx ends.
func (s *Store) inWriter(ctx context.Context, do func(*writer) error) error {
	done := make(chan error, 1)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.closing:
		return errClosed
	case s.tasks <- func(w *writer) {
		err := w.ready()
		if err == nil {
			err = do(w)
		}
		done <- err
	}:
	}
	return <-done
}

// An expiry is a day whose rows are removed, and the kinds of its states that stay.
type expiry struct {
	day  ledger.SubjectDay
	keep []int64
}

// expiryPieces returns the number of transactions that remove the rows of a day: 0 if nothing is left to remove.
func (w *writer) expiryPieces(x expiry) (int64, error) {
	known := w.store.ledger.Day(x.day)
	if known.Version == 0 {
		return 0, nil
	}
	var rows, computed int64
	count := func(to *int64, text string, args ...sqldriver.NamedValue) error {
		return w.engine.each(text, args, func(v []sqldriver.Value) error {
			var n int64
			err := scan(v, &n)
			*to += n
			return err
		})
	}
	from := x.day.Day * schema.DayMillis
	for t := range schema.NumTables {
		if err := count(&rows, "SELECT count(*) FROM "+t.String()+
			" WHERE subject = $subject::INTEGER AND time >= $from AND time < $to",
			named("subject", x.day.Subject), named("from", from), named("to", from+schema.DayMillis)); err != nil {
			return 0, w.failed(err)
		}
	}
	kinds, args := x.kinds()
	if err := count(&computed, "SELECT count(*) FROM partials WHERE subject = $subject::INTEGER"+
		" AND day = $day::INTEGER"+kinds,
		append(args, named("subject", x.day.Subject), named("day", x.day.Day))...); err != nil {
		return 0, w.failed(err)
	}
	if rows == 0 && computed == 0 && known.Version == known.Expired {
		return 0, nil
	}
	return rows/expireRows + 1, nil
}

// kinds returns SQL for a further condition on rows of kinds to remove, and its arguments.
func (x *expiry) kinds() (string, []sqldriver.NamedValue) {
	if len(x.keep) == 0 {
		return "", nil
	}
	return " AND kind NOT IN (SELECT unnest($keep::BIGINT[]))", []sqldriver.NamedValue{named("keep", x.keep)}
}

// expire removes the rows of one piece of a day in one transaction, and with the last piece what was computed of the
// day.
func (w *writer) expire(x expiry, from, to int64, last bool) (removed int64, err error) {
	known := w.store.ledger
	version, expired := known.Latest()+1, uint64(0)
	if last {
		expired = version
	}
	err = transact(w.engine, func() error {
		for t := range schema.NumTables {
			n, err := w.engine.change("DELETE FROM "+t.String()+
				" WHERE subject = $subject::INTEGER AND time >= $from AND time < $to",
				named("subject", x.day.Subject), named("from", from), named("to", to))
			if err != nil {
				return err
			}
			removed += n
		}
		if last {
			if err := w.forget(x); err != nil {
				return err
			}
		}
		day := []sqldriver.NamedValue{named("subject", x.day.Subject), named("day", x.day.Day)}
		if err := w.engine.exec("DELETE FROM expired WHERE subject = $subject::INTEGER AND day = $day::INTEGER",
			day...); err != nil {
			return err
		}
		if err := w.engine.exec("INSERT INTO expired VALUES ($subject::INTEGER, $day::INTEGER, $version::BIGINT)",
			append(day, named("version", int64(expired)))...); err != nil {
			return err
		}
		return w.addVersions(version, []ledger.SubjectDay{x.day})
	})
	if err != nil {
		if err = w.outcome(err, version); err != nil {
			return 0, fmt.Errorf("duckdb: expire: %w", err)
		}
		return removed, nil
	}
	w.versionRows++
	known.Publish(version, nil, []ledger.SubjectDay{x.day})
	known.Expire(x.day, max(expired, 1), last)
	return removed, nil
}

// forget removes what was computed of a day.
func (w *writer) forget(x expiry) error {
	for _, t := range schema.ComputedTables() {
		kinds, args := "", []sqldriver.NamedValue(nil)
		if t.Kinds {
			kinds, args = x.kinds()
		}
		if err := forgetDays(w.engine, &t, x.day.Subject, x.day.Day, x.day.Day, kinds, args...); err != nil {
			return err
		}
	}
	return nil
}
