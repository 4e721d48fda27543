//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/schema"
)

// A disk is a directory that can be full.
type disk struct {
	dir   string
	fill  func(t *testing.T) // leaves little space
	choke func(t *testing.T) // leaves no space for a checkpoint
	free  func(t *testing.T) // frees the space again
}

// TestFullDisk tests a store on a full disk. It needs the right to mount; TestFileSizeLimit does not.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=24m"); err != nil {
		t.Skipf("a small file system cannot be mounted: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	ballast := filepath.Join(dir, "ballast")
	testFull(t, disk{
		dir: dir,
		fill: func(t *testing.T) {
			if err := os.WriteFile(ballast, make([]byte, 20<<20), 0o600); err != nil {
				t.Fatal(err)
			}
		},
		choke: func(*testing.T) {}, // the log has filled the disk
		free: func(t *testing.T) {
			if err := os.Remove(ballast); err != nil {
				t.Fatal(err)
			}
		},
	})
}

const limitedEnv = "SIGHTLINE_TEST_LIMITED"

// TestFileSizeLimit runs the same test in a child process whose files cannot grow.
func TestFileSizeLimit(t *testing.T) {
	if dir := os.Getenv(limitedEnv); dir != "" {
		signal.Ignore(syscall.SIGXFSZ) // writes fail instead
		testFull(t, disk{
			dir:   dir,
			fill:  func(t *testing.T) { limitFiles(t, 4<<20) },
			choke: func(t *testing.T) { limitFiles(t, 4<<10) },
			free:  func(t *testing.T) { limitFiles(t, 1<<30) },
		})
		return
	}
	child := exec.Command(os.Args[0], "-test.run=^TestFileSizeLimit$", "-test.v")
	child.Env = append(os.Environ(), limitedEnv+"="+t.TempDir())
	out, err := child.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestFileSizeLimit") {
		t.Errorf("child process: %v\n%s", err, out)
	}
}

func limitFiles(t *testing.T, size uint64) {
	t.Helper()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	limit.Cur = size
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
}

// testFull fills a disk, and tests writes, queries, a checkpoint and a restart.
func testFull(t *testing.T, d disk) {
	t.Helper()
	var log strings.Builder
	cfg := Config{Path: filepath.Join(d.dir, "s.duckdb"), MinFree: -1, Logger: slog.New(slog.NewTextHandler(&log, nil))}
	s := open(t, cfg)
	d.fill(t)
	stored := writeUntilFull(t, s)
	days, err := s.Days(t.Context(), site, time.Unix(0, 0), time.Unix(1<<33, 0))
	if err != nil {
		t.Fatal(err)
	}
	var latest uint64
	for _, d := range days {
		latest = max(latest, d.Version)
	}
	if latest != uint64(stored) {
		t.Errorf("the latest version is %d, want %d, the number of commits", latest, stored)
	}
	wantBatches(t, s, stored)

	// A checkpoint also fails, and breaks the engine. The store reopens it.
	d.choke(t)
	do(t, s, func(w *writer) { w.checkpoint(0) })
	if !strings.Contains(log.String(), "checkpoint failed") {
		t.Error("the checkpoint on a full disk did not fail")
	}
	wantBatches(t, s, stored)
	if err := s.Ping(context.Background()); err != nil {
		t.Errorf("Ping: %v", err)
	}
	if _, err := s.Write(context.Background(), someBatch(stored)); !errors.Is(err, store.ErrFull) {
		t.Errorf("Write while the disk is still full: %v, want ErrFull", err)
	}

	d.free(t)
	got, err := s.Write(context.Background(), someBatch(stored))
	if want := (store.Written{Stored: batchRows}); err != nil || got != want {
		t.Errorf("Write of the failed batch after space was freed = %+v, %v; want %+v", got, err, want)
	}
	stored++
	wantBatches(t, s, stored)
	if err := s.Close(context.Background()); err != nil {
		t.Errorf("Close: %v", err)
	}
	s = open(t, cfg)
	wantBatches(t, s, stored)
	if got, err := s.Write(context.Background(), someBatch(0)); err != nil || got.Repeated != batchRows {
		t.Errorf("second Write of the first batch = %+v, %v; want %d repeats", got, err, batchRows)
	}
}

const batchRows = 500

// someBatch returns batch n, with events that hardly compress.
func someBatch(n int) *store.Batch {
	b := &store.Batch{Events: make([]store.Event, batchRows)}
	for i := range b.Events {
		id := fmt.Sprintf("%d-%d", n, i)
		k := keyOf(schema.Identity{Subject: "noise", ID: id})
		b.Events[i] = store.Event{
			Website: site.ID, ID: id, Time: time.Unix(int64(n*3600+i), 0),
			Title:      fmt.Sprintf("%x%x", uint64(k.hi), uint64(k.lo)),
			Properties: strings.Repeat(fmt.Sprintf("%x", uint64(k.hi)), 8),
		}
	}
	return b
}

// writeUntilFull writes batches until one fails, and returns the number of stored batches.
func writeUntilFull(t *testing.T, s *Store) int {
	t.Helper()
	for n := range 1000 {
		got, err := s.Write(context.Background(), someBatch(n))
		if err == nil {
			continue
		}
		if !errors.Is(err, store.ErrFull) || got != (store.Written{}) {
			t.Fatalf("Write to a full disk = %+v, %v; want nothing and ErrFull", got, err)
		}
		return n
	}
	t.Fatal("1000 batches did not fill the disk")
	return 0
}

// wantBatches expects the first n batches, each complete and once.
func wantBatches(t *testing.T, s *Store, n int) {
	t.Helper()
	rows := ask(t, s, "SELECT count(*), count(DISTINCT event_id), count(DISTINCT split_part(event_id, '-', 1)) FROM events",
		[]dialect.Kind{dialect.Int, dialect.Int, dialect.Int})
	got := [3]int64{rows.Columns[0].Ints[0], rows.Columns[1].Ints[0], rows.Columns[2].Ints[0]}
	if want := [3]int64{int64(n * batchRows), int64(n * batchRows), int64(n)}; got != want {
		t.Errorf("rows, ids, batches = %v, want %v", got, want)
	}
}
