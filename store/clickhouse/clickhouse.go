// Package clickhouse stores events in ClickHouse, for hosts that outgrow one machine:
//
//	events, err := clickhouse.Open(ctx, clickhouse.Config{DSN: "clickhouse://user:password@db1:9000/analytics"})
//	if err != nil {
//		return err
//	}
//	defer events.Close(ctx)
//	err = events.Migrate(ctx) // creates missing tables; call it at every start
//
// [Open] connects to the servers of a DSN; [New] uses a connection of the host. Only [Store.Migrate] creates
// tables. Any number of processes may write and read at the same time.
//
// # Tables
//
// The logical tables of package store/schema are MergeTree tables of the same names, ordered by subject and
// time, in monthly partitions. [Config.Schema] shows their DDL. Subjects are stored by their ids. Further
// tables are:
//
//   - receipts: an event id counts once, however often and through whichever processes it is sent. The file
//     receipt.go explains how.
//   - sealed_sessions, sealed_hits and seals: results computed from days of websites, and which of them are
//     valid. The file derive.go explains how.
//   - partials: states stored by the engine, which it merges into answers.
//   - versions: the number of changes of each day. The file version.go explains them.
//
// # Rights
//
// A user that only reads needs SELECT on the tables. Its profile must have readonly = 2 or 0, because readonly
// = 1 forbids the settings that every query needs. A user that writes, erases or seals also needs INSERT and
// ALTER DELETE, and ALTER UPDATE if rows of imports are sent again. A user that calls Migrate needs SELECT, INSERT,
// CREATE TABLE, ALTER ADD COLUMN and ALTER TTL. Some servers also require TABLE ENGINE ON MergeTree,
// AggregatingMergeTree and ReplacingMergeTree. With [Config.Cluster], users that write, erase, seal or migrate also
// need CLUSTER.
package clickhouse

import (
	"context"
	"errors"
	"sync"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A Store stores events in ClickHouse and answers queries. It is safe for concurrent use.
type Store struct {
	cfg   Config
	lang  *dialect.Dialect
	load  *store.Load
	conn  driver.Conn
	owned bool // Close closes conn

	queue        queue
	conflicts    pendingConflicts
	changes      openChanges
	versionCheck versionCheck
	deriving     sync.Mutex // held by Seal, SaveStates, DropStates, Erase and ErasePerson
	swept        time.Time  // the time of the last sweep

	closing context.Context // done when the store is closed
	close   context.CancelFunc
	once    sync.Once
	ended   chan struct{} // closed when the writer has ended
	closed  chan struct{} // closed when the connections are closed
	fault   error         // the result of Close, after closed
}

var (
	_ store.Store         = (*Store)(nil)
	_ store.Writer        = (*Store)(nil)
	_ store.Eraser        = (*Store)(nil)
	_ store.PersonEraser  = (*Store)(nil)
	_ store.Remover       = (*Store)(nil)
	_ store.VisitorHasher = (*Store)(nil)
	_ store.Purger        = (*Store)(nil)
	_ store.Lister        = (*Store)(nil)
	_ store.Restorer      = (*Store)(nil)
	_ store.Deriver       = (*Store)(nil)
	_ store.StateKeeper   = (*Store)(nil)
	_ store.Loaded        = (*Store)(nil)
)

// Open connects to the servers of cfg and asks one of them for its version. The caller closes the store.
//
// If cfg is invalid, the error joins all problems. Otherwise it wraps
//
//   - store.ErrUnavailable if no server can be reached,
//   - ErrAccess if the servers reject user or password,
//   - ErrTLS if no trusted connection is possible,
//   - ErrTooOld if the server is older than the minimum version.
//
// Some servers report a missing database ([ErrNoSchema]) or missing rights ([ErrRights]) here, others only at
// the first query. Open does not check for missing tables: see [Store.Migrate].
func Open(ctx context.Context, cfg Config) (*Store, error) {
	cfg, faults := cfg.resolve()
	c, err := cfg.connection()
	if err := errors.Join(faults, err); err != nil {
		return nil, err
	}
	conn, err := driver.Open(c)
	if err != nil {
		return nil, explain(err)
	}
	s := start(conn, cfg, true)
	if err := s.checkServer(ctx); err != nil {
		_ = s.Close(context.Background())
		return nil, err
	}
	return s, nil
}

// New returns a store on a connection of the host. It does not contact the server, and ignores DSN and TLS of
// cfg. Close leaves the connection open. Over HTTP, the connection should not use lz4 or zstd compression: with
// them, the driver reports an error for an answer that contains the text "__exception__" and a line end.
func New(conn driver.Conn, cfg Config) (*Store, error) {
	cfg, err := cfg.resolve()
	if err != nil {
		return nil, err
	}
	return start(conn, cfg, false), nil
}

func start(conn driver.Conn, cfg Config, owned bool) *Store {
	s := &Store{cfg: cfg, lang: Dialect(), load: store.NewLoad(cfg.Now), conn: conn, owned: owned,
		ended: make(chan struct{}), closed: make(chan struct{})}
	s.closing, s.close = context.WithCancel(context.Background())
	s.queue.begin()
	s.conflicts.every = conflictTick
	//background:stop=Close bound=one fails="could not check rows that may be stored twice"
	go s.run()
	return s
}

// BusyTime implements [store.Loaded].
func (s *Store) BusyTime() time.Duration { return s.load.BusyTime() }

// Dialect returns the SQL dialect of ClickHouse.
func (s *Store) Dialect() *dialect.Dialect { return s.lang }

// Close stores waiting rows, as far as the servers accept them within [Config.WriteTimeout], and closes the
// connections. Further calls return the same error. If ctx ends first, Close returns its error, and closing continues.
func (s *Store) Close(ctx context.Context) error {
	s.once.Do(func() {
		s.close()
		//background:stop=Close bound=one fails=caller
		go func() {
			<-s.ended
			if s.owned {
				s.fault = s.conn.Close()
			}
			close(s.closed)
		}()
	})
	select {
	case <-s.closed:
		return s.fault
	case <-ctx.Done():
		return ctx.Err()
	}
}

// MaxQueries implements [store.Bounded]. Each query uses one connection.
func (s *Store) MaxQueries() int { return s.conn.Stats().MaxOpenConns }
