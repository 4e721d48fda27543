//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// countStates returns the number of states. Its condition depends on the rows, because the engine computes a
// plain count(*) when it prepares a statement, and would return that number again later.
func countStates(t *testing.T, s *Store) int64 {
	t.Helper()
	return count(t, s, "partials WHERE piece = 0 AND octet_length(state) >= 0")
}

// latestStates returns the row id of the last row of states, which grows with each stored state.
func latestStates(t *testing.T, s *Store) int64 {
	t.Helper()
	return ask(t, s, "SELECT max(rowid) FROM partials", []dialect.Kind{dialect.Int}).Columns[0].Ints[0]
}

// storedQuestion returns a request whose answer can be merged from partials.
func storedQuestion() query.Request {
	return query.Request{StartDate: "2026-02-20", EndDate: "2026-03-01",
		Parameters: []query.Parameter{{Name: "summary_metrics"}, {Name: "events_by_date"}, {Name: "pages"},
			{Name: "countries"}}}
}

// firstAnswers returns the answer of a new engine and the number of statements that it needed.
func firstAnswers(t *testing.T, s *Store) (text string, statements int64) {
	t.Helper()
	counting := &counted{Store: s}
	e, err := query.New(query.Config{Store: counting,
		Now:           func() time.Time { return time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC) },
		EngineOptions: query.EngineOptions{ResultCache: -1, StoreFrom: -1}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := e.Prepare(t.Context(), query.Access{Subject: site}, storedQuestion())
	if err != nil {
		t.Fatal(err)
	}
	resp, err := p.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return string(resp.Encode(nil)), counting.asked.Load()
}

// TestStoredPartials tests that partials survive a restart: the first answers are merged from them without a
// statement, and equal the answers of statements. Partials must not be used after a late row until they are
// computed again. RebuildSeals must compute them again, and Erase must delete them.
func TestStoredPartials(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.duckdb")
	s := open(t, Config{Path: path})
	mustWrite(t, s, batch("a", 500))
	want, _ := firstAnswers(t, s)
	reopen := func() {
		t.Helper()
		if err := s.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		s = open(t, Config{Path: path})
	}
	sealAndReopen := func() {
		t.Helper()
		by := sealer(t, s)
		for range 4 {
			seal(t, by)
		}
		reopen()
	}
	sealAndReopen()
	rows := countStates(t, s)
	if got, n := firstAnswers(t, s); n != 0 || got != want || rows == 0 {
		t.Errorf("%d states; the first answers needed %d statements, want 0: %s, want %s", rows, n, got, want)
	}
	mustWrite(t, s, batch("late", 20))
	want, n := firstAnswers(t, s)
	if n == 0 {
		t.Error("after late rows, answers are merged from partials without them")
	}
	sealAndReopen()
	if got, n := firstAnswers(t, s); n != 0 || got != want || countStates(t, s) != rows {
		t.Errorf("%d states after late rows, want %d as before; the first answers needed %d statements, want 0: %s, want %s", countStates(t, s), rows, n, got, want)
	}
	before, days := latestStates(t, s), time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	if _, err := sealing(t, s).RebuildSeals(t.Context(), site, days, days.AddDate(0, 0, 1)); err != nil ||
		countStates(t, s) != rows || latestStates(t, s) <= before {
		t.Errorf("%d states after RebuildSeals, want %d newly computed ones: %v", countStates(t, s), rows, err)
	}
	if got, n := firstAnswers(t, s); n != 0 || got != want {
		t.Errorf("the first answers after RebuildSeals needed %d statements, want 0: %s, want %s", n, got, want)
	}
	sealAndReopen()
	if _, err := s.Erase(t.Context(), site); err != nil || countStates(t, s) != 0 {
		t.Errorf("%d states after Erase, want 0: %v", countStates(t, s), err)
	}
	old := []store.State{{Day: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), Version: 1, Rows: 1}}
	if err := s.SaveStates(t.Context(), site, old); err != nil || countStates(t, s) != 0 {
		t.Errorf("a state computed before Erase was stored after it, or: %v", err)
	}
}

// TestPackStates tests that Maintain frees the space of replaced states, and does not change the others.
func TestPackStates(t *testing.T) {
	t.Parallel()
	s := open(t, Config{Path: filepath.Join(t.TempDir(), "s.duckdb"), MemoryLimit: clusterMemory})
	mustWrite(t, s, event("a"))
	days, err := s.Days(t.Context(), site, time.Unix(0, 0), time.Unix(86_400, 0))
	if err != nil || len(days) != 1 {
		t.Fatal(days, err)
	}
	var states []store.State
	for name := range int64(fewRuns) {
		states = append(states, store.State{StateName: store.StateName{Kind: 1, Number: name}, Day: days[0].Start,
			Version: 1, Rows: days[0].Version,
			Bytes: []byte{byte(name), 0}})
	}
	rowids := func() int64 {
		return ask(t, s, "SELECT max(rowid) + 1 FROM partials", []dialect.Kind{dialect.Int}).Columns[0].Ints[0]
	}
	for round := range 2 {
		if err := s.SaveStates(t.Context(), site, states); err != nil {
			t.Fatal(err)
		}
		before := rowids()
		if err := s.Maintain(t.Context()); err != nil {
			t.Fatal(err)
		}
		names := []store.StateName{{Kind: 1, Number: 7}, {Kind: 1, Number: fewRuns - 1}}
		found, err := s.LoadStates(t.Context(), site, names, time.Unix(0, 0), time.Unix(1, 0))
		if after := rowids(); err != nil || len(found) != 2 ||
			string(found[0].Bytes) != string([]byte{byte(found[0].Number), 0}) || before != int64(round+1)*fewRuns ||
			after != fewRuns {
			t.Errorf("round %d: %d states took %d rows before Maintain and %d after; LoadStates = %v, %v", round,
				fewRuns, before, after, found, err)
		}
	}
	if err := s.DropStates(t.Context(), site, []int64{1}, []int64{7}); err != nil || countStates(t, s) != 1 {
		t.Errorf("%d states after DropStates, want 1: %v", countStates(t, s), err)
	}
}

// A broken store fails to store and to load states.
type broken struct{ *Store }

var errBroken = errors.New("broken")

func (broken) States(context.Context, store.Subject) ([]store.State, error) { return nil, errBroken }
func (broken) LoadStates(context.Context, store.Subject, []store.StateName, time.Time, time.Time) ([]store.State,
	error) {
	return nil, errBroken
}
func (broken) SaveStates(context.Context, store.Subject, []store.State) error { return errBroken }

// A forgetful store lists states, but fails to load them.
type forgetful struct{ *Store }

func (forgetful) LoadStates(context.Context, store.Subject, []store.StateName, time.Time, time.Time) ([]store.State,
	error) {
	return nil, errBroken
}

// TestStatesThatFail tests that answers are the same if states cannot be stored or loaded.
func TestStatesThatFail(t *testing.T) {
	t.Parallel()
	s := open(t, Config{})
	mustWrite(t, s, batch("a", 500))
	for range 4 {
		seal(t, sealer(t, s))
	}
	want := ""
	for name, of := range map[string]store.Store{"": s, "broken": broken{s}, "forgetful": forgetful{s}} {
		e, err := query.New(query.Config{Store: of,
			Now:           func() time.Time { return time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC) },
			EngineOptions: query.EngineOptions{ResultCache: -1, StoreFrom: -1}})
		if err != nil {
			t.Fatal(err)
		}
		by, failed := query.NewSealer(e), error(nil)
		for range 3 {
			if _, err := by.Seal(t.Context()); err != nil {
				failed = err
			}
		}
		for range 3 {
			p, err := e.Prepare(t.Context(), query.Access{Subject: site}, storedQuestion())
			if err != nil {
				t.Fatal(err)
			}
			resp, err := p.Run(t.Context())
			if err != nil {
				t.Fatalf("store %q: %v", name, err)
			}
			got := string(resp.Encode(nil))
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("store %q: answer %s, want %s", name, got, want)
			}
		}
		if name == "broken" && !errors.Is(failed, errBroken) {
			t.Errorf("Seal returned %v, want the error of SaveStates", failed)
		}
	}
}
