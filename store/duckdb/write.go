//go:build cgo

package duckdb

import (
	"context"
	"fmt"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// A row is one item of a batch on its way to its table.
type row struct {
	table    schema.TableID
	index    int // in the batch's slice for table
	subject  store.Subject
	day      int32 // of its time, UTC
	key      key
	repeated bool // decided by the writer
}

// A write is one call of Write, as the writer sees it.
type write struct {
	batch    *store.Batch
	rows     []row
	restored bool       // rows are stored whether or not their ids were received before
	done     chan error // gets the outcome, once
}

// Write stores b whole or not at all, and returns when it is durable. The work that needs no
// transaction is done by the caller's goroutine. Rows, receipts and versions are written in one
// transaction, so an id counts as received only if its row was stored. After an error it is only
// unknown whether b was stored when the engine failed and could not be opened again.
//
// While the writer is busy, Write waits for it or for ctx, and senders ([store.Batch.Sender]) take turns; a write that the writer has not begun when
// ctx ends is not stored. Once it has begun, Write waits for the commit and returns its outcome.
func (s *Store) Write(ctx context.Context, b *store.Batch) (store.Written, error) {
	rows, err := arrange(b)
	if err != nil {
		return store.Written{}, fmt.Errorf("duckdb: write: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return store.Written{}, err
	}
	if len(rows) == 0 {
		return store.Written{}, nil
	}
	w := &write{batch: b, rows: rows, done: make(chan error, 1)}
	if err := s.hand(ctx, w); err != nil {
		return store.Written{}, fmt.Errorf("duckdb: write: %w", err)
	}
	return w.written(), nil
}

// hand gives w to the writer, and waits for the outcome once the writer has it.
func (s *Store) hand(ctx context.Context, w *write) error {
	defer s.load.Begin(ctx)()
	s.queue.add(w)
	var err error
	select {
	case err := <-w.done:
		return err
	case <-ctx.Done():
		err = ctx.Err()
	case <-s.closing:
		err = errClosed
	}
	if s.queue.remove(w) {
		return err
	}
	return <-w.done
}

// weight returns about how many rows of usual size w is worth.
func (w *write) weight() int {
	const usualProperties = 128 // bytes of JSON
	n := len(w.rows)
	for i := range w.batch.Events {
		n += len(w.batch.Events[i].Properties) / usualProperties
	}
	return n
}

func (w *write) written() store.Written {
	var sum store.Written
	for i := range w.rows {
		if w.rows[i].repeated {
			sum.Repeated++
		} else {
			sum.Stored++
		}
	}
	return sum
}

// Restore stores b whole or not at all. It needs no mark, since the stored rows show every earlier
// attempt: those of this process are committed in turn, and those of another have ended when this one
// can open the file.
func (s *Store) Restore(ctx context.Context, _ string, b *store.Batch) error {
	rows, err := arrange(b)
	if err != nil {
		return fmt.Errorf("duckdb: restore: %w", err)
	}
	if err := ctx.Err(); err != nil || len(rows) == 0 {
		return err
	}
	if err := s.hand(ctx, &write{batch: b, rows: rows, restored: true, done: make(chan error, 1)}); err != nil {
		return fmt.Errorf("duckdb: restore: %w", err)
	}
	return nil
}

// Subjects lists the subjects that have or had rows. It answers from memory.
func (s *Store) Subjects(ctx context.Context) ([]store.Subject, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s.catalog.subjects(), nil
}

// Erase removes all rows of subject and forgets the event ids received for it, so
// that the same rows could be written again. The versions of its days are kept and grow. The space is
// reused after the next checkpoint; the file does not shrink. Like Write, it waits for the outcome once
// it has begun.
func (s *Store) Erase(ctx context.Context, subject store.Subject) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	s.deriving.Lock()
	defer s.deriving.Unlock()
	var erased int64
	done := make(chan error, 1)
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-s.closing:
		return 0, errClosed
	case s.tasks <- func(w *writer) {
		var err error
		erased, err = w.erase(subject)
		done <- err
	}:
	}
	err := <-done // erased is set before
	return erased, err
}

func (w *writer) erase(subject store.Subject) (int64, error) {
	if err := w.ready(); err != nil {
		return 0, err
	}
	cat := &w.store.catalog
	number := cat.number(subject)
	touched := cat.daysOf(number)
	if len(touched) == 0 {
		return 0, nil
	}
	version := cat.latest() + 1
	var erased int64
	err := transact(w.engine, func() error {
		for t := range schema.NumTables {
			n, err := w.engine.change("DELETE FROM "+t.String()+" WHERE subject = $subject::INTEGER", named("subject", number))
			if err != nil {
				return err
			}
			erased += n
		}
		for _, kept := range []string{"receipts", "sealed_sessions", "sealed_hits", "seals", "partials"} {
			if err := w.engine.exec("DELETE FROM "+kept+" WHERE subject = $subject::INTEGER", named("subject", number)); err != nil {
				return err
			}
		}
		return w.addVersions(version, touched)
	})
	if err != nil {
		if err = w.outcome(err, version); err != nil {
			return 0, err
		}
		return erased, nil
	}
	w.versionRows += int64(len(touched))
	cat.publish(version, nil, touched)
	cat.unseal(number)
	return erased, nil
}

// arrange lists the rows of b, all of which can be stored.
func arrange(b *store.Batch) ([]row, error) {
	rows := make([]row, 0, b.Len())
	err := schema.Items(b, func(it schema.Item) {
		rows = append(rows, row{
			table: it.Table, index: it.Index, subject: store.Subject{Kind: it.Table.Of(), ID: it.Subject},
			day: utcDay(it.Millis), key: keyOf(it.Identity),
		})
	})
	return rows, err
}
