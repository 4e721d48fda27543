//go:build cgo

package duckdb

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"io"

	driver "github.com/duckdb/duckdb-go/v2"
)

// A conn is one connection to the engine, for statements of the store's own.
// It is used by one goroutine at a time.
type conn struct{ raw *driver.Conn }

// named is an argument for a statement with $name.
func named(name string, value any) sqldriver.NamedValue {
	return sqldriver.NamedValue{Name: name, Value: value}
}

// exec runs statements; args belong to the last of them.
func (c *conn) exec(text string, args ...sqldriver.NamedValue) error {
	_, err := c.raw.ExecContext(context.Background(), text, args)
	return err
}

// change runs one statement and reports how many rows it changed.
func (c *conn) change(text string, args ...sqldriver.NamedValue) (int64, error) {
	result, err := c.raw.ExecContext(context.Background(), text, args)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// each calls yield with every row of a question; the slice is used again for the next one.
func (c *conn) each(text string, args []sqldriver.NamedValue, yield func([]sqldriver.Value) error) (err error) {
	rows, err := c.raw.QueryContext(context.Background(), text, args)
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

// transact runs do in a transaction: all of it is stored, or nothing.
func (c *conn) transact(do func() error) error {
	if err := c.exec("BEGIN TRANSACTION"); err != nil {
		return err
	}
	if err := do(); err != nil {
		if undo := c.exec("ROLLBACK"); undo != nil {
			return fmt.Errorf("%w (and the rollback: %w)", err, undo)
		}
		return err
	}
	// A failed commit ends the transaction too.
	return c.exec("COMMIT")
}

// fill appends rows to table: do calls add once per row, with a value per column.
func (c *conn) fill(table string, do func(add func(...sqldriver.Value) error) error) (err error) {
	appender, err := driver.NewAppenderFromConn(c.raw, "", table)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, appender.Close()) }()
	return do(appender.AppendRow)
}

// close gives the connection back to the engine.
func (c *conn) close() error { return c.raw.Close() }

// scan copies the values of a row that each yields; into are pointers to string and int64.
func scan(values []sqldriver.Value, into ...any) error {
	for i, to := range into {
		switch to := to.(type) {
		case *string:
			text, ok := values[i].(string)
			if !ok {
				return fmt.Errorf("duckdb: column %d is %T, not text", i, values[i])
			}
			*to = text
		case *int64:
			number, ok := values[i].(int64)
			if !ok {
				return fmt.Errorf("duckdb: column %d is %T, not a 64-bit integer", i, values[i])
			}
			*to = number
		default:
			return fmt.Errorf("duckdb: cannot scan into %T", to)
		}
	}
	return nil
}
