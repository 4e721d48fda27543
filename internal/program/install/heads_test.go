//go:build cgo

package install

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/auth/audit"
)

const day = 24 * time.Hour

// A head is dropped when retention may have deleted its chain, and not earlier.
func TestHeads(t *testing.T) {
	file := filepath.Join(t.TempDir(), HeadsFile)
	clock := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	now := func() time.Time { return clock }
	open := func(keep time.Duration) *HeadStore {
		t.Helper()
		h, err := OpenHeads(file, keep, now, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	closed := func(h *HeadStore) (kept []string) {
		t.Helper()
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
		note, err := ReadHeads(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range note.Live(clock) {
			kept = append(kept, fmt.Sprintf("%s %d", n.Writer, n.Seq))
		}
		return kept
	}
	h := open(10 * day)
	h.Keep(audit.Checkpoint{Writer: "a", Seq: 1})
	h.Keep(audit.Checkpoint{Writer: "a", Seq: 2})
	if diff := cmp.Diff([]string{"a 2"}, closed(h)); diff != "" {
		t.Error("want the newest head of a chain: ", diff)
	}
	clock = clock.Add(10 * day)
	h = open(10 * day)
	h.Keep(audit.Checkpoint{Writer: "b", Seq: 7})
	if diff := cmp.Diff([]string{"a 2", "b 7"}, closed(h)); diff != "" {
		t.Error("before retention can delete the chain: ", diff)
	}
	clock = clock.Add(headsSlack)
	if diff := cmp.Diff([]string{"b 7"}, closed(open(10*day))); diff != "" {
		t.Error("after retention can delete the chain: ", diff)
	}
	one, two := open(10*day), open(10*day)
	one.Keep(audit.Checkpoint{Writer: "c", Seq: 1})
	one.Keep(audit.Checkpoint{Writer: "c", Seq: 2})
	closed(one)
	two.Keep(audit.Checkpoint{Writer: "d", Seq: 1}) // its first write
	if diff := cmp.Diff([]string{"b 7", "d 1", "c 2"}, closed(two)); diff != "" {
		t.Error("two servers with one folder: ", diff)
	}
	clock = clock.Add(1000 * day)
	if diff := cmp.Diff([]string{"b 7", "d 1", "c 2"}, closed(open(0))); diff != "" {
		t.Error("without retention: ", diff)
	}
}
