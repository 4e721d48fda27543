package storetest

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A contractCase is one thing that an interface of package store promises.
type contractCase struct {
	name     string
	defends  string
	restarts bool
	run      func(*trial)
}

// proveCases proves each case over an empty store of its own.
func proveCases(cases func() []contractCase) func(*testing.T, Harness) {
	return func(t *testing.T, h Harness) {
		for _, c := range cases() {
			t.Run(c.name, func(t *testing.T) {
				if c.restarts && h.Create == nil {
					t.Skip("not proven: without Harness.Create the store does not outlive its process")
				}
				t.Cleanup(func() {
					if t.Failed() {
						t.Logf("this case defends: %s", c.defends)
					}
				})
				w := &trial{T: t, harness: h, address: h.create(t), now: noon}
				w.store = h.Open(t, w.address, w.clock)
				c.run(w)
			})
		}
	}
}

// writeCases are about store.Writer.
func writeCases() []contractCase {
	return slices.Concat(keptCases(), repeatCases(), refusalCases(), crowdCases())
}

// trial is an empty store, a clock and short ways to ask.
type trial struct {
	*testing.T

	harness Harness
	address string
	store   store.Store

	mu  sync.Mutex
	now time.Time
}

// noon is when the tests begin; the day has room on both sides.
var noon = time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)

func (w *trial) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// pass moves the clock on.
func (w *trial) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// reopen is a restart.
func (w *trial) reopen() {
	w.Helper()
	mustClose(w.T, w.store)
	w.store = w.harness.Open(w.T, w.address, w.clock)
}

// send writes b. It may be called from any goroutine.
func (w *trial) send(ctx context.Context, b *store.Batch) (store.Written, error) {
	return interfaceOf[store.Writer](w).Write(ctx, b)
}

// write stores b and checks how many of its rows were new and how many repeats.
func (w *trial) write(b store.Batch, stored, repeated int) {
	w.Helper()
	got, err := w.send(context.Background(), &b)
	if err != nil {
		w.Fatalf("Write: %v", err)
	}
	if want := (store.Written{Stored: stored, Repeated: repeated}); got != want {
		w.Errorf("Write = %+v, want %+v", got, want)
	}
}

// column reads one column of table for a subject, ordered by event id and time. It may be
// called from any goroutine, and so does not end the test when it fails.
func (w *trial) column(table, column string, kind dialect.Kind, of store.Subject) store.Column {
	w.Helper()
	d := w.store.Dialect()
	rows, err := w.store.Query(context.Background(), store.Statement{
		Label: "storetest " + table,
		SQL: "SELECT " + d.Ident(column) + " FROM " + d.Ident(table) +
			" WHERE " + d.Ident("subject") + " = " + d.Arg("of", dialect.Subject) +
			" ORDER BY " + d.Ident("event_id") + ", " + d.Ident("time"),
		Args:  []dialect.Arg{{Name: "of", Kind: dialect.Subject, Value: of}},
		Kinds: []dialect.Kind{kind},
	})
	if err != nil {
		w.Errorf("reading %s.%s: %v", table, column, err)
		return store.Column{}
	}
	return rows.Columns[0]
}

// ids reads the event ids of table for a subject.
func (w *trial) ids(table string, of store.Subject) []string {
	w.Helper()
	return w.column(table, "event_id", dialect.Text, of).Texts
}

// count checks how many rows table holds for a subject.
func (w *trial) count(table string, of store.Subject, want int) {
	w.Helper()
	if got := len(w.ids(table, of)); got != want {
		w.Errorf("%s of %s %q: %d rows, want %d", table, of.Kind, of.ID, got, want)
	}
}

// version reads the version of a subject between two instants.
func (w *trial) version(of store.Subject, from, to time.Time) uint64 {
	w.Helper()
	v, err := interfaceOf[store.Versioner](w).Version(context.Background(), of, from, to)
	if err != nil {
		w.Fatalf("Version: %v", err)
	}
	return v
}

// versioned reports whether the store has versions.
func (w *trial) versioned() bool {
	_, ok := w.store.(store.Versioner)
	return ok
}

// interfaceOf is the store as an optional interface. Prove saw that it has it.
func interfaceOf[I any](w *trial) I {
	i, _ := w.store.(I)
	return i
}

func website(id string) store.Subject { return store.Subject{Kind: store.KindWebsite, ID: id} }
func link(id string) store.Subject    { return store.Subject{Kind: store.KindLink, ID: id} }
func schedule(id string) store.Subject { //nolint:unparam // beside website and link
	return store.Subject{Kind: store.KindSchedule, ID: id}
}

// pageview is a batch of one pageview.
func pageview(site, id string) store.Batch {
	return store.Batch{Events: []store.Event{{Website: site, ID: id, Name: "screen_view", Time: noon, Path: "/"}}}
}
