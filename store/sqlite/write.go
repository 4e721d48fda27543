package sqlite

import (
	"context"
	"fmt"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// A row is an item of a batch on its way to its table.
type row struct {
	schema.Item
	receipt  receipt
	repeated bool // whether its id was received before; set by the writer
}

// A receipt is a hash of 96 bits of a schema.Identity.
type receipt struct{ hi, lo int64 }

func receiptOf(of schema.Identity) receipt {
	hi, lo := of.Hash()
	return receipt{hi, int64(uint32(lo))}
}

// A write is one call of Write or Restore.
type write struct {
	batch    *store.Batch
	rows     []row
	restored bool       // whether rows are also stored if their ids were received before
	done     chan error // receives the result; capacity 1
}

// Write implements [store.Writer]. It stores all of b or nothing, and returns when b is on disk. Rows, receipts
// and versions are written in one transaction, so an id counts as received only if its row was stored. Writes
// that arrive during a commit are stored together by the next one.
//
// If ctx ends before the writer has begun to store b, Write returns the context's error and stores nothing.
// Later it waits for the result of the commit.
func (s *Store) Write(ctx context.Context, b *store.Batch) (store.Written, error) {
	w, err := s.submit(ctx, b, false)
	if err != nil || w == nil {
		return store.Written{}, err
	}
	return schema.Written(w.rows, func(r *row) bool { return r.repeated }), nil
}

// Restore implements [store.Restorer]. It stores all of b or nothing. It ignores the mark, because no earlier
// attempt can still be running: attempts of this process are committed one after the other, and no other process
// has opened the file.
func (s *Store) Restore(ctx context.Context, _ string, b *store.Batch) error {
	_, err := s.submit(ctx, b, true)
	return err
}

// submit gives b to the writer and waits for the result. It returns nil for an empty batch.
func (s *Store) submit(ctx context.Context, b *store.Batch, restored bool) (*write, error) {
	rows, err := schema.Arrange(b, func(it schema.Item) row { return row{Item: it, receipt: receiptOf(it.Identity)} })
	if err != nil {
		return nil, fmt.Errorf("sqlite: write: %w", err)
	}
	if err := s.usable(ctx); err != nil || len(rows) == 0 {
		return nil, err
	}
	if err := s.space.Check(); err != nil {
		return nil, fmt.Errorf("sqlite: write: %w", err)
	}
	defer s.load.Begin(ctx)()
	w := &write{batch: b, rows: rows, restored: restored, done: make(chan error, 1)}
	s.queue.Add(b, w)
	select {
	case err = <-w.done:
		return w, err
	case <-ctx.Done():
		err = ctx.Err()
	case <-s.open.Done():
		err = errClosed
	}
	if s.queue.Remove(b, w) {
		return nil, err
	}
	return w, <-w.done // the writer has taken it
}
