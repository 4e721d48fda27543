package storetest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

// Beside tests answers that are computed while the rows change. It lives random lives as [Orders] does, but several
// callers ask the same questions all the time, while days are sealed, removed and erased, rows come late, and engines
// start. An answer during which no row changes has to be that of package reference about the rows at that time,
// whatever was computed, remembered or stored while rows changed. The others have to be given: see
// [query.Snapshot.Run].
//
// Then it plants a mistake: an answer that was computed before rows changed is given after them.
func Beside(t *testing.T, h Harness, run RandomRun) {
	t.Run("answers", func(t *testing.T) {
		compared := 0
		for seed := run.Seed; compared < run.Questions; seed++ {
			b := newBeside(t, h, seed, nil)
			b.live()
			compared += b.compare()
			if len(b.wrong) > 0 {
				t.Fatalf("life %d: %d wrong answers, such as %s\ndone:\n%s", seed, len(b.wrong), b.wrong[0],
					strings.Join(b.done, "\n"))
			}
		}
		t.Logf("%d different answers, lives from %d on, no difference", compared, run.Seed)
	})
	if !h.plants() {
		return
	}
	t.Run("an old answer", func(t *testing.T) {
		for seed := run.Seed; seed < run.Seed+mistakeLives; seed++ {
			b := newBeside(t, h, seed, map[int64][]byte{})
			b.live()
			if b.compare(); len(b.wrong) > 0 {
				return
			}
		}
		t.Errorf("%d lives did not notice the mistake", mistakeLives)
	})
}

const (
	besideAskers    = 3
	besideActions   = 24 // of one life
	besideQuestions = 6  // of one life, which are asked again and again
)

// A beside is a life with its own callers.
type beside struct {
	*life

	engines atomic.Pointer[[besideAskers]*query.Engine]
	begun   atomic.Int64  // changes of the rows
	ended   atomic.Int64  // of these
	rests   chan struct{} // has a value after each question

	states []besideState // by the number of changes

	mu      sync.Mutex
	given   map[besideAnswer]bool
	stale   map[int64][]byte // the mistake; nil: none
	failure string
}

// A besideState is what is stored after a change.
type besideState struct {
	events []store.Event
	border time.Time
}

// A besideAnswer is an answer that was given after so many changes of the rows.
type besideAnswer struct {
	question, state int64
	rows            string
}

func newBeside(t *testing.T, h Harness, seed uint64, stale map[int64][]byte) *beside {
	t.Helper()
	b := &beside{life: newLife(t, h, seed, nil), rests: make(chan struct{}), given: map[besideAnswer]bool{},
		stale: stale}
	b.questions = b.questions[:besideQuestions]
	b.states = []besideState{{b.left, b.border}}
	return b
}

// live does something again and again, each time after every caller asked something.
func (b *beside) live() {
	b.t.Helper()
	b.startEngines()
	done := make(chan struct{})
	var asking sync.WaitGroup
	for i := range besideAskers {
		rng := rand.New(rand.NewPCG(b.rng.Uint64(), uint64(i)))
		asking.Go(func() { b.askUntil(done, i, rng) })
	}
	for range besideActions {
		for range besideAskers {
			<-b.rests
		}
		b.change()
	}
	for range besideAskers * len(b.questions) { // after the last change
		<-b.rests
	}
	close(done)
	asking.Wait()
	if b.failure != "" {
		b.t.Fatal(b.failure)
	}
}

// startEngines gives each caller an engine: two share one, as callers of one process do.
func (b *beside) startEngines() {
	b.start()
	b.engines.Store(&[besideAskers]*query.Engine{b.engine, b.engine, b.newEngine(0)})
}

// change does what lives do beside questions. It numbers changes of the rows.
func (b *beside) change() {
	b.t.Helper()
	from, to := b.first.AddDate(0, 0, -3), b.first.AddDate(0, 0, lifeDays+5)
	ctx, e := b.t.Context(), b.engine
	actions := []struct {
		name    string
		changes bool
		do      func() error
	}{
		{"seal all", false, func() error { return query.NewSealer(e).Finish(ctx) }},
		{"seal some", false, func() error {
			at := b.first.AddDate(0, 0, b.rng.IntN(lifeDays))
			return e.Reseal(ctx, b.of, at, at.AddDate(0, 0, 1+b.rng.IntN(4)))
		}},
		{"store partials", false, func() error { return e.StorePartials(ctx, b.of, from, to) }},
		{"rebuild", false, func() error {
			_, err := e.RebuildSeals(ctx, b.of, from, to)
			return err
		}},
		{"start engines", false, func() error {
			b.startEngines()
			return nil
		}},
		{"late rows", true, b.writeLate}, {"late rows", true, b.writeLate}, {"late rows", true, b.writeLate},
		{"erase a person", true, b.erase}, {"remove a day", true, b.remove},
	}
	one := actions[b.rng.IntN(len(actions))]
	b.done = append(b.done, one.name)
	if one.changes {
		b.begun.Add(1)
	}
	if err := one.do(); err != nil {
		b.t.Fatalf("%s: %v", one.name, err)
	}
	if one.changes {
		b.states = append(b.states, besideState{b.left, b.border})
		b.ended.Add(1)
	}
}

// askUntil asks random questions until done is closed.
func (b *beside) askUntil(done <-chan struct{}, caller int, rng *rand.Rand) {
	for {
		i := rng.Int64N(int64(len(b.questions)))
		state := b.ended.Load()
		rows, err := b.rowsOf(b.engines.Load()[caller], b.questions[i])
		b.note(i, state, rows, err)
		select {
		case b.rests <- struct{}{}:
		case <-done:
			return
		}
	}
}

// note notes an answer, if no rows changed since that state.
func (b *beside) note(question, state int64, rows []byte, err error) {
	changed := b.begun.Load() != state
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil {
		b.failure = fmt.Sprintf("%v: %v", b.questions[question], err)
	}
	if b.stale != nil {
		if b.stale[question] == nil {
			b.stale[question] = rows
		}
		rows = b.stale[question]
	}
	if !changed {
		b.given[besideAnswer{question, state, string(rows)}] = true
	}
}

func (b *beside) rowsOf(e *query.Engine, q reference.Question) ([]byte, error) {
	resp, err := e.Run(b.t.Context(), query.Access{Subject: b.of}, requestFor(q))
	if err != nil {
		return nil, err
	}
	if r := resp.Data[0]; !r.Success {
		return nil, fmt.Errorf("%s", withCause(r))
	}
	return rows(resp)
}

// compare compares the answers with those about the rows at their time. It returns their number.
func (b *beside) compare() (compared int) {
	b.t.Helper()
	type about struct{ question, state int64 }
	known := map[about]string{}
	for state, s := range b.states {
		b.data = reference.NewData(store.Batch{Events: s.events})
		for i, q := range b.questions {
			from, _ := b.utcDays(q)
			if b.totals && from.Before(s.border) && !s.border.Equal(b.first) {
				continue // Orders compares answers from totals
			}
			known[about{int64(i), int64(state)}] = string(b.reference(q, false))
		}
	}
	for a := range b.given {
		want, ok := known[about{a.question, a.state}]
		if !ok {
			continue
		}
		if compared++; a.rows != want {
			b.wrong = append(b.wrong, fmt.Sprintf("%v after %d changes: %s", b.questions[a.question], a.state,
				firstDifference(want, a.rows)))
		}
	}
	return compared
}
