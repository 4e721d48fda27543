//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"os"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// checkpoint moves the log into the file when it is larger than limit bytes. When
// that fails, for want of disk space as a rule, the log stays, nothing is lost, and
// the next attempt waits a while.
func (w *writer) checkpoint(limit int64) {
	log, err := os.Stat(w.store.cfg.Path + ".wal")
	now := w.store.cfg.Now()
	if err != nil || log.Size() <= limit || w.conn == nil || now.Before(w.checkpoints) {
		return
	}
	if err := w.conn.exec("CHECKPOINT"); err != nil {
		w.checkpoints = now.Add(restAfterFail)
		w.store.cfg.Logger.Warn("duckdb: checkpoint failed", "error", explain(err))
		_ = w.failed(err)
	}
}

// tidy drops what the store's own tables need no longer.
func (w *writer) tidy() {
	if w.conn == nil {
		return
	}
	if err := errors.Join(w.forgetReceipts(), w.thinVersions()); err != nil {
		w.store.cfg.Logger.Warn("duckdb: tidying failed", "error", w.failed(err))
	}
}

// forgetReceipts drops old receipts once a day, and gives the filter its right size.
func (w *writer) forgetReceipts() error {
	today := receiptDay(w.store.cfg.Now())
	if today == w.purged && !w.filter.full() {
		return nil
	}
	w.purged = today // if this fails, tomorrow's attempt drops the same
	dropped, err := forget(w.conn, today)
	if err != nil || dropped == 0 && !w.filter.full() {
		return err
	}
	filter, err := readFilter(w.conn)
	if err != nil {
		return err
	}
	w.filter = filter
	return nil
}

// thinVersions drops versions that later ones replaced, when they are many.
func (w *writer) thinVersions() error {
	const many = 50_000
	if w.versionRows < many || w.versionRows < 4*w.store.catalog.countDays() {
		return nil
	}
	dropped, err := w.conn.change(`DELETE FROM versions USING
		(SELECT subject, day, max(version) AS latest FROM versions GROUP BY subject, day) AS l
		WHERE versions.subject = l.subject AND versions.day = l.day AND versions.version < l.latest`)
	w.versionRows -= dropped
	return err
}

// Erase removes all rows of subject and forgets the event ids received for it, so
// that the same rows could be written again. The versions of its days stay and
// grow. The space is used again after the next checkpoint; the file does not shrink.
// Like Write, it waits for the outcome once it was taken.
func (s *Store) Erase(ctx context.Context, subject store.Subject) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	var erased int64
	done := make(chan error, 1)
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-s.closing:
		return 0, errClosed
	case s.tasks <- func(w *writer) {
		var err error
		erased, err = w.erase(subject)
		done <- err
	}:
	}
	err := <-done // erased is set before
	return erased, err
}

func (w *writer) erase(subject store.Subject) (int64, error) {
	if err := w.ready(); err != nil {
		return 0, err
	}
	cat := &w.store.catalog
	number := cat.number(subject)
	touched := cat.daysOf(number)
	if len(touched) == 0 {
		return 0, nil
	}
	version := cat.latest() + 1
	var erased int64
	err := w.conn.transact(func() error {
		for t := range schema.NumTables {
			n, err := w.conn.change("DELETE FROM "+t.String()+" WHERE subject = $subject::INTEGER", named("subject", number))
			if err != nil {
				return err
			}
			erased += n
		}
		if err := w.conn.exec("DELETE FROM receipts WHERE subject = $subject::INTEGER", named("subject", number)); err != nil {
			return err
		}
		return w.addVersions(version, touched)
	})
	if err != nil {
		if err = w.failed(err); w.conn == nil || cat.latest() < version {
			return 0, err
		}
		return erased, nil
	}
	w.versionRows += int64(len(touched))
	cat.publish(version, nil, touched)
	return erased, nil
}
