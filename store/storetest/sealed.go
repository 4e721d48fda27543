package storetest

import (
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/storetest/dataset"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

// A derivedStore is a store that can seal days.
type derivedStore interface {
	store.Store
	store.Deriver
}

// A sealing defines when a dataset is sealed while its rows arrive, and which part of it.
type sealing struct {
	share float64 // the share of rows that are stored before sealing
	most  int     // the maximum number of days sealed at once; 0 means no sealing
	exact bool    // also seal at most so many days at once in a remote store, where that takes long
	gaps  int     // a gap in the sealed days begins at one day in this many; 0 means no gaps
	again int     // when to seal again: amidOthers or afterOthers
	only  string  // the website to seal; empty means all
	store bool    // also store partials of the busiest website
}

// The times at which a dataset is sealed again.
const (
	amidOthers  = 1 + iota // while further rows arrive: seals have different versions, and none includes the last rows
	afterOthers            // after all rows
)

// sealingOf returns how the dataset of a seed is sealed in a random run. Of four consecutive datasets, one is not
// sealed, so that all its answers are computed from rows. One is sealed completely, and again after the last rows.
// Two are sealed partly, at random.
func sealingOf(seed uint64) sealing {
	switch seed % perRound {
	case 0:
		return sealing{}
	case 1:
		return sealing{share: 0.9, most: 30, again: afterOthers, store: true}
	}
	rng := rand.New(rand.NewPCG(seed, 3))
	return sealing{
		share: 1 - rng.Float64()*[]float64{0.5, 0.1}[rng.IntN(2)], most: []int{4, 12, 30}[rng.IntN(3)],
		gaps: []int{0, 20, 4}[rng.IntN(3)], again: rng.IntN(4), store: true,
	}
}

// fillAndSeal fills s with the dataset of a seed, and seals days of it with sealer. sealer is nil, s, or a
// store that makes a mistake. It calls between before the last rows are stored.
func (h *Harness) fillAndSeal(t *testing.T, s store.Store, sealer derivedStore, seed uint64, how sealing,
	between func()) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 4))
	if h.Remote && !how.exact {
		how.most = max(how.most, 180)
	}
	w := dataset.New(seed)
	early, late := cut(&w.Batch, how.share)
	h.fill(t, s, early)
	how.seal(t, sealer, rng)
	between()
	if how.again == amidOthers {
		var some *store.Batch
		some, late = cut(late, rng.Float64())
		h.fill(t, s, some)
		how.seal(t, sealer, rng)
	}
	h.fill(t, s, late)
	if how.again == afterOthers {
		how.seal(t, sealer, rng)
	}
}

// runnerWith returns an engine over a store with the dataset of a seed. If the store can seal, the dataset is
// sealed according to sealingOf. Unless the engine computes all answers from rows, it answers some questions
// before the last rows are stored.
func (h *Harness) runnerWith(t *testing.T, seed uint64, part func(*query.Response) ([]byte, error),
	asked iter.Seq[reference.Question]) *engineRunner {
	t.Helper()
	s, how := h.open(t), sealingOf(seed)
	runner := newEngineRunner(t, query.Config{Store: s,
		EngineOptions: query.EngineOptions{NoDerived: how.most == 0}}, part)
	if h.Remote {
		runner.again *= 6
	}
	if _, writes := s.(store.Writer); !writes || how.most == 0 { // Harness.Fill needs all rows at once
		w := dataset.New(seed)
		h.fill(t, s, &w.Batch)
		return runner
	}
	sealer, _ := s.(derivedStore)
	h.fillAndSeal(t, s, sealer, seed, how, func() { runner.warm(t, asked) })
	runner.restart(t)
	return runner
}

// filledWith returns a store with the dataset of a seed.
func (h *Harness) filledWith(t *testing.T, seed uint64) store.Store {
	t.Helper()
	w := dataset.New(seed)
	return h.filled(t, &w.Batch)
}

// warmed returns an engine over sealer that answered some questions before the last rows of the dataset were
// stored. sealer is s, or a store that makes a mistake.
func (h *Harness) warmed(t *testing.T, s store.Store, sealer derivedStore, seed uint64, how sealing,
	asked iter.Seq[reference.Question]) *engineRunner {
	t.Helper()
	runner := newEngineRunner(t, query.Config{Store: sealer}, rows)
	h.fillAndSeal(t, s, sealer, seed, how, func() { runner.warm(t, asked) })
	if how.store {
		runner.restart(t)
	}
	return runner
}

// seal seals days of the websites in s, and days near them without rows.
func (how sealing) seal(t *testing.T, s derivedStore, rng *rand.Rand) {
	t.Helper()
	if s == nil {
		return
	}
	engine, err := query.New(query.Config{Store: s, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	websites, err := s.Websites(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range slices.SortedFunc(maps.Keys(websites),
		func(a, b store.Subject) int { return strings.Compare(a.ID, b.ID) }) {
		if how.only != "" && of.ID != how.only {
			continue
		}
		days, err := s.Days(t.Context(), of, time.UnixMilli(-1<<50), time.UnixMilli(1<<50))
		if err != nil {
			t.Fatal(err)
		}
		var until time.Time
		for _, known := range days {
			from, to := known.Start.AddDate(0, 0, -rng.IntN(4)), known.Start.AddDate(0, 0, 1+rng.IntN(how.most))
			if known.Start.Before(until) || how.gaps > 0 && rng.IntN(how.gaps) == 0 {
				continue
			}
			seal := engine.Seal
			if rng.IntN(3) > 0 { // acts like Seal if a day has no seal yet
				seal = engine.Reseal
			}
			if err := seal(t.Context(), of, from, to); err != nil {
				t.Fatal(err)
			}
			if _, keeps := s.(store.StateKeeper); keeps && how.store && of.ID == busiest {
				if err := engine.StorePartials(t.Context(), of, from, to); err != nil {
					t.Fatal(err)
				}
			}
			until = to
		}
	}
}

// cut returns the first share of the rows of each kind, and the rest.
func cut(b *store.Batch, share float64) (first, rest *store.Batch) {
	first, rest = &store.Batch{}, &store.Batch{}
	first.Events, rest.Events = halves(b.Events, share)
	first.Errors, rest.Errors = halves(b.Errors, share)
	first.Vitals, rest.Vitals = halves(b.Vitals, share)
	first.Spans, rest.Spans = halves(b.Spans, share)
	first.Visits, rest.Visits = halves(b.Visits, share)
	first.Checks, rest.Checks = halves(b.Checks, share)
	first.Blocked, rest.Blocked = halves(b.Blocked, share)
	return first, rest
}

func halves[T any](rows []T, share float64) (first, rest []T) {
	n := int(float64(len(rows)) * share)
	return rows[:n], rows[n:]
}

// busiest is the website with the most rows in every dataset. Tests that need only one website do not seal the
// others, which have as many days.
const busiest = "site-1"

// firstOf returns the first n elements of all.
func firstOf[T any](all iter.Seq[T], n int) iter.Seq[T] {
	return func(yield func(T) bool) {
		left := n
		for one := range all {
			if left--; left < 0 || !yield(one) {
				return
			}
		}
	}
}

// MergedBesideWrites queries one engine from several goroutines while the rows of a dataset are written and its
// days are sealed. Then it tests that the engine's answers equal the reference evaluator's.
func MergedBesideWrites(t *testing.T, h Harness) {
	const seed, askers, batches = 7, 2, 2
	s := h.open(t)
	runner := newEngineRunner(t, query.Config{Store: s}, rows)
	runner.now.Store(&now)
	questions := slices.Collect(firstOf(questionsOf(seed, 10_000), 24))
	done := make(chan struct{})
	var asking sync.WaitGroup
	for i := range askers {
		asking.Go(func() {
			for n := i; ; n++ {
				select {
				case <-done:
					return
				default:
				}
				if _, err := runner.askNow(t.Context(), questions[n%len(questions)]); err != nil {
					t.Errorf("%v: %v", questions[n%len(questions)], err)
					return
				}
			}
		})
	}
	rng := rand.New(rand.NewPCG(seed, 5))
	data := dataset.New(seed).Batch
	rest := &data
	for left := batches; left > 0; left-- {
		var some *store.Batch
		some, rest = cut(rest, 1/float64(left))
		h.fill(t, s, some)
		sealing{most: 90, gaps: 4, only: busiest, store: true}.seal(t, s.(derivedStore), rng)
	}
	close(done)
	asking.Wait()
	found, err := compareReference(t.Context(), runner, reference.NewData(data), slices.Values(questions), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range found.differ {
		t.Error(text)
	}
}
