package sqlite

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/sightline-analytics/sightline/store/internal/collect"
)

// A conn is a connection to the database. Only one goroutine at a time may use it.
//
// Package database/sql is not used: it copies every value once more, and it has no place for the statements
// that a connection has prepared.
type conn struct {
	raw      connection
	prepared *simplelru.LRU[string, statement]
}

// A connection is a connection of the driver.
type connection interface {
	sqldriver.Conn
	sqldriver.ExecerContext
}

// A statement is a prepared statement of the driver.
type statement interface {
	sqldriver.Stmt
	sqldriver.StmtExecContext
	sqldriver.StmtQueryContext
}

// maxPrepared limits the prepared statements of a connection. To prepare a statement of the engine takes about a
// millisecond.
const maxPrepared = 64

// connect opens a connection with these settings.
func connect(path string, pragmas ...string) (*conn, error) {
	db, err := sql.Open("sqlite", "") // does not connect
	if err != nil {
		return nil, err
	}
	raw, err := db.Driver().Open(source(path, pragmas))
	if err = errors.Join(err, db.Close()); err != nil {
		return nil, err
	}
	c, ok := raw.(connection)
	if !ok {
		return nil, errors.Join(fmt.Errorf("sqlite: the driver returned a connection of type %T", raw), raw.Close())
	}
	prepared, err := simplelru.NewLRU(maxPrepared, func(_ string, s statement) { _ = s.Close() })
	return &conn{c, prepared}, err
}

// source returns the driver's name of a database.
func source(path string, pragmas []string) string {
	// _dqs=0: an unknown name in double quotes is an error, not a text. _error_rc=1: an error has the text of its
	// operation, not of an earlier one.
	q := url.Values{"_dqs": {"0"}, "_error_rc": {"1"}}
	for _, p := range pragmas {
		q.Add("_pragma", p)
	}
	if path == inMemory {
		return inMemory + "?" + q.Encode()
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive letter
	}
	u := url.URL{Scheme: "file", Path: path, OmitHost: true, RawQuery: q.Encode()}
	return u.String()
}

// arguments returns values as arguments of the driver, by their position.
func arguments(values []any) (args []sqldriver.NamedValue) {
	for _, v := range values {
		args = appendValue(args, v)
	}
	return args
}

// exec runs statements. All get the same arguments.
func (c *conn) exec(text string, values ...any) error {
	_, err := c.raw.ExecContext(context.Background(), text, arguments(values))
	return err
}

// prepare returns the prepared statement for text. It stays open until it is no longer used.
func (c *conn) prepare(text string) (statement, error) {
	if s, ok := c.prepared.Get(text); ok {
		return s, nil
	}
	prepared, err := c.raw.Prepare(text)
	if err != nil {
		return nil, err
	}
	s, ok := prepared.(statement)
	if !ok {
		return nil, errors.Join(fmt.Errorf("sqlite: the driver returned a statement of type %T", prepared),
			prepared.Close())
	}
	c.prepared.Add(text, s)
	return s, nil
}

// change runs a prepared statement and returns the number of rows that it changed.
func (c *conn) change(ctx context.Context, text string, args []sqldriver.NamedValue) (int64, error) {
	s, err := c.prepare(text)
	if err != nil {
		return 0, err
	}
	result, err := s.ExecContext(ctx, args)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// each runs a prepared query and calls yield with each row. The slice is reused for the next row.
func (c *conn) each(ctx context.Context, text string, args []sqldriver.NamedValue,
	yield func([]sqldriver.Value) error) (err error) {
	s, err := c.prepare(text)
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(ctx, args)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	cells := make([]sqldriver.Value, len(rows.Columns()))
	for n := 1; ; n++ {
		if err := rows.Next(cells); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := yield(cells); err != nil {
			return err
		}
		if n%1024 == 0 && ctx.Err() != nil { // the driver only interrupts the search for the first row
			return ctx.Err()
		}
	}
}

// number returns the whole number in the first column of the last row of a query, or 0 without rows.
func (c *conn) number(text string, values ...any) (n int64, err error) {
	err = c.each(context.Background(), text, arguments(values), func(v []sqldriver.Value) error {
		n, err = collect.Int(v[0])
		return err
	})
	return n, err
}

// transact runs do in a transaction that may write. If do fails, nothing is stored.
func (c *conn) transact(do func() error) error {
	// The transaction takes the lock for writing at once. One that needs it later may fail because of a write in
	// between.
	if err := c.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err := do()
	if err == nil {
		err = c.exec("COMMIT")
	}
	if err != nil {
		// After some errors the database has already undone the transaction, and ROLLBACK fails.
		_ = c.exec("ROLLBACK")
	}
	return err
}

// bytes returns the bytes in the first column of the last row of a query.
func (c *conn) bytes(text string) (b []byte, err error) {
	err = c.each(context.Background(), text, nil, func(v []sqldriver.Value) error {
		b, _ = v[0].([]byte)
		return nil
	})
	return b, err
}

func (c *conn) close() error {
	c.prepared.Purge()
	return c.raw.Close()
}
