//go:build cgo

package duckdb

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/sightline-analytics/sightline/store"
)

// This file replaces the file of the store by a copy that only has the rows that are there. The engine never overwrites
// the blocks of removed rows: it frees some of them, and leaves removed rows in the others.
//
//  1. The copy is made beside the file. Queries continue; writes and seals wait.
//  2. Queries wait. A checkpoint moves the log into the file, and the engine is closed.
//  3. The copy is renamed to the file, and the engine is opened.
//
// A process that is killed before the rename leaves the file as it was, and a copy that the next start removes.

// purgeName is the name of the copy in the engine.
const purgeName = "sightline_purge"

// purgeFile returns the path of the copy.
func (c Config) purgeFile() string { return c.Path + ".purge" }

// purgeFiles returns the paths of the copy and of the logs that the engine may make for it.
func (c Config) purgeFiles() (all []string) {
	for _, end := range []string{"", ".wal", ".wal.checkpoint", ".wal.recovery"} {
		all = append(all, c.purgeFile()+end)
	}
	return all
}

// removePurgeFile removes an unfinished copy.
func (c Config) removePurgeFile() error {
	var faults []error
	for _, name := range c.purgeFiles() {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			faults = append(faults, err)
		}
	}
	return errors.Join(faults...)
}

// Purge implements [store.Purger]. Writes and seals wait while it copies the file, and queries wait for the last part,
// usually less than a second. It needs as much free space as the file takes. Filters of event ids are computed again.
// It does nothing for a store in memory.
func (s *Store) Purge(ctx context.Context) error {
	if s.cfg.memory() {
		return ctx.Err()
	}
	s.deriving.Lock()
	defer s.deriving.Unlock()
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	//background:stop=ctx bound=callers fails=none
	go func() {
		select {
		case <-s.closing:
			cancel()
		case <-running.Done():
		}
	}()
	var err error
	if taskErr := s.task(ctx, func(w *writer) { err = w.purge(running) }); taskErr != nil {
		return taskErr
	}
	if err != nil {
		return errors.Join(ctx.Err(), fmt.Errorf("duckdb: purge: %w", err))
	}
	return nil
}

func (w *writer) purge(ctx context.Context) error {
	if err := w.ready(); err != nil {
		return err
	}
	cfg := w.store.cfg
	err := cfg.removePurgeFile()
	if err == nil {
		err = w.store.withConnection(ctx, w.copyFile)
	}
	if err != nil {
		return w.failed(errors.Join(err, cfg.removePurgeFile()))
	}
	for range cap(w.store.slots) { // queries wait
		select {
		case w.store.slots <- struct{}{}:
			defer func() { <-w.store.slots }()
		case <-ctx.Done():
			return errors.Join(ctx.Err(), cfg.removePurgeFile())
		}
	}
	if err := w.engine.exec("CHECKPOINT"); err != nil {
		return w.failed(errors.Join(err, cfg.removePurgeFile()))
	}
	err = w.closeEngine()
	if err == nil {
		err = cfg.swapPurged()
	}
	if err != nil {
		err = &fault{kind: store.ErrUnavailable, cause: errors.Join(err, cfg.removePurgeFile())}
	}
	return errors.Join(err, w.ready())
}

// swapPurged replaces the closed file by its copy.
func (c Config) swapPurged() error {
	log := c.Path + ".wal"
	switch info, err := os.Stat(log); {
	case err == nil && info.Size() > 0:
		return errors.New("the checkpoint did not empty the log; try again")
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	info, err := os.Stat(c.Path)
	if err != nil {
		return err
	}
	if err := os.Chmod(c.purgeFile(), info.Mode().Perm()); err != nil {
		return err
	}
	if err := os.Remove(log); err != nil && !errors.Is(err, fs.ErrNotExist) { // the copy would reject it
		return err
	}
	if err := os.Rename(c.purgeFile(), c.Path); err != nil {
		return err
	}
	syncDir(c.Path)
	return nil
}

// copyFile copies all tables to the new file on c.
func (w *writer) copyFile(ctx context.Context, c *conn) (err error) {
	var main string
	err = c.each("SELECT current_database()", nil, func(v []sqldriver.Value) error { return scan(v, &main) })
	if err != nil {
		return err
	}
	main = quoted(main, `"`)
	if err := c.exec("ATTACH " + quoted(w.store.cfg.purgeFile(), `'`) + " AS " + purgeName); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.exec("USE "+main), c.exec("DETACH "+purgeName)) }()
	var tables []string
	err = c.each("SELECT table_name FROM duckdb_tables() WHERE database_name = current_database() AND NOT temporary ORDER BY table_name", nil,
		func(v []sqldriver.Value) error {
			tables = append(tables, "")
			return scan(v, &tables[len(tables)-1])
		})
	if err != nil {
		return err
	}
	if err := c.exec("USE " + purgeName); err != nil {
		return err
	}
	if err := migrate(c, 0, w.store.setup.steps); err != nil {
		return err
	}
	for _, table := range tables {
		if table == "receipt_filters" {
			continue // they are computed again from the receipts that are there
		}
		table = quoted(table, `"`)
		if err := c.exec("DELETE FROM " + table); err != nil { // rows that a migration made
			return err
		}
		if _, err := c.raw.ExecContext(ctx, "INSERT INTO "+table+" BY NAME FROM "+main+"."+table, nil); err != nil {
			return err
		}
	}
	return c.exec("CHECKPOINT " + purgeName)
}

// quoted returns text in quotation marks of SQL.
func quoted(text, mark string) string {
	return mark + strings.ReplaceAll(text, mark, mark+mark) + mark
}
