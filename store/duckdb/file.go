//go:build cgo

package duckdb

import (
	"bytes"
	"cmp"
	sqldriver "database/sql/driver"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/sightline-analytics/sightline/store"
)

// ensureFile makes sure that cfg.Path is a file that may be opened for writing: it
// creates a missing one and refuses one that is damaged, foreign, in use or newer.
// A refused file is not changed.
func ensureFile(cfg Config, steps []string) error {
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
	version, replayed, err := probe(cfg)
	if errors.Is(err, store.ErrLocked) || errors.Is(err, store.ErrNewerSchema) || errors.Is(err, errForeign) {
		return err
	}
	// Only now: opening and closing a file drops all locks that this process
	// has on it, and by now it is known that it has none.
	if err != nil && errors.Is(err, store.ErrUnavailable) {
		return errors.Join(checkMark(cfg.Path), err)
	}
	if err == nil {
		err = compatible(version, steps)
	}
	if err != nil && !errors.Is(err, store.ErrCorrupt) {
		return err
	}
	mended, checkErr := check(cfg, version < len(steps), replayed)
	if checkErr != nil || !mended {
		return cmp.Or(checkErr, err)
	}
	if version, _, err = probe(cfg); err != nil {
		return err
	}
	return compatible(version, steps)
}

// check looks for damage of the file and its log, and cuts from the log what was never acknowledged. It reads the
// whole file when opening it will rewrite it: to replay a log, or to change the schema. The size of the
// log that the engine replayed is empty when the engine failed.
func check(cfg Config, rewrites bool, replayed string) (mended bool, err error) {
	log := cfg.Path + ".wal"
	w, err := inspectLog(log)
	if err != nil {
		return false, &fault{kind: store.ErrUnavailable, cause: err}
	}
	began := cfg.Now()
	file, err := checkBlocks(cfg.Path, rewrites || w.size > 0)
	if err != nil {
		return false, err
	}
	cfg.Logger.Debug("duckdb: the file was checked", "file", cfg.Path, "all", rewrites || w.size > 0, "took", cfg.Now().Sub(began))
	if !w.known && w.size > 0 {
		cfg.Logger.Debug("duckdb: the log has a form that this program does not know; the engine reads it unchecked", "log", log)
	}
	if w.clean() {
		w.compare(replayed)
	}
	if w.clean() || w.owner != file && w.owner != (fileID{}) {
		return false, nil // or the engine refuses the log of another file
	}
	return true, mendLog(log, w, cfg.Logger)
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
	return publish(draft, cfg.Path)
}

// publish gives the finished draft its name, unless another process was faster.
func publish(draft, path string) error {
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
	syncDir(path)
	return nil
}

// syncDir makes the name of the file at path last.
func syncDir(path string) {
	if dir, err := os.Open(filepath.Dir(path)); err == nil {
		_ = dir.Sync() // where directories cannot be synced, the system does it in time
		_ = dir.Close()
	}
}

// checkMark looks for the mark of a DuckDB file. The engine takes some other files for
// work of extensions it is not allowed to load, and does not call them damaged.
func checkMark(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return nil // the engine's error says as much
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, 12) // a checksum, then the mark
	if _, err := io.ReadFull(f, head); err != nil || !bytes.Equal(head[8:], []byte(fileMark)) {
		return &fault{kind: store.ErrCorrupt, cause: fmt.Errorf("%s is not a valid DuckDB database file", path)}
	}
	return nil
}

// probe opens the file for reading only, which changes neither it nor its log. It returns the version of its schema,
// and how much of the log the engine replayed in memory, as the engine says it.
func probe(cfg Config) (version int, replayed string, err error) {
	inst, err := openInstance(cfg, cfg.Path, true)
	if err != nil {
		return 0, "", err
	}
	c, err := inst.connect()
	if err != nil {
		return 0, "", errors.Join(err, inst.close())
	}
	version, err = schemaVersion(c)
	if err == nil {
		err = c.each("SELECT wal_size FROM pragma_database_size()", nil, func(v []sqldriver.Value) error { return scan(v, &replayed) })
	}
	return version, replayed, errors.Join(explainOpen(err), c.close(), inst.close())
}

//go:embed schema/*.sql
var schemaFiles embed.FS

// migrations are the steps from nothing to the schema of this program, in order.
// Step i leads to version i+1. A step that was released is never changed.
func migrations() ([]string, error) {
	names, err := fs.Glob(schemaFiles, "schema/*.sql") // sorted
	if err != nil {
		return nil, err
	}
	steps := make([]string, len(names))
	for i, name := range names {
		text, err := schemaFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		steps[i] = string(text)
	}
	return steps, nil
}

var errForeign = errors.New("a database of another program")

// schemaVersion reads how far the schema of a file has come.
func schemaVersion(c engine) (int, error) {
	var version int64
	err := c.each("SELECT version::BIGINT FROM schema_version", nil, func(v []sqldriver.Value) error {
		return scan(v, &version)
	})
	if err != nil {
		if strings.Contains(err.Error(), "schema_version does not exist") {
			return 0, &fault{kind: store.ErrCorrupt, cause: errForeign}
		}
		return 0, err
	}
	return int(version), nil
}

// migrate brings the schema from version to that of steps, whole or not at all.
func migrate(c engine, version int, steps []string) error {
	if version >= len(steps) {
		return compatible(version, steps)
	}
	return transact(c, func() error {
		if version == 0 {
			if err := c.exec("CREATE TABLE schema_version(version INTEGER NOT NULL); INSERT INTO schema_version VALUES (0)"); err != nil {
				return err
			}
		}
		for i, step := range steps[version:] {
			if err := c.exec(step); err != nil {
				return fmt.Errorf("duckdb: schema step %d: %w", version+i+1, err)
			}
		}
		return c.exec(fmt.Sprintf("UPDATE schema_version SET version = %d", len(steps)))
	})
}

// compatible refuses a schema that knows more steps than this program.
func compatible(version int, steps []string) error {
	if version <= len(steps) {
		return nil
	}
	return &fault{
		kind:  store.ErrNewerSchema,
		cause: fmt.Errorf("it has version %d, this program knows %d", version, len(steps)),
	}
}
