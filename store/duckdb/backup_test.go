//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/storetest"
)

// ids returns the sorted ids of the events up to a version.
func ids(t *testing.T, s *Store, version uint64) []string {
	t.Helper()
	rows := ask(t, s, fmt.Sprint("SELECT event_id FROM events WHERE version <= ", version, " ORDER BY event_id"),
		[]dialect.Kind{dialect.Text})
	return rows.Columns[0].Texts
}

// TestBackup makes backups while four senders write and the file is maintained. Each backup has exactly the events that
// were stored at its moment. SIGHTLINE_LONG is the number of backups.
func TestBackup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, Config{Path: filepath.Join(dir, "s.duckdb")})
	mustWrite(t, s, batch("large/", 20_000)) // more than the writer commits at a time
	ctx, stop := context.WithCancel(t.Context())
	var senders sync.WaitGroup
	for sender := range 4 {
		senders.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				if _, err := s.Write(t.Context(), batch(fmt.Sprint(sender, "-", i, "/"), 7)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	senders.Go(func() {
		for ctx.Err() == nil {
			do(t, s, func(w *writer) { w.checkpoint(0) })
			time.Sleep(3 * time.Millisecond)
		}
	})
	type made struct {
		path    string
		version uint64
	}
	var all []made
	backup := func() {
		one := made{path: filepath.Join(dir, fmt.Sprint("copy-", len(all), ".duckdb"))}
		if err := s.Backup(t.Context(), one.path, func() error {
			one.version = s.ledger.Latest()
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	for range storetest.Number(t, "SIGHTLINE_LONG", 5) {
		backup()
		for last := all[len(all)-1].version; s.ledger.Latest() == last && !t.Failed(); {
			time.Sleep(time.Millisecond)
		}
	}
	stop()
	senders.Wait()
	mustWrite(t, s, event("in the log"))
	backup()
	if _, err := os.Stat(all[len(all)-1].path + ".wal"); err != nil {
		t.Errorf("the last backup has no log: %v", err)
	}
	for _, one := range all {
		copied := open(t, Config{Path: one.path})
		if diff := cmp.Diff(ids(t, s, one.version), ids(t, copied, 1<<60)); diff != "" {
			t.Errorf("%s: %s", one.path, diff)
		}
		if got := mustWrite(t, copied, batch("large/", 3)); got.Repeated != 3 {
			t.Errorf("%s does not know the ids of its events: %+v", one.path, got)
		}
	}
}

// A backup does not release the engine's lock on the file, and leaves nothing open that stops a later start.
func TestBackupKeepsTheLock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.duckdb")
	s := open(t, Config{Path: path})
	nothing := func() error { return nil }
	for i := range 2 {
		if err := s.Backup(t.Context(), fmt.Sprint(path, ".", i), nothing); err != nil {
			t.Fatal(err)
		}
	}
	if lines, _ := startChild(t, "hold", path); !lines.Scan() || lines.Text() == "open" {
		t.Errorf("another process: %q, want an error", lines.Text())
	}
	do(t, s, func(w *writer) { _ = w.reopen(errors.New("as after a failure")) })
	if lines, _ := startChild(t, "hold", path); !lines.Scan() || lines.Text() == "open" {
		t.Errorf("another process, after a reopening: %q, want an error", lines.Text())
	}
	if err := s.Backup(t.Context(), path+".again", nothing); err != nil {
		t.Errorf("after a reopening: %v", err)
	}
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if lines, _ := startChild(t, "hold", path); !lines.Scan() || lines.Text() != "open" {
		t.Errorf("another process, after Close: %q, want open", lines.Text())
	}
	if err := s.Backup(t.Context(), path+".closed", nothing); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a closed store: %v", err)
	}
}

// A backup that fails leaves no files: when its context ends, its moment fails, or the file is damaged.
func TestFailedBackupsLeaveNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, to := filepath.Join(dir, "s.duckdb"), filepath.Join(dir, "copy.duckdb")
	s := open(t, Config{Path: path})
	mustWrite(t, s, batch("a/", 50_000))
	do(t, s, func(w *writer) { w.checkpoint(0) })
	mustWrite(t, s, event("in the log"))
	failed := errors.New("not now")
	ended, cancel := context.WithCancel(t.Context())
	for _, c := range []struct {
		name   string
		moment func() error
		want   error
	}{
		{"the moment fails", func() error { return failed }, failed},
		{"the context ends", func() error {
			cancel()
			return nil
		}, context.Canceled},
	} {
		if err := s.Backup(ended, to, c.moment); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	closing := make(chan error, 1)
	err := s.Backup(t.Context(), to, func() error {
		go func() { closing <- s.Close(context.Background()) }()
		<-s.closing
		time.Sleep(10 * time.Millisecond) // the copy has not begun
		return nil
	})
	if err != nil && !errors.Is(err, store.ErrUnavailable) { // it may also be complete before it notices
		t.Errorf("the store is closed: %v", err)
	}
	if err := <-closing; err != nil {
		t.Errorf("Close during a backup: %v", err)
	}
	if err == nil {
		if err := errors.Join(os.Remove(to), os.Remove(to+".wal")); err != nil {
			t.Fatal(err)
		}
	}
	s = open(t, Config{Path: path})
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteAt([]byte("damage"), firstBlock+30_000); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Backup(t.Context(), to, func() error { return nil }); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("a damaged file: %v", err)
	}
	if names, err := filepath.Glob(to + "*"); len(names) > 0 || err != nil {
		t.Errorf("left over: %v, %v", names, err)
	}
	if err := os.WriteFile(to, []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Backup(t.Context(), to, func() error { return nil }); !errors.Is(err, os.ErrExist) {
		t.Errorf("a copy to an existing file: %v", err)
	}
	if text, err := os.ReadFile(to); string(text) != "other" || err != nil {
		t.Errorf("the existing file now has %q, %v", text, err)
	}
}
