package meta

import (
	"cmp"
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
	// ErrExists: a record with this id, or a link with this slug, already exists.
	ErrExists = errors.New("store/meta: already exists")
	// ErrInDoubt: the connection broke during the commit. The change may be stored or not. Check before you repeat
	// it.
	ErrInDoubt = errors.New("store/meta: the connection broke during the commit; check whether the change was stored")
)

// Config has the place of the records and the settings of new keys. Exactly one of Path and DSN is required.
type Config struct {
	// Path is the SQLite file. Open creates a missing file, but not its folder.
	Path string
	// DSN is the address of a PostgreSQL database: postgres://user@host/database?search_path=schema.
	DSN string
	// Pepper is the key of the secrets' digests. Without it, keys cannot be created or rotated, and tokens cannot be
	// minted. The records store a fingerprint of the first pepper that they are opened with, and of peppers that are
	// added before it later; Open fails with another pepper.
	Pepper auth.Pepper
	// Prefix is the prefix of new secrets. Empty means auth.DefaultPrefix.
	Prefix string
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
	// Wait is how long an operation waits for a lock of another process. 0 means 5 s.
	Wait time.Duration
	// Timeout limits the time of one operation. It must be at least Wait. An operation also ends when its context
	// ends. 0 means Wait + 5 s.
	Timeout time.Duration
	// Logger receives migrations, destroyed salts, and failures to store uses of keys. Nil means no logging.
	Logger *slog.Logger

	isCopy bool // Copy opens its target, which may be unfinished
}

// Format prints only the place of the records, without the password of a DSN.
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

// A Store stores the records. It is safe for concurrent use, also by several processes.
type Store struct {
	cfg    Config // without the DSN, which may hold a password
	at     string // the place of the records, without a password
	lang   lang
	write  *sql.DB
	read   *sql.DB
	turns  chan struct{} // newTurns explains it
	sql    sq.StatementBuilderType
	issuer auth.Issuer
	salts  saltCache
	uses   uses

	// traces is true while the write-ahead log may have destroyed salts. After a start it may have salts from a
	// process that crashed.
	traces atomic.Bool

	mu           sync.Mutex
	invalidators []auth.Invalidator
	closing      sync.Once
	closed       chan struct{} // closed when everything is closed
	fault        error         // the result of Close, after closed
}

var (
	_ store.Directory  = (*Store)(nil)
	_ store.Maintainer = (*Store)(nil)
	_ auth.KeyStore    = (*Store)(nil)
)

// Open opens the file or the database schema of cfg. It creates a missing file and migrates tables of older
// programs. Processes that do so at the same time wait for each other. If cfg is invalid, the error joins all
// problems. Otherwise it wraps
//
//   - store.ErrNewerSchema if the tables belong to a newer program,
//   - store.ErrCorrupt if the file is damaged or the tables belong to another program,
//   - store.ErrUnavailable if the database is locked, cannot be reached, or denies access,
//   - [ErrOtherPepper] if the records belong to another pepper than Config.Pepper,
//   - [ErrUnfinishedCopy] if a [Copy] into the database was stopped.
//
// After these errors nothing was changed. Each migration is a transaction: if one is interrupted, opening again
// continues.
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
		closed: make(chan struct{}),
		cfg:    cfg, lang: lang, write: write, read: read,
		at:     lang.name(cfg),
		turns:  newTurns(write),
		sql:    sq.StatementBuilder.PlaceholderFormat(lang.placeholder),
		issuer: auth.Issuer{Prefix: cfg.Prefix, Now: cfg.Now},
	}
	s.cfg.DSN = ""
	if err := s.prepare(ctx, files); err != nil {
		return nil, errors.Join(err, s.Close(context.Background()))
	}
	s.startUses()
	return s, nil
}

// newTurns returns a channel with a place for each update that may use or await a connection of write at the same
// time. It leaves one connection to the audit trail, whose writes take no turn. If there is only one connection, a
// write of the audit trail waits for at most one other update.
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
	if copied, err := s.Fact(ctx, factCopyTarget); err != nil || copied != "" && !s.cfg.isCopy {
		return cmp.Or(err, ErrUnfinishedCopy)
	}
	if err := s.adoptPepper(ctx); err != nil {
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
		faults = append(faults, fmt.Errorf("store/meta: Wait must not be negative: %v", c.Wait))
	}
	if c.Timeout < 0 || c.Timeout > 0 && c.Timeout < c.Wait {
		faults = append(faults, fmt.Errorf("store/meta: Timeout must be at least Wait (%v), not %v", max(0, c.Wait),
			c.Timeout))
	}
	if _, err := auth.NewSecret(nil, c.Prefix); err != nil { // auth checks the prefix
		faults = append(faults, fmt.Errorf("store/meta: %w", err))
	}
	return errors.Join(faults...)
}

// connect returns the two pools. Neither connects yet.
func connect(l lang, cfg Config) (write, read *sql.DB, err error) {
	if write, err = l.open(cfg, writing); err != nil {
		return nil, nil, err
	}
	if read, err = l.open(cfg, reading); err != nil {
		return nil, nil, errors.Join(err, write.Close())
	}
	return write, read, nil
}

// Close stores pending uses of keys, ends all work and closes the connections. Further calls return the same
// error. If ctx ends first, Close returns its error, and closing continues.
func (s *Store) Close(ctx context.Context) error {
	s.closing.Do(func() {
		//background:stop=Close bound=one fails=caller
		go func() {
			// The writer is closed last, because this moves the write-ahead log into the file.
			s.fault = errors.Join(s.stopUses(), s.read.Close(), s.write.Close())
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

// Ping reads a record, and returns an error if that fails. The error wraps store.ErrUnavailable or
// store.ErrCorrupt if one of them is the cause.
func (s *Store) Ping(ctx context.Context) error {
	_, err := collect(ctx, s, "ping", s.sql.Select("id").From("websites").Limit(1), text)
	return err
}

// Maintain destroys the salts of days before yesterday. Open and the first [Store.Salt] of a day do so, too. A
// host that may be idle for days should call it once a day.
func (s *Store) Maintain(ctx context.Context) error {
	return s.destroySalts(ctx, dayNumber(s.cfg.Now()))
}
