package sqlite

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"slices"

	"github.com/sightline-analytics/sightline/internal/sqlitecopy"
	"github.com/sightline-analytics/sightline/store"
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

// Check looks for damage in the file at path, and changes nothing. It returns the errors of [OpenConfig]: for damage,
// for files of a newer or of another program, and if the file cannot be read. The file must exist.
func Check(path string) (err error) {
	if registered != nil {
		return registered
	}
	c, err := connect(path, "query_only(1)", "busy_timeout(10000)")
	if err != nil {
		return fmt.Errorf("sqlite: check: %w", explain(err))
	}
	defer func() { err = errors.Join(err, c.close()) }()
	steps, err := migrations()
	if err != nil {
		return fmt.Errorf("sqlite: check: %w", err)
	}
	if _, err := schemaVersion(c, steps); err != nil {
		return fmt.Errorf("sqlite: check: %w", explain(err))
	}
	var found []string
	err = c.each(context.Background(), "PRAGMA quick_check(1)", nil, func(v []sqldriver.Value) error {
		text, _ := v[0].(string)
		found = append(found, text)
		return nil
	})
	if err != nil {
		return fmt.Errorf("sqlite: check: %w", explain(err))
	}
	if !slices.Equal(found, []string{"ok"}) {
		return fmt.Errorf("sqlite: check: %w: %q", store.ErrCorrupt, found)
	}
	return nil
}
