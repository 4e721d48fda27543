package storetest

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A contractCase tests one promise of an interface in package store.
type contractCase struct {
	name     string
	defends  string
	restarts bool
	run      func(*trial)
}

// proveCases runs the cases on one store, because creating a store takes longer than most cases. Each case has
// separate subjects, and the first case has an empty store.
func proveCases(cases func() []contractCase) func(*testing.T, Harness) {
	return func(t *testing.T, h Harness) {
		p := &sharedStore{t: t, harness: h, address: h.create(t), now: noon}
		p.store = h.Open(t, p.address, p.clock)
		for i, c := range cases() {
			t.Run(c.name, func(t *testing.T) {
				if c.restarts && h.Create == nil {
					t.Skip("not tested: Harness.Create is nil, so the store cannot be reopened")
				}
				t.Cleanup(func() {
					if t.Failed() {
						t.Logf("this case tests: %s", c.defends)
					}
				})
				c.run(&trial{T: t, sharedStore: p, prefix: prefixOf(i)})
			})
		}
	}
}

// writeCases returns the cases of store.Writer.
func writeCases() []contractCase {
	return slices.Concat(keptCases(), repeatCases(), refusalCases(), crowdCases())
}

// trial has the part of a store with the subjects of one case, and short methods to use it.
type trial struct {
	*testing.T
	*sharedStore

	prefix string // prefix of the subject ids in the store
}

// sharedStore has the store of all cases of an interface, and its clock.
type sharedStore struct {
	t       *testing.T // closes the store
	harness Harness
	address string
	store   store.Store

	mu  sync.Mutex
	now time.Time
}

// noon is the clock at the start of the tests. It is in the middle of a UTC day.
var noon = time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)

func (p *sharedStore) clock() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

// pass advances the clock.
func (p *sharedStore) pass(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = p.now.Add(d)
}

// reopen closes the store and opens it again.
func (w *trial) reopen() {
	w.Helper()
	mustClose(w.T, w.store)
	w.store = w.harness.Open(w.t, w.address, w.clock)
}

// send writes b. It is safe for concurrent use.
func (w *trial) send(ctx context.Context, b *store.Batch) (store.Written, error) {
	return interfaceOf[store.Writer](w).Write(ctx, prefixed(b, w.prefix))
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

// column reads one column of table for a subject, ordered by event id and time. It is safe for concurrent use,
// so it does not end the test when it fails.
func (w *trial) column(table, column string, kind dialect.Kind, of store.Subject) store.Column {
	w.Helper()
	return w.columns(table, []string{column}, []dialect.Kind{kind}, of)[0]
}

// columns reads several columns in the same way as column.
func (w *trial) columns(table string, names []string, kinds []dialect.Kind, of store.Subject) []store.Column {
	w.Helper()
	d := w.store.Dialect()
	idents := make([]string, len(names))
	for i, name := range names {
		if idents[i] = d.Ident(name); name == "visitor" {
			idents[i] = visitorSQL(d)
		}
	}
	rows, err := w.store.Query(context.Background(), store.Statement{
		Label: "storetest " + table,
		SQL: "SELECT " + strings.Join(idents, ", ") + " FROM " + d.Ident(table) +
			" WHERE " + d.Ident("subject") + " = " + d.Arg("of", dialect.Subject) +
			" ORDER BY " + d.Ident("event_id") + ", " + d.Ident("time"),
		Args:  []dialect.Arg{{Name: "of", Kind: dialect.Subject, Value: w.own(of)}},
		Kinds: kinds,
	})
	if err != nil {
		w.Errorf("reading %s of %s: %v", strings.Join(names, ", "), table, err)
		return make([]store.Column, len(names))
	}
	return rows.Columns
}

// visitorSQL returns SQL for the derived column visitor, which stores may omit.
func visitorSQL(d *dialect.Dialect) string {
	profile := d.Ident("profile_id")
	return d.Call(dialect.If, profile+" = ''", d.Ident("anonymous_id"), profile)
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
	days, err := interfaceOf[store.DayLister](w).Days(context.Background(), w.own(of), from, to)
	if err != nil {
		w.Fatalf("Days: %v", err)
	}
	return store.VersionOf(days)
}

// own returns the subject with the id it has in the store.
func (w *trial) own(of store.Subject) store.Subject {
	of.ID = w.prefix + of.ID
	return of
}

// versioned reports whether the store has versions.
func (w *trial) versioned() bool {
	_, ok := w.store.(store.DayLister)
	return ok
}

// interfaceOf returns the store as an optional interface. Prove checked that the store implements it.
func interfaceOf[I any](w *trial) I {
	i, _ := w.store.(I)
	return i
}

func website(id string) store.Subject { return store.Subject{Kind: store.KindWebsite, ID: id} }
func link(id string) store.Subject    { return store.Subject{Kind: store.KindLink, ID: id} }
func schedule(id string) store.Subject { // like website and link
	return store.Subject{Kind: store.KindSchedule, ID: id}
}

// pageview returns a batch with one pageview.
func pageview(site, id string) store.Batch {
	return store.Batch{Events: []store.Event{{Website: site, ID: id, Name: "screen_view", Time: noon, Path: "/"}}}
}
