//go:build cgo

package duckdb

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/internal/queue"
)

// do runs f in the writer's goroutine and waits for it.
func do(t testing.TB, s *Store, f func(*writer)) {
	t.Helper()
	done := make(chan struct{})
	s.tasks <- func(w *writer) {
		defer close(done)
		f(w)
	}
	<-done
}

// hold keeps the writer busy until release is called.
func hold(s *Store) (release func()) {
	gate := make(chan struct{})
	s.tasks <- func(*writer) { <-gate }
	return sync.OnceFunc(func() { close(gate) })
}

// inOneGroup runs calls so that they wait for the writer together. It works only in a bubble of synctest.
func inOneGroup(s *Store, calls ...func()) {
	release := hold(s)
	var all sync.WaitGroup
	for _, call := range calls {
		all.Go(call)
	}
	synctest.Wait()
	release()
	all.Wait()
}

func TestGatherWaitsForAsManyWritesAsBefore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &writer{store: &Store{queue: queue.New[*write]()}, gathered: 1, groups: gatherMore - 11}
		add := func() { w.store.queue.Add(&store.Batch{}, &write{batch: &store.Batch{}}) }
		for _, c := range []struct {
			name string
			// further callers that already wait, and callers that arrive one by one, a millisecond apart
			busy, more int
			group      int           // writes in the group
			took       time.Duration // time to gather it
		}{
			{"one after one", 0, 0, 1, 0},
			{"two after one", 1, 0, 2, 0},
			{"two after two, one of them late", 0, 1, 2, time.Millisecond},
			{"four after two", 3, 0, 4, 0},
			{"four after four, three of them late", 0, 3, 4, 3 * time.Millisecond},
			{"three after four", 0, 2, 3, gatherFewTime},
			{"one after three", 0, 0, 1, gatherFewTime},
			{"one after one again", 0, 0, 1, 0},
			{"many after one", 8, 0, 9, 0},
			{"one after many", 0, 0, 1, gatherTime},
			{"two after one, when one more is expected", 0, 1, 2, time.Millisecond},
		} {
			for range 1 + c.busy {
				add()
			}
			go func() {
				for range c.more {
					time.Sleep(time.Millisecond)
					add()
				}
			}()
			began := time.Now()
			group := w.gather()
			if took := time.Since(began); len(group) != c.group || took != c.took {
				t.Errorf("%s: gather returned %d writes after %v, want %d after %v", c.name, len(group), took, c.group,
					c.took)
			}
		}
	})
}

func TestWaitingWritesShareACommit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := open(t, Config{})
		var calls []func()
		for i := range 64 {
			calls = append(calls, func() { mustWrite(t, s, event(string(rune('!'+i)))) })
		}
		inOneGroup(s, calls...)
		if commits, n := s.ledger.Latest(), count(t, s, "events"); commits != 1 || n != 64 {
			t.Errorf("%d events in %d commits, want 64 in one commit", n, commits)
		}
	})
}

func TestCancelledCallsChangeNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := open(t, Config{})
		mustWrite(t, s, event("before"))
		release := hold(s)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, writing := s.Write(ctx, event("e"))
		_, erasing := s.Erase(ctx, site)
		for call, err := range map[string]error{"Write": writing, "Erase": erasing,
			"Restore": s.Restore(ctx, "", event("e"))} {
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v, want the context's error", call, err)
			}
		}
		release()
		if n := count(t, s, "events"); n != 1 {
			t.Errorf("%d events, want only the one written before", n)
		}
	})
}

func TestInvalidWriteFailsAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		all := steps(t)
		// A row that only the engine rejects.
		const title = "name VARCHAR NOT NULL, title VARCHAR NOT NULL"
		all[0] = strings.Replace(all[0], title, title+" CHECK (title <> 'poison')", 1)
		s := openSteps(t, Config{}, all)
		var calls []func()
		for _, id := range []string{"a", "b", "poison", "c", "d"} {
			calls = append(calls, func() {
				b := event(id)
				b.Events[0].Title = id
				if _, err := s.Write(t.Context(), b); (err != nil) != (id == "poison") {
					t.Errorf("Write %s: %v", id, err)
				}
			})
		}
		inOneGroup(s, calls...)
		if n, receipts := count(t, s, "events"), count(t, s, "receipts"); n != 4 || receipts != 4 {
			t.Errorf("%d events and %d receipts, want 4 of each: a rejected id does not count as received", n, receipts)
		}
	})
}

// A failing engine fails as its failure says.
type failing struct {
	engine
	failure *failure
}

// A failure makes one or more calls of an engine fail.
type failure struct {
	at         string // the failing call: "COMMIT", or the filled table; empty means none
	more       int    // number of further calls that fail
	done       bool   // whether the failing call takes effect
	says       string // the engine's error
	lost       bool   // whether the engine is closed before
	unopenable int    // number of attempts to reopen the engine that fail
}

func (f failing) exec(text string, args ...sqldriver.NamedValue) error {
	return f.meet(text, func() error { return f.engine.exec(text, args...) })
}

func (f failing) fill(table string, do func(add func(...sqldriver.Value) error) error) error {
	return f.meet(table, func() error { return f.engine.fill(table, do) })
}

func (f failing) meet(call string, do func() error) error {
	if f.failure.at != call {
		return do()
	}
	if f.failure.more--; f.failure.more < 0 {
		f.failure.at = ""
	}
	switch {
	case f.failure.done:
		if err := do(); err != nil {
			return err
		}
	case call == "COMMIT": // a failed commit ends the transaction
		if err := f.engine.exec("ROLLBACK"); err != nil {
			return err
		}
	}
	return errors.New(f.failure.says)
}

// openFailing opens a store at path whose engines fail as f says. Change f only while the writer waits.
func openFailing(t *testing.T, path string, f *failure) *Store {
	t.Helper()
	s, err := openWith(t.Context(), Config{Path: path}, setup{steps(t), func(i *instance) (engine, error) {
		if f.at == "" && f.unopenable > 0 {
			f.unopenable--
			return nil, &fault{kind: store.ErrLocked, cause: errors.New("another process has opened it meanwhile")}
		}
		c, err := i.engine()
		return failing{c, f}, err
	}, testClusterRows})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	return s
}

// TestFailures tests each failure in the table of commit.go with a group of a write and a restore: the errors
// of the two callers, and the rows on disk. If both callers try again after an error, each row must be stored
// once.
func TestFailures(t *testing.T) {
	t.Parallel()
	const full, short, refused = "IO Error: No space left on device", "Out of Memory Error: no more",
		"Constraint Error: strange row"
	const pinned = "TransactionContext Error: Failed to commit: failed to pin block of size 256.0 KiB (1.0 GiB/1.0 GiB used)"
	const fatal, internal = "FATAL Error: the engine is broken", "INTERNAL Error: the engine is broken"
	for name, c := range map[string]struct {
		failure failure
		want    error
		onDisk  int64
	}{
		"nothing fails":                   {failure{}, nil, 2},
		"an engine that is not open":      {failure{lost: true}, nil, 2},
		"an engine that cannot be opened": {failure{lost: true, unopenable: 1}, store.ErrLocked, 0},
		"a full disk":                     {failure{at: "events", says: full}, store.ErrFull, 0},
		"a full disk at the commit":       {failure{at: "COMMIT", says: full}, store.ErrFull, 0},
		"no memory": {failure{at: "receipts", says: short, more: 6},
			store.ErrUnavailable, 0},
		"no memory for a while":                {failure{at: "receipts", says: short, more: 5}, nil, 2},
		"no memory at the commit, for a while": {failure{at: "COMMIT", says: pinned}, nil, 2},
		"a row that is rejected only once":     {failure{at: "events", says: refused}, nil, 2},
		"an engine that breaks for lack of memory": {failure{at: "COMMIT", says: "FATAL Error: " + pinned,
			unopenable: 1}, store.ErrUnavailable, 0},
		"a broken engine": {failure{at: "versions", says: fatal}, store.ErrUnavailable,
			0},
		"a broken engine, before the commit":     {failure{at: "COMMIT", says: fatal}, store.ErrUnavailable, 0},
		"a broken engine, after the commit":      {failure{at: "COMMIT", done: true, says: fatal}, nil, 2},
		"a bug of the engine, before the commit": {failure{at: "COMMIT", says: internal}, nil, 2},
		"a bug of the engine, after the commit":  {failure{at: "COMMIT", done: true, says: internal}, nil, 2},
		"an engine that stays broken, before the commit": {failure{at: "COMMIT", says: fatal, unopenable: 1},
			store.ErrUnavailable, 0},
		"an engine that stays broken, after the commit": {failure{at: "COMMIT", done: true, says: fatal,
			unopenable: 1}, store.ErrUnavailable, 2},
		"a bug of an engine that stays broken, after": {failure{at: "COMMIT", done: true, says: internal,
			unopenable: 1}, store.ErrLocked, 2},
		"a bug of an engine that stays broken, before": {failure{at: "events", says: internal, unopenable: 1},
			store.ErrLocked, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := &failure{}
				s := openFailing(t, filepath.Join(t.TempDir(), "s.duckdb"), f)
				if c.failure.lost {
					lose(t, s)
				}
				do(t, s, func(*writer) { *f = c.failure })
				var writing, restoring error
				inOneGroup(s,
					func() { _, writing = s.Write(t.Context(), event("written")) },
					func() { restoring = s.Restore(t.Context(), "", event("restored")) })
				for call, err := range map[string]error{"Write": writing, "Restore": restoring} {
					if !errors.Is(err, c.want) {
						t.Errorf("%s: %v, want %v", call, err, c.want)
					}
				}
				do(t, s, func(w *writer) {
					if err := w.ready(); err != nil || f.at != "" || f.unopenable != 0 {
						t.Errorf("afterwards: ready = %v, and %+v of the failure has not happened", err, *f)
					}
				})
				there := count(t, s, "events")
				if there != c.onDisk {
					t.Errorf("%d rows are on disk, want %d", there, c.onDisk)
				}
				if writing != nil {
					mustWrite(t, s, event("written"))
				}
				if restoring != nil && there == 0 { // a caller of Restore looks for the rows first
					if err := s.Restore(t.Context(), "", event("restored")); err != nil {
						t.Error(err)
					}
				}
				if n := count(t, s, "events"); n != 2 {
					t.Errorf("%d rows after both were tried again, want 2", n)
				}
			})
		})
	}
}

// TestRestoredRowsAreNotRepeats tests that a restored row is stored although the same group has a repeat with
// its id.
func TestRestoredRowsAreNotRepeats(t *testing.T) {
	t.Parallel()
	s := open(t, Config{})
	mustWrite(t, s, event("e"))
	rows, err := arrange(event("e"))
	if err != nil {
		t.Fatal(err)
	}
	written, restored := &write{rows: slices.Clone(rows)}, &write{rows: slices.Clone(rows), restored: true}
	for name, group := range map[string][]*write{
		"the repeat comes first": {written, restored}, "the repeat comes second": {restored, written},
	} {
		do(t, s, func(w *writer) {
			if fresh, err := w.markRepeats(group); err != nil || len(fresh) != 1 || fresh[0] != &restored.rows[0] {
				t.Errorf("%s: markRepeats returned %d rows, %v; want the restored one", name, len(fresh), err)
			}
		})
	}
}

// lose closes the engine of the store, which happens if it cannot be reopened after a failure.
func lose(t *testing.T, s *Store) {
	t.Helper()
	do(t, s, func(w *writer) {
		if err := w.closeEngine(); err != nil {
			t.Errorf("closeEngine: %v", err)
		}
	})
}

func TestClosedEngineIsReopened(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := open(t, Config{Path: filepath.Join(t.TempDir(), "s.duckdb")})
		for _, want := range []store.Written{{Stored: 1}, {Repeated: 1}} {
			lose(t, s)
			if got := mustWrite(t, s, event("e")); got != want {
				t.Errorf("Write without an engine = %+v, want %+v", got, want)
			}
		}
		lose(t, s)
		if err := s.Ping(t.Context()); !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("Ping without an engine: %v, want ErrUnavailable", err)
		}
		synctest.Wait() // Ping has asked the writer to reopen the engine
		if n := count(t, s, "events"); n != 1 {
			t.Errorf("%d events, want 1", n)
		}
		lose(t, s)
		if n, err := s.Erase(t.Context(), site); err != nil || n != 1 {
			t.Errorf("Erase without an engine = %d, %v; want 1 row", n, err)
		}
		lose(t, s)
		if err := s.Close(context.Background()); err != nil {
			t.Errorf("Close without an engine: %v", err)
		}
	})
}

func TestMemoryStoreIsNotReopened(t *testing.T) {
	t.Parallel()
	s := open(t, Config{})
	lose(t, s)
	_, writing := s.Write(t.Context(), event("e"))
	for call, err := range map[string]error{"Write": writing, "Ping": s.Ping(t.Context())} {
		if !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%s: %v, want ErrUnavailable", call, err)
		}
	}
}
