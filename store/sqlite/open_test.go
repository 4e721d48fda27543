package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/internal/queue"
)

// TestOpenFails tests the errors for files that cannot be opened. None of these files may change.
func TestOpenFails(t *testing.T) {
	t.Parallel()
	change := func(text string) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			c, err := connect(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(c.exec(text), c.close()); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		name string
		make func(t *testing.T, path string)
		want error
	}{
		{"a file of a newer program", func(t *testing.T, path string) {
			if err := open(t, Config{Path: path}).Close(context.Background()); err != nil {
				t.Fatal(err)
			}
			change("PRAGMA user_version = 99")(t, path)
		}, store.ErrNewerSchema},
		{"a database of another program", change("CREATE TABLE notes(text)"), store.ErrCorrupt},
		{"no database", func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
				t.Fatal(err)
			}
		}, store.ErrCorrupt},
		{"a file that another store has opened", func(t *testing.T, path string) { open(t, Config{Path: path}) },
			store.ErrLocked},
		{"a directory that does not exist", func(t *testing.T, path string) {
			if err := os.Remove(filepath.Dir(path)); err != nil {
				t.Fatal(err)
			}
		}, store.ErrUnavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "in", "s.sqlite")
			if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			c.make(t, path)
			before, _ := os.ReadFile(path) // there may be none
			s, err := Open(t.Context(), path)
			if !errors.Is(err, c.want) {
				t.Errorf("Open: %v, want %v", err, c.want)
			}
			if s != nil {
				t.Fatal("Open returned a store")
			}
			if after, _ := os.ReadFile(path); string(after) != string(before) {
				t.Error("the file has changed")
			}
		})
	}
	if _, err := OpenConfig(t.Context(), Config{MaxReaders: -1}); err == nil ||
		!strings.Contains(err.Error(), "MaxReaders") {
		t.Errorf("Open with fewer than no readers: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(ended, inMemory); !errors.Is(err, context.Canceled) {
		t.Errorf("Open with an ended context: %v", err)
	}
}

// TestPrivate tests that only the owner of a new file has access to it and to its log.
func TestPrivate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.sqlite")
	s := open(t, Config{Path: path})
	if _, err := s.Write(t.Context(), batch("a", 1)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, path + "-wal"} {
		if info, err := os.Stat(name); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v; want mode 0600", name, info, err)
		}
	}
}

// TestClosed tests that Close stops a query, and that a closed store returns ErrUnavailable.
func TestClosed(t *testing.T) {
	t.Parallel()
	for _, path := range []string{inMemory, filepath.Join(t.TempDir(), "s.sqlite")} {
		s := open(t, Config{Path: path})
		var asking sync.WaitGroup
		asking.Go(func() {
			if _, err := s.Query(t.Context(), inMemoryHarness.Slow); !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("%s: a query that runs while the store is closed: %v, want ErrUnavailable", path, err)
			}
		})
		for s.BusyTime() < 20*time.Millisecond {
			time.Sleep(time.Millisecond)
		}
		if err := s.Close(context.Background()); err != nil {
			t.Errorf("%s: Close: %v", path, err)
		}
		asking.Wait()
		site := store.Subject{Kind: store.KindWebsite, ID: "w"}
		_, writes := s.Write(t.Context(), batch("a", 1))
		_, erases := s.Erase(t.Context(), site)
		_, days := s.Days(t.Context(), site, time.Unix(0, 0), time.Now())
		for what, err := range map[string]error{"Write": writes, "Erase": erases, "Days": days,
			"Ping": s.Ping(t.Context())} {
			if !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("%s: %s of a closed store: %v, want ErrUnavailable", path, what, err)
			}
		}
		if left, _ := filepath.Glob(path + "-*"); len(left) > 0 {
			t.Errorf("the log was not moved into the file: %q", left)
		}
	}
}

// TestSendersTakeTurns tests that an owner with one write waits for one group, whatever another owner has sent.
func TestSendersTakeTurns(t *testing.T) {
	t.Parallel()
	w := &writer{store: &Store{queue: queue.New[*write]()}}
	add := func(owner, sender string, rows int) {
		one := &write{batch: &store.Batch{Owner: owner, Sender: sender}, rows: make([]row, rows)}
		w.store.queue.Add(one.batch, one)
	}
	for range 3 {
		add("flood", "1", groupRows) // each fills a group
		add("flood", "2", groupRows)
	}
	add("shop", "3", 1)
	add("blog", "4", 1)
	var groups []string
	for group := w.gather(); group != nil; group = w.gather() {
		senders := ""
		for _, one := range group {
			senders += one.batch.Sender
		}
		groups = append(groups, senders)
	}
	if got := strings.Join(groups, " "); got != "1 342 1 2 1 2" {
		t.Errorf("senders of the groups: %s", got)
	}
}

// TestPrepareFails tests that a statement with an error does not harm its connection.
func TestPrepareFails(t *testing.T) {
	t.Parallel()
	s := open(t, Config{})
	for _, text := range []string{"SELECT", "SELECT :p1", `SELECT "no column"`, "SELECT sightline_lower(1)"} {
		if _, err := s.Query(t.Context(),
			store.Statement{Label: "test", SQL: text, Kinds: []dialect.Kind{dialect.Int}}); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
	if err := s.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}
