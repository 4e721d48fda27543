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

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/storetest"
)

// killBatch is the size of the batches that the killed child writes.
const killBatch = 7

// writeUntilKilled is a child that writes batches from several goroutines, and prints
// the prefix of each batch when it was answered.
func writeUntilKilled(path string) int {
	s, err := Open(context.Background(), Config{Path: path})
	if err != nil {
		return complain(err)
	}
	s.tasks <- func(w *writer) { w.parts.keys = 10 * killBatch } // so that many end
	var (
		mu  sync.Mutex // one line at a time
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

// SIGHTLINE_LONG says how often the process is killed.
func TestNothingAnsweredIsLostWhenTheProcessIsKilled(t *testing.T) {
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
				time.AfterFunc(rand.N(20*time.Millisecond), kill) // in the midst of another
			}
		}
		for _, line := range answered {
			if strings.HasPrefix(line, "error") {
				t.Fatalf("the child says %s", line)
			}
		}
		// A line that was cut by the kill is no answer.
		if last := len(answered) - 1; !strings.HasSuffix(answered[last], "/") {
			answered = answered[:last]
		}
		survived(t, path, answered)
	}
	if len(answered) < 20 {
		t.Errorf("only %d batches were answered: that proves little", len(answered))
	}
}

// survived opens the store and finds every answered batch once, every other batch
// whole or not at all, and the ids remembered.
func survived(t *testing.T, path string, answered []string) {
	t.Helper()
	s, err := Open(context.Background(), Config{Path: path})
	if err != nil {
		t.Fatalf("Open after the kill: %v", err)
	}
	defer func() { _ = s.Close() }()
	rows := ask(t, s, "SELECT split_part(event_id, '/', 1) || '/' AS p, count(*), count(DISTINCT event_id) FROM events GROUP BY p",
		[]dialect.Kind{dialect.Text, dialect.Int, dialect.Int})
	found := make(map[string]bool)
	for i, prefix := range rows.Columns[0].Texts {
		found[prefix] = true
		if n, ids := rows.Columns[1].Ints[i], rows.Columns[2].Ints[i]; n != killBatch || ids != killBatch {
			t.Errorf("batch %s: %d rows of %d ids, want %d of each", prefix, n, ids, killBatch)
		}
	}
	for _, prefix := range answered {
		if !found[prefix] {
			t.Errorf("batch %s was answered and is lost", prefix)
		}
	}
	for _, prefix := range answered {
		got, err := s.Write(context.Background(), batch(prefix, killBatch))
		if want := (store.Written{Repeated: killBatch}); err != nil || got != want {
			t.Errorf("the answered batch %s again = %+v, %v; want %+v", prefix, got, err, want)
		}
	}
}
