//go:build cgo

package duckdb

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/internal/ledger"
	"github.com/sightline-analytics/sightline/store/internal/queue"
	"github.com/sightline-analytics/sightline/store/internal/space"
	"github.com/sightline-analytics/sightline/store/schema"
)

// A Store is an open DuckDB database. It is safe for concurrent use.
type Store struct {
	cfg    Config
	setup  setup
	lang   *dialect.Dialect
	ledger *ledger.Ledger
	load   *store.Load
	space  *space.Guard  // nil without a limit
	slots  chan struct{} // one per running query

	mu   sync.RWMutex // read-locked by every query, so that inst stays open
	inst *instance    // nil while the engine cannot be reopened

	// held by Seal, SaveStates, DropStates, Erase, ErasePerson, RemoveImport, Claim, Purge, Maintain and Backup;
	// excludes checkpoints of the writer
	deriving sync.Mutex
	// held by the writer while it claims rows, and by Maintain while it reads claims and commits a cluster; never held
	// while waiting for mu or the writer
	moving sync.Mutex
	claims uint64 // number of statements that changed rows

	queue       *queue.Queue[*write]
	tasks       chan func(*writer)
	needsReopen chan struct{} // signals that a query met a fatal error; capacity 1
	closing     chan struct{}
	once        sync.Once     // closes closing
	ended       chan struct{} // closed when the writer has ended
	closed      error         // the result of Close; valid after ended
}

// A setup has the parts of a store that tests replace.
type setup struct {
	steps       []string                        // migrations
	engine      func(*instance) (engine, error) // returns the writer's connection
	clusterRows int64                           // rows of a cluster
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
	_ store.Resealer      = (*Store)(nil)
	_ store.StateKeeper   = (*Store)(nil)
	_ store.Maintainer    = (*Store)(nil)
	_ store.Loaded        = (*Store)(nil)
)

// Dialect returns the SQL of the stores of this package. Sealed hits are stored by country, and their column
// country_number finds the rows of one country several times faster than the text does.
func Dialect() *dialect.Dialect {
	d := dialect.DuckDB()
	d.Numbers = []dialect.Number{{Table: schema.SealedHits, Column: "country_number", Of: "country"}}
	return d
}

// Open opens the database at cfg.Path. It creates a missing file, and upgrades the schema of an older one. The
// caller closes the store.
//
// If cfg is invalid, the error joins all problems. Otherwise it wraps
//
//   - store.ErrLocked if another process, or this one, has opened the file,
//   - store.ErrCorrupt if the file or its log is damaged, or is not a file of this package,
//   - store.ErrNewerSchema if a newer program wrote the file,
//   - store.ErrFull or store.ErrUnavailable if the file cannot be opened now.
//
// After an error the file and its log are unchanged. There may be a new copy of a damaged log next to them.
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
		lang:        Dialect(),
		ledger:      ledger.New(),
		load:        store.NewLoad(cfg.Now),
		slots:       make(chan struct{}, cfg.MaxReaders),
		queue:       queue.New[*write](),
		tasks:       make(chan func(*writer)),
		needsReopen: make(chan struct{}, 1),
		closing:     make(chan struct{}),
		ended:       make(chan struct{}),
	}
	if !cfg.memory() {
		s.space = space.New(space.Config{Folder: filepath.Dir(cfg.Path), Least: cfg.MinFree, Now: cfg.Now,
			Logger: cfg.Logger})
	}
	w := &writer{store: s}
	if err := w.open(); err != nil {
		return nil, err
	}
	//background:stop=Close bound=one fails="could not reopen the engine"
	go w.run()
	return s, nil
}

// Dialect returns the SQL dialect of DuckDB.
func (s *Store) Dialect() *dialect.Dialect { return s.lang }

// BusyTime implements [store.Loaded].
func (s *Store) BusyTime() time.Duration { return s.load.BusyTime() }

// CheckSpace implements [store.SpaceChecker]: see [Config.MinFree].
func (s *Store) CheckSpace() error { return s.space.Check() }

// Close waits for the commit in progress, stops queries, moves the log into the file and closes it. Writes that
// still wait fail with an error that wraps [store.ErrUnavailable], and are not stored. Close returns an error,
// such as [store.ErrFull], if the log cannot be moved; all stored rows are still safe. Further calls return the
// same error. If ctx ends first, Close returns its error, and closing continues.
func (s *Store) Close(ctx context.Context) error {
	s.once.Do(func() { close(s.closing) })
	select {
	case <-s.ended:
		return s.closed
	default:
	}
	select {
	case <-s.ended:
		return s.closed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// askReopen asks the writer to reopen the engine if that is necessary.
func (s *Store) askReopen() {
	select {
	case s.needsReopen <- struct{}{}:
	default:
	}
}
