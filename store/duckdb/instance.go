//go:build cgo

package duckdb

import (
	"context"
	"crypto/rand"
	"errors"

	driver "github.com/duckdb/duckdb-go/v2"

	"github.com/sightline-analytics/sightline/store"
)

// An instance is one opening of the database: an engine and its connections. After
// a fatal error an engine refuses everything, and another instance takes its place.
type instance struct {
	connector *driver.Connector
	idle      chan *conn // for readers
	ctx       context.Context
	stop      context.CancelFunc // ends the queries that run
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
	err = explainOpen(c.exec(lockDown))
	i.give(c)
	if err != nil {
		return nil, errors.Join(err, i.close())
	}
	return i, nil
}

// connect makes a connection.
func (i *instance) connect() (*conn, error) {
	raw, err := i.connector.Connect(i.ctx)
	if err != nil {
		return nil, explainOpen(err)
	}
	c, ok := raw.(*driver.Conn)
	if !ok {
		return nil, &fault{kind: store.ErrUnavailable, cause: errors.New("the driver's connection is of another type")}
	}
	return &conn{raw: c}, nil
}

// take finds an idle connection for a reader, or makes one.
func (i *instance) take() (*conn, error) {
	select {
	case c := <-i.idle:
		return c, nil
	default:
		return i.connect()
	}
}

// give takes a reader's connection back.
func (i *instance) give(c *conn) {
	select {
	case i.idle <- c:
	default:
		_ = c.close() // more than MaxReaders: cannot be, and would do no harm
	}
}

// close ends the instance. All connections have been given back or closed.
func (i *instance) close() error {
	i.stop()
	var faults []error
	for {
		select {
		case c := <-i.idle:
			faults = append(faults, c.close())
		default:
			return errors.Join(append(faults, i.connector.Close())...)
		}
	}
}
