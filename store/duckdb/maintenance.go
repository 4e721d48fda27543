//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"os"

	"github.com/sightline-analytics/sightline/store/schema"
)

// checkpoint moves the log into the file if it is larger than limit bytes. If that fails, usually because the
// disk is full, the log stays and nothing is lost. The next attempt is made after restAfterFail.
func (w *writer) checkpoint(limit int64) {
	log, err := os.Stat(w.store.cfg.Path + ".wal")
	now := w.store.cfg.Now()
	if err != nil || log.Size() <= limit || w.engine == nil || now.Before(w.nextCheckpoint) {
		return
	}
	if !w.store.deriving.TryLock() {
		return // the engine makes no checkpoint while another transaction writes
	}
	defer w.store.deriving.Unlock()
	if err := w.engine.exec("CHECKPOINT"); err != nil {
		w.nextCheckpoint = now.Add(restAfterFail)
		w.store.cfg.Logger.Warn("duckdb: checkpoint failed; it needs up to the size of the log as free space", "log",
			log.Name(), "size", log.Size(), "error", explain(err))
		_ = w.failed(err)
	}
}

// shrinkLog asks the writer for a checkpoint if the log is large. Background work calls it before each piece of work.
// It fails if the disk is almost full, because the rest is for events and for checkpoints. Without it, work that hardly
// rests would leave the writer no time for a checkpoint, and the log and the memory for its rows would grow.
func (s *Store) shrinkLog(ctx context.Context) error {
	if err := s.space.Check(); err != nil {
		return err
	}
	if log, err := os.Stat(s.cfg.Path + ".wal"); err != nil || log.Size() <= logLimit {
		return ctx.Err()
	}
	if err := s.task(ctx, func(w *writer) { w.checkpoint(logLimit) }); err != nil {
		return err
	}
	return ctx.Err()
}

// maintain stores filters, so that Open need not compute them, and deletes old rows of the store's own tables.
func (w *writer) maintain() {
	if w.engine == nil {
		return
	}
	if err := errors.Join(w.storeFilter(), w.dropReceipts(), w.dropVersions()); err != nil {
		w.store.cfg.Logger.Warn("duckdb: could not store filters or delete old receipts and versions; trying again later", "error", w.failed(err))
	}
}

// storeFilter stores the filter of one full part.
func (w *writer) storeFilter() error {
	full := w.parts.unstored()
	if full == nil {
		return nil
	}
	err := storeFilter(w.engine, full)
	full.stored = err == nil
	w.parts.group()
	return err
}

// dropReceipts deletes old receipts once a day, and the filters of parts that have no receipts any more.
func (w *writer) dropReceipts() error {
	today := schema.DayOf(w.store.cfg.Now().UnixMilli())
	if today == w.receiptsDropped {
		return nil
	}
	w.receiptsDropped = today // if this fails, tomorrow's attempt deletes the same rows
	if err := deleteReceipts(w.engine, today); err != nil {
		return err
	}
	last := w.parts.last().number
	first, err := partNumbers(w.engine, "SELECT coalesce(min(part), $last::INTEGER)::BIGINT FROM receipts",
		named("last", last))
	if err != nil {
		return err
	}
	if err := w.engine.exec("DELETE FROM receipt_filters WHERE part < $first::INTEGER",
		named("first", first[0])); err != nil {
		return err
	}
	w.parts.drop(first[0])
	return nil
}

// dropVersions deletes replaced versions if there are many.
func (w *writer) dropVersions() error {
	const many = 50_000
	if w.versionRows < many || w.versionRows < 4*w.store.ledger.CountDays() {
		return nil
	}
	dropped, err := w.engine.change(`DELETE FROM versions USING
		(SELECT subject, day, max(version) AS latest FROM versions GROUP BY subject, day) AS l
		WHERE versions.subject = l.subject AND versions.day = l.day AND versions.version < l.latest`)
	w.versionRows -= dropped
	return err
}
