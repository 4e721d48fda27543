//go:build cgo

package duckdb

import (
	"context"
	"crypto/rand"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"io"
	"os"

	driver "github.com/duckdb/duckdb-go/v2"
	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/sightline-analytics/sightline/store"
)

// An instance is one opening of the database: an engine and its connections. After a fatal error an engine
// rejects all statements, and another instance replaces it.
type instance struct {
	connector *driver.Connector
	idle      chan *conn // for queries
	ctx       context.Context
	stop      context.CancelFunc // stops running queries
	// for backups; nil before the first. Closing it releases the lock of the engine, so close does that last
	source *os.File
}

func openInstance(cfg Config, path string, readOnly bool) (*instance, error) {
	connector, err := driver.NewConnector(cfg.dsn(path, "sightline/"+rand.Text(), readOnly), nil)
	if err != nil {
		return nil, explainOpen(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	i := &instance{
		connector: connector,
		idle:      make(chan *conn, cfg.MaxReaders),
		ctx:       ctx,
		stop:      stop,
	}
	c, err := i.connect()
	if err != nil {
		return nil, errors.Join(err, i.close())
	}
	err = explainOpen(c.exec(cfg.lockDown()))
	i.give(c)
	if err != nil {
		return nil, errors.Join(err, i.close())
	}
	return i, nil
}

// connect returns a new connection.
func (i *instance) connect() (*conn, error) {
	raw, err := i.connector.Connect(i.ctx)
	if err != nil {
		return nil, explainOpen(err)
	}
	c, ok := raw.(*driver.Conn)
	if !ok {
		return nil, &fault{kind: store.ErrUnavailable,
			cause: fmt.Errorf("the driver returned a connection of type %T", raw)}
	}
	prepared, err := simplelru.NewLRU(maxPrepared, func(_ string, p *driver.Stmt) { _ = p.Close() })
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return &conn{raw: c, appenders: map[string]*driver.Appender{}, prepared: prepared}, nil
}

// engine returns a new connection for the writer.
func (i *instance) engine() (engine, error) {
	c, err := i.connect()
	if err != nil {
		return nil, err // a nil *conn would not be a nil engine
	}
	return c, nil
}

// take returns an idle connection for a query, or a new one.
func (i *instance) take() (*conn, error) {
	select {
	case c := <-i.idle:
		return c, nil
	default:
		return i.connect()
	}
}

// give returns a query's connection to the instance.
func (i *instance) give(c *conn) {
	select {
	case i.idle <- c:
	default:
		_ = c.close() // there are never more than MaxReaders
	}
}

// close closes the instance. All connections must have been returned or closed.
func (i *instance) close() error {
	i.stop()
	var faults []error
	for {
		select {
		case c := <-i.idle:
			faults = append(faults, c.close())
		default:
			faults = append(faults, i.connector.Close())
			if i.source != nil {
				faults = append(faults, i.source.Close())
			}
			return errors.Join(faults...)
		}
	}
}

// An engine is the writer's connection. Tests use one that fails. Only one goroutine at a time may use it.
type engine interface {
	// exec runs statements. The last one receives args.
	exec(text string, args ...sqldriver.NamedValue) error
	// change runs one statement and returns the number of rows that it changed.
	change(text string, args ...sqldriver.NamedValue) (int64, error)
	// each runs a query and calls yield with each row. The slice is reused for the next row.
	each(text string, args []sqldriver.NamedValue, yield func([]sqldriver.Value) error) error
	// fill appends rows to table. do calls add for each row, with a value per column.
	fill(table string, do func(add func(...sqldriver.Value) error) error) error
	// close closes the connection.
	close() error
}

// A conn is a connection to the engine. It reuses an appender per table, because a new one, with its buffers
// for every column, costs more than appending a few rows. It also reuses prepared statements, because preparing
// takes a fifth to a third of the time of a query that reads few rows.
type conn struct {
	raw       *driver.Conn
	appenders map[string]*driver.Appender
	prepared  *simplelru.LRU[string, *driver.Stmt]
}

// maxPrepared limits the prepared statements of a connection. Each takes 60 to 330 kB of memory.
const maxPrepared = 32

// named returns an argument for the parameter $name.
func named(name string, value any) sqldriver.NamedValue {
	return sqldriver.NamedValue{Name: name, Value: value}
}

func (c *conn) exec(text string, args ...sqldriver.NamedValue) error {
	_, err := c.raw.ExecContext(context.Background(), text, args)
	return err
}

func (c *conn) change(text string, args ...sqldriver.NamedValue) (int64, error) {
	result, err := c.raw.ExecContext(context.Background(), text, args)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func (c *conn) each(text string, args []sqldriver.NamedValue, yield func([]sqldriver.Value) error) error {
	return c.eachIn(context.Background(), text, args, yield)
}

// eachIn is like each, but stops when ctx ends.
func (c *conn) eachIn(ctx context.Context, text string, args []sqldriver.NamedValue,
	yield func([]sqldriver.Value) error) (err error) {
	rows, err := c.raw.QueryContext(ctx, text, args)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	cells := make([]sqldriver.Value, len(rows.Columns()))
	for {
		if err := rows.Next(cells); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := yield(cells); err != nil {
			return err
		}
	}
}

// transact runs do in a transaction. If do fails, nothing is stored.
func transact(c engine, do func() error) error {
	if err := c.exec("BEGIN TRANSACTION"); err != nil {
		return err
	}
	if err := do(); err != nil {
		if undo := c.exec("ROLLBACK"); undo != nil {
			return fmt.Errorf("%w (the rollback also failed: %w)", err, undo)
		}
		return err
	}
	// A failed commit also ends the transaction.
	return c.exec("COMMIT")
}

func (c *conn) fill(table string, do func(add func(...sqldriver.Value) error) error) (err error) {
	appender := c.appenders[table]
	if appender == nil {
		if appender, err = driver.NewAppenderFromConn(c.raw, "", table); err != nil {
			return err
		}
		c.appenders[table] = appender
	}
	if err = do(appender.AppendRow); err == nil {
		err = appender.Flush()
	}
	if err != nil { // its buffered rows must not be stored with later ones
		delete(c.appenders, table)
		err = errors.Join(err, appender.Clear(), appender.Close())
	}
	return err
}

func (c *conn) close() error {
	c.prepared.Purge()
	var faults []error
	for _, appender := range c.appenders {
		faults = append(faults, appender.Close())
	}
	return errors.Join(append(faults, c.raw.Close())...)
}

// scan copies a row of each into pointers to string, int64 or int32.
func scan(values []sqldriver.Value, into ...any) error {
	for i, to := range into {
		switch to := to.(type) {
		case *string:
			text, ok := values[i].(string)
			if !ok {
				return fmt.Errorf("duckdb: column %d has type %T, want text", i+1, values[i])
			}
			*to = text
		case *int64:
			number, ok := values[i].(int64)
			if !ok {
				return fmt.Errorf("duckdb: column %d has type %T, want a 64-bit integer", i+1, values[i])
			}
			*to = number
		case *int32:
			number, ok := values[i].(int32)
			if !ok {
				return fmt.Errorf("duckdb: column %d has type %T, want a 32-bit integer", i+1, values[i])
			}
			*to = number
		default:
			return fmt.Errorf("duckdb: cannot scan into %T", to)
		}
	}
	return nil
}
