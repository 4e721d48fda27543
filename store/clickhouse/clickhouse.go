// Package clickhouse is a store in ClickHouse, for hosts that outgrow one machine.
//
// [Open] connects by a DSN, [New] takes a connection of the host's own. No tables are created until
// [Store.Migrate] is called. Any number of processes may write and read at the same time.
//
// # What is kept
//
// The logical tables of package store/schema are MergeTree tables of the same names, ordered
// by subject and time in monthly partitions; [Config.Schema] shows their DDL. Subjects
// are kept by their ids. An event id counts once, however often and by whichever processes it is sent:
// receipt.go explains how. What is computed of quiet days of websites is in sealed_sessions and sealed_hits,
// and seals says which of their rows count: derive.go explains how. States that the engine has kept, which answers are
// merged from, are in partials.
//
// # Rights
//
// A user that only reads needs SELECT on the tables, and a profile with readonly = 2 or
// 0: settings are sent with every query, which readonly = 1 forbids. A user that writes, erases
// or seals needs INSERT and ALTER DELETE, too; one that calls Migrate needs SELECT, INSERT,
// CREATE TABLE, ALTER ADD COLUMN and ALTER TTL, and where the server asks for it TABLE
// ENGINE ON MergeTree, AggregatingMergeTree and ReplacingMergeTree. With [Config.Cluster] those who write, erase, seal or migrate need
// CLUSTER, too.
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

// A Store answers from ClickHouse and writes to it. It is safe for concurrent use.
type Store struct {
	cfg   Config
	lang  *dialect.Dialect
	load  *store.Load
	conn  driver.Conn
	owned bool // conn is the store's to close

	queue        queue
	conflicts    pendingConflicts
	changes      openChanges
	versionCheck versionCheck
	deriving     sync.Mutex // held by Seal, SaveStates, DropStates and Erase
	swept        time.Time  // by Seal

	closing context.Context //nolint:containedctx // done when the store is closed
	close   context.CancelFunc
	once    sync.Once
	ended   chan struct{} // the writer is gone
	fault   error         // of Close
}

var (
	_ store.Store       = (*Store)(nil)
	_ store.Writer      = (*Store)(nil)
	_ store.Eraser      = (*Store)(nil)
	_ store.Lister      = (*Store)(nil)
	_ store.Restorer    = (*Store)(nil)
	_ store.Versioner   = (*Store)(nil)
	_ store.Deriver     = (*Store)(nil)
	_ store.StateKeeper = (*Store)(nil)
	_ store.Loaded      = (*Store)(nil)
)

// Open connects to the servers of cfg and asks one of them for its version.
//
// Its error wraps store.ErrUnavailable when none can be reached, ErrAccess when they
// refuse user or password, ErrTLS when there is no trusted connection, ErrTooOld when
// the server is older than what can work, and joins all problems of cfg. Some servers report a missing
// database ([ErrNoSchema]) or missing rights ([ErrRights]) here, others on the first query. Missing
// tables are no error: see [Store.Migrate].
//
// The caller closes the store.
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
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

// New makes a store on a connection of the host's own, which stays open when the store
// is closed. It does not contact the server. DSN and TLS of cfg are ignored. Over HTTP the connection
// should not use lz4 or zstd compression: the driver then mistakes an answer with the text
// "__exception__" and a line end for an error.
func New(conn driver.Conn, cfg Config) (*Store, error) {
	cfg, err := cfg.resolve()
	if err != nil {
		return nil, err
	}
	return start(conn, cfg, false), nil
}

func start(conn driver.Conn, cfg Config, owned bool) *Store {
	s := &Store{cfg: cfg, lang: dialect.ClickHouse(), load: store.NewLoad(cfg.Now), conn: conn, owned: owned, ended: make(chan struct{})}
	s.closing, s.close = context.WithCancel(context.Background())
	s.queue.begin()
	s.conflicts.every = conflictTick
	go s.run()
	return s
}

// BusyTime implements [store.Loaded].
func (s *Store) BusyTime() time.Duration { return s.load.BusyTime() }

// Dialect returns the SQL dialect of ClickHouse.
func (s *Store) Dialect() *dialect.Dialect { return s.lang }

// Close stores waiting rows, as far as the servers accept them within [Config.WriteTimeout], and closes
// the connections. Closing again returns the same.
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

// MaxQueries implements [store.Bounded]: a query holds a connection.
func (s *Store) MaxQueries() int { return s.conn.Stats().MaxOpenConns }
