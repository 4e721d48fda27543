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
	"github.com/sightline-analytics/sightline/store/schema"
)

// ensureFile makes sure that the file at cfg.Path can be opened for writing. It creates a missing file. It
// returns an error for a file that is damaged, in use, newer than this program, or of another program; such
// files do not change.
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
	// The functions below open and close the file, which releases all locks of this process on it. They run
	// only now, because probe has shown that this process has no locks on the file.
	if err != nil && errors.Is(err, store.ErrUnavailable) {
		return errors.Join(checkMark(cfg.Path), err)
	}
	if err == nil {
		err = compatible(version, steps)
	}
	if err != nil && !errors.Is(err, store.ErrCorrupt) {
		return err
	}
	repaired, checkErr := check(cfg, version < len(steps), replayed)
	if checkErr != nil || !repaired {
		return cmp.Or(checkErr, err)
	}
	if version, _, err = probe(cfg); err != nil {
		return err
	}
	return compatible(version, steps)
}

// check looks for damage of the file and its log, and removes unacknowledged entries from the end of the log.
// It reads the whole file if opening it will write to it: to replay a log or to upgrade the schema. replayed is
// the size of the log that the engine replayed, or "" if the engine failed.
func check(cfg Config, rewrites bool, replayed string) (repaired bool, err error) {
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
	cfg.Logger.Debug("duckdb: checked the file", "file", cfg.Path, "all", rewrites || w.size > 0, "took",
		cfg.Now().Sub(began))
	if !w.known && w.size > 0 {
		cfg.Logger.Debug("duckdb: the log has an unknown format; the engine replays it without a check", "log", log)
	}
	if w.clean() {
		w.compare(replayed)
	}
	if w.clean() || w.owner != file && w.owner != (fileID{}) {
		return false, nil // the engine rejects the log of another file
	}
	return true, repairLog(log, w, cfg.Logger)
}

// create creates the file under a temporary name first. So a process that ends meanwhile does not leave an
// incomplete file.
func create(cfg Config, steps []string) (err error) {
	switch _, err := os.Stat(cfg.Path + ".wal"); {
	case err == nil:
		return &fault{kind: store.ErrCorrupt, cause: fmt.Errorf("%s.wal exists without its database file", cfg.Path)}
	case !errors.Is(err, fs.ErrNotExist):
		return &fault{kind: store.ErrUnavailable, cause: err}
	}
	draft := cfg.Path + ".new"
	discard := func() {
		_ = os.Remove(draft)
		_ = os.Remove(draft + ".wal")
	}
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

// publish renames the finished draft to path, unless another process has created that file meanwhile.
func publish(draft, path string) error {
	err := os.Link(draft, path)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil { // the file system has no hard links
		err = os.Rename(draft, path)
	}
	if err != nil {
		return &fault{kind: store.ErrUnavailable, cause: err}
	}
	syncDir(path)
	return nil
}

// syncDir flushes the directory of path to disk, so that a new name survives a crash.
func syncDir(path string) {
	if dir, err := os.Open(filepath.Dir(path)); err == nil {
		_ = dir.Sync() // not all systems can sync a directory; they write it soon
		_ = dir.Close()
	}
}

// checkMark returns an error if the file does not have the mark of a DuckDB file. The engine takes some other
// files for files of extensions, and does not report them as damaged.
func checkMark(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return nil // the engine reports this error, too
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, 12) // a checksum, then the mark
	if _, err := io.ReadFull(f, head); err != nil || !bytes.Equal(head[8:], []byte(fileMark)) {
		return &fault{kind: store.ErrCorrupt, cause: fmt.Errorf("%s is not a valid DuckDB database file", path)}
	}
	return nil
}

// probe opens the file read-only, which changes neither the file nor its log. It returns the version of the
// schema, and the size of the log that the engine replayed in memory, in the engine's words.
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
		err = c.each("SELECT wal_size FROM pragma_database_size()", nil,
			func(v []sqldriver.Value) error { return scan(v, &replayed) })
	}
	return version, replayed, errors.Join(explainOpen(err), c.close(), inst.close())
}

//go:embed schema/*.sql
var schemaFiles embed.FS

// migrations returns the migrations from an empty file to the schema of this program, in order. Step i leads to
// version i+1. The first one also creates the sealed tables. Never change a released step.
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
	for _, t := range schema.SealedTables() {
		steps[0] += sealedDefinition(&t)
	}
	return steps, nil
}

var errForeign = errors.New("it is a DuckDB database of another program")

// schemaVersion returns the version of the schema in a file.
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

// migrate upgrades the schema from version to the last of steps, in one transaction.
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

// compatible returns an error if the schema is newer than the last of steps.
func compatible(version int, steps []string) error {
	if version <= len(steps) {
		return nil
	}
	return &fault{
		kind:  store.ErrNewerSchema,
		cause: fmt.Errorf("the file has version %d, this program knows %d", version, len(steps)),
	}
}

// SchemaVersion returns the version of the schema of files that this program writes. A program opens files with the
// same version and with smaller ones.
func SchemaVersion() (int, error) {
	steps, err := migrations()
	return len(steps), err
}

// Check looks at the file at cfg.Path like [Open], and changes nothing. It verifies all blocks of the file and all
// entries of its log. It returns the errors of Open: for damage, for files of a newer or of another program, and if
// another process has opened the file. unfinished is the number of bytes at the end of the log that Open would cut,
// because they were never acknowledged. The file must exist, and no store of this process may have opened it.
func Check(cfg Config) (unfinished int64, err error) {
	steps, err := migrations()
	if err != nil {
		return 0, err
	}
	if cfg, err = cfg.resolve(); err != nil {
		return 0, err
	}
	version, replayed, err := probe(cfg)
	if errors.Is(err, store.ErrLocked) {
		return 0, err
	}
	if damage := checkMark(cfg.Path); damage != nil {
		return 0, damage
	}
	if err != nil && !errors.Is(err, store.ErrCorrupt) {
		return 0, err
	}
	file, damage := checkBlocks(cfg.Path, true)
	if damage != nil {
		return 0, damage
	}
	w, logErr := inspectLog(cfg.Path + ".wal")
	if logErr != nil {
		return 0, &fault{kind: store.ErrUnavailable, cause: logErr}
	}
	if w.clean() {
		w.compare(replayed)
	}
	switch {
	case w.clean() || w.owner != file && w.owner != (fileID{}):
		if err != nil {
			return 0, err
		}
		return 0, compatible(version, steps)
	case w.rest == restNothing || w.rest == restTorn || w.rest == restZeros:
		return w.size - w.committed, nil
	}
	return 0, &fault{kind: store.ErrCorrupt,
		cause: fmt.Errorf("%s.wal is damaged at byte %d, and %d commits follow; see docs/operations.md#damage", cfg.Path,
			w.stopped, w.later)}
}
