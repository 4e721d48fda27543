//go:build cgo

package duckdb_test

import (
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/duckdb"
	"github.com/sightline-analytics/sightline/store/storetest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, storetest.Harness{
		Open: inMemory,
		Slow: store.Statement{
			Label: "slow",
			SQL:   "SELECT count(*) AS n FROM range(1000000) AS a, range(1000000000) AS b WHERE a.range * b.range = 7",
			Kinds: []dialect.Kind{dialect.Int},
		},
	})
}

// inMemory is an empty store in memory.
func inMemory(t *testing.T) storetest.Filled { return open(t, duckdb.Config{}) }

// TestReference asks the engine and the reference evaluator the same random questions:
// see storetest.RandomRunOf for how many.
func TestReference(t *testing.T) {
	t.Parallel()
	storetest.Reference(t, storetest.Harness{Open: inMemory}, storetest.RandomRunOf(t, 200))
}

// TestDependencies asks questions of all rows and of those that the answer depends on.
func TestDependencies(t *testing.T) {
	t.Parallel()
	storetest.Dependencies(t, storetest.Harness{Open: inMemory}, storetest.RandomRunOf(t, 1000))
}

// An error may lie almost a day before its session, and the session's first page event almost
// a day after its start: random datasets seldom have both.
func TestAnErrorDependsOnTheSessionAfterIt(t *testing.T) {
	t.Parallel()
	s := open(t, duckdb.Config{})
	at := func(day, hour int) time.Time { return time.Date(2026, 3, day, hour, 0, 0, 0, time.UTC) }
	session := store.Identity{AnonymousID: "a", SessionID: "s"}
	if _, err := s.Write(t.Context(), &store.Batch{
		Errors: []store.Error{{Website: "w", ID: "e", Time: at(10, 23), Identity: session, Message: "x"}},
		Events: []store.Event{
			{Website: "w", ID: "c", Kind: store.Click, Time: at(11, 22), Identity: session},
			{Website: "w", ID: "p", Time: at(12, 21), Identity: session, Name: "screen_view", Agent: store.Agent{Country: "DE"}},
		},
	}); err != nil {
		t.Fatal(err)
	}
	e, err := query.New(query.Config{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	p, err := e.Prepare(query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "w"}}, query.Request{
		Parameters: []query.Parameter{{Name: "errors"}}, GroupBy: []string{"country"}, StartDate: "2026-03-10", EndDate: "2026-03-10"})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := p.Run(t.Context())
	if err != nil || resp.Data[0].Data.Value(0, "country") != "DE" {
		t.Errorf("the error has no country of its session: %v, %v", resp, err)
	}
	if days := p.Dependencies(); len(days) != 1 || !days[0].To.Equal(at(13, 0)) {
		t.Errorf("it depends on %v, which ends before the session's first page event", days)
	}
}

// TestReferenceKillsMutants plants one mistake at a time, and wants each to be seen.
func TestReferenceKillsMutants(t *testing.T) {
	t.Parallel()
	storetest.KillsMutants(t, storetest.Harness{Open: inMemory}, append(storetest.Mutations(), mistakes()...))
}
