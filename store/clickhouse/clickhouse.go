package clickhouse

import (
	"context"
	"errors"
	"sync"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A Store answers from ClickHouse and writes to it. It is safe for concurrent use.
type Store struct {
	cfg   Options
	lang  *dialect.Dialect
	conn  driver.Conn
	owned bool // conn is the store's to close

	queue     queue
	conflicts pendingConflicts
	knowledge knowledge

	closing context.Context //nolint:containedctx // done when the store is closed
	close   context.CancelFunc
	once    sync.Once
	ended   chan struct{} // the writer is gone
	fault   error         // of Close
}

var (
	_ store.Store  = (*Store)(nil)
	_ store.Writer = (*Store)(nil)
)

// Open connects to the servers of o and asks one of them who it is.
//
// Its error wraps store.ErrUnavailable when none can be reached, ErrAccess when they
// refuse user or password, ErrTLS when there is no trusted connection, ErrTooOld when
// the server is older than what can work, and joins all problems of o. Some servers tell
// of a missing database (ErrNoSchema) or a lack of rights (ErrRights) here, others when
// they are first asked. Missing tables are no error: see [Store.Migrate].
//
// The caller closes the store.
func Open(ctx context.Context, o Options) (*Store, error) {
	o, faults := o.resolve()
	c, err := o.connection()
	if err := errors.Join(faults, err); err != nil {
		return nil, err
	}
	conn, err := driver.Open(c)
	if err != nil {
		return nil, explain(err)
	}
	s := start(conn, o, true)
	if err := s.greet(ctx); err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

// New makes a store on a connection of the host's own, which stays open when the store
// is closed. It asks the server nothing. DSN and TLS of o are not looked at. Over HTTP the
// connection should not compress by lz4 or zstd: the driver takes an answer with the text
// "__exception__" and a line's end for an error then.
func New(conn driver.Conn, o Options) (*Store, error) {
	o, err := o.resolve()
	if err != nil {
		return nil, err
	}
	return start(conn, o, false), nil
}

func start(conn driver.Conn, o Options, owned bool) *Store {
	s := &Store{cfg: o, lang: dialect.ClickHouse(), conn: conn, owned: owned, ended: make(chan struct{})}
	s.closing, s.close = context.WithCancel(context.Background())
	s.queue.begin()
	s.conflicts.every = conflictTick
	go s.run()
	return s
}

// Dialect is ClickHouse's.
func (s *Store) Dialect() *dialect.Dialect { return s.lang }

// Close stores what waits to be stored, as far as the servers take it within
// Options.WriteTimeout, and closes the connections. Closing again returns the same.
func (s *Store) Close() error {
	s.once.Do(func() {
		s.close()
		<-s.ended
		if s.owned {
			s.fault = s.conn.Close()
		}
	})
	return s.fault
}
