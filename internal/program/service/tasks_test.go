package service

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"testing"
	"time"
)

// TestNothingRunsAfterTheEnd runs the whole program with everything that works in the background, and stops it.
// Goroutines inherit the label of the test, also those of libraries, so none of them may be left. Redis does not
// respond, so its clients try again all the time.
func TestNothingRunsAfterTheEnd(t *testing.T) {
	folder := t.TempDir()
	settings := Settings{
		Addr: "127.0.0.1:0", TrackAddr: "127.0.0.1:0", MetricsAddr: "127.0.0.1:0", Redis: "redis://127.0.0.1:1/0",
		Data: filepath.Join(folder, "data"), BackupTo: filepath.Join(folder, "backups"), BackupEvery: time.Hour,
		BackupKeep: 1,
		Demo:       true, DemoDays: 1, DemoEvery: time.Millisecond, MCP: true, JSON: true, LimitFactor: 1,
		AuditKeep: time.Hour, AuditWarn: 1 << 30,
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go pprof.Do(ctx, pprof.Labels("program", t.Name()), func(ctx context.Context) {
		ended <- Serve(ctx, settings, in, io.Discard, time.Now)
		_ = in.CloseWithError(io.EOF)
	})
	if err := json.NewDecoder(out).Decode(&struct{}{}); err != nil {
		t.Fatal(err, <-ended)
	}
	if left(t) == "" {
		t.Fatal("no goroutine of the program has the label")
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); left(t) != ""; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("these goroutines do not end with the program:\n%s", left(t))
		}
	}
}

// left returns the stacks of goroutines with the label of t.
func left(t *testing.T) string {
	t.Helper()
	var all bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&all, 1); err != nil {
		t.Fatal(err)
	}
	var found []string
	for stack := range strings.SplitSeq(all.String(), "\n\n") {
		if strings.Contains(stack, t.Name()+`"}`) {
			found = append(found, stack)
		}
	}
	return strings.Join(found, "\n\n")
}
