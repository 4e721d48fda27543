//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// sealer returns a sealer of an engine over s.
func sealer(t *testing.T, s *Store) *query.Sealer {
	t.Helper()
	return query.NewSealer(sealing(t, s))
}

// sealing returns an engine over s whose clock stands still, so that its sealer does not rest.
func sealing(t *testing.T, s *Store) *query.Engine {
	t.Helper()
	e, err := query.New(query.Config{Store: s,
		Now:           func() time.Time { return time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC) },
		EngineOptions: query.EngineOptions{StoreFrom: -1}})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// seal runs one round of sealing and returns the number of sealed days.
func seal(t *testing.T, by *query.Sealer) int {
	t.Helper()
	n, err := by.Seal(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestQuietDaysAreSealedOnce tests when a day is sealed: once, after a round without changes of its rows, and
// again after a late row. Seals must survive a restart, and be deleted with the rows.
func TestQuietDaysAreSealedOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.duckdb")
	s := open(t, Config{Path: path})
	mustWrite(t, s, batch("a", 100))
	by := sealer(t, s)
	if n := seal(t, by); n != 0 {
		t.Errorf("%d days were sealed in the first round, want none: it cannot know which days are quiet", n)
	}
	if n := seal(t, by); n == 0 {
		t.Error("the quiet day was not sealed")
	}
	if hits, sessions := count(t, s, "sealed_hits"), count(t, s, "sealed_sessions"); hits != 100 || sessions != 100 {
		t.Errorf("%d sealed hits and %d sealed sessions, want 100 of each", hits, sessions)
	}
	if n := seal(t, by); n != 0 {
		t.Errorf("%d days with valid seals were sealed again", n)
	}
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}

	s = open(t, Config{Path: path})
	by = sealer(t, s)
	if n := seal(t, by) + seal(t, by); n != 0 {
		t.Errorf("%d days were sealed again after a restart", n)
	}
	mustWrite(t, s, batch("late", 1))
	if n := seal(t, by); n != 0 {
		t.Errorf("%d days were sealed although they had changed since the round before", n)
	}
	if n := seal(t, by); n == 0 || count(t, s, "sealed_hits") != 101 {
		t.Errorf("%d days with %d hits were sealed after a late row, want some days with 101 hits", n,
			count(t, s, "sealed_hits"))
	}
	if _, err := s.Erase(t.Context(), site); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"sealed_hits", "sealed_sessions", "seals"} {
		if n := count(t, s, table); n != 0 {
			t.Errorf("Erase left %d rows of %s", n, table)
		}
	}
}

// A counted store counts the statements that it runs.
type counted struct {
	*Store
	asked atomic.Int64
}

func (c *counted) Query(ctx context.Context, s store.Statement) (*store.Rows, error) {
	c.asked.Add(1)
	return c.Store.Query(ctx, s)
}

// TestPartialsAreComputedAhead tests that after sealing even the first answers about past days are merged from
// partials, without a statement.
func TestPartialsAreComputedAhead(t *testing.T) {
	t.Parallel()
	s := &counted{Store: open(t, Config{})}
	mustWrite(t, s.Store, batch("a", 100))
	e, err := query.New(query.Config{Store: s,
		Now:           func() time.Time { return time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC) },
		EngineOptions: query.EngineOptions{ResultCache: -1, StoreFrom: -1}})
	if err != nil {
		t.Fatal(err)
	}
	by := query.NewSealer(e)
	seal(t, by) // sees the rows
	seal(t, by) // seals them
	seal(t, by) // computes partials
	before := s.asked.Load()
	seal(t, by)
	answer, err := e.Run(t.Context(), query.Access{Subject: site},
		query.Request{StartDate: "2026-02-20", EndDate: "2026-03-01",
			Parameters: []query.Parameter{{Name: "summary_metrics"}, {Name: "events_by_date"}, {Name: "pages"},
				{Name: "countries"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range answer.Data {
		if !r.Success || r.Data.Len() == 0 {
			t.Errorf("%s: answer %+v, want rows", r.Parameter, r)
		}
	}
	if now := s.asked.Load(); before == 0 || now != before {
		t.Errorf("%d statements had run before the first query and %d after it, want the same positive number", before,
			now)
	}
}

// TestVerifySeals compares stored results with the rows. A wrong row counts as one surplus and one missing row.
// Days whose rows changed since they were sealed are not compared. After a rebuild there must be no
// differences.
func TestVerifySeals(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	s := open(t, Config{Path: filepath.Join(t.TempDir(), "s.duckdb")})
	mustWrite(t, s, batch("a", 100))
	apart := batch("b", 3) // with days without rows in between
	for i := range apart.Events {
		apart.Events[i].Time = apart.Events[i].Time.AddDate(0, 0, 40)
	}
	mustWrite(t, s, apart)
	e := sealing(t, s)
	from, to := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	rebuild := func() {
		t.Helper()
		if n, err := e.RebuildSeals(t.Context(), site, from, to); n != 2 || err != nil {
			t.Errorf("RebuildSeals = %d, %v; want 2 days", n, err)
		}
	}
	verify := func(name string, want query.SealReport) {
		t.Helper()
		got, err := e.VerifySeals(t.Context(), site, from, to)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got)\n%s", name, err, diff)
		}
	}
	verify("nothing is sealed", query.SealReport{})
	rebuild()
	verify("nothing has changed since sealing", query.SealReport{Verified: 4})
	err := s.withConnection(t.Context(), func(_ context.Context, c *conn) error {
		return errors.Join(
			c.exec("UPDATE sealed_sessions SET pageviews = 7 WHERE session_id = 's-5'"),
			c.exec("DELETE FROM sealed_hits WHERE path = '/page/8'"),
			c.exec("INSERT INTO sealed_hits SELECT * FROM sealed_hits WHERE path = '/page/1'"))
	})
	if err != nil {
		t.Fatal(err)
	}
	first, second := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 4, 10, 0, 0, 0, 0, time.UTC)
	verify("rows were changed, removed and repeated", query.SealReport{Verified: 4, Differences: []query.SealDifference{
		{Day: first, Table: "sealed_sessions", Missing: 1, Surplus: 1},
		{Day: first, Table: "sealed_hits", Missing: 1, Surplus: 1},
		{Day: second, Table: "sealed_hits", Surplus: 1},
	}})
	rebuild()
	verify("all days were rebuilt", query.SealReport{Verified: 4})
	mustWrite(t, s, batch("late", 1))
	verify("a day has a late row", query.SealReport{Verified: 2})
}

// TestCloseEndsASeal tests that Close ends a running Seal, and that none of its results are stored.
func TestCloseEndsASeal(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.duckdb")
	s := open(t, Config{Path: path})
	mustWrite(t, s, batch("a", 1))
	slow := store.Statement{SQL: "SELECT 1::INTEGER AS subject FROM range(10000000) AS a, range(10000000) AS b WHERE a.range + b.range < 0"}
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	done := make(chan error, 1)
	go func() {
		done <- s.Seal(context.Background(),
			store.Derivation{Subject: site, From: day, To: day.AddDate(0, 0, 1), Rows: []store.Statement{slow, slow}})
	}()
	for s.deriving.TryLock() { // until Seal runs
		s.deriving.Unlock()
		time.Sleep(time.Millisecond)
	}
	if err := s.Close(context.Background()); err != nil {
		t.Error(err)
	}
	if err := <-done; err == nil {
		t.Error("Seal returned no error although Close ended it")
	}
	s = open(t, Config{Path: path})
	if n := count(t, s, "seals"); n != 0 {
		t.Errorf("%d seals, want none of the ended Seal", n)
	}
	if got := ask(t, s, "SELECT count(*) FROM events", []dialect.Kind{dialect.Int}).Columns[0].Ints[0]; got != 1 {
		t.Errorf("%d events, want 1", got)
	}
}

// TestBusyDaysAreResealed tests how often a day with changing rows is sealed: every five minutes, or every
// second while it is queried. Then only the changed sessions are sealed. One day after its end it is sealed
// completely.
func TestBusyDaysAreResealed(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := &derivations{Store: open(t, Config{})}
	e, err := query.New(query.Config{Store: s, Now: func() time.Time { return now },
		EngineOptions: query.EngineOptions{ResultCache: -1}})
	if err != nil {
		t.Fatal(err)
	}
	by := query.NewSealer(e)
	sealAsked := func() {
		t.Helper()
		if err := by.Reseal(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for i, step := range []struct {
		name         string
		after        time.Duration
		writes, asks bool
		whole, part  int // numbers of calls of Seal and of Reseal
	}{
		{"the rows are new", 0, true, false, 0, 0},
		{"the rows changed a minute ago", time.Minute, true, false, 0, 0},
		{"the day is queried before it is sealed", time.Second, false, true, 0, 0},
		{"five minutes later", 5 * time.Minute, true, false, 1, 0},
		{"a minute later", time.Minute, true, false, 0, 0},
		{"the day is queried", time.Second, false, true, 0, 1},
		{"the day is queried again without changes", time.Second, false, true, 0, 0},
		{"another five minutes later", 5 * time.Minute, true, false, 0, 1},
		{"the rows have not changed", time.Minute, false, false, 0, 0},
		{"the day is over", 24 * time.Hour, false, false, 0, 0},
		{"the day has been over for a day", 24 * time.Hour, false, false, 1, 0},
		{"the day is completely sealed", 24 * time.Hour, false, false, 0, 0},
	} {
		now = now.Add(step.after)
		s.whole, s.part = 0, 0
		if step.writes {
			mustWrite(t, s.Store, batch(fmt.Sprint("busy-", i), 10))
		}
		if step.asks {
			if _, err := e.Run(t.Context(), query.Access{Subject: site},
				query.Request{Options: query.Options{
					Preset: "last_7d"}, Parameters: []query.Parameter{{Name: "countries"}}}); err != nil {
				t.Fatal(err)
			}
		}
		sealAsked()
		if !step.asks {
			seal(t, by)
		}
		if s.whole != step.whole || s.part != step.part {
			t.Errorf("%s: days were sealed %d times completely and %d times in part, want %d and %d", step.name,
				s.whole, s.part, step.whole, step.part)
		}
	}
}

// A derivations store counts the calls of Seal and of Reseal.
type derivations struct {
	*Store
	whole, part int
}

func (s *derivations) Seal(ctx context.Context, d store.Derivation) error {
	s.whole++
	return s.Store.Seal(ctx, d)
}

func (s *derivations) Reseal(ctx context.Context, d store.Derivation, changed store.Statement) error {
	s.part++
	return s.Store.Reseal(ctx, d, changed)
}

// ticking returns a clock that advances by a second each time it is read, so that everything seems to take
// long.
func ticking() func() time.Time {
	var seconds atomic.Int64
	return func() time.Time {
		return time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC).Add(time.Duration(seconds.Add(1)) * time.Second)
	}
}

// TestIdleSealingDoesNotRest tests that sealing does not rest without queries and writes, however long it
// takes.
func TestIdleSealingDoesNotRest(t *testing.T) {
	t.Parallel()
	s := open(t, Config{})
	mustWrite(t, s, batch("a", 100))
	e, err := query.New(query.Config{Store: s, Now: ticking(), EngineOptions: query.EngineOptions{StoreFrom: -1}})
	if err != nil {
		t.Fatal(err)
	}
	by := query.NewSealer(e)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	for range 4 {
		if _, err := by.Seal(ctx); err != nil {
			t.Fatalf("Seal: %v; does it rest?", err)
		}
	}
	if hits := count(t, s, "sealed_hits"); hits != 100 {
		t.Errorf("%d hits were sealed, want 100", hits)
	}
}

// An ordered store records the order in which websites are sealed.
type ordered struct {
	*Store
	sealed []string
}

func (o *ordered) Seal(ctx context.Context, d store.Derivation) error {
	o.sealed = append(o.sealed, d.Subject.ID)
	return o.Store.Seal(ctx, d)
}

// TestQueriedWebsitesAreSealedFirst tests that queried websites are sealed before others with later days.
func TestQueriedWebsitesAreSealedFirst(t *testing.T) {
	t.Parallel()
	s := &ordered{Store: open(t, Config{})}
	for i, website := range []string{"queried", "later", "latest"} {
		rows := batch(website, 3)
		for j := range rows.Events {
			rows.Events[j].Website, rows.Events[j].Time = website, rows.Events[j].Time.AddDate(0, 0, i)
		}
		mustWrite(t, s.Store, rows)
	}
	e := engineOver(t, s)
	if _, err := e.Run(t.Context(), query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "queried"}},
		storedQuestion()); err != nil {
		t.Fatal(err)
	}
	by := query.NewSealer(e)
	seal(t, by)
	seal(t, by)
	if diff := cmp.Diff([]string{"queried", "latest", "later"}, s.sealed); diff != "" {
		t.Errorf("sealed websites (-want +got):\n%s", diff)
	}
}

// A gated store delays statements that compute partials until the gate is open.
type gated struct {
	counted
	gate chan struct{}
}

func (g *gated) Query(ctx context.Context, s store.Statement) (*store.Rows, error) {
	const ofPartials = 1 << 28 // no other statement may return so many bytes
	if s.MaxBytes == ofPartials {
		select {
		case <-g.gate:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return g.counted.Query(ctx, s)
}

// engineOver returns an engine over s that stores no answers.
func engineOver(t *testing.T, s store.Store) *query.Engine {
	t.Helper()
	e, err := query.New(query.Config{Store: s,
		Now:           func() time.Time { return time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC) },
		EngineOptions: query.EngineOptions{ResultCache: -1, StoreFrom: -1}})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// answer runs a query with a time limit, and returns its answer and the number of statements that it needed.
func (g *gated) answer(t *testing.T, e *query.Engine) (text string, statements int64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	p, err := e.Prepare(t.Context(), query.Access{Subject: site}, storedQuestion())
	if err != nil {
		t.Fatal(err)
	}
	before := g.asked.Load()
	resp, err := p.Run(ctx)
	if err != nil {
		t.Fatalf("Run: %v; does it wait for partials?", err)
	}
	return string(resp.Encode(nil)), g.asked.Load() - before
}

// TestNoCallerWaitsForPartials tests that queries are answered by statements while partials are computed,
// however long that takes. Afterwards the same answers are merged from partials.
func TestNoCallerWaitsForPartials(t *testing.T) {
	t.Parallel()
	s := &gated{counted: counted{Store: open(t, Config{})}, gate: make(chan struct{})}
	mustWrite(t, s.Store, batch("a", 500))
	e := engineOver(t, s)
	want, first := s.answer(t, e)
	for range 3 {
		if got, n := s.answer(t, e); got != want || n != first {
			t.Errorf("an answer needs %d statements while partials are computed, want %d: %s, want %s", n, first, got,
				want)
		}
	}
	close(s.gate)
	if err := e.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, n := s.answer(t, e); got != want || n != 0 {
		t.Errorf("an answer needs %d statements with partials, want none: %s, want %s", n, got, want)
	}
}

// TestCloseOfAnEngine tests that Close stops the computation of partials, and that none begins later.
func TestCloseOfAnEngine(t *testing.T) {
	t.Parallel()
	s := &gated{counted: counted{Store: open(t, Config{})}, gate: make(chan struct{})}
	mustWrite(t, s.Store, batch("a", 500))
	e := engineOver(t, s)
	want, first := s.answer(t, e)
	s.answer(t, e)
	if err := e.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	close(s.gate)
	for range 2 {
		if got, n := s.answer(t, e); got != want || n != first {
			t.Errorf("an answer needs %d statements after Close, want %d as before: %s, want %s", n, first, got, want)
		}
		if err := e.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFinish tests that Finish seals all days, stores their partials, and reports an empty backlog at the end.
func TestFinish(t *testing.T) {
	t.Parallel()
	s := open(t, Config{})
	mustWrite(t, s, batch("a", 100))
	by := sealer(t, s)
	var reported []query.Backlog
	by.Progress = func(b query.Backlog) { reported = append(reported, b) }
	if err := by.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, n := firstAnswers(t, s); n != 0 || countStates(t, s) == 0 {
		t.Errorf("the first answers needed %d statements with %d stored states, want none with some", n,
			countStates(t, s))
	}
	if left := by.Backlog(); left != (query.Backlog{}) || len(reported) < 2 || reported[0].Days == 0 ||
		reported[0].Oldest.IsZero() || reported[len(reported)-1] != left {
		t.Errorf("the backlog is %+v after %+v; want a decrease to an empty one", left, reported)
	}
}
