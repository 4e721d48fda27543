//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

func mustOpen(t testing.TB, cfg Config) *Store {
	t.Helper()
	s, err := Open(context.Background(), cfg)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// do runs f in the writer's goroutine and waits for it.
func do(t *testing.T, s *Store, f func(*writer)) {
	t.Helper()
	done := make(chan struct{})
	s.tasks <- func(w *writer) {
		defer close(done)
		f(w)
	}
	<-done
}

// hold keeps the writer busy until the function returned is called.
func hold(s *Store) (release func()) {
	gate := make(chan struct{})
	s.tasks <- func(*writer) { <-gate }
	return sync.OnceFunc(func() { close(gate) })
}

func event(id string) *store.Batch {
	return &store.Batch{Events: []store.Event{{Website: site.ID, ID: id, Time: time.Unix(0, 0)}}}
}

const batchRows = 500

var site = store.Subject{Kind: store.KindWebsite, ID: "w"}

// someBatch is batch n of events that do not compress well.
func someBatch(n int) *store.Batch {
	b := &store.Batch{Events: make([]store.Event, batchRows)}
	for i := range b.Events {
		id := fmt.Sprintf("%d-%d", n, i)
		k := newKey(0, "noise", id)
		b.Events[i] = store.Event{
			Website: site.ID, ID: id, Time: time.Unix(int64(n*3600+i), 0),
			Title: fmt.Sprintf("%x%x", uint64(k.hi), uint64(k.lo)), Properties: strings.Repeat(fmt.Sprintf("%x", uint64(k.hi)), 8),
		}
	}
	return b
}

// count is how many rows a table has.
func count(t *testing.T, s *Store, table string) int64 {
	t.Helper()
	rows, err := s.Query(context.Background(), store.Statement{
		SQL: "SELECT count(*) FROM " + table, Kinds: []dialect.Kind{dialect.Int},
	})
	if err != nil {
		t.Fatalf("counting %s: %v", table, err)
	}
	return rows.Columns[0].Ints[0]
}

func TestWritesThatWaitBecomeOneCommit(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, Config{Path: filepath.Join(t.TempDir(), "s.duckdb")})
	release := hold(s)
	defer release()
	var all, begun sync.WaitGroup
	const writers = 64
	begun.Add(writers)
	for i := range writers {
		all.Go(func() {
			begun.Done()
			if _, err := s.Write(context.Background(), event(string(rune('!'+i)))); err != nil {
				t.Errorf("Write: %v", err)
			}
		})
	}
	begun.Wait()
	time.Sleep(300 * time.Millisecond) // until all of them wait
	release()
	all.Wait()
	if got := s.catalog.latest(); got > writers/8 { // one, but for goroutines that were late
		t.Errorf("%d commits for %d writes that waited together, want one", got, writers)
	}
	if n := count(t, s, "events"); n != writers {
		t.Errorf("%d events, want %d", n, writers)
	}
}

func TestAWriteThatGivesUpWaitingIsNotStored(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, Config{})
	release := hold(s)
	defer release()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := s.Write(ctx, event("e")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Write = %v, want its context's error", err)
	}
	if _, err := s.Erase(ctx, site); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Erase = %v, want its context's error", err)
	}
	release()
	if n := count(t, s, "events"); n != 0 {
		t.Errorf("%d events, want none", n)
	}
}

func TestOneBadWriteDoesNotHarmItsGroup(t *testing.T) {
	t.Parallel()
	steps, err := migrations()
	if err != nil {
		t.Fatal(err)
	}
	// A row that only the engine refuses, whatever the reason might be.
	const title = "name VARCHAR NOT NULL, title VARCHAR NOT NULL"
	steps[0] = strings.Replace(steps[0], title, title+" CHECK (title <> 'poison')", 1)
	s, err := openWith(context.Background(), Config{}, steps)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	release := hold(s)
	defer release()
	var all sync.WaitGroup
	var refused atomic.Int64
	for _, id := range []string{"a", "b", "poison", "c", "d"} {
		all.Go(func() {
			b := event(id)
			b.Events[0].Title = id
			if _, err := s.Write(context.Background(), b); err != nil {
				refused.Add(1)
				if id != "poison" {
					t.Errorf("Write %s: %v", id, err)
				}
			}
		})
	}
	time.Sleep(100 * time.Millisecond)
	release()
	all.Wait()
	if n := count(t, s, "events"); n != 4 || refused.Load() != 1 {
		t.Errorf("%d events and %d refused, want 4 and 1", n, refused.Load())
	}
	if n := count(t, s, "receipts"); n != 4 {
		t.Errorf("%d receipts, want 4: the refused id must not count as received", n)
	}
}

// Rows that are restored are stored whatever else is in their group.
func TestARepeatDoesNotKeepARestoredRowOut(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, Config{})
	if _, err := s.Write(t.Context(), event("e")); err != nil {
		t.Fatal(err)
	}
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
				t.Errorf("%s: %d rows to store, %v; want the restored one", name, len(fresh), err)
			}
		})
	}
}

func TestEraseRemovesOneSubjectOnly(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, Config{Path: filepath.Join(t.TempDir(), "s.duckdb")})
	ctx := context.Background()
	at := time.Unix(1_700_000_000, 0)
	b := &store.Batch{
		Events: []store.Event{{Website: "w", ID: "1", Time: at}, {Website: "v", ID: "1", Time: at}, {Website: "w", ID: "2", Time: at.AddDate(0, 0, 9)}},
		Errors: []store.Error{{Website: "w", ID: "1", Time: at}},
		Vitals: []store.Vital{{Website: "w", ID: "1", Time: at, Samples: []store.Sample{{Metric: "LCP"}, {Metric: "CLS"}}}},
		Spans:  []store.Span{{Website: "w", ID: "1", Time: at}, {Website: "v", ID: "1", Time: at}},
		Visits: []store.Visit{{Link: "w", ID: "1", Time: at}},
	}
	if _, err := s.Write(ctx, b); err != nil {
		t.Fatal(err)
	}
	version := func(of store.Subject) uint64 {
		v, err := s.Version(ctx, of, at.AddDate(0, 0, 9), at.AddDate(0, 0, 10))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	before := version(site)
	if n, err := s.Erase(ctx, site); err != nil || n != 6 {
		t.Errorf("Erase = %d, %v; want 6 rows", n, err)
	}
	if after := version(site); after <= before {
		t.Errorf("version %d after Erase, want more than %d", after, before)
	}
	if e, sp, v := count(t, s, "events"), count(t, s, "spans"), count(t, s, "visits"); e != 1 || sp != 1 || v != 1 {
		t.Errorf("%d events, %d spans and %d visits are left, want one of each", e, sp, v)
	}
	if n, err := s.Erase(ctx, store.Subject{Kind: store.KindSchedule, ID: "w"}); err != nil || n != 0 {
		t.Errorf("Erase of a stranger = %d, %v; want nothing", n, err)
	}
	if got, err := s.Write(ctx, b); err != nil || got != (store.Written{Stored: 5, Repeated: 3}) {
		t.Errorf("writing all again = %+v, %v; want the erased rows back", got, err)
	}
}
