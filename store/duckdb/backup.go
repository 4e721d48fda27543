//go:build cgo

package duckdb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/sightline-analytics/sightline/store"
)

// Backup copies the database to the new file path, and its log to path + ".wal" if it has one. [Open] opens the copy
// like the file of a process that was killed. Backup calls moment once, between two commits. The copy has the rows
// of every write that returned before, and of no write that begins later. If moment fails, Backup returns its error.
//
// Writes wait only for moment. They and queries run during the copy. The log then grows, because it is not moved into
// the file. Seal, SaveStates, DropStates, Erase and Maintain wait for the end of the copy.
//
// The new files have mode 0600, are synced to disk, and are checked like the files at Open. After an error Backup
// removes them. If the store is closed meanwhile, Backup fails with an error that wraps [store.ErrUnavailable].
func (s *Store) Backup(ctx context.Context, path string, moment func() error) (err error) {
	if s.cfg.memory() {
		return errors.New("duckdb: backup: a store in memory has no file")
	}
	for _, name := range []string{path, path + ".wal"} {
		if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("duckdb: backup: %s: %w", name, cmp.Or(err, fs.ErrExist))
		}
	}
	s.deriving.Lock() // keeps out checkpoints and commits of other connections
	defer s.deriving.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	var from frozen
	done := make(chan error, 1)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.closing:
		return errClosed
	case s.tasks <- func(w *writer) {
		var err error
		from, err = w.freeze(moment)
		done <- err
	}:
	}
	if err := <-done; err != nil {
		return fmt.Errorf("duckdb: backup: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(path)
			_ = os.Remove(path + ".wal")
		}
	}()
	if err := s.copyFrozen(ctx, from, path); err != nil {
		return fmt.Errorf("duckdb: backup: %w", explain(err))
	}
	if err := checkCopy(path); err != nil {
		return fmt.Errorf("duckdb: backup: %w", err)
	}
	syncDir(path)
	return nil
}

// A frozen describes which bytes of the file and of its log belong to a moment. They do not change before the next
// checkpoint: later commits append to the log, and write only to blocks that were free at the moment.
type frozen struct {
	file    *os.File
	size    int64
	logSize int64
}

// freeze calls moment between two commits, and returns what is stored then.
func (w *writer) freeze(moment func() error) (frozen, error) {
	if err := w.ready(); err != nil {
		return frozen{}, err
	}
	inst, path := w.store.inst, w.store.cfg.Path
	if inst.source == nil {
		file, err := os.Open(path)
		if err != nil {
			return frozen{}, err
		}
		inst.source = file
	}
	file, err := os.Stat(path)
	if err != nil {
		return frozen{}, err
	}
	f := frozen{file: inst.source, size: file.Size()}
	switch log, err := os.Stat(path + ".wal"); {
	case err == nil:
		f.logSize = log.Size()
	case !errors.Is(err, fs.ErrNotExist):
		return frozen{}, err
	}
	return f, moment()
}

// copyFrozen copies the file and its log.
func (s *Store) copyFrozen(ctx context.Context, from frozen, path string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	//background:stop=ctx bound=callers fails=none
	go func() {
		select {
		case <-s.closing:
			cancel(errClosed)
		case <-ctx.Done():
		}
	}()
	if _, err := from.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := copyBytes(ctx, path, from.file, from.size); err != nil || from.logSize == 0 {
		return err
	}
	log, err := os.Open(s.cfg.Path + ".wal") // unlike the file, it has no locks that closing it would release
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	return copyBytes(ctx, path+".wal", log, from.logSize)
}

// copyStep is the number of bytes to copy between two syncs. Without them the system would write all at the end, and
// commits would wait for it.
const copyStep = 16 << 20

// copyBytes copies the next size bytes of from to a new file, which it syncs.
func copyBytes(ctx context.Context, path string, from *os.File, size int64) error {
	to, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	for left := size; left > 0 && err == nil; left -= copyStep {
		if err = context.Cause(ctx); err == nil {
			// lets the system copy, which some file systems do by sharing blocks
			_, err = io.CopyN(to, from, min(left, copyStep))
		}
		if err == nil {
			err = to.Sync()
		}
	}
	return errors.Join(err, to.Close())
}

// checkCopy looks for damage in a copy of a file and its log, and cuts entries of the log after its last commit.
func checkCopy(path string) error {
	owner, err := checkBlocks(path, true)
	if err != nil {
		return err
	}
	log := path + ".wal"
	w, err := inspectLog(log)
	switch {
	case err != nil:
		return &fault{kind: store.ErrUnavailable, cause: err}
	case w.clean() || w.owner != owner && w.owner != (fileID{}):
		return nil
	case w.rest == restNothing || w.rest == restTorn || w.rest == restZeros:
		return cut(log, w.committed) // entries of a commit that failed
	}
	return &fault{kind: store.ErrCorrupt,
		cause: fmt.Errorf("the log of the database is damaged at byte %d; see docs/operations.md#damage", w.stopped)}
}
