package sqlite

import (
	"context"
	sqldriver "database/sql/driver"
	"fmt"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// Query runs one SELECT. At most Config.MaxReaders queries run at a time; further queries wait. When ctx ends,
// SQLite stops the query.
func (s *Store) Query(ctx context.Context, stmt store.Statement) (*store.Rows, error) {
	defer s.load.Begin(ctx)()
	args, err := s.bind(stmt.Args)
	if err != nil {
		return nil, fmt.Errorf("sqlite: %s: %w", stmt.Label, err)
	}
	c, err := s.take(ctx, s.reading)
	if err != nil {
		return nil, err
	}
	defer func() { s.reading <- c }()
	running, cancel := s.until(ctx)
	defer cancel()
	rows := newRows(stmt.Kinds)
	var size int64
	err = c.each(running, stmt.SQL, args, func(cells []sqldriver.Value) error {
		if len(cells) != len(stmt.Kinds) {
			return fmt.Errorf("the answer has %d columns, want %d", len(cells), len(stmt.Kinds))
		}
		for i, cell := range cells {
			if err := push(&rows.Columns[i], rows.Len, cell); err != nil {
				return fmt.Errorf("column %d: %w", i+1, err)
			}
			size += rows.Columns[i].Size(rows.Len)
		}
		if stmt.MaxBytes > 0 && size > stmt.MaxBytes {
			return store.ErrTooLarge
		}
		rows.Len++
		return nil
	})
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("sqlite: %s: %w", stmt.Label, explain(err))
	}
	return rows, nil
}

// Ping runs a query on the file. It fails if the store cannot answer.
func (s *Store) Ping(ctx context.Context) error {
	_, err := s.Query(ctx, store.Statement{Label: "ping", SQL: "SELECT sealings FROM settings", Kinds: []dialect.Kind{dialect.Int}})
	return err
}
