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
)

var errClosed = fmt.Errorf("%w: the store is closed", store.ErrUnavailable)

// Query runs one SELECT; anything else is refused. At most Config.MaxReaders run at
// a time. When ctx ends, Query returns its error at once, and the engine stops the
// query soon after; until then it still counts as running.
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

// takeSlot waits until one more query may run. Who takes a slot gives it back.
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

// Ping runs a query on the file.
func (s *Store) Ping(ctx context.Context) error {
	_, err := s.Query(ctx, store.Statement{
		Label: "ping",
		SQL:   "SELECT version FROM schema_version",
		Kinds: []dialect.Kind{dialect.Int},
	})
	return err
}

// read runs stmt on the instance that is open.
func (s *Store) read(ctx context.Context, stmt store.Statement, args []sqldriver.NamedValue) (rows *store.Rows, err error) {
	err = s.reading(ctx, func(ctx context.Context, c *conn) (err error) {
		rows, err = c.read(ctx, stmt, args)
		return err
	})
	return rows, err
}

// reading lends a reader's connection, and keeps the engine open meanwhile.
func (s *Store) reading(ctx context.Context, do func(context.Context, *conn) error) error {
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
	// What does not fit while others run may fit later; what does not fit alone never does.
	if noMemory(err) && len(s.slots) == 1 {
		return &fault{kind: store.ErrTooMuch, cause: err}
	}
	return err
}

// read prepares, checks and runs stmt. A statement that failed is prepared anew the next time.
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
	return collect(ctx, rows, stmt)
}

// prepare makes a statement of text, which is one SELECT.
func (c *conn) prepare(text string) (*driver.Stmt, error) {
	prepared, err := c.raw.Prepare(text) // refuses more than one statement
	if err != nil {
		return nil, err
	}
	p, ok := prepared.(*driver.Stmt)
	if !ok {
		return nil, errors.Join(fmt.Errorf("the driver's statement is %T", prepared), prepared.Close())
	}
	kind, err := p.StatementType()
	if err == nil && kind != driver.STATEMENT_TYPE_SELECT {
		err = errors.New("not a SELECT")
	}
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// collect copies an answer, which the driver holds whole, into columns.
func collect(ctx context.Context, from sqldriver.Rows, stmt store.Statement) (*store.Rows, error) {
	if n := len(from.Columns()); n != len(stmt.Kinds) {
		return nil, fmt.Errorf("%d columns where %d were promised", n, len(stmt.Kinds))
	}
	rows := newRows(stmt.Kinds)
	cells := make([]sqldriver.Value, len(stmt.Kinds))
	var size int64
	for {
		if err := from.Next(cells); errors.Is(err, io.EOF) {
			return rows, nil
		} else if err != nil {
			return nil, err
		}
		for i, cell := range cells {
			if err := push(&rows.Columns[i], rows.Len, cell); err != nil {
				return nil, fmt.Errorf("column %d: %w", i+1, err)
			}
			size += rows.Columns[i].Size(rows.Len)
		}
		if stmt.MaxBytes > 0 && size > stmt.MaxBytes {
			return nil, store.ErrTooLarge
		}
		rows.Len++
		if rows.Len%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}
