//go:build cgo

package service

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/demo/site"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/embedded"
)

// A demoRun runs servers on a clock that only the test moves.
type demoRun struct {
	folder string
	began  time.Time
	passed atomic.Int64
}

func (d *demoRun) now() time.Time { return d.began.Add(time.Duration(d.passed.Load())) }

// serve runs a server while the test does something.
func (d *demoRun) serve(t *testing.T, every time.Duration, do func()) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		s := Settings{Addr: "127.0.0.1:0", Data: d.folder, Demo: true, DemoDays: 1, DemoEvery: every, JSON: true,
			LimitFactor: 1, NoDerived: true}
		err := Serve(ctx, s, in, io.Discard, d.now)
		ended <- err
		_ = in.CloseWithError(io.EOF) // the server may have failed before it was ready
	}()
	if err := json.NewDecoder(out).Decode(&struct{}{}); err != nil {
		t.Fatal(err, <-ended)
	}
	do()
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

// covered returns the time up to which the folder has traffic.
func (d *demoRun) covered(t *testing.T) time.Time {
	t.Helper()
	var p struct{ Covered time.Time }
	text, err := os.ReadFile(filepath.Join(d.folder, site.ProgressFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	return p.Covered
}

// events returns the number of events in the folder.
func (d *demoRun) events(t *testing.T) int64 {
	t.Helper()
	db, err := embedded.Open(t.Context(), embedded.Config{Folder: d.folder})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close(context.Background()) }() // it was only read
	rows, err := db.Query(t.Context(), store.Statement{
		SQL: "SELECT count(*) AS n FROM events AS t", Kinds: []dialect.Kind{dialect.Int},
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows.Columns[0].Ints[0]
}

// TestDemoGoesOn writes traffic in many writes by a server that is stopped and started again, and in two writes by
// servers that write at their start only. Both must have the same events.
func TestDemoGoesOn(t *testing.T) {
	t.Parallel()
	began := time.Now().Add(-48 * time.Hour)
	live, once := &demoRun{folder: filepath.Join(t.TempDir(), "data"), began: began},
		&demoRun{folder: filepath.Join(t.TempDir(), "data"), began: began}
	for range 2 {
		live.serve(t, time.Millisecond, func() {
			for range 3 {
				live.passed.Add(int64(2 * time.Hour))
				for deadline := time.Now().Add(time.Minute); live.covered(t).Before(live.now()); time.Sleep(time.Millisecond) {
					if time.Now().After(deadline) {
						t.Fatalf("there is traffic until %v, not until %v", live.covered(t), live.now())
					}
				}
			}
		})
	}
	once.serve(t, 0, func() {})
	first := once.events(t)
	once.passed.Store(live.passed.Load())
	once.serve(t, 0, func() {})
	if got, want := live.events(t), once.events(t); got != want || want <= first {
		t.Errorf("%d events, want %d, and more than the %d of the start", got, want, first)
	}
}
