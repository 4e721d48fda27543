//go:build cgo

package duckdb

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"io"

	driver "github.com/duckdb/duckdb-go/v2"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/internal/collect"
)

var errClosed = fmt.Errorf("%w: the store is closed", store.ErrUnavailable)

// Query runs one SELECT and rejects other statements. At most Config.MaxReaders queries run at a time; further
// queries wait. When ctx ends, Query returns the context's error at once, and the engine stops the query soon
// after. Until then the query counts as running.
func (s *Store) Query(ctx context.Context, stmt store.Statement) (*store.Rows, error) {
	defer s.load.Begin(ctx)()
	args, err := s.bind(stmt.Args)
	if err != nil {
		return nil, fmt.Errorf("duckdb: %s: %w", stmt.Label, err)
	}
	if err := s.takeSlot(ctx); err != nil {
		return nil, err
	}
	type answer struct {
		rows *store.Rows
		err  error
	}
	answers := make(chan answer, 1)
	//background:stop=Close bound=MaxReaders fails=caller
	go func() {
		defer func() { <-s.slots }()
		rows, err := s.read(ctx, stmt, args)
		answers <- answer{rows, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case a := <-answers:
		if a.err != nil && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if a.err != nil {
			return nil, fmt.Errorf("duckdb: %s: %w", stmt.Label, explain(a.err))
		}
		return a.rows, nil
	}
}

// takeSlot waits until another query may run. The caller must free the slot.
func (s *Store) takeSlot(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-s.closing:
		return errClosed
	case <-ctx.Done():
		return ctx.Err()
	case s.slots <- struct{}{}:
		return nil
	}
}

// MaxQueries implements [store.Bounded].
func (s *Store) MaxQueries() int { return cap(s.slots) }

// Ping runs a query on the file. It fails if the store cannot answer.
func (s *Store) Ping(ctx context.Context) error {
	_, err := s.Query(ctx, store.Statement{
		Label: "ping",
		SQL:   "SELECT version FROM schema_version",
		Kinds: []dialect.Kind{dialect.Int},
	})
	return err
}

// read runs stmt on the current instance.
func (s *Store) read(ctx context.Context, stmt store.Statement, args []sqldriver.NamedValue) (rows *store.Rows,
	err error) {
	err = s.withReader(ctx, func(ctx context.Context, c *conn) (err error) {
		rows, err = c.read(ctx, stmt, args)
		return err
	})
	return rows, err
}

// withReader calls do with an idle connection for queries. The engine stays open meanwhile. The context of do
// ends when ctx ends or when the writer closes the engine.
func (s *Store) withReader(ctx context.Context, do func(context.Context, *conn) error) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.inst == nil {
		s.askReopen()
		return fmt.Errorf("%w: the engine is not open", store.ErrUnavailable)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.inst.ctx, cancel)()
	c, err := s.inst.take()
	if err != nil {
		return err
	}
	defer s.inst.give(c)
	err = do(ctx, c)
	if err != nil && s.inst.ctx.Err() != nil {
		return fmt.Errorf("%w: the engine was closed", store.ErrUnavailable)
	}
	if fatal(err) {
		s.askReopen()
	}
	// A query that needs too much memory while others run may succeed later. If it ran alone, it never will.
	if noMemory(err) && len(s.slots) == 1 {
		return &fault{kind: store.ErrTooMuch, cause: err}
	}
	return err
}

// read prepares stmt, checks its arguments and runs it. It discards the prepared statement after an error.
func (c *conn) read(ctx context.Context, stmt store.Statement, args []sqldriver.NamedValue) (_ *store.Rows, err error) {
	p, ok := c.prepared.Get(stmt.SQL)
	if !ok {
		if p, err = c.prepare(stmt.SQL); err != nil {
			return nil, err
		}
		c.prepared.Add(stmt.SQL, p)
	}
	defer func() {
		if err != nil {
			c.prepared.Remove(stmt.SQL)
		}
	}()
	if err := checkArguments(p, args); err != nil {
		return nil, err
	}
	rows, err := p.QueryContext(ctx, args)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	return readAnswer(ctx, rows, stmt)
}

// prepare returns a prepared statement for text, which must be one SELECT.
func (c *conn) prepare(text string) (*driver.Stmt, error) {
	prepared, err := c.raw.Prepare(text) // fails if text has several statements
	if err != nil {
		return nil, err
	}
	p, ok := prepared.(*driver.Stmt)
	if !ok {
		return nil, errors.Join(fmt.Errorf("the driver returned a statement of type %T", prepared), prepared.Close())
	}
	kind, err := p.StatementType()
	if err == nil && kind != driver.STATEMENT_TYPE_SELECT {
		err = errors.New("the statement is not a SELECT")
	}
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// readAnswer copies an answer, which the driver holds completely, into columns.
func readAnswer(ctx context.Context, from sqldriver.Rows, stmt store.Statement) (*store.Rows, error) {
	if n := len(from.Columns()); n != len(stmt.Kinds) {
		return nil, fmt.Errorf("the answer has %d columns, want %d", n, len(stmt.Kinds))
	}
	answer, cells := collect.New(stmt), make([]sqldriver.Value, len(stmt.Kinds))
	for {
		if err := from.Next(cells); errors.Is(err, io.EOF) {
			return answer.Rows, nil
		} else if err != nil {
			return nil, err
		}
		if err := answer.Add(cells); err != nil {
			return nil, err
		}
		if answer.Rows.Len%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}
