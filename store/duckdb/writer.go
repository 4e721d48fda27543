//go:build cgo

package duckdb

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// When the writer moves the log into the file. A checkpoint of 64 MB takes about a
// second, in which no write is committed; readers go on.
const (
	logLimit      = 64 << 20        // at once when the log is larger
	quietLogLimit = 1 << 20         // when quiet and the log is larger
	quiet         = 5 * time.Second // without a write
	restAfterFail = time.Minute     // after a checkpoint that failed
)

// A writer is the goroutine through which everything is written, and what it alone knows.
type writer struct {
	store  *Store
	engine engine // nil while the engine is not open
	tables [schema.NumTables]table
	parts  *parts

	hashKey string

	groups   uint64 // that were gathered
	gathered int    // writes in the last group

	versionRows     int64     // in the table versions, of which only the latest count
	receiptsDropped int32     // the day on which old receipts were dropped
	nextCheckpoint  time.Time // none before
}

// run serves until the store is closed.
func (w *writer) run() {
	defer close(w.store.ended)
	pause := time.NewTimer(quiet)
	defer pause.Stop()
	for {
		select {
		case <-w.store.queue.ready:
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

// open opens the engine and reads what the store keeps in memory.
func (w *writer) open() error {
	s := w.store
	inst, err := openInstance(s.cfg, s.cfg.Path, false)
	if err != nil {
		return err
	}
	if !s.cfg.memory() && s.cfg.TempDir == "" {
		_ = os.RemoveAll(s.cfg.tempDir()) // left by a process that was killed
	}
	c, err := s.setup.engine(inst)
	if err != nil {
		return errors.Join(err, inst.close())
	}
	err = w.load(c)
	if err == nil {
		_ = c.exec(evict) // what load read is not read again soon
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

// load migrates and reads the tables that are held in memory.
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
	cat, versionRows, err := readCatalog(c)
	if err != nil {
		return err
	}
	parts, err := readParts(c)
	if err != nil {
		return err
	}
	w.tables, w.hashKey, w.parts, w.versionRows = tables, key, parts, versionRows
	w.store.catalog.replace(cat)
	return nil
}

// closeEngine closes the engine, after the queries that run on it.
func (w *writer) closeEngine() error {
	s := w.store
	if w.engine == nil {
		return nil
	}
	s.inst.stop() // only the writer changes inst, so it may read it without the lock
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
		return fmt.Errorf("%w: the engine failed, and what is in memory cannot be opened again", store.ErrUnavailable)
	}
	return w.open()
}

// reopen replaces an engine that failed. Everything committed is still there.
func (w *writer) reopen(because error) error {
	w.store.cfg.Logger.Warn("duckdb: the engine failed and is opened again", "error", explain(because))
	if err := w.closeEngine(); err != nil {
		w.store.cfg.Logger.Warn("duckdb: closing the failed engine", "error", err)
	}
	return w.ready()
}

// reopenIfBroken opens the engine again if it is closed or refuses to work.
func (w *writer) reopenIfBroken() {
	if w.engine == nil {
		if err := w.ready(); err != nil {
			w.store.cfg.Logger.Error("duckdb: the engine cannot be opened", "error", err)
		}
		return
	}
	if err := w.engine.exec("SELECT 1"); fatal(err) {
		if err := w.reopen(err); err != nil {
			w.store.cfg.Logger.Error("duckdb: the engine cannot be opened", "error", err)
		}
	}
}

// end moves the log into the file and closes it.
func (w *writer) end() error {
	var err error
	if w.engine != nil {
		w.store.inst.stop() // a seal that runs would not let the engine make a checkpoint
		w.store.deriving.Lock()
		defer w.store.deriving.Unlock()
	}
	if w.engine != nil && !w.store.cfg.memory() {
		err = explain(w.engine.exec("CHECKPOINT"))
	}
	return errors.Join(err, w.closeEngine())
}
