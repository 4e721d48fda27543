package sqlite

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/internal/ledger"
	"github.com/sightline-analytics/sightline/store/internal/queue"
	"github.com/sightline-analytics/sightline/store/internal/space"
)

// A Store is an open SQLite database. It is safe for concurrent use.
type Store struct {
	cfg     Config
	lang    *dialect.Dialect
	ledger  *ledger.Ledger
	load    *store.Load
	space   *space.Guard // nil without a limit
	queue   *queue.Queue[*write]
	hashKey []byte

	// The connections that are not in use. Of a store in memory, which has a single connection, all three are the
	// same channel.
	reading chan *conn // for queries
	writing chan *conn // for the writer; a change by another connection takes it, too, to keep the writer out
	sealing chan *conn // for Seal, Erase, ErasePerson, Purge, SaveStates and DropStates

	lock   *conn           // keeps other processes out; nil for a store in memory
	open   context.Context // ends when Close is called
	shut   context.CancelFunc
	ended  chan struct{} // closed when the writer has ended
	closed error         // the result of Close; valid after ended
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
	_ store.Resealer      = (*Store)(nil)
	_ store.StateKeeper   = (*Store)(nil)
	_ store.Bounded       = (*Store)(nil)
	_ store.Loaded        = (*Store)(nil)
)

// Open opens the database at path with the default limits. The path ":memory:" opens a new store in memory. See
// [OpenConfig].
func Open(ctx context.Context, path string) (*Store, error) {
	return OpenConfig(ctx, Config{Path: path})
}

// OpenConfig opens the database at cfg.Path, creates a missing file, and upgrades the schema of an older one. The
// caller closes the store.
//
// If cfg is invalid, the error lists all problems. Otherwise it wraps
//
//   - store.ErrLocked if another process, or this one, has opened the file,
//   - store.ErrCorrupt if the file is damaged, or is not a file of this package,
//   - store.ErrNewerSchema if a newer program wrote the file,
//   - store.ErrFull or store.ErrUnavailable if the file cannot be opened now.
func OpenConfig(ctx context.Context, cfg Config) (*Store, error) {
	steps, err := migrations()
	if err != nil {
		return nil, err
	}
	return openWith(ctx, cfg, steps)
}

// openWith is OpenConfig with other migrations.
func openWith(ctx context.Context, cfg Config, steps []string) (*Store, error) {
	cfg, err := cfg.resolve()
	if err = errors.Join(err, registered); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s := &Store{
		cfg: cfg, lang: dialect.SQLite(), load: store.NewLoad(cfg.Now), queue: queue.New[*write](),
		reading: make(chan *conn, cfg.MaxReaders), ended: make(chan struct{}),
	}
	if !cfg.memory() {
		s.space = space.New(space.Config{Folder: filepath.Dir(cfg.Path), Least: cfg.MinFree, Now: cfg.Now,
			Logger: cfg.Logger})
	}
	s.open, s.shut = context.WithCancel(context.Background())
	if err := s.connect(steps); err != nil {
		return nil, errors.Join(fmt.Errorf("sqlite: %w", explain(err)), s.disconnect())
	}
	//background:stop=Close bound=one fails=caller
	go s.run()
	return s, nil
}

// connect opens all connections, upgrades the schema and reads the ledger.
func (s *Store) connect(steps []string) error {
	if s.cfg.memory() {
		s.writing, s.sealing = s.reading, s.reading
	} else {
		s.writing, s.sealing = make(chan *conn, 1), make(chan *conn, 1)
		if err := s.exclude(); err != nil {
			return err
		}
		if err := createPrivate(s.cfg.Path); err != nil {
			return err
		}
	}
	writer, err := connect(s.cfg.Path, s.cfg.pragmas()...)
	if err != nil {
		return err
	}
	s.writing <- writer
	version, err := schemaVersion(writer, steps)
	if err != nil {
		return err
	}
	if !s.cfg.memory() {
		if err := writer.exec(fmt.Sprintf("PRAGMA page_size = %d; PRAGMA journal_mode = WAL", pageBytes)); err != nil {
			return err
		}
	}
	if err := migrate(writer, version, steps); err != nil {
		return err
	}
	if s.ledger, _, err = ledger.Read(func(query string, row func([]sqldriver.Value) error) error {
		return writer.each(context.Background(), query, nil, row)
	}); err != nil {
		return err
	}
	if s.hashKey, err = writer.bytes("SELECT hash_key FROM settings"); err != nil {
		return err
	}
	if s.cfg.memory() {
		return nil
	}
	sealer, err := connect(s.cfg.Path, s.cfg.pragmas()...)
	if err != nil {
		return err
	}
	s.sealing <- sealer
	for range s.cfg.MaxReaders {
		c, err := connect(s.cfg.Path, s.cfg.pragmas("query_only(1)")...)
		if err != nil {
			return err
		}
		s.reading <- c
	}
	return syncDir(filepath.Dir(s.cfg.Path))
}

// exclude locks a small database beside the file, which no other process and no other Store can then lock. The
// file itself cannot be locked: its own connections could not use it. The lock ends with the process.
func (s *Store) exclude() error {
	lock, err := connect(s.cfg.Path+".lock", "busy_timeout(0)")
	if err != nil {
		return err
	}
	s.lock = lock
	if err := lock.exec("BEGIN EXCLUSIVE"); err != nil {
		if errors.Is(explain(err), store.ErrUnavailable) {
			return fmt.Errorf("%w: %w", store.ErrLocked, err)
		}
		return err
	}
	return nil
}

// createPrivate creates the file, unless it exists, with access for its owner only. SQLite gives its log the same
// access.
func createPrivate(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case err != nil:
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return f.Close()
}

// syncDir makes the names of new files in dir durable. Where a directory cannot be synced, as on Windows, it does
// nothing.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = d.Sync()
	return d.Close()
}

// disconnect closes all connections that are not in use.
func (s *Store) disconnect() error {
	var faults []error
	for _, free := range []chan *conn{s.reading, s.sealing, s.writing} {
		for len(free) > 0 {
			c := <-free
			faults = append(faults, c.close())
		}
	}
	if s.lock != nil {
		faults = append(faults, s.lock.close())
	}
	return errors.Join(faults...)
}

// Dialect returns the SQL dialect of SQLite.
func (s *Store) Dialect() *dialect.Dialect { return s.lang }

// MaxQueries implements [store.Bounded].
func (s *Store) MaxQueries() int { return s.cfg.MaxReaders }

// BusyTime implements [store.Loaded].
func (s *Store) BusyTime() time.Duration { return s.load.BusyTime() }

var errClosed = fmt.Errorf("%w: the store is closed", store.ErrUnavailable)

// CheckSpace implements [store.SpaceChecker]: see [Config.MinFree].
func (s *Store) CheckSpace() error { return s.space.Check() }

// usable returns an error if ctx has ended or the store is closed.
func (s *Store) usable(ctx context.Context) error {
	if s.open.Err() != nil {
		return errClosed
	}
	return ctx.Err()
}

// take waits for a free connection. The caller puts it back.
func (s *Store) take(ctx context.Context, free chan *conn) (*conn, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	select {
	case c := <-free:
		return c, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-s.open.Done():
		return nil, errClosed
	}
}

// until returns a context that ends with ctx and when the store is closed.
func (s *Store) until(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.open, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

// Close waits for the commit in progress, stops queries, moves the log into the file and closes it. Writes that still
// wait fail with an error that wraps [store.ErrUnavailable], and are not stored. Further calls return the same error.
// If ctx ends first, Close returns its error, and closing continues.
func (s *Store) Close(ctx context.Context) error {
	s.shut()
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
