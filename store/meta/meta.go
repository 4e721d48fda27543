package meta

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/store"
)

var (
	// ErrExists: a record with that id, or a link with that slug, already exists.
	ErrExists = errors.New("store/meta: exists already")
	// ErrInDoubt: the connection broke while the change was committed, so it may have been
	// made or not. Check before you repeat it.
	ErrInDoubt = errors.New("store/meta: it is not known whether the change was made")
)

// Config says where records are stored and how keys are made. Exactly one of Path and DSN is required.
type Config struct {
	Path    string           // of the SQLite file, created when missing; the folder must exist
	DSN     string           // of a PostgreSQL database: postgres://user@host/database?search_path=schema
	Pepper  auth.Pepper      // of secrets' digests; zero: keys cannot be created or rotated
	Prefix  string           // of new secrets; empty means auth.DefaultPrefix
	Now     func() time.Time // nil means time.Now
	Wait    time.Duration    // how long to wait for another process's write; 0 means 5 s
	Timeout time.Duration    // of one operation, unless its context ends before; 0 means Wait + 5 s
	Logger  *slog.Logger     // nil means silent
}

// Format prints where records are stored, without the password of a DSN, and nothing else.
func (c Config) Format(f fmt.State, _ rune) {
	where := c.Path
	if c.DSN != "" {
		where = "a database"
		if u, err := url.Parse(c.DSN); err == nil && u.Host != "" {
			where = u.Scheme + "://" + u.Host + u.Path
		}
	}
	_, _ = io.WriteString(f, "store/meta of "+where)
}

// A Store keeps the records. It is safe for concurrent use, also by several processes.
type Store struct {
	cfg    Config // without the DSN, which may hold a password
	at     string // where the records lie, without any password
	lang   lang
	write  *sql.DB
	read   *sql.DB
	turns  chan struct{} // see newTurns
	sql    sq.StatementBuilderType
	issuer auth.Issuer
	salts  saltCache
	traces atomic.Bool // destroyed salts may still be read in the write-ahead log: at first, those of a process that died
	uses   uses

	mu      sync.Mutex
	told    []auth.Invalidator
	closing sync.Once
	closed  error
}

var (
	_ store.Directory  = (*Store)(nil)
	_ store.Maintainer = (*Store)(nil)
	_ auth.KeyStore    = (*Store)(nil)
)

// Open opens the file or the database schema of cfg. It creates a missing file and migrates tables of
// an older program; processes that do so at once wait for each other. Its error joins all problems of
// cfg, or wraps store.ErrNewerSchema (of a newer program), store.ErrCorrupt (damaged, or not of this
// program) or store.ErrUnavailable (locked, not to be reached, or no rights); then nothing was changed.
// Each migration is a transaction: if one is interrupted, opening again continues.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	return open(ctx, cfg, migrations())
}

func open(ctx context.Context, cfg Config, files fs.FS) (*Store, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Wait == 0 {
		cfg.Wait = 5 * time.Second
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = cfg.Wait + 5*time.Second
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	lang := langOf(cfg)
	write, read, err := connect(lang, cfg)
	if err != nil {
		return nil, err
	}
	s := &Store{
		cfg: cfg, lang: lang, write: write, read: read,
		at:     lang.name(cfg),
		turns:  newTurns(write),
		sql:    sq.StatementBuilder.PlaceholderFormat(lang.placeholder),
		issuer: auth.Issuer{Prefix: cfg.Prefix, Now: cfg.Now},
	}
	s.cfg.DSN = ""
	if err := s.prepare(ctx, files); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.startUses()
	return s, nil
}

// newTurns returns a channel with room for the updates that may use or await a connection of write at the
// same time. It leaves one connection to the audit trail, whose writes take no turn. Where there is only one
// connection, at most one other update is before them, however many wait.
func newTurns(write *sql.DB) chan struct{} {
	return make(chan struct{}, max(1, write.Stats().MaxOpenConnections-1))
}

func (s *Store) prepare(ctx context.Context, files fs.FS) error {
	if err := s.inspect(ctx, files); err != nil {
		return err
	}
	if err := s.migrate(ctx, files); err != nil {
		return err
	}
	s.traces.Store(true)
	return s.Maintain(ctx)
}

func (c Config) check() error {
	var faults []error
	if err := langOf(c).check(c); err != nil {
		faults = append(faults, err)
	}
	if c.Wait < 0 {
		faults = append(faults, fmt.Errorf("store/meta: wait of %v", c.Wait))
	}
	if c.Timeout < 0 || c.Timeout > 0 && c.Timeout < c.Wait {
		faults = append(faults, fmt.Errorf("store/meta: timeout of %v, and a wait of %v within it", c.Timeout, c.Wait))
	}
	if _, err := auth.NewSecret(nil, c.Prefix); err != nil { // auth knows which prefixes are fit
		faults = append(faults, fmt.Errorf("store/meta: %w", err))
	}
	return errors.Join(faults...)
}

// connect makes the two pools; neither connects yet.
func connect(l lang, cfg Config) (write, read *sql.DB, err error) {
	if write, err = l.open(cfg, writing); err != nil {
		return nil, nil, err
	}
	if read, err = l.open(cfg, reading); err != nil {
		return nil, nil, errors.Join(err, write.Close())
	}
	return write, read, nil
}

// Close stores pending uses of keys, ends all work and closes the connections. Calling it again does
// nothing.
func (s *Store) Close() error {
	s.closing.Do(func() {
		// The writer goes last: its close moves the write-ahead log into the file.
		s.closed = errors.Join(s.stopUses(), s.read.Close(), s.write.Close())
	})
	return s.closed
}

// Ping reports whether records can be read, by reading some. Its error wraps
// store.ErrUnavailable or store.ErrCorrupt where that is the cause.
func (s *Store) Ping(ctx context.Context) error {
	_, err := collect(ctx, s, "ping", s.sql.Select("id").From("websites").Limit(1), text)
	return err
}

// Maintain destroys salts that are due. Open and the first [Store.Salt] of a day do so, too; a host
// that may be idle for days should call it from time to time.
func (s *Store) Maintain(ctx context.Context) error {
	return s.destroySalts(ctx, dayNumber(s.cfg.Now()))
}
