package clickhouse

import (
	"context"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// Write stores b together with other waiting writes. If it returns nil, all of b is on the servers' disks.
// After an error, none or a part of b is stored; another Write of b stores the rest, each row once. An invalid
// batch does not delay others. Do not change b after an error, because it may still be in use.
//
// While the servers cannot be reached, Write waits up to [Config.WriteTimeout]. The error wraps
// [store.ErrUnavailable] after that time, or at once if [Config.Buffer] rows are already waiting. It wraps
// [store.ErrNewerSchema] if a newer program created the tables, which stay unchanged.
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
		err = fmt.Errorf("%w: the write was not stored within %s", store.ErrUnavailable, s.cfg.WriteTimeout)
	}
	if err != nil {
		return store.Written{}, fmt.Errorf("clickhouse: write: %w", err)
	}
	return w.written(), nil
}

func (w *write) written() store.Written {
	return schema.Written(w.rows, func(r *row) bool { return r.repeated })
}

// Restore stores b. Receipts of all attempts under one mark begin with the same bits, so each attempt finds the
// rows of the others. It stores the missing rows, and deletes copies that two attempts stored at the same time.
// It waits up to Config.WriteTimeout while the servers cannot be reached, and returns the same errors as Write.
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

// An identity is the schema.Identity of a row, with the subject in its stored form.
type identity schema.Identity

// A row is an item of a batch on its way to its table.
type row struct {
	identity
	index    int // position in its slice of the batch
	millis   int64
	hash     uint64 // hash of identity
	item     schema.Item
	stored   bool // found in the tables, or already in the group
	repeated bool // stored with another batch, or earlier in the group
	claims   bool // repeated a row of an import, see store.Remover
}

// arrange returns the rows of b, or an error if one of them cannot be stored.
func arrange(b *store.Batch) ([]row, error) {
	return schema.Arrange(b, func(it schema.Item) row {
		of := identity(it.Identity)
		of.Subject = subjectText(it.Of())
		return row{identity: of, index: it.Index, millis: it.Millis, hash: of.hash(), item: it}
	})
}
