package clickhouse

import (
	"context"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// Write stores b together with other waiting writes. When it returns nil, all of b is on the servers'
// disks; when it returns an error, none or a part of b is, and writing b again stores the rest, each
// row once. A batch that cannot be stored does not hold up others.
//
// Write waits while the servers are unreachable, up to [Config.WriteTimeout]. Its error wraps
// [store.ErrUnavailable] when they stay so, and at once when [Config.Buffer] rows are waiting already;
// [store.ErrNewerSchema] when a newer program made the tables, which are left as they are. After an
// error b may still be in use: do not change it.
func (s *Store) Write(ctx context.Context, b *store.Batch) (store.Written, error) {
	defer s.load.Begin(ctx)()
	rows, err := arrange(b)
	if err != nil {
		return store.Written{}, fmt.Errorf("clickhouse: write: %w", err)
	}
	if len(rows) == 0 || ctx.Err() != nil {
		return store.Written{}, ctx.Err()
	}
	w := &write{batch: b, rows: rows, done: make(chan error, 1)}
	if err := s.queue.add(w, s.cfg.Buffer); err != nil {
		return store.Written{}, fmt.Errorf("clickhouse: write: %w", err)
	}
	timeout := time.NewTimer(s.cfg.WriteTimeout)
	defer timeout.Stop()
	select {
	case err = <-w.done:
	case <-ctx.Done():
		s.queue.abandon(w)
		return store.Written{}, ctx.Err()
	case <-timeout.C:
		s.queue.abandon(w)
		err = fmt.Errorf("%w: not stored within %s", store.ErrUnavailable, s.cfg.WriteTimeout)
	}
	if err != nil {
		return store.Written{}, fmt.Errorf("clickhouse: write: %w", err)
	}
	return w.written(), nil
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

// Restore stores b: attempts under one mark have receipts that begin alike, so that each
// finds the rows of the others where they belong, stores what is missing, and deletes what
// two of them stored at the same time. It waits while the servers are unreachable, up to
// Config.WriteTimeout. Its errors are those of Write.
func (s *Store) Restore(ctx context.Context, mark string, b *store.Batch) error {
	rows, err := arrange(b)
	if err != nil {
		return fmt.Errorf("clickhouse: restore: %w", err)
	}
	if len(rows) == 0 {
		return ctx.Err()
	}
	if s.closing.Err() != nil {
		return errClosed
	}
	within, cancel := context.WithTimeout(ctx, s.cfg.WriteTimeout)
	defer cancel()
	err = s.commit(within, &group{writes: []*write{{batch: b, rows: rows}}}, func() attempt { return restoring(mark) })
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	default:
		return fmt.Errorf("clickhouse: restore: %w", err)
	}
}

// An identity is that of a row whose subject is as it is stored.
type identity schema.Identity

// A row is an item of a batch on its way to its table.
type row struct {
	identity
	index    int // in its slice of the batch
	millis   int64
	hash     uint64 // of identity
	stored   bool   // found in the tables, or comes twice in the group
	repeated bool   // stored by another batch, or earlier in the group
}

// arrange lists the rows of b, all of which can be stored.
func arrange(b *store.Batch) ([]row, error) {
	rows := make([]row, 0, b.Len())
	err := schema.Items(b, func(it schema.Item) {
		of := identity(it.Identity)
		of.Subject = subjectText(store.Subject{Kind: of.Table.Of(), ID: of.Subject})
		rows = append(rows, row{identity: of, index: it.Index, millis: it.Millis, hash: of.hash()})
	})
	return rows, err
}
