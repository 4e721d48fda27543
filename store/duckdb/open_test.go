package duckdb_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/duckdb"
)

// contents are all files below dir.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(data)
	}
	return files
}

// refuse opens path and wants the error is and no change to any file beside it.
func refuse(t *testing.T, path string, is error) {
	t.Helper()
	before := contents(t, filepath.Dir(path))
	s, err := duckdb.Open(context.Background(), duckdb.Config{Path: path})
	if err == nil {
		_ = s.Close()
		t.Fatalf("Open succeeded, want %v", is)
	}
	if !errors.Is(err, is) {
		t.Errorf("Open: %v, want one that wraps %v", err, is)
	}
	if strings.Contains(err.Error(), "\n") && !strings.Contains(err.Error(), path) {
		t.Errorf("the error is not clear: %v", err)
	}
	after := contents(t, filepath.Dir(path))
	for name := range after {
		if before[name] != after[name] {
			t.Errorf("%s has changed: %d bytes, before %d", name, len(after[name]), len(before[name]))
		}
	}
	if len(after) != len(before) {
		t.Errorf("%d files, before %d", len(after), len(before))
	}
}

// holdStore is a child that keeps the store at path open until it is killed.
func holdStore(path string) int {
	if _, err := duckdb.Open(context.Background(), duckdb.Config{Path: path}); err != nil {
		return complain(err)
	}
	fmt.Println("open")
	select {}
}

func TestASecondProcessIsLockedOut(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.duckdb")
	lines, kill := startChild(t, "hold", path)
	if !lines.Scan() || lines.Text() != "open" {
		t.Fatalf("the child says %q", lines.Text())
	}
	refuse(t, path, store.ErrLocked)
	kill()
	for lines.Scan() { // until it is gone
		t.Log(lines.Text())
	}
	s := open(t, duckdb.Config{Path: path})
	if err := s.Ping(context.Background()); err != nil {
		t.Errorf("Ping after the other process ended: %v", err)
	}
}

func TestASecondOpeningInOneProcessIsLockedOut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, alias := filepath.Join(dir, "s.duckdb"), filepath.Join(dir, "alias.duckdb")
	s := open(t, duckdb.Config{Path: path})
	if err := os.Symlink(path, alias); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, alias} {
		if _, err := duckdb.Open(context.Background(), duckdb.Config{Path: name}); !errors.Is(err, store.ErrLocked) {
			t.Errorf("Open %s again: %v, want ErrLocked", filepath.Base(name), err)
		}
	}
	// The refused openings must not have cost the first one its lock.
	lines, _ := startChild(t, "hold", path)
	if !lines.Scan() || !strings.Contains(lines.Text(), store.ErrLocked.Error()) {
		t.Errorf("another process says %q, want that it is locked out", lines.Text())
	}
	if _, err := s.Write(context.Background(), batch("w", "e", 1)); err != nil {
		t.Errorf("Write by the first: %v", err)
	}
}

// specimen is a store with rows in its file and, if logged, more in its log.
func specimen(t *testing.T, logged bool) (file, log []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.duckdb")
	s := open(t, duckdb.Config{Path: path})
	write := func(prefix string) {
		if _, err := s.Write(context.Background(), batch("w", prefix, 3000)); err != nil {
			t.Fatal(err)
		}
	}
	write("a")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if logged {
		s = open(t, duckdb.Config{Path: path})
		write("b")
		write("c")
		log = read(t, path+".wal")
	}
	return read(t, path), log
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// spoil inverts n bytes of a copy of data.
func spoil(data []byte, at, n int) []byte {
	data = bytes.Clone(data)
	for i := at; i < at+n; i++ {
		data[i] ^= 0xff
	}
	return data
}

func TestDamagedAndForeignFilesAreRefused(t *testing.T) {
	t.Parallel()
	file, log := specimen(t, true)
	for _, c := range []struct {
		name      string
		file, log []byte
	}{
		{"half of a file", file[:len(file)/2], nil},
		{"ten kilobytes of a file", file[:10_000], nil},
		{"five bytes of a file", file[:5], nil},
		{"an empty file", []byte{}, nil},
		{"a text", []byte(strings.Repeat("These are not the rows.\n", 1000)), nil},
		{"a SQLite database", append([]byte("SQLite format 3\x00"), make([]byte, 8176)...), nil},
		{"a damaged head", spoil(file, 20, 4), nil},
		{"a damaged header", spoil(file, 4096, 8), nil},
		{"a damaged log", file, spoil(log, 2, 8)},
		{"a log with a damaged row", file, spoil(log, len(log)/4, 1)},
		{"the log of another file", strange(t), log},
		{"a database of another program", strange(t), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.duckdb")
			put(t, path, c.file)
			if c.log != nil {
				put(t, path+".wal", c.log)
			}
			refuse(t, path, store.ErrCorrupt)
		})
	}
	t.Run("a log without its file", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "s.duckdb")
		put(t, path+".wal", log)
		refuse(t, path, store.ErrCorrupt)
	})
	t.Run("the specimen itself is sound", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "s.duckdb")
		put(t, path, file)
		put(t, path+".wal", log)
		countEvents(t, open(t, duckdb.Config{Path: path}), 9000)
	})
}

func TestALogThatEndsEarlyLosesItsLastCommitOnly(t *testing.T) {
	t.Parallel()
	file, log := specimen(t, true)
	path := filepath.Join(t.TempDir(), "s.duckdb")
	put(t, path, file)
	put(t, path+".wal", log[:len(log)-100])
	s := open(t, duckdb.Config{Path: path})
	countEvents(t, s, 6000)
	got, err := s.Write(context.Background(), batch("w", "c", 3000))
	if want := (store.Written{Stored: 3000}); err != nil || got != want {
		t.Errorf("writing the lost batch again = %+v, %v; want %+v", got, err, want)
	}
}

func TestADamagedBlockIsReportedWhenItIsRead(t *testing.T) {
	t.Parallel()
	file, _ := specimen(t, false)
	path := filepath.Join(t.TempDir(), "s.duckdb")
	var reported int
	const block, head = 256 << 10, 12 << 10
	for at := head + 64; at+8 < len(file); at += block {
		put(t, path, spoil(file, at, 8))
		s, err := duckdb.Open(context.Background(), duckdb.Config{Path: path})
		if err == nil {
			_, err = s.Query(context.Background(), store.Statement{
				SQL:   "SELECT max(path), max(event_id), max(session_id), max(anonymous_id), max(time) FROM events",
				Kinds: []dialect.Kind{dialect.Text, dialect.Text, dialect.Text, dialect.Text, dialect.Int},
			})
			_ = s.Close()
		}
		if err == nil {
			continue // a block of other columns
		}
		reported++
		if !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("damage at %d: %v, want ErrCorrupt", at, err)
		}
	}
	if reported == 0 {
		t.Error("no damage was reported")
	}
}

func TestOpenReportsWhatIsWrongWithItsConfig(t *testing.T) {
	t.Parallel()
	_, err := duckdb.Open(context.Background(), duckdb.Config{Path: "a?b", Threads: -1})
	for _, want := range []string{"Path", "Threads"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not name %s", err, want)
		}
	}
	missing := filepath.Join(t.TempDir(), "no", "s.duckdb")
	if _, err := duckdb.Open(context.Background(), duckdb.Config{Path: missing}); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Open in a directory that is not there: %v, want ErrUnavailable", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := duckdb.Open(ctx, duckdb.Config{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Open with a cancelled context: %v", err)
	}
}

func TestCloseLeavesOneFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "s.duckdb")
	put(t, path+".new", []byte("left by a process that was killed while it made the file"))
	if err := os.Mkdir(path+".tmp", 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(path+".tmp", "duckdb_temp_storage-0.tmp"), []byte("left by a process that was killed"))
	s := open(t, duckdb.Config{Path: path})
	if _, err := s.Write(context.Background(), batch("w", "e", 1000)); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	var names []string
	for name := range contents(t, dir) {
		names = append(names, name)
	}
	if diff := cmp.Diff([]string{"s.duckdb"}, names); diff != "" {
		t.Errorf("files after Close (-want +got):\n%s", diff)
	}
}

func put(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func countEvents(t *testing.T, s *duckdb.Store, want int64) {
	t.Helper()
	got := ask(t, s, "SELECT count(*), count(DISTINCT event_id) FROM events", []dialect.Kind{dialect.Int, dialect.Int})
	rows, ids := got.Columns[0].Ints[0], got.Columns[1].Ints[0]
	if rows != want || ids != want {
		t.Errorf("%d rows of %d ids, want %d of each", rows, ids, want)
	}
}
