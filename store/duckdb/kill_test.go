//go:build cgo

package duckdb

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/storetest"
)

// killBatch is the size of the batches that the killed process writes.
const killBatch = 7

// writeUntilKilled is a child process that writes batches from several goroutines. It prints the prefix of each
// batch after Write has returned.
func writeUntilKilled(path string) int {
	s, err := Open(context.Background(), Config{Path: path})
	if err != nil {
		return complain(err)
	}
	s.tasks <- func(w *writer) { w.parts.keys = 10 * killBatch } // so that many parts become full
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

// TestKilledWhileWriting kills a process while it writes. No acknowledged batch may be lost. SIGHTLINE_LONG is
// the number of kills.
func TestKilledWhileWriting(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.duckdb")
	var answered []string
	for range storetest.Number(t, "SIGHTLINE_LONG", 3) {
		lines, kill := startChild(t, "write", path)
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
}

// survived opens the store. It expects every acknowledged batch once, every other batch completely or not at
// all, and the ids of acknowledged batches to be known.
func survived(t *testing.T, path string, answered []string) {
	t.Helper()
	s, err := Open(context.Background(), Config{Path: path})
	if err != nil {
		t.Fatalf("Open after the kill: %v", err)
	}
	defer func() { _ = s.Close(context.Background()) }()
	rows := ask(t, s, "SELECT split_part(event_id, '/', 1) || '/' AS p, count(*), count(DISTINCT event_id) FROM events GROUP BY p",
		[]dialect.Kind{dialect.Text, dialect.Int, dialect.Int})
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
	}
	for _, prefix := range answered {
		got, err := s.Write(context.Background(), batch(prefix, killBatch))
		if want := (store.Written{Repeated: killBatch}); err != nil || got != want {
			t.Errorf("second Write of the acknowledged batch %s = %+v, %v; want %+v", prefix, got, err, want)
		}
	}
}
