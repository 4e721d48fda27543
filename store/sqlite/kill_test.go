package sqlite

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/storetest"
)

// Environment variables: if childPath is set, the test binary is a child process that does childJob with the store at
// that path.
const (
	childPath = "SIGHTLINE_TEST_PATH"
	childJob  = "SIGHTLINE_TEST_JOB"
)

func TestMain(m *testing.M) {
	path := os.Getenv(childPath)
	switch {
	case path == "":
		os.Exit(m.Run())
	case os.Getenv(childJob) == "upgrade":
		os.Exit(upgradeUntilKilled(path))
	default:
		os.Exit(writeUntilKilled(path))
	}
}

// killBatch is the size of the batches that the killed process writes.
const killBatch = 7

// batch returns n pageviews with the ids prefix0, prefix1, ….
func batch(prefix string, n int) *store.Batch {
	b := &store.Batch{Events: make([]store.Event, n)}
	for i := range b.Events {
		b.Events[i] = store.Event{
			Website: "w", ID: fmt.Sprintf("%s%d", prefix, i), Name: "screen_view",
			Time: time.Date(2026, 3, 1, 0, 0, i, 0, time.UTC), Path: fmt.Sprintf("/page/%d", i%100),
			Identity: store.Identity{AnonymousID: fmt.Sprintf("anon-%d", i%500), SessionID: fmt.Sprintf("s-%d", i%700)},
			Agent:    store.Agent{BrowserName: "Firefox", OSName: "Linux", DeviceType: "desktop", Country: "DE"},
			LoadTime: store.Known(int64(i % 3000)),
		}
	}
	return b
}

// writeUntilKilled writes batches from several goroutines. It prints the prefix of each batch after Write has
// returned.
func writeUntilKilled(path string) int {
	s, err := Open(context.Background(), path)
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	var (
		mu  sync.Mutex // protects stdout
		all sync.WaitGroup
	)
	round := time.Now().UnixNano()
	for worker := range 4 {
		all.Go(func() {
			for i := 0; ; i++ {
				prefix := fmt.Sprintf("%d-%d-%d/", round, worker, i)
				_, err := s.Write(context.Background(), batch(prefix, killBatch))
				mu.Lock()
				if err != nil {
					fmt.Println("error:", err)
				} else {
					fmt.Println(prefix)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return 0
}

// startChild starts a child process with a job, and returns its output line by line. The child is killed by kill, or
// when the test ends.
func startChild(t *testing.T, path, job string) (lines *bufio.Scanner, kill func()) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childPath+"="+path, childJob+"="+job)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() { _ = child.Process.Kill() } // it fails if the child has already ended
	t.Cleanup(func() {
		kill()
		_ = child.Wait()
	})
	return bufio.NewScanner(out), kill
}

// TestKilledWhileWriting kills a process while it writes. No acknowledged batch may be lost, and none may be
// stored twice. SIGHTLINE_LONG is the number of kills.
func TestKilledWhileWriting(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.sqlite")
	var answered []string
	for range storetest.Number(t, "SIGHTLINE_LONG", 3) {
		lines, kill := startChild(t, path, "write")
		if !lines.Scan() {
			t.Fatal("the child wrote nothing")
		}
		answered = append(answered, lines.Text())
		for more := 7 + rand.IntN(14); lines.Scan(); more-- {
			answered = append(answered, lines.Text())
			if more == 0 {
				time.AfterFunc(rand.N(20*time.Millisecond), kill) // during another write
			}
		}
		for _, line := range answered {
			if strings.HasPrefix(line, "error") {
				t.Fatalf("the child printed %s", line)
			}
		}
		// The kill may have cut the last line.
		if last := len(answered) - 1; !strings.HasSuffix(answered[last], "/") {
			answered = answered[:last]
		}
		survived(t, path, answered)
	}
	if len(answered) < 20 {
		t.Errorf("only %d batches were acknowledged, want at least 20", len(answered))
	}
	t.Logf("%d acknowledged batches", len(answered))
}

// survived opens the store. It expects every acknowledged batch once, every other batch completely or not at
// all, and the ids of acknowledged batches to be known.
func survived(t *testing.T, path string, answered []string) {
	t.Helper()
	s, err := Open(context.Background(), path)
	if err != nil {
		t.Fatalf("Open after the kill: %v", err)
	}
	defer func() { _ = s.Close(context.Background()) }()
	rows, err := s.Query(t.Context(), store.Statement{Kinds: []dialect.Kind{dialect.Text, dialect.Int, dialect.Int},
		SQL: "SELECT substr(event_id, 1, instr(event_id, '/')) AS p, count(*), count(DISTINCT event_id) FROM events GROUP BY p"})
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]bool)
	for i, prefix := range rows.Columns[0].Texts {
		found[prefix] = true
		if n, ids := rows.Columns[1].Ints[i], rows.Columns[2].Ints[i]; n != killBatch || ids != killBatch {
			t.Errorf("batch %s: %d rows with %d ids, want %d of each", prefix, n, ids, killBatch)
		}
	}
	for _, prefix := range answered {
		if !found[prefix] {
			t.Errorf("acknowledged batch %s is lost", prefix)
		}
		got, err := s.Write(context.Background(), batch(prefix, killBatch))
		if want := (store.Written{Repeated: killBatch}); err != nil || got != want {
			t.Errorf("second Write of the acknowledged batch %s = %+v, %v; want %+v", prefix, got, err, want)
		}
	}
}
