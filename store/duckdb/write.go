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

// Write stores b whole or not at all, and returns when it is durable. The work that
// needs no transaction is done by the caller's goroutine. Rows, receipts and versions are
// one transaction, so an id that counts as received is that of a row that was stored. Only
// an error of an engine that could not be opened again leaves open which of the two it was.
//
// While the writer is busy, Write waits for it or for ctx; a write that the writer
// has not taken when ctx ends is not stored. Once taken, Write waits for the commit
// and reports what became of it.
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
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.closing:
		return errClosed
	case s.writes <- w:
		return <-w.done
	}
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
