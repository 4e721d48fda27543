package storetest

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store/storetest/dataset"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

// perRound is the usual number of datasets in a round of a random run. Each is sealed in another way: see sealingOf.
const perRound = 4

// perDataset is the maximum number of questions about one dataset.
const perDataset = 500

// A RandomRun defines how many random questions are asked, and about which datasets.
type RandomRun struct {
	Questions int           // minimum; each dataset gets the same number, and each query type at least one question
	Seed      uint64        // the seed of the first dataset; each further dataset has the next number
	For       time.Duration // if not 0, the duration of the run, instead of Questions
	// Datasets is the number of datasets in a round. 0 means 4, each sealed in another way: see sealingOf. A run with
	// fewer datasets is a sample, and need not ask about each query type.
	Datasets int
}

// RandomRunOf returns a random run with that many questions, beginning with the dataset of a seed. The environment
// overrides the arguments: SIGHTLINE_QUESTIONS sets the number of questions, SIGHTLINE_SEED the first dataset, and
// SIGHTLINE_FOR, such as 30m, a duration instead.
func RandomRunOf(t testing.TB, questions, seed int) RandomRun {
	t.Helper()
	c := RandomRun{Questions: Number(t, "SIGHTLINE_QUESTIONS", questions),
		Seed: uint64(Number(t, "SIGHTLINE_SEED", seed))}
	if text := os.Getenv("SIGHTLINE_FOR"); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil || d <= 0 {
			t.Fatalf("SIGHTLINE_FOR must be a duration such as 30m, not %q", text)
		}
		c.For = d
	}
	return c
}

// Number returns the positive number in the environment variable name, or otherwise if it is empty.
func Number(t testing.TB, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n <= 0 {
		t.Fatalf("%s must be a positive number, not %q", name, text)
	}
	return n
}

// Reference compares the engine's answers in a random run with the answers of package reference, byte by byte.
// That package computes the same numbers with loops over lists. Every second question is also asked before the
// last rows of its dataset are written.
//
// Three questions in four name a type, each type as often. The fourth is one of the questions that name no type or ask
// more than a type alone: choices of metrics, totals, goals, funnels, retention, paths, and filters on what else people
// did. The environment variable SIGHTLINE_SHAPE, such as goals, restricts all questions to one shape: see [shapes]; any
// is all of these shapes.
func Reference(t *testing.T, h Harness, run RandomRun) {
	draw, least, only := mixedQuestions, 4*len(query.Builtin())/3+perRound, os.Getenv("SIGHTLINE_SHAPE")
	if run.Datasets != 0 {
		least = 0
	}
	if only != "" {
		least = 0
		if only == "any" {
			only = ""
		}
		draw = func(seed uint64, n int) []reference.Question { return slices.Collect(firstOf(asking(seed, only), n)) }
	}
	run.run(t, draw, least, func(t *testing.T, seed uint64, questions iter.Seq[reference.Question]) (*comparison,
		error) {
		got := h.runnerWith(t, seed, rows, everyOther(questions))
		return compareReference(t.Context(), got, dataOf(seed), questions, false)
	}).mustSpeak(t, least > 0)
}

// mixedQuestions returns n questions about the dataset of a seed: three in four come from evenQuestions.
func mixedQuestions(seed uint64, n int) []reference.Question {
	more := n / 4
	return append(evenQuestions(seed, n-more), slices.Collect(firstOf(asking(seed, ""), more))...)
}

// everyOther returns every second element of all.
func everyOther[T any](all iter.Seq[T]) iter.Seq[T] {
	return func(yield func(T) bool) {
		odd := false
		for one := range all {
			if odd = !odd; odd && !yield(one) {
				return
			}
		}
	}
}

// Diff tests, byte by byte, that the engine gives the same answers in a random run over two stores with the
// same rows.
func Diff(t *testing.T, one, other Harness, run RandomRun) {
	run.run(t, evenQuestions, len(query.Builtin()),
		func(t *testing.T, seed uint64, questions iter.Seq[reference.Question]) (*comparison, error) {
			none := firstOf(questions, 0)
			want, got := one.runnerWith(t, seed, whole, none), other.runnerWith(t, seed, whole, none)
			return compareStores(t.Context(), want, got, questions, false)
		}).mustSpeak(t, true)
}

// Dependencies tests that the engine's answers in a random run do not change if it can only read rows of the
// days in [query.Prepared.Dependencies].
func Dependencies(t *testing.T, h Harness, run RandomRun) {
	run.run(t, evenQuestions, len(query.Builtin()),
		func(t *testing.T, seed uint64, questions iter.Seq[reference.Question]) (*comparison, error) {
			s := h.filledWith(t, seed)
			all := newEngineRunner(t, query.Config{Store: s,
				EngineOptions: query.EngineOptions{NoDerived: true}}, whole)
			return compareStores(t.Context(), all, newEngineRunner(t, query.Config{Store: &clipped{Store: s}}, whole),
				questions, false)
		}).mustSpeak(t, true)
}

// questionsOf returns n random questions about the dataset of a seed. Each is generated when it is needed.
func questionsOf(seed uint64, n int) iter.Seq[reference.Question] {
	return func(yield func(reference.Question) bool) {
		w := dataset.New(seed)
		rng := rand.New(rand.NewPCG(seed, 2))
		for range n {
			if !yield(w.Question(rng)) {
				return
			}
		}
	}
}

// questionsWithGroups is questionsOf with groups of filters in about one question in three.
func questionsWithGroups(seed uint64, n int) iter.Seq[reference.Question] {
	return func(yield func(reference.Question) bool) {
		w := dataset.New(seed)
		rng := rand.New(rand.NewPCG(seed, 2))
		for range n {
			one := w.Question
			if rng.IntN(3) == 0 {
				one = w.Grouped
			}
			if !yield(one(rng)) {
				return
			}
		}
	}
}

// evenQuestions returns n random questions about the dataset of a seed, with the same number for each type,
// plus or minus one. The next seed continues with the next type, so that every type occurs even with few
// questions.
func evenQuestions(seed uint64, n int) []reference.Question {
	byType := map[string][]reference.Question{}
	for q := range questionsWithGroups(seed, 2000+10*n) {
		byType[q.Type] = append(byType[q.Type], q)
	}
	types := query.Builtin()
	for _, ty := range types {
		// questions without the required filter are rejected, so put them last: perhaps only the first is used
		if ty.RequiredFilter != "" {
			slices.SortStableFunc(byType[ty.Name], func(a, b reference.Question) int {
				return missing(a, ty.RequiredFilter) - missing(b, ty.RequiredFilter)
			})
		}
	}
	questions := make([]reference.Question, 0, n)
	for next := int(seed%uint64(len(types))) * n; len(questions) < n; next++ {
		if of := byType[types[next%len(types)].Name]; len(of) > 0 {
			questions = append(questions, of[next/len(types)%len(of)])
		}
	}
	return questions
}

// missing returns 1 if q has no filter on field, else 0.
func missing(q reference.Question, field string) int {
	if slices.ContainsFunc(q.Filters, func(f reference.Filter) bool { return f.Field == field }) {
		return 0
	}
	return 1
}

// run asks the questions that draw returns, dataset by dataset, until it has asked enough. It returns the comparison of
// all answers. least is the number of questions that ask about every type, or 0.
func (c RandomRun) run(t *testing.T, draw func(seed uint64, n int) []reference.Question, least int,
	ask func(*testing.T, uint64, iter.Seq[reference.Question]) (*comparison, error)) *comparison {
	t.Helper()
	ctx, cancel := t.Context(), func() {}
	if c.For > 0 {
		ctx, cancel = context.WithTimeout(ctx, c.For)
	}
	defer cancel()
	c.Questions = max(c.Questions, least)
	n, datasets := perDataset, uint64(cmp.Or(c.Datasets, perRound))
	if c.For == 0 {
		n = min(n, (c.Questions+int(datasets)-1)/int(datasets))
	}
	sum := comparison{answers: map[string]int{}, nonEmpty: map[string]int{}}
	seed := c.Seed
	for ; ctx.Err() == nil && (c.For > 0 || sum.asked < c.Questions); seed += datasets {
		asked := sum.asked
		t.Run(fmt.Sprintf("seeds %d to %d", seed, seed+datasets-1), func(t *testing.T) {
			sum.round(t, seed, seed+datasets, func(seed uint64) []reference.Question { return draw(seed, n) }, ask)
		})
		if len(sum.differ) > 20 {
			t.Fatalf("%d of %d answers differ", len(sum.differ), sum.asked)
		}
		if sum.asked == asked { // the round was skipped or failed before it asked; another round would do the same
			t.SkipNow()
		}
	}
	t.Logf("%d questions, seeds %d to %d, %d rejected by both, %d answered differently",
		sum.asked, c.Seed, seed-1, sum.refused, len(sum.differ))
	return &sum
}

// round asks questions about each dataset with a seed from first up to end, and adds the results to c.
func (c *comparison) round(t *testing.T, first, end uint64, draw func(seed uint64) []reference.Question,
	ask func(*testing.T, uint64, iter.Seq[reference.Question]) (*comparison, error)) {
	t.Helper()
	var adding sync.Mutex
	for seed := first; seed < end; seed++ {
		t.Run("seed "+strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			found, err := ask(t, seed, slices.Values(draw(seed)))
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range found.differ[:min(len(found.differ), 20)] {
				t.Error(text)
			}
			adding.Lock()
			defer adding.Unlock()
			c.add(found)
		})
	}
}

func (c *comparison) add(more *comparison) {
	c.asked, c.refused, c.differ = c.asked+more.asked, c.refused+more.refused, append(c.differ, more.differ...)
	for name, n := range more.answers {
		c.answers[name] += n
		c.nonEmpty[name] += more.nonEmpty[name]
	}
}

// mustSpeak fails unless every type without parts was answered, if all must be, and half of the answers of each type
// have data. It allows three standard deviations less. For a type with data in half of its answers, one run in 500 has
// fewer. For flag_outcomes, which has the lowest share of answers with data, 0.62, it is one in 10 000.
func (c *comparison) mustSpeak(t *testing.T, every bool) {
	t.Helper()
	names := slices.Sorted(maps.Keys(c.answers))
	if every {
		for _, ty := range query.Builtin() {
			if len(ty.Needs)+len(ty.MayHave) == 0 && c.answers[ty.Name] == 0 {
				names = append(names, ty.Name)
			}
		}
	}
	for _, name := range names {
		said, all := c.nonEmpty[name], c.answers[name]
		t.Logf("%-28s %5d answers, %5d with data", name, all, said)
		if all == 0 || float64(2*said) < float64(all)-3*math.Sqrt(float64(all)) {
			t.Errorf("%s: %d of %d answers have data, want half", name, said, all)
		}
	}
}
