package sqlite

import (
	"context"
	"fmt"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/internal/collect"
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
	answer := collect.New(stmt)
	err = c.each(running, stmt.SQL, args, answer.Add)
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("sqlite: %s: %w", stmt.Label, explain(err))
	}
	return answer.Rows, nil
}

// Ping runs a query on the file. It fails if the store cannot answer.
func (s *Store) Ping(ctx context.Context) error {
	_, err := s.Query(ctx, store.Statement{Label: "ping", SQL: "SELECT sealings FROM settings",
		Kinds: []dialect.Kind{dialect.Int}})
	return err
}
