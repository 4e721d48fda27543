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
	taken bool
}

// Snapshot returns a Snapshot without a state, which Take gives it. The caller closes it. The error wraps
// [ErrNoSnapshot] if the records are in PostgreSQL.
func (s *Store) Snapshot(ctx context.Context) (*Snapshot, error) {
	if s.cfg.Path == "" {
		return nil, ErrNoSnapshot
	}
	c, err := s.read.Conn(ctx)
	if err != nil {
		return nil, s.wrap(ctx, "snapshot", err)
	}
	return &Snapshot{store: s, conn: c}, nil
}

// Take makes n the current state. It takes less than a millisecond. Changes of records do not wait for the snapshot,
// but the log of the file grows until Close.
func (n *Snapshot) Take(ctx context.Context) error {
	err := n.conn.Raw(func(raw any) error { return sqlitecopy.Pin(ctx, raw) })
	n.taken = err == nil
	return n.store.wrap(ctx, "take a snapshot", err)
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
	var err error
	if n.taken {
		err = n.conn.Raw(sqlitecopy.Unpin)
	}
	if err = errors.Join(err, n.conn.Close()); err != nil {
		return fmt.Errorf("store/meta: close a snapshot: %w", err)
	}
	return nil
}
