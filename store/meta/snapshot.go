package meta

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/sightline-analytics/sightline/internal/sqlitecopy"
)

// ErrNoSnapshot: the records are not in a file, so they have no Snapshot. The database has its own tools for backups.
var ErrNoSnapshot = errors.New("store/meta: only records in a file have snapshots")

// A Snapshot is the state of all records at one moment. Only one goroutine at a time may use it.
type Snapshot struct {
	store *Store
	conn  *sql.Conn
}

// Snapshot returns the current state. It takes no time, and changes do not wait for it, but the log of the file grows until
// Close. The error wraps [ErrNoSnapshot] if the records are in PostgreSQL.
func (s *Store) Snapshot(ctx context.Context) (*Snapshot, error) {
	if s.cfg.Path == "" {
		return nil, ErrNoSnapshot
	}
	c, err := s.read.Conn(ctx)
	if err != nil {
		return nil, s.wrap(ctx, "snapshot", err)
	}
	if err := c.Raw(func(raw any) error { return sqlitecopy.Pin(ctx, raw) }); err != nil {
		return nil, errors.Join(s.wrap(ctx, "snapshot", err), c.Close())
	}
	return &Snapshot{s, c}, nil
}

// Save copies the snapshot to the new file path, with mode 0600, and syncs it to disk. After an error the file does not
// exist. The file has the salts of the snapshot's day and of the day before: see [Store.Salt].
func (n *Snapshot) Save(ctx context.Context, path string) error {
	err := n.conn.Raw(func(raw any) error { return sqlitecopy.Copy(ctx, raw, path) })
	if err != nil {
		return n.store.wrap(ctx, "save a snapshot", err)
	}
	return nil
}

// Close ends the snapshot.
func (n *Snapshot) Close() error {
	err := errors.Join(n.conn.Raw(sqlitecopy.Unpin), n.conn.Close())
	if err != nil {
		return fmt.Errorf("store/meta: close a snapshot: %w", err)
	}
	return nil
}
