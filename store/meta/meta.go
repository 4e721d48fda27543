package meta

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync/atomic"
	"time"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/store"
)

// ErrExists: there is a record of that id, or a link of that slug, already.
var ErrExists = errors.New("store/meta: exists already")

// Config says where records lie and how keys are made.
type Config struct {
	Path   string           // of the SQLite file, in a folder that exists; required; made when missing
	Pepper []byte           // of secrets' digests, auth.MinPepper bytes or more; nil: no keys are made or rotated
	Prefix string           // of new secrets; empty means auth.DefaultPrefix
	Now    func() time.Time // nil means time.Now
	Wait   time.Duration    // how long to wait for another process's write; 0 means 5 s
	Logger *slog.Logger     // nil means silent
}

// A Store keeps the records. It is safe for concurrent use, also by several processes.
type Store struct {
	cfg    Config
	lang   lang
	write  *sql.DB // of one connection, so that writers queue here rather than in the database
	read   *sql.DB
	sql    sq.StatementBuilderType
	issuer auth.Issuer
	traces atomic.Bool // destroyed salts may still be read in the write-ahead log
}

var (
	_ store.Directory  = (*Store)(nil)
	_ store.Maintainer = (*Store)(nil)
	_ auth.KeyStore    = (*Store)(nil)
)

// Open opens the file of cfg, making it when it is missing and bringing an older one
// forward. Its error joins all problems of cfg, or wraps store.ErrNewerSchema (of a
// newer program), store.ErrCorrupt (damaged, or not of this program) or
// store.ErrUnavailable (locked, or not to be reached); then the file is as it was.
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
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	lang := sqlite()
	if err := inspect(ctx, lang, cfg, files); err != nil {
		return nil, err
	}
	write, read, err := connect(lang, cfg)
	if err != nil {
		return nil, err
	}
	s := &Store{
		cfg: cfg, lang: lang, write: write, read: read,
		sql:    sq.StatementBuilder.PlaceholderFormat(lang.placeholder),
		issuer: auth.Issuer{Prefix: cfg.Prefix, Now: cfg.Now},
	}
	if err := s.prepare(ctx, files); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Store) prepare(ctx context.Context, files fs.FS) error {
	if err := s.migrate(ctx, files); err != nil {
		return err
	}
	return s.Maintain(ctx)
}

func (c Config) check() error {
	var faults []error
	if c.Path == "" {
		faults = append(faults, errors.New("store/meta: path is missing"))
	}
	if c.Wait < 0 {
		faults = append(faults, fmt.Errorf("store/meta: wait of %v", c.Wait))
	}
	if n := len(c.Pepper); n > 0 && n < auth.MinPepper {
		faults = append(faults, fmt.Errorf("store/meta: pepper has %d bytes, fewer than %d", n, auth.MinPepper))
	}
	if _, err := auth.NewSecret(nil, c.Prefix); err != nil { // auth knows which prefixes are fit
		faults = append(faults, fmt.Errorf("store/meta: %w", err))
	}
	return errors.Join(faults...)
}

// connect makes the two pools; neither connects yet.
func connect(l lang, cfg Config) (write, read *sql.DB, err error) {
	write, err = sql.Open(l.driver, l.writer(cfg))
	if err != nil {
		return nil, nil, fmt.Errorf("store/meta: %w", err)
	}
	write.SetMaxOpenConns(1)
	read, err = sql.Open(l.driver, l.reader(cfg))
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("store/meta: %w", err), write.Close())
	}
	read.SetMaxOpenConns(8)
	read.SetMaxIdleConns(8)
	return write, read, nil
}

// Close ends all work and closes the file. Calling it again does nothing.
func (s *Store) Close() error {
	// The writer goes last: its close moves the write-ahead log into the file.
	return errors.Join(s.read.Close(), s.write.Close())
}

// Ping reports whether records can be read, by reading some. Its error wraps
// store.ErrUnavailable or store.ErrCorrupt where that is the cause.
func (s *Store) Ping(ctx context.Context) error {
	_, err := collect(ctx, s, "ping", s.sql.Select("id").From("websites").Limit(1), text)
	return err
}

// Maintain destroys salts that are due. [Open] and the first [Store.Salt] of a day do
// so too; a host that may idle for days calls it now and then.
func (s *Store) Maintain(ctx context.Context) error {
	return s.destroySalts(ctx, dayNumber(s.cfg.Now()))
}
