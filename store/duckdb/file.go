//go:build cgo

package duckdb

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sightline-analytics/sightline/store"
)

// prepare makes sure that cfg.Path is a file that may be opened for writing: it
// creates a missing one and refuses one that is damaged, foreign, in use or newer.
// A refused file is not changed.
func prepare(cfg Config, steps []string) error {
	if cfg.memory() {
		return nil
	}
	_, err := os.Stat(cfg.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return create(cfg, steps)
	}
	if err != nil {
		return &fault{kind: store.ErrUnavailable, cause: err}
	}
	err = probe(cfg, steps)
	if err != nil && errors.Is(err, store.ErrUnavailable) {
		// Only now: opening and closing a file drops all locks that this process
		// has on it, and by now it is known that it has none.
		return errors.Join(recognise(cfg.Path), err)
	}
	return err
}

// create makes the file under another name first, so that a process that ends
// meanwhile leaves no half-made store behind.
func create(cfg Config, steps []string) (err error) {
	if _, err := os.Stat(cfg.Path + ".wal"); err == nil {
		return &fault{kind: store.ErrCorrupt, cause: fmt.Errorf("%s.wal is there without its database file", cfg.Path)}
	}
	draft := cfg.Path + ".new"
	discard := func() { _ = os.Remove(draft); _ = os.Remove(draft + ".wal") }
	discard()
	defer discard()
	inst, err := openInstance(cfg, draft, false)
	if err != nil {
		return err
	}
	err = func() error {
		c, err := inst.connect()
		if err != nil {
			return err
		}
		defer func() { _ = c.close() }()
		if err := migrate(c, 0, steps); err != nil {
			return err
		}
		return c.exec("CHECKPOINT")
	}()
	if err := errors.Join(err, inst.close()); err != nil {
		return explainOpen(err)
	}
	return place(draft, cfg.Path)
}

// place gives the finished draft its name, unless another process was faster.
func place(draft, path string) error {
	err := os.Link(draft, path)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil { // a file system without hard links
		err = os.Rename(draft, path)
	}
	if err != nil {
		return &fault{kind: store.ErrUnavailable, cause: err}
	}
	if dir, err := os.Open(filepath.Dir(path)); err == nil {
		_ = dir.Sync() // where directories cannot be synced, the system does it in time
		_ = dir.Close()
	}
	return nil
}

// recognise looks for the mark of a DuckDB file. The engine takes some other files for
// work of extensions it is not allowed to load, and does not call them damaged.
func recognise(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return nil // the engine's error says as much
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, 12) // a checksum, then the mark
	if _, err := io.ReadFull(f, head); err != nil || !bytes.Equal(head[8:], []byte("DUCK")) {
		return &fault{kind: store.ErrCorrupt, cause: fmt.Errorf("%s is not a valid DuckDB database file", path)}
	}
	return nil
}

// probe opens the file for reading only, which changes neither it nor its log, and
// looks whether this program may go on with it.
func probe(cfg Config, steps []string) error {
	inst, err := openInstance(cfg, cfg.Path, true)
	if err != nil {
		return err
	}
	c, err := inst.connect()
	if err != nil {
		return errors.Join(err, inst.close())
	}
	version, err := schemaVersion(c)
	if err = errors.Join(explainOpen(err), c.close(), inst.close()); err != nil {
		return err
	}
	return compatible(version, steps)
}
