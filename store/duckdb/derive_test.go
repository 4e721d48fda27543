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

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// sealer is that of an engine over s, which never rests.
func sealer(t *testing.T, s *Store) *query.Sealer {
	t.Helper()
	return query.NewSealer(sealing(t, s))
}

// sealing makes an engine over s, by a clock that does not move.
func sealing(t *testing.T, s *Store) *query.Engine {
	t.Helper()
	e, err := query.New(query.Config{Store: s, StoreFrom: -1, Now: func() time.Time { return time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC) }})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func seal(t *testing.T, by *query.Sealer) int {
	t.Helper()
	n, err := by.Seal(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A day is sealed when its rows were the same for a round, once, and again after a late row; what
// was sealed is there after the file was opened again, and gone with the rows.
func TestQuietDaysAreSealedOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.duckdb")
	s := open(t, Config{Path: path})
	mustWrite(t, s, batch("a", 100))
	by := sealer(t, s)
	if n := seal(t, by); n != 0 {
		t.Errorf("%d days were sealed in the first round, when nothing is known to be quiet", n)
	}
	if n := seal(t, by); n == 0 {
		t.Error("no day was sealed that was quiet")
	}
	if hits, sessions := count(t, s, "sealed_hits"), count(t, s, "sealed_sessions"); hits != 100 || sessions != 100 {
		t.Errorf("%d hits and %d sessions are kept of 100 pageviews of 100 sessions", hits, sessions)
	}
	if n := seal(t, by); n != 0 {
		t.Errorf("%d days were sealed again whose seals stand", n)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	s = open(t, Config{Path: path})
	by = sealer(t, s)
	if n := seal(t, by) + seal(t, by); n != 0 {
		t.Errorf("%d days were sealed again after the file was opened again", n)
	}
	mustWrite(t, s, batch("late", 1))
	if n := seal(t, by); n != 0 {
		t.Errorf("%d days were sealed that changed since the round before", n)
	}
	if n := seal(t, by); n == 0 || count(t, s, "sealed_hits") != 101 {
		t.Errorf("%d days were sealed after a late row, with %d hits", n, count(t, s, "sealed_hits"))
	}
	if _, err := s.Erase(t.Context(), site); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"sealed_hits", "sealed_sessions", "seals"} {
		if n := count(t, s, table); n != 0 {
			t.Errorf("%d rows of %s were left by Erase", n, table)
		}
	}
}

// A counted store counts the statements it runs.
type counted struct {
	*Store
	asked atomic.Int64
}

func (c *counted) Query(ctx context.Context, s store.Statement) (*store.Rows, error) {
	c.asked.Add(1)
	return c.Store.Query(ctx, s)
}

// Once all is sealed, answers about days that are over are merged without a statement, the first time, too.
func TestPartialsAreComputedAhead(t *testing.T) {
	t.Parallel()
	s := &counted{Store: open(t, Config{})}
	mustWrite(t, s.Store, batch("a", 100))
	e, err := query.New(query.Config{Store: s, ResultCache: -1, StoreFrom: -1, Now: func() time.Time { return time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC) }})
	if err != nil {
		t.Fatal(err)
	}
	by := query.NewSealer(e)
	seal(t, by) // sees the rows
	seal(t, by) // seals them
	seal(t, by) // computes partials
	before := s.asked.Load()
	seal(t, by)
	answer, err := e.Run(t.Context(), query.Access{Subject: site}, query.Request{StartDate: "2026-02-20", EndDate: "2026-03-01",
		Parameters: []query.Parameter{{Name: "summary_metrics"}, {Name: "events_by_date"}, {Name: "pages"}, {Name: "countries"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range answer.Data {
		if !r.Success || r.Data.Len() == 0 {
			t.Errorf("%s: %+v", r.Parameter, r)
		}
	}
	if now := s.asked.Load(); before == 0 || now != before {
		t.Errorf("%d statements ran before the first question, %d after it", before, now)
	}
}

// What is kept is held against what the rows give: each row that is wrong is one too many and one
// that is missing. Rebuilt, it is right again. A day whose rows changed is not compared.
func TestVerifySeals(t *testing.T) {
	t.Parallel()
	s := open(t, Config{Path: filepath.Join(t.TempDir(), "s.duckdb")})
	mustWrite(t, s, batch("a", 100))
	apart := batch("b", 3) // days without rows are between
	for i := range apart.Events {
		apart.Events[i].Time = apart.Events[i].Time.AddDate(0, 0, 40)
	}
	mustWrite(t, s, apart)
	e := sealing(t, s)
	from, to := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	rebuild := func() {
		t.Helper()
		if n, err := e.RebuildSeals(t.Context(), site, from, to); n != 2 || err != nil {
			t.Errorf("%d days were rebuilt, want 2: %v", n, err)
		}
	}
	verify := func(says string, want query.SealReport) {
		t.Helper()
		got, err := e.VerifySeals(t.Context(), site, from, to)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", says, err, diff)
		}
	}
	verify("nothing is sealed", query.SealReport{})
	rebuild()
	verify("all is as it was sealed", query.SealReport{Verified: 4})
	err := s.beside(t.Context(), func(_ context.Context, c *conn) error {
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
	verify("it was rebuilt", query.SealReport{Verified: 4})
	mustWrite(t, s, batch("late", 1))
	verify("a day has a late row", query.SealReport{Verified: 2})
}

// Close ends a Seal that runs, and nothing of it is kept.
func TestCloseEndsASeal(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.duckdb")
	s := open(t, Config{Path: path})
	mustWrite(t, s, batch("a", 1))
	slow := store.Statement{SQL: "SELECT 1::INTEGER AS subject FROM range(10000000) AS a, range(10000000) AS b WHERE a.range + b.range < 0"}
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	done := make(chan error, 1)
	go func() {
		done <- s.Seal(context.Background(), store.Derivation{Subject: site, From: day, To: day.AddDate(0, 0, 1), Sessions: slow, Hits: slow})
	}()
	for s.deriving.TryLock() { // until it runs
		s.deriving.Unlock()
		time.Sleep(time.Millisecond)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; err == nil {
		t.Error("a Seal that was ended reported success")
	}
	s = open(t, Config{Path: path})
	if n := count(t, s, "seals"); n != 0 {
		t.Errorf("%d seals are left of one that was ended", n)
	}
	if got := ask(t, s, "SELECT count(*) FROM events", []dialect.Kind{dialect.Int}).Columns[0].Ints[0]; got != 1 {
		t.Errorf("%d events, want 1", got)
	}
}

// A day whose rows go on to change is sealed every five minutes, and every second while it is asked about; then
// what changed is sealed alone. A day after it was over it is sealed as a whole.
func TestBusyDaysAreResealed(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := &derivations{Store: open(t, Config{})}
	e, err := query.New(query.Config{Store: s, ResultCache: -1, Now: func() time.Time { return now }})
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
		says         string
		after        time.Duration
		writes, asks bool
		wholly, part int // how often days were sealed
	}{
		{"the rows are new", 0, true, false, 0, 0},
		{"they are not the same for long enough", time.Minute, true, false, 0, 0},
		{"they are not sealed yet", time.Second, false, true, 0, 0},
		{"it is the sixth minute", 5 * time.Minute, true, false, 1, 0},
		{"a minute later", time.Minute, true, false, 0, 0},
		{"somebody asked", time.Second, false, true, 0, 1},
		{"somebody asks again, and nothing has changed", time.Second, false, true, 0, 0},
		{"five minutes later", 5 * time.Minute, true, false, 0, 1},
		{"the rows are the same", time.Minute, false, false, 0, 0},
		{"the day is over", 24 * time.Hour, false, false, 0, 0},
		{"the day has been over for a day", 24 * time.Hour, false, false, 1, 0},
		{"nothing is scattered any more", 24 * time.Hour, false, false, 0, 0},
	} {
		now = now.Add(step.after)
		s.wholly, s.part = 0, 0
		if step.writes {
			mustWrite(t, s.Store, batch(fmt.Sprint("busy-", i), 10))
		}
		if step.asks {
			if _, err := e.Run(t.Context(), query.Access{Subject: site}, query.Request{Preset: "last_7d", Parameters: []query.Parameter{{Name: "countries"}}}); err != nil {
				t.Fatal(err)
			}
		}
		sealAsked()
		if !step.asks {
			seal(t, by)
		}
		if s.wholly != step.wholly || s.part != step.part {
			t.Errorf("%s: days were sealed %d times as a whole, %d times in part, want %d and %d", step.says, s.wholly, s.part, step.wholly, step.part)
		}
	}
}

// Derivations are counted.
type derivations struct {
	*Store
	wholly, part int
}

func (s *derivations) Seal(ctx context.Context, d store.Derivation) error {
	if d.Changed == nil {
		s.wholly++
	} else {
		s.part++
	}
	return s.Store.Seal(ctx, d)
}

// ticking is a clock that is a second later each time it is read, so that everything seems to take long.
func ticking() func() time.Time {
	var seconds atomic.Int64
	return func() time.Time {
		return time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC).Add(time.Duration(seconds.Add(1)) * time.Second)
	}
}

// Nothing rests while nobody asks or writes, however long the work takes.
func TestSealingDoesNotRestWhileNobodyAsks(t *testing.T) {
	t.Parallel()
	s := open(t, Config{})
	mustWrite(t, s, batch("a", 100))
	e, err := query.New(query.Config{Store: s, StoreFrom: -1, Now: ticking()})
	if err != nil {
		t.Fatal(err)
	}
	by := query.NewSealer(e)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	for range 4 {
		if _, err := by.Seal(ctx); err != nil {
			t.Fatalf("sealing rests: %v", err)
		}
	}
	if hits := count(t, s, "sealed_hits"); hits != 100 {
		t.Errorf("%d hits were sealed of 100", hits)
	}
}

// An ordered store notes in which order websites are sealed.
type ordered struct {
	*Store
	sealed []string
}

func (o *ordered) Seal(ctx context.Context, d store.Derivation) error {
	o.sealed = append(o.sealed, d.Subject.ID)
	return o.Store.Seal(ctx, d)
}

// Websites that somebody asked about are sealed before others with later days.
func TestWebsitesThatAreAskedAboutComeFirst(t *testing.T) {
	t.Parallel()
	s := &ordered{Store: open(t, Config{})}
	for i, website := range []string{"asked", "later", "latest"} {
		rows := batch(website, 3)
		for j := range rows.Events {
			rows.Events[j].Website, rows.Events[j].Time = website, rows.Events[j].Time.AddDate(0, 0, i)
		}
		mustWrite(t, s.Store, rows)
	}
	e := engineOver(t, s)
	if _, err := e.Run(t.Context(), query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "asked"}}, storedQuestion()); err != nil {
		t.Fatal(err)
	}
	by := query.NewSealer(e)
	seal(t, by)
	seal(t, by)
	if diff := cmp.Diff([]string{"asked", "latest", "later"}, s.sealed); diff != "" {
		t.Error(diff)
	}
}

// A gated store does not begin to compute partials before the gate is open.
type gated struct {
	counted
	gate chan struct{}
}

func (g *gated) Query(ctx context.Context, s store.Statement) (*store.Rows, error) {
	const ofPartials = 1 << 28 // no other statement may give so much
	if s.MaxBytes == ofPartials {
		select {
		case <-g.gate:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return g.counted.Query(ctx, s)
}

// engineOver makes an engine that remembers no answers.
func engineOver(t *testing.T, s store.Store) *query.Engine {
	t.Helper()
	e, err := query.New(query.Config{Store: s, ResultCache: -1, StoreFrom: -1, Now: func() time.Time { return time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC) }})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// answer asks in time, and tells how many statements that took.
func (g *gated) answer(t *testing.T, e *query.Engine) (text string, statements int64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	p, err := e.Prepare(query.Access{Subject: site}, storedQuestion())
	if err != nil {
		t.Fatal(err)
	}
	before := g.asked.Load()
	encoded, err := p.RunEncoded(ctx)
	if err != nil {
		t.Fatalf("a caller waits for partials: %v", err)
	}
	return string(encoded.JSON), g.asked.Load() - before
}

// However long it takes to compute partials, callers get the answers of statements meanwhile, the same ones. Then answers are
// merged.
func TestNoCallerWaitsForPartials(t *testing.T) {
	t.Parallel()
	s := &gated{counted: counted{Store: open(t, Config{})}, gate: make(chan struct{})}
	mustWrite(t, s.Store, batch("a", 500))
	e := engineOver(t, s)
	want, first := s.answer(t, e)
	for range 3 {
		if got, n := s.answer(t, e); got != want || n != first {
			t.Errorf("while partials are computed an answer takes %d statements, at first %d: %s, want %s", n, first, got, want)
		}
	}
	close(s.gate)
	if err := e.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, n := s.answer(t, e); got != want || n != 0 {
		t.Errorf("with partials an answer takes %d statements, want none: %s, want %s", n, got, want)
	}
}

// Close ends the computing of partials, and none is begun after it.
func TestCloseOfAnEngine(t *testing.T) {
	t.Parallel()
	s := &gated{counted: counted{Store: open(t, Config{})}, gate: make(chan struct{})}
	mustWrite(t, s.Store, batch("a", 500))
	e := engineOver(t, s)
	want, first := s.answer(t, e)
	s.answer(t, e)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	close(s.gate)
	for range 2 {
		if got, n := s.answer(t, e); got != want || n != first {
			t.Errorf("after Close an answer takes %d statements, before it %d: %s, want %s", n, first, got, want)
		}
		if err := e.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// Finish seals and stores everything at once, and tells when there is nothing left.
func TestFinish(t *testing.T) {
	t.Parallel()
	s := open(t, Config{})
	mustWrite(t, s, batch("a", 100))
	by := sealer(t, s)
	var told []query.Backlog
	by.Progress = func(b query.Backlog) { told = append(told, b) }
	if err := by.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, n := firstAnswers(t, s); n != 0 || countStates(t, s) == 0 {
		t.Errorf("the first answers took %d statements with %d states", n, countStates(t, s))
	}
	if left := by.Backlog(); left != (query.Backlog{}) || len(told) < 2 || told[0].Days == 0 || told[0].Oldest.IsZero() || told[len(told)-1] != left {
		t.Errorf("%+v is left; the backlog was %+v", left, told)
	}
}
