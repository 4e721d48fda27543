//go:build cgo

package duckdb

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/storetest"
)

// testClusterRows is the number of rows in a cluster in tests.
const testClusterRows = 10

// open opens a store and closes it when the test ends.
func open(t testing.TB, cfg Config) *Store {
	t.Helper()
	all, err := migrations()
	if err != nil {
		t.Fatal(err)
	}
	return openSteps(t, cfg, all)
}

// openSteps opens a store with the schema of steps.
func openSteps(t testing.TB, cfg Config, steps []string) *Store {
	t.Helper()
	return openSetup(t, cfg, setup{steps, (*instance).engine, testClusterRows})
}

// openSetup opens a store with another setup.
func openSetup(t testing.TB, cfg Config, with setup) *Store {
	t.Helper()
	s, err := openWith(context.Background(), cfg, with)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

// openAt opens the file at path, or a store in memory if path is empty.
func openAt(t *testing.T, path string, now func() time.Time) store.Store {
	return open(t, Config{Path: path, Now: now})
}

// inMemoryHarness gives storetest stores in memory. The tests of store/storetest prove the engine on SQLite, which
// takes less time.
var inMemoryHarness = storetest.Harness{
	Open: openAt, NoMistakes: true,
	Slow: store.Statement{Label: "slow", SQL: endless, Kinds: []dialect.Kind{dialect.Int}},
}

// endless is a query that runs far longer than any test.
const endless = "SELECT count(*) FROM range(10000000) AS a, range(10000000) AS b WHERE a.range + b.range < 0"

var site = store.Subject{Kind: store.KindWebsite, ID: "w"}

// versionOf returns the version of the rows of a subject on the days that [from, to) touches.
func versionOf(t testing.TB, s *Store, of store.Subject, from, to time.Time) uint64 {
	t.Helper()
	days, err := s.Days(t.Context(), of, from, to)
	if err != nil {
		t.Fatal(err)
	}
	return store.VersionOf(days)
}

// event returns a batch with one event.
func event(id string) *store.Batch {
	return &store.Batch{Events: []store.Event{{Website: site.ID, ID: id, Time: time.Unix(0, 0)}}}
}

// batch returns n pageviews with the ids prefix0, prefix1, ….
func batch(prefix string, n int) *store.Batch {
	b := &store.Batch{Events: make([]store.Event, n)}
	for i := range b.Events {
		b.Events[i] = store.Event{
			Website: site.ID, ID: fmt.Sprintf("%s%d", prefix, i), Name: "screen_view",
			Time: time.Date(2026, 3, 1, 0, 0, i, 0, time.UTC), Path: fmt.Sprintf("/page/%d", i%100),
			Identity: store.Identity{AnonymousID: fmt.Sprintf("anon-%d", i%500), SessionID: fmt.Sprintf("s-%d", i%700)},
			Agent:    store.Agent{BrowserName: "Firefox", OSName: "Linux", DeviceType: "desktop", Country: "DE"},
			LoadTime: store.Known(int64(i % 3000)),
		}
	}
	return b
}

// mustWrite writes b and fails the test on an error.
func mustWrite(t testing.TB, s *Store, b *store.Batch) store.Written {
	t.Helper()
	written, err := s.Write(context.Background(), b)
	if err != nil {
		t.Fatalf("Write: %v", err)
	}
	return written
}

// ask runs a query and fails the test on an error.
func ask(t testing.TB, s *Store, text string, kinds []dialect.Kind, args ...dialect.Arg) *store.Rows {
	t.Helper()
	rows, err := s.Query(context.Background(), store.Statement{Label: "test", SQL: text, Args: args, Kinds: kinds})
	if err != nil {
		t.Fatalf("Query %s: %v", text, err)
	}
	return rows
}

// count returns the number of rows in a table.
func count(t testing.TB, s *Store, table string) int64 {
	t.Helper()
	return ask(t, s, "SELECT count(*) FROM "+table, []dialect.Kind{dialect.Int}).Columns[0].Ints[0]
}

// TestStore runs all tests of storetest with a store in a file. With SIGHTLINE_SAMPLE_EVERY=1 it asks every
// query type in every way, and also tests a store in memory, which most other tests use.
func TestStore(t *testing.T) {
	t.Parallel()
	h := inMemoryHarness
	h.Create = func(t *testing.T) string { return filepath.Join(t.TempDir(), "s.duckdb") }
	h.SampleEvery = storetest.Number(t, "SIGHTLINE_SAMPLE_EVERY", 96)
	t.Run("file", func(t *testing.T) { storetest.Prove(t, h) })
	if h.SampleEvery == 1 {
		h.Create = nil
		t.Run("memory", func(t *testing.T) { storetest.Prove(t, h) })
	}
}

// TestReference sends the same random queries to the engine and to the reference evaluator. By day they are about one
// dataset, which is sealed in part; store/sqlite asks about each type and four datasets. The stores move rows to
// clusters after each write; those of TestEngine and TestMutants do not. See storetest.RandomRunOf for how to run more.
func TestReference(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	run := storetest.RandomRunOf(t, 40, 20260310)
	if !testenv.IsNight() {
		run.Datasets = 1
	}
	storetest.Reference(t, clusteredHarness, run)
}

// TestSeveral sends random queries about several websites to the engine and to the reference evaluator.
func TestSeveral(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	run := storetest.RandomRunOf(t, 60, 20260311)
	if !testenv.IsNight() {
		run.Datasets = 1
	}
	storetest.Several(t, clusteredHarness, run)
}

// TestSeveralLaws tests what holds for answers about several websites.
func TestSeveralLaws(t *testing.T) {
	t.Parallel()
	storetest.SeveralLaws(t, clusteredHarness, 20261203)
}

// TestEngine proves the engine on this store.
func TestEngine(t *testing.T) {
	testenv.Night(t, "engine")
	t.Parallel()
	h := inMemoryHarness
	h.SampleEvery = storetest.Number(t, "SIGHTLINE_SAMPLE_EVERY", 48)
	storetest.ProveEngine(t, h)
}

// TestMutants plants one mistake at a time, and expects the tests to notice each.
func TestMutants(t *testing.T) {
	testenv.Night(t, "mutants")
	t.Parallel()
	storetest.KillsAllMutants(t, inMemoryHarness, Dialect())
}

// TestMergedBesideWrites asks for merged answers while rows are written.
func TestMergedBesideWrites(t *testing.T) {
	testenv.Night(t, "engine")
	t.Parallel()
	storetest.MergedBesideWrites(t, inMemoryHarness)
}

// TestErrorDependsOnALaterSession tests an error that happens almost a day before its session, whose first page
// event comes almost a day after its start. Random datasets rarely have both. Partials must be computed again
// after that event.
func TestErrorDependsOnALaterSession(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	s := open(t, Config{})
	at := func(day, hour int) time.Time { return time.Date(2026, 3, day, hour, 0, 0, 0, time.UTC) }
	session := store.Identity{AnonymousID: "a", SessionID: "s"}
	write := func(b store.Batch) {
		if _, err := s.Write(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
	}
	write(store.Batch{Errors: []store.Error{{Website: "w", ID: "e", Time: at(10, 23), Identity: session, Message: "x"}},
		Events: []store.Event{{Website: "w", ID: "c", Kind: store.Click, Time: at(11, 22), Identity: session}}})
	e, err := query.New(query.Config{Store: s,
		EngineOptions: query.EngineOptions{ResultCache: -1}}) // stored answers would not use partials
	if err != nil {
		t.Fatal(err)
	}
	country := func(of string) (any, []query.Dependency) {
		p, err := e.Prepare(t.Context(), query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "w"}},
			query.Request{
				Parameters: []query.Parameter{{Name: of}},
				Options:    query.Options{GroupBy: []string{"country"}}, StartDate: "2026-03-10",
				EndDate: "2026-03-10"})
		if err != nil {
			t.Fatal(err)
		}
		resp, err := p.Run(t.Context())
		if err != nil || !resp.Data[0].Success {
			t.Fatal(resp, err)
		}
		return resp.Data[0].Data.Value(0, "country"), p.Dependencies()
	}
	types := []string{"errors", "error_types"} // the second query about error_types is merged
	for _, of := range slices.Repeat(types, 2) {
		if got, days := country(of); got != "" || len(days) != 1 || !days[0].To.Equal(at(13, 0)) {
			t.Errorf("%s: before any page event, country %q with the dependencies %v, want no country and days up to the session's last event", of, got, days)
		}
	}
	write(store.Batch{Events: []store.Event{
		{Website: "w", ID: "p", Time: at(12, 21), Identity: session, Name: "screen_view",
			Agent: store.Agent{Country: "DE"}}}})
	for _, of := range types {
		if got, _ := country(of); got != "DE" {
			t.Errorf("%s: the error has country %q, want DE from its session", of, got)
		}
	}
}

// TestOrders tests that answers do not depend on what was asked or done before.
func TestOrders(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	h := inMemoryHarness
	h.Create = func(t *testing.T) string { return filepath.Join(t.TempDir(), "s.duckdb") }
	h.NoMistakes = true // the tests of store/sqlite find them
	storetest.Orders(t, h, storetest.RandomRunOf(t, 120, 20261128))
}

// TestBeside tests answers that are computed while rows change.
func TestBeside(t *testing.T) {
	testenv.Night(t, "beside")
	h := inMemoryHarness
	h.Create = func(t *testing.T) string { return filepath.Join(t.TempDir(), "s.duckdb") }
	h.NoMistakes = true
	storetest.Beside(t, h, storetest.RandomRunOf(t, 100, 20261129))
}

// TestDayTables tests the tables in which the store keeps something about days.
func TestDayTables(t *testing.T) {
	t.Parallel()
	h := inMemoryHarness
	h.Create = func(t *testing.T) string { return filepath.Join(t.TempDir(), "s.duckdb") }
	storetest.DayTables(t, h)
}

// TestAbilities fixes which optional interfaces the store lacks.
func TestAbilities(t *testing.T) {
	t.Parallel()
	if _, lacks := store.Abilities((*Store)(nil)); !slices.Equal(lacks, []string{}) {
		t.Errorf("the store lacks %q", lacks)
	}
}
