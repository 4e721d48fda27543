package storetest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A WriterStore is a store that takes rows. It may be a store.Versioner, too.
type WriterStore = Filled

// A WriterHarness is what RunWriter needs to know of the store it proves.
type WriterHarness struct {
	// Open gives an empty store that dates receipts by now. It closes it when the
	// test ends, unless Reopen has.
	Open func(t *testing.T, now func() time.Time) WriterStore
	// Reopen closes s and opens the data it left, as a new process would. Nil skips
	// the cases about restarts, for stores that do not outlive their process.
	Reopen func(t *testing.T, s WriterStore, now func() time.Time) WriterStore
}

// RunWriter proves that a store keeps the contracts of store.Writer and, if it is one,
// of store.Versioner, each case beside the sentence it defends. It reads back through
// Query, in the store's dialect, naming logical tables and columns only.
func RunWriter(t *testing.T, h WriterHarness) {
	t.Helper()
	for _, cases := range [][]writerCase{keepingCases(), repeatCases(), refusalCases(), versionCases(), crowdCases()} {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				if c.restarts && h.Reopen == nil {
					t.Skip("the store does not outlive its process")
				}
				t.Cleanup(func() {
					if t.Failed() {
						t.Logf("this case defends: %s", c.defends)
					}
				})
				w := newWriterTest(t, h)
				if c.versions && !w.versioned() {
					t.Skip("the store is no store.Versioner")
				}
				c.run(w)
			})
		}
	}
}

// A writerCase is one thing a Writer promises.
type writerCase struct {
	name     string
	defends  string
	restarts bool
	versions bool // is about store.Versioner alone
	run      func(*writerTest)
}

// A writerTest is an empty store, a clock and short ways to ask.
type writerTest struct {
	*testing.T

	harness WriterHarness
	store   WriterStore

	mu  sync.Mutex
	now time.Time
}

func newWriterTest(t *testing.T, h WriterHarness) *writerTest {
	t.Helper()
	w := &writerTest{T: t, harness: h, now: noon}
	w.store = h.Open(t, w.clock)
	return w
}

// noon is when the tests begin; the day has room on both sides.
var noon = time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)

func (w *writerTest) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// pass moves the clock on.
func (w *writerTest) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

func (w *writerTest) reopen() {
	w.Helper()
	w.store = w.harness.Reopen(w.T, w.store, w.clock)
}

// write stores b and checks how many of its rows were new and how many repeats.
func (w *writerTest) write(b store.Batch, stored, repeated int) {
	w.Helper()
	got, err := w.store.Write(context.Background(), &b)
	if err != nil {
		w.Fatalf("Write: %v", err)
	}
	if want := (store.Written{Stored: stored, Repeated: repeated}); got != want {
		w.Errorf("Write = %+v, want %+v", got, want)
	}
}

// column reads one column of table for a subject, ordered by event id and time. It may be
// called from any goroutine, and so does not end the test when it fails.
func (w *writerTest) column(table, column string, kind dialect.Kind, of store.Subject) store.Column {
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
func (w *writerTest) ids(table string, of store.Subject) []string {
	w.Helper()
	return w.column(table, "event_id", dialect.Text, of).Texts
}

// count checks how many rows table holds for a subject.
func (w *writerTest) count(table string, of store.Subject, want int) {
	w.Helper()
	if got := len(w.ids(table, of)); got != want {
		w.Errorf("%s of %s %q: %d rows, want %d", table, of.Kind, of.ID, got, want)
	}
}

// version reads the version of a subject between two instants, of a store that has some.
func (w *writerTest) version(of store.Subject, from, to time.Time) uint64 {
	w.Helper()
	versioner, ok := w.store.(store.Versioner)
	if !ok {
		w.Fatal("the store is no store.Versioner")
	}
	v, err := versioner.Version(context.Background(), of, from, to)
	if err != nil {
		w.Fatalf("Version: %v", err)
	}
	return v
}

// versioned reports whether the store has versions.
func (w *writerTest) versioned() bool {
	_, ok := w.store.(store.Versioner)
	return ok
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
