//go:build cgo

package duckdb

import (
	"context"
	sqldriver "database/sql/driver"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/store"
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
	x := expiry{day: subjectDay{s.catalog.number(subject), utcDay(day.UnixMilli())}, keep: append([]int64{}, keep...)}
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
	_, before := s.catalog.expiry(x.day)
	s.catalog.expire(x.day, max(before, 1), false)
	defer func() {
		if err != nil && removed == 0 {
			s.catalog.expire(x.day, before, false)
		}
	}()
	for i := range pieces {
		began, n := s.cfg.Now(), int64(0)
		from := int64(x.day.day) * dayMillis
		err := s.inWriter(ctx, func(w *writer) (err error) {
			n, err = w.expire(x, from+i*dayMillis/pieces, from+(i+1)*dayMillis/pieces, i == pieces-1)
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

// An expiry is a day whose rows are removed, and the names of its states that stay.
type expiry struct {
	day  subjectDay
	keep []int64
}

// expiryPieces returns the number of transactions that remove the rows of a day: 0 if nothing is left to remove.
func (w *writer) expiryPieces(x expiry) (int64, error) {
	version, expired := w.store.catalog.expiry(x.day)
	if version == 0 {
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
	from := int64(x.day.day) * dayMillis
	for t := range schema.NumTables {
		if err := count(&rows, "SELECT count(*) FROM "+t.String()+
			" WHERE subject = $subject::INTEGER AND time >= $from AND time < $to",
			named("subject", x.day.subject), named("from", from), named("to", from+dayMillis)); err != nil {
			return 0, w.failed(err)
		}
	}
	if err := count(&computed, "SELECT count(*) FROM partials WHERE "+x.states(), x.args()...); err != nil {
		return 0, w.failed(err)
	}
	if rows == 0 && computed == 0 && version == expired {
		return 0, nil
	}
	return rows/expireRows + 1, nil
}

// states returns SQL for the condition on states to remove.
func (x *expiry) states() string {
	condition := "subject = $subject::INTEGER AND day = $day::INTEGER"
	if len(x.keep) > 0 {
		condition += " AND name NOT IN (SELECT unnest($keep::BIGINT[]))"
	}
	return condition
}

// args returns the arguments of states.
func (x *expiry) args() []sqldriver.NamedValue {
	args := []sqldriver.NamedValue{named("subject", x.day.subject), named("day", x.day.day)}
	if len(x.keep) > 0 {
		args = append(args, named("keep", x.keep))
	}
	return args
}

// expire removes the rows of one piece of a day in one transaction, and with the last piece what was computed of the
// day.
func (w *writer) expire(x expiry, from, to int64, last bool) (removed int64, err error) {
	cat := &w.store.catalog
	version, expired := cat.latest()+1, uint64(0)
	if last {
		expired = version
	}
	err = transact(w.engine, func() error {
		for t := range schema.NumTables {
			n, err := w.engine.change("DELETE FROM "+t.String()+
				" WHERE subject = $subject::INTEGER AND time >= $from AND time < $to",
				named("subject", x.day.subject), named("from", from), named("to", to))
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
		day := []sqldriver.NamedValue{named("subject", x.day.subject), named("day", x.day.day)}
		if err := w.engine.exec("DELETE FROM expired WHERE subject = $subject::INTEGER AND day = $day::INTEGER",
			day...); err != nil {
			return err
		}
		if err := w.engine.exec("INSERT INTO expired VALUES ($subject::INTEGER, $day::INTEGER, $version::BIGINT)",
			append(day, named("version", int64(expired)))...); err != nil {
			return err
		}
		return w.addVersions(version, []subjectDay{x.day})
	})
	if err != nil {
		if err = w.outcome(err, version); err != nil {
			return 0, fmt.Errorf("duckdb: expire: %w", err)
		}
		return removed, nil
	}
	w.versionRows++
	cat.publish(version, nil, []subjectDay{x.day})
	cat.expire(x.day, max(expired, 1), last)
	return removed, nil
}

// forget removes what was computed of a day.
func (w *writer) forget(x expiry) error {
	from := int64(x.day.day) * dayMillis
	for _, of := range [][2]string{{"sealed_sessions", "start"}, {"sealed_hits", "time"}} {
		if err := w.engine.exec("DELETE FROM "+of[0]+" WHERE subject = $subject::INTEGER AND "+of[1]+" >= $from AND "+
			of[1]+" < $to",
			named("subject", x.day.subject), named("from", from), named("to", from+dayMillis)); err != nil {
			return err
		}
	}
	if err := w.engine.exec("DELETE FROM seals WHERE subject = $subject::INTEGER AND day = $day::INTEGER",
		named("subject", x.day.subject), named("day", x.day.day)); err != nil {
		return err
	}
	return w.engine.exec("DELETE FROM partials WHERE "+x.states(), x.args()...)
}
