//go:build cgo

package duckdb

import (
	"context"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A Store is an open DuckDB database. It is safe for concurrent use.
type Store struct {
	cfg     Config
	setup   setup
	lang    *dialect.Dialect
	catalog catalog
	load    *store.Load
	slots   chan struct{} // one per query that runs

	mu   sync.RWMutex // held for reading by every query, so that inst stays open
	inst *instance    // nil while the engine could not be opened again

	deriving sync.Mutex // held by Seal, SaveStates, Erase and Maintain; the writer makes no checkpoint meanwhile

	queue       *queue
	tasks       chan func(*writer)
	needsReopen chan struct{} // a reader met a fatal error
	closing     chan struct{}
	once        sync.Once     // closes closing
	ended       chan struct{} // the writer is gone
	closed      error         // what Close returns; read after ended
}

// A setup is what only tests change: the migrations, what the writer works through, and the rows of a cluster.
type setup struct {
	steps       []string
	engine      func(*instance) (engine, error)
	clusterRows int64
}

var (
	_ store.Store       = (*Store)(nil)
	_ store.Writer      = (*Store)(nil)
	_ store.Versioner   = (*Store)(nil)
	_ store.Eraser      = (*Store)(nil)
	_ store.Lister      = (*Store)(nil)
	_ store.Restorer    = (*Store)(nil)
	_ store.Deriver     = (*Store)(nil)
	_ store.StateKeeper = (*Store)(nil)
	_ store.Maintainer  = (*Store)(nil)
	_ store.Loaded      = (*Store)(nil)
)

// Open opens the database at cfg.Path, and creates it when it is missing. An older schema is migrated
// first.
//
// Its error wraps store.ErrLocked when the file is open already, in another process
// or in this one; store.ErrCorrupt when the file or its log is damaged or belongs to
// something else; store.ErrNewerSchema when a newer program wrote it;
// in these cases file and log are left as they were, and a copy of a damaged log may lie beside them. Other errors wrap
// store.ErrFull or store.ErrUnavailable when the file cannot be opened now, and
// leave the data as it was.
//
// The caller closes the store.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	steps, err := migrations()
	if err != nil {
		return nil, err
	}
	return openWith(ctx, cfg, setup{steps, (*instance).engine, clusterRows})
}

func openWith(ctx context.Context, cfg Config, with setup) (*Store, error) {
	cfg, err := cfg.resolve()
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := ensureFile(cfg, with.steps); err != nil {
		return nil, err
	}
	s := &Store{
		cfg:         cfg,
		setup:       with,
		lang:        dialect.DuckDB(),
		load:        store.NewLoad(cfg.Now),
		slots:       make(chan struct{}, cfg.MaxReaders),
		queue:       newQueue(),
		tasks:       make(chan func(*writer)),
		needsReopen: make(chan struct{}, 1),
		closing:     make(chan struct{}),
		ended:       make(chan struct{}),
	}
	w := &writer{store: s}
	if err := w.open(); err != nil {
		return nil, err
	}
	go w.run()
	return s, nil
}

// Dialect returns the SQL dialect of DuckDB.
func (s *Store) Dialect() *dialect.Dialect { return s.lang }

// BusyTime implements [store.Loaded].
func (s *Store) BusyTime() time.Duration { return s.load.BusyTime() }

// Version answers from memory: the number of the latest commit that touched one of the days. Commits
// are numbered across all subjects.
func (s *Store) Version(ctx context.Context, subject store.Subject, from, to time.Time) (uint64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	select {
	case <-s.closing:
		return 0, errClosed
	default:
	}
	if !from.Before(to) {
		return 0, nil
	}
	return s.catalog.between(subject, utcDay(from.UnixMilli()), lastDay(to)), nil
}

// Close waits for the running commit, stops queries, moves the log into the file and closes it. Waiting
// writes get an error that wraps [store.ErrUnavailable] and are not stored. An error says that the log
// could not be moved (such as [store.ErrFull]); everything written is still safe. Closing again returns
// the same.
func (s *Store) Close() error {
	s.once.Do(func() { close(s.closing) })
	<-s.ended
	return s.closed
}

// askReopen asks the writer to open the engine again if it must be.
func (s *Store) askReopen() {
	select {
	case s.needsReopen <- struct{}{}:
	default:
	}
}
