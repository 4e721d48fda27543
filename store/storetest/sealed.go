package storetest

import (
	"context"
	"fmt"
	"iter"
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

// A sealing says when a dataset is sealed while its rows come, and how much of it.
type sealing struct {
	share float64 // of the rows that came before
	most  int     // how many days are sealed at once, at most
	gaps  int     // one day in so many is where a gap of what is sealed begins; 0 means none
	again int     // once more: amidOthers or afterOthers
}

// When a dataset is sealed once more: while the other rows come, so that seals are of different versions
// and none of them knows the last rows, or after they came.
const (
	amidOthers = 1 + iota
	afterOthers
)

func randomSealing(rng *rand.Rand) sealing {
	return sealing{
		share: 1 - rng.Float64()*[]float64{0.5, 0.1}[rng.IntN(2)], most: []int{4, 12, 30}[rng.IntN(3)],
		gaps: []int{0, 20, 4}[rng.IntN(3)], again: rng.IntN(4),
	}
}

// fillAndSeal fills s with the dataset of a seed, and has sealer, which is s or makes a mistake,
// seal days of it. Before the last rows come between is called.
func (h *Harness) fillAndSeal(t *testing.T, s store.Store, sealer query.DerivedStore, seed uint64, how sealing, between func()) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 4))
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

// warmed is the engine over sealer, which is s or makes a mistake, that was asked these questions before
// the last rows of the dataset came.
func (h *Harness) warmed(t *testing.T, s store.Store, sealer query.DerivedStore, seed uint64, how sealing, asked iter.Seq[reference.Question]) *engineRunner {
	t.Helper()
	runner := newEngineRunner(t, sealer, rows)
	h.fillAndSeal(t, s, sealer, seed, how, func() {
		for q := range asked {
			runner.outcome(t.Context(), q)
		}
	})
	return runner
}

// seal seals days of the websites in s, and days near them that have no rows.
func (how sealing) seal(t *testing.T, s query.DerivedStore, rng *rand.Rand) {
	t.Helper()
	engine, err := query.New(query.Config{Store: s, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	subjects, err := s.Subjects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(subjects, func(a, b store.Subject) int { return strings.Compare(a.ID, b.ID) })
	for _, of := range subjects {
		if of.Kind != store.KindWebsite {
			continue
		}
		var until time.Time
		for _, known := range s.Days(of, time.UnixMilli(-1<<50), time.UnixMilli(1<<50)) {
			from, to := known.Start.AddDate(0, 0, -rng.IntN(4)), known.Start.AddDate(0, 0, 1+rng.IntN(how.most))
			if known.Start.Before(until) || how.gaps > 0 && rng.IntN(how.gaps) == 0 {
				continue
			}
			if err := engine.Seal(t.Context(), of, from, to); err != nil {
				t.Fatal(err)
			}
			until = to
		}
	}
}

// cut is the first share of the rows of each kind, and the rest.
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

// A badSealer makes a mistake in what it seals, in what it tells of seals, or in how they are read.
type badSealer struct {
	query.DerivedStore
	days func([]store.Day)       // nil: as they are
	seal func(*store.Derivation) // nil: as it is
	read func(sql string) string // nil: as it is
}

// Query asks the store what the mistake makes of stmt.
func (b badSealer) Query(ctx context.Context, stmt store.Statement) (*store.Rows, error) {
	if b.read != nil {
		stmt.SQL = b.read(stmt.SQL)
	}
	return b.DerivedStore.Query(ctx, stmt)
}

// Days are those of the store, with the mistake.
func (b badSealer) Days(of store.Subject, from, to time.Time) []store.Day {
	days := b.DerivedStore.Days(of, from, to)
	if b.days != nil {
		b.days(days)
	}
	return days
}

// Seal has the store keep what the mistake makes of d.
func (b badSealer) Seal(ctx context.Context, d store.Derivation) error {
	if b.seal != nil {
		b.seal(&d)
	}
	return b.DerivedStore.Seal(ctx, d)
}

// KillsSealMutants plants one mistake at a time into what a store seals, and fails unless the
// comparison with the reference evaluator notices each within a few datasets.
func KillsSealMutants(t *testing.T, h Harness) {
	for _, m := range []struct {
		name string
		made badSealer
		how  sealing
		warm int // questions that are asked before the last rows come
		when func(reference.Question) bool
	}{
		{"a late row leaves a seal as it is", badSealer{days: func(days []store.Day) {
			for i := range days {
				if days[i].Sealed > 0 {
					days[i].Version = min(days[i].Version, days[i].Sealed)
				}
			}
		}}, sealing{share: 0.5, most: 30}, 0, nil},
		{"a late row leaves partials as they are", badSealer{days: func(days []store.Day) {
			for i := range days {
				days[i].Version, days[i].Sealed = min(days[i].Version, 1), 0
			}
		}}, sealing{share: 0.5, most: 30}, 4, OfType("countries", "top_pages", "summary_metrics")},
		{"sessions end with the day", badSealer{seal: func(d *store.Derivation) {
			d.Sessions.Args = slices.Clone(d.Sessions.Args)
			for i, a := range d.Sessions.Args {
				if a.Value == d.To.UnixMilli()+dayMillis {
					d.Sessions.Args[i].Value = d.To.UnixMilli()
				}
			}
		}}, sealing{share: 1, most: 4}, 0, OfType("session_metrics", "session_duration_distribution", "sessions_time_series")},
		{"a session lends its fields twice", badSealer{seal: func(d *store.Derivation) {
			d.Sessions.SQL = "SELECT * FROM (" + d.Sessions.SQL + ") UNION ALL SELECT * FROM (" + d.Sessions.SQL + ")"
		}}, sealing{share: 1, most: 30}, 0, OfType("countries")},
		{"an id that changed is read from the seal, too",
			badSealer{read: Rewritten(`\(coalesce\(i\..told., 0\) = 0\)`, "true")}, sealing{share: 0.9, most: 30}, 0, nil},
		{"an id that changed on another day than the range's did not change",
			badSealer{read: Rewritten(`(FROM events AS t WHERE [^)]*\) AND \(t\..time. >= )([^)]*)(\) AND \(t\..time. < )([^)]*)(\) AND \(t\..version. > )`,
				fmt.Sprintf("${1}(${2} + %d)${3}(${4} - %d)${5}", 4*dayMillis, 2*dayMillis))}, sealing{share: 0.9, most: 30}, 0, OfType("utm_terms")},
	} {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			(&Mutation{When: m.when}).mustShow(t, func(seed uint64, questions iter.Seq[reference.Question]) (*comparison, error) {
				s := h.open(t)
				bad := m.made
				bad.DerivedStore = s.(query.DerivedStore)
				got := h.warmed(t, s, bad, seed, m.how, firstOf(questions, m.warm))
				return compareReference(t.Context(), got, dataOf(seed), questions, true)
			})
		})
	}
}

// firstOf are the first n of all.
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

// MergedBesideWrites queries one engine from several goroutines at once while the rows of a dataset are
// written and days of it are sealed, and then tests that its answers are those of the reference.
func MergedBesideWrites(t *testing.T, h Harness) {
	const seed, askers, batches = 7, 2, 2
	s := h.open(t)
	runner := newEngineRunner(t, s, rows)
	runner.now = now
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
		sealing{most: 30, gaps: 4}.seal(t, s.(query.DerivedStore), rng)
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
