package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// TestBackup makes backups while four senders write. Each backup has exactly the events that were stored at its moment.
func TestBackup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, Config{Path: filepath.Join(dir, "s.sqlite")})
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
	goOn := func() { // until there is another commit
		for before := s.ledger.Latest(); s.ledger.Latest() == before && !t.Failed(); {
			time.Sleep(time.Millisecond)
		}
	}
	versions := map[string]uint64{}
	for i := range 3 {
		goOn()
		path := filepath.Join(dir, fmt.Sprint("copy-", i, ".sqlite"))
		if err := s.Backup(t.Context(), path, func() error {
			versions[path] = s.ledger.Latest()
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	goOn()
	stop()
	senders.Wait()
	for path, version := range versions {
		if version == 0 || version == s.ledger.Latest() {
			t.Errorf("%s has commit %d of %d, so the test shows nothing", path, version, s.ledger.Latest())
		}
		copied := open(t, Config{Path: path})
		if diff := cmp.Diff(ids(t, s, version), ids(t, copied, version+1<<30)); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
}

// ids returns the sorted ids of the events that commits up to version stored.
func ids(t *testing.T, s *Store, version uint64) []string {
	t.Helper()
	rows, err := s.Query(t.Context(), store.Statement{Label: "ids", Kinds: []dialect.Kind{dialect.Text},
		SQL: fmt.Sprintf("SELECT event_id FROM events WHERE number < %d ORDER BY event_id", (version+1)<<rowBits)})
	if err != nil {
		t.Fatal(err)
	}
	return rows.Columns[0].Texts
}

// A backup that fails leaves no file, and writes continue.
func TestFailedBackupsLeaveNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, to := open(t, Config{Path: filepath.Join(dir, "s.sqlite")}), filepath.Join(dir, "copy.sqlite")
	failed := errors.New("not now")
	if err := s.Backup(t.Context(), to, func() error { return failed }); !errors.Is(err, failed) {
		t.Errorf("the moment fails: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	if err := s.Backup(ended, to, func() error {
		cancel()
		return nil
	}); !errors.Is(err, context.Canceled) {
		t.Errorf("the context ends: %v", err)
	}
	if _, err := os.Stat(to); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file stays: %v", err)
	}
	if _, err := s.Write(t.Context(), batch("a/", 7)); err != nil {
		t.Errorf("a write after failed backups: %v", err)
	}
	if err := open(t, Config{}).Backup(t.Context(), to, func() error { return nil }); err == nil {
		t.Error("a store in memory can be copied")
	}
}

// Check finds damage and newer tables, and nothing in a sound file, also while its store is open.
func TestCheck(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.sqlite")
	s := open(t, Config{Path: path})
	if _, err := s.Write(t.Context(), batch("a/", 2000)); err != nil {
		t.Fatal(err)
	}
	if err := Check(path); err != nil {
		t.Errorf("an open file: %v", err)
	}
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		at     int
		change string
		want   error
	}{
		{"a sound file", 0, "", nil},
		{"a damaged header", 0, "damage", store.ErrCorrupt},
		{"damaged pages", 5 * pageBytes, strings.Repeat("damage", 10_000), store.ErrCorrupt},
		{"newer tables", 60, "\x00\x00\x00\x63", store.ErrNewerSchema}, // PRAGMA user_version
	} {
		text := slices.Clone(sound)
		copy(text[c.at:], c.change)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := Check(path); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}
