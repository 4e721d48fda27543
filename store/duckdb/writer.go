//go:build cgo

package duckdb

import (
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/internal/ledger"
	"github.com/sightline-analytics/sightline/store/schema"
)

// Limits of checkpoints, which move the log into the file. A checkpoint of 64 MB takes about a second. During
// that time no write is committed, but queries run.
const (
	logLimit      = 64 << 20        // a larger log leads to a checkpoint after the next commit
	quietLogLimit = 1 << 20         // a larger log leads to a checkpoint when no writes arrive
	quiet         = 5 * time.Second // time without a write before that
	restAfterFail = time.Minute     // time after a failed checkpoint
)

// A writer stores all writes, in one goroutine. Only that goroutine uses its fields.
type writer struct {
	store  *Store
	engine engine // nil while the engine is not open
	tables [schema.NumTables]table
	parts  *parts

	hashKey []byte
	// imported says which subjects have rows of imports in which tables; see hasImports.
	imported map[tableOf]bool

	groups   uint64 // number of groups so far
	gathered int    // number of writes in the last group

	versionRows     int64     // rows of the table versions, including replaced ones
	receiptsDropped int64     // the day on which old receipts were last deleted
	nextCheckpoint  time.Time // no checkpoint before this time
}

// run is the writer's loop. It ends when the store is closed.
func (w *writer) run() {
	defer close(w.store.ended)
	pause := time.NewTimer(quiet)
	defer pause.Stop()
	for {
		select {
		case <-w.store.queue.Ready:
			if group := w.gather(); group != nil {
				w.commit(group)
			}
			w.maintain()
			w.checkpoint(logLimit)
		case do := <-w.store.tasks:
			do(w)
		case <-w.store.needsReopen:
			w.reopenIfBroken()
		case <-pause.C:
			w.maintain()
			w.checkpoint(quietLogLimit)
		case <-w.store.closing:
			w.store.closed = w.end()
			return
		}
		pause.Reset(quiet)
	}
}

// open opens the engine and loads the data that the store holds in memory.
func (w *writer) open() error {
	s := w.store
	inst, err := openInstance(s.cfg, s.cfg.Path, false)
	if err != nil {
		return err
	}
	if !s.cfg.memory() && s.cfg.TempDir == "" {
		_ = os.RemoveAll(s.cfg.tempDir()) // left by a process that was killed
	}
	if !s.cfg.memory() {
		_ = s.cfg.removePurgeFile() // as above
	}
	c, err := s.setup.engine(inst)
	if err != nil {
		return errors.Join(err, inst.close())
	}
	err = w.load(c)
	if err == nil {
		_ = c.exec(evict) // data that load has read is not needed again soon
		err = c.exec(s.cfg.locked())
	}
	if err != nil {
		return explainOpen(errors.Join(err, c.close(), inst.close()))
	}
	w.engine = c
	s.mu.Lock()
	s.inst = inst
	s.mu.Unlock()
	return nil
}

// load upgrades the schema and reads the tables that the store holds in memory.
func (w *writer) load(c engine) error {
	version := 0
	if !w.store.cfg.memory() {
		var err error
		if version, err = schemaVersion(c); err != nil {
			return err
		}
	}
	if err := migrate(c, version, w.store.setup.steps); err != nil {
		return err
	}
	key, err := readHashKey(c)
	if err != nil {
		return err
	}
	tables, err := readTables(c)
	if err != nil {
		return err
	}
	known, versionRows, err := ledger.Read(func(query string, row func([]sqldriver.Value) error) error {
		return c.each(query, nil, row)
	})
	if err != nil {
		return err
	}
	parts, err := readParts(c)
	if err != nil {
		return err
	}
	w.tables, w.hashKey, w.parts, w.versionRows = tables, key, parts, versionRows
	w.imported = map[tableOf]bool{}
	w.store.ledger.Replace(known)
	return nil
}

// closeEngine closes the engine after its running queries have ended.
func (w *writer) closeEngine() error {
	s := w.store
	if w.engine == nil {
		return nil
	}
	s.inst.stop() // only the writer changes inst, so it needs no lock to read it
	s.mu.Lock()
	defer s.mu.Unlock()
	err := errors.Join(w.engine.close(), s.inst.close())
	w.engine, s.inst = nil, nil
	return err
}

// ready opens the engine if it is not open.
func (w *writer) ready() error {
	if w.engine != nil {
		return nil
	}
	if w.store.cfg.memory() {
		return fmt.Errorf("%w: the engine failed, and a store in memory cannot be reopened", store.ErrUnavailable)
	}
	return w.open()
}

// reopen replaces an engine that failed. All committed rows are still there.
func (w *writer) reopen(because error) error {
	w.store.cfg.Logger.Warn("duckdb: reopening the engine after a failure", "error", explain(because))
	if err := w.closeEngine(); err != nil {
		w.store.cfg.Logger.Warn("duckdb: could not close the failed engine", "error", err)
	}
	return w.ready()
}

// reopenIfBroken reopens the engine if it is closed or refuses to work.
func (w *writer) reopenIfBroken() {
	if w.engine == nil {
		if err := w.ready(); err != nil {
			w.store.cfg.Logger.Error("duckdb: could not reopen the engine", "error", err)
		}
		return
	}
	if err := w.engine.exec("SELECT 1"); fatal(err) {
		if err := w.reopen(err); err != nil {
			w.store.cfg.Logger.Error("duckdb: could not reopen the engine", "error", err)
		}
	}
}

// end moves the log into the file and closes the engine.
func (w *writer) end() error {
	var err error
	if w.engine != nil {
		w.store.inst.stop() // the engine cannot make a checkpoint while a seal runs
		w.store.deriving.Lock()
		defer w.store.deriving.Unlock()
	}
	if w.engine != nil && !w.store.cfg.memory() {
		err = explain(w.engine.exec("CHECKPOINT"))
	}
	return errors.Join(err, w.closeEngine())
}
