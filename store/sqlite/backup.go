package sqlite

import (
	"context"
	"errors"
	"fmt"

	"github.com/sightline-analytics/sightline/internal/sqlitecopy"
)

// Backup copies the database to the new file path. It calls moment once, between two commits. The copy has the rows of
// every write that returned before, and of no write that begins later. If moment fails, Backup returns its error.
//
// Writes wait only for moment. They and queries run during the copy, and the log grows. The file has mode 0600 and is
// synced to disk. After an error Backup removes it.
func (s *Store) Backup(ctx context.Context, path string, moment func() error) (err error) {
	if s.cfg.memory() {
		return errors.New("sqlite: backup: a store in memory has no file")
	}
	ctx, cancel := s.until(ctx)
	defer cancel()
	c, err := connect(s.cfg.Path, s.cfg.pragmas("query_only(1)")...)
	if err != nil {
		return fmt.Errorf("sqlite: backup: %w", explain(err))
	}
	defer func() { err = errors.Join(err, c.close()) }()
	if err := s.pin(ctx, c, moment); err != nil {
		return fmt.Errorf("sqlite: backup: %w", explain(err))
	}
	if err := errors.Join(sqlitecopy.Copy(ctx, c.raw, path), sqlitecopy.Unpin(c.raw)); err != nil {
		return fmt.Errorf("sqlite: backup: %w", explain(errors.Join(s.usable(ctx), err)))
	}
	return nil
}

// pin calls moment between two commits, and makes c read what is stored then.
func (s *Store) pin(ctx context.Context, c *conn, moment func() error) error {
	w, err := s.take(ctx, s.writing) // keeps out the writer, and changes by other connections
	if err != nil {
		return err
	}
	defer func() { s.writing <- w }()
	if err := sqlitecopy.Pin(ctx, c.raw); err != nil {
		return err
	}
	if err := moment(); err != nil {
		return errors.Join(err, sqlitecopy.Unpin(c.raw))
	}
	return nil
}
