//go:build cgo

package duckdb

import (
	"context"
	"fmt"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/internal/ledger"
	"github.com/sightline-analytics/sightline/store/schema"
)

// A row is an item of a batch on its way to its table.
type row struct {
	schema.Item
	day      int64 // UTC day of its time
	key      key
	repeated bool // whether its id was received before; set by the writer
}

// A write is one call of Write or Restore.
type write struct {
	batch    *store.Batch
	rows     []row
	restored bool       // whether rows are also stored if their ids were received before
	done     chan error // receives the result; capacity 1
}

// Write implements [store.Writer]. It stores all of b or nothing, and returns when b is on disk. Rows, receipts
// and versions are written in one transaction, so an id counts as received only if its row was stored. After an
// error nothing is stored, with one exception: if the engine failed and cannot be reopened, all of b may be
// stored.
//
// While the writer is busy, senders take turns: see [store.Batch]. If ctx ends before the writer has begun to
// store b, Write returns the context's error and stores nothing. Later it waits for the result of the commit.
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
	if err := s.submit(ctx, w); err != nil {
		return store.Written{}, fmt.Errorf("duckdb: write: %w", err)
	}
	return w.written(), nil
}

// submit refuses w if the disk is almost full. Otherwise it puts w into the queue and waits for its result. If ctx ends
// or the store is closed, it removes w from the queue, unless the writer has already taken it.
func (s *Store) submit(ctx context.Context, w *write) error {
	if err := s.space.Check(); err != nil {
		return err
	}
	defer s.load.Begin(ctx)()
	s.queue.Add(w.batch, w)
	var err error
	select {
	case err := <-w.done:
		return err
	case <-ctx.Done():
		err = ctx.Err()
	case <-s.closing:
		err = errClosed
	}
	if s.queue.Remove(w.batch, w) {
		return err
	}
	return <-w.done
}

// weight returns the size of w, as a number of rows of usual size.
func (w *write) weight() int {
	const usualProperties = 128 // bytes of JSON
	n := len(w.rows)
	for i := range w.batch.Events {
		n += len(w.batch.Events[i].Properties) / usualProperties
	}
	return n
}

func (w *write) written() store.Written {
	return schema.Written(w.rows, func(r *row) bool { return r.repeated })
}

// Restore implements [store.Restorer]. It stores all of b or nothing. It ignores the mark, because no earlier
// attempt can still be running. Attempts of this process are committed one after the other. Attempts of another
// process have ended, or this process could not have opened the file.
func (s *Store) Restore(ctx context.Context, _ string, b *store.Batch) error {
	rows, err := arrange(b)
	if err != nil {
		return fmt.Errorf("duckdb: restore: %w", err)
	}
	if err := ctx.Err(); err != nil || len(rows) == 0 {
		return err
	}
	if err := s.submit(ctx, &write{batch: b, rows: rows, restored: true, done: make(chan error, 1)}); err != nil {
		return fmt.Errorf("duckdb: restore: %w", err)
	}
	return nil
}

// Subjects implements [store.Lister] without a query. It also lists subjects whose rows were erased.
func (s *Store) Subjects(ctx context.Context) ([]store.Subject, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s.ledger.Subjects(), nil
}

// Erase implements [store.Eraser], in one transaction. It forgets the subject's event ids, so the same rows can
// be written again. The versions of its days stay and grow. The file does not shrink, but the space is reused
// after the next checkpoint. Once Erase has begun, it does not stop when ctx ends.
func (s *Store) Erase(ctx context.Context, subject store.Subject) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	s.deriving.Lock()
	defer s.deriving.Unlock()
	var erased int64
	var err error
	if taskErr := s.task(ctx, func(w *writer) { erased, err = w.erase(subject) }); taskErr != nil {
		return 0, taskErr
	}
	return erased, err
}

func (w *writer) erase(subject store.Subject) (int64, error) {
	if err := w.ready(); err != nil {
		return 0, err
	}
	known := w.store.ledger
	number := known.Number(subject)
	touched := known.WithVersion(number, ledger.FirstDay, ledger.FinalDay)
	if len(touched) == 0 {
		return 0, nil
	}
	version := known.Latest() + 1
	var erased int64
	err := transact(w.engine, func() error {
		for t := range schema.NumTables {
			n, err := w.engine.change("DELETE FROM "+t.String()+" WHERE subject = $subject::INTEGER",
				named("subject", number))
			if err != nil {
				return err
			}
			erased += n
		}
		names := []string{"receipts"}
		for _, t := range schema.DayTables() {
			names = append(names, t.Name)
		}
		for _, name := range names {
			if err := w.engine.exec("DELETE FROM "+name+" WHERE subject = $subject::INTEGER",
				named("subject", number)); err != nil {
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
	known.Publish(version, nil, touched)
	known.Erase(number)
	return erased, nil
}

// arrange returns the rows of b, or an error if one of them cannot be stored.
func arrange(b *store.Batch) ([]row, error) {
	return schema.Arrange(b, func(it schema.Item) row {
		return row{Item: it, day: schema.DayOf(it.Millis), key: keyOf(it.Identity)}
	})
}
