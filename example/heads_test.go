//go:build cgo

package main

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/auth/audit"
)

// Heads are forgotten when retention may have removed their chains, and not before.
func TestHeads(t *testing.T) {
	file := filepath.Join(t.TempDir(), headsFile)
	clock := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	now := func() time.Time { return clock }
	open := func(keep time.Duration) *heads {
		t.Helper()
		h, err := openHeads(file, keep, now, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	closed := func(h *heads) (kept []string) {
		t.Helper()
		if err := h.close(); err != nil {
			t.Fatal(err)
		}
		note, err := readHeads(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range note.live(clock) {
			kept = append(kept, fmt.Sprintf("%s %d", n.Writer, n.Seq))
		}
		return kept
	}
	h := open(10 * oneDay)
	h.keep(audit.Mark{Writer: "a", Seq: 1})
	h.keep(audit.Mark{Writer: "a", Seq: 2})
	if diff := cmp.Diff([]string{"a 2"}, closed(h)); diff != "" {
		t.Error("the newest of a chain: ", diff)
	}
	clock = clock.Add(10 * oneDay)
	h = open(10 * oneDay)
	h.keep(audit.Mark{Writer: "b", Seq: 7})
	if diff := cmp.Diff([]string{"a 2", "b 7"}, closed(h)); diff != "" {
		t.Error("when retention may not have come to it: ", diff)
	}
	clock = clock.Add(headsSlack)
	if diff := cmp.Diff([]string{"b 7"}, closed(open(10*oneDay))); diff != "" {
		t.Error("when it may have: ", diff)
	}
	one, two := open(10*oneDay), open(10*oneDay)
	one.keep(audit.Mark{Writer: "c", Seq: 1})
	one.keep(audit.Mark{Writer: "c", Seq: 2})
	closed(one)
	two.keep(audit.Mark{Writer: "d", Seq: 1}) // its first write
	if diff := cmp.Diff([]string{"b 7", "d 1", "c 2"}, closed(two)); diff != "" {
		t.Error("of two servers of one folder: ", diff)
	}
	clock = clock.Add(1000 * oneDay)
	if diff := cmp.Diff([]string{"b 7", "d 1", "c 2"}, closed(open(0))); diff != "" {
		t.Error("when everything is kept for ever: ", diff)
	}
}

// A server of a folder whose heads cannot be read does not write over them.
func TestDamagedHeads(t *testing.T) {
	in := install{dir: t.TempDir()}
	file := filepath.Join(in.dir, headsFile)
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, errs, code := in.try(t, "serve", "--addr", "127.0.0.1:0", "--demo=false")
	if code != 1 || !strings.Contains(errs, "verify the trail, then move the file away") {
		t.Errorf("exit code %d, %s", code, errs)
	}
	if text := read(t, file); text != "x" {
		t.Errorf("the file holds %q now", text)
	}
}
