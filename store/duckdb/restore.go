//go:build cgo

package duckdb

import (
	"context"
	"fmt"

	"github.com/sightline-analytics/sightline/store"
)

var (
	_ store.Lister   = (*Store)(nil)
	_ store.Restorer = (*Store)(nil)
)

// Restore stores b whole or not at all. It needs no mark, since a look at the rows shows
// every earlier attempt: what this process hands in is committed in turn, and what another
// one wrote is finished when this one can open the file.
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

// Subjects is answered from memory.
func (s *Store) Subjects(ctx context.Context) ([]store.Subject, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s.catalog.subjects(), nil
}
