//go:build cgo

package duckdb_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/duckdb"
	"github.com/sightline-analytics/sightline/store/storetest"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
	"github.com/sightline-analytics/sightline/store/storetest/world"
)

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, storetest.Harness{
		Open: func(t *testing.T) storetest.Filled { return open(t, duckdb.Config{}) },
		Slow: store.Statement{
			Label: "slow",
			SQL:   "SELECT count(*) AS n FROM range(1000000) AS a, range(1000000000) AS b WHERE a.range * b.range = 7",
			Kinds: []dialect.Kind{dialect.Int},
		},
	})
}

// perWorld is how many questions are asked of one world before the next is made.
const perWorld = 500

// TestReference asks the engine and the reference evaluator the same random
// questions. SIGHTLINE_QUESTIONS says how many, SIGHTLINE_SEED of which worlds.
func TestReference(t *testing.T) {
	t.Parallel()
	questions, seed := number(t, "SIGHTLINE_QUESTIONS", 2000), uint64(number(t, "SIGHTLINE_SEED", 20260310))
	answers, nonEmpty, asked, refused := map[string]int{}, map[string]int{}, 0, 0
	for ; asked < questions; seed++ {
		found := compare(t, seed, min(perWorld, questions-asked), nil)
		for _, text := range found.Differ {
			t.Errorf("seed %d: %s", seed, text)
		}
		if len(found.Differ) > 20 {
			t.Fatalf("seed %d: %d of %d answers differ", seed, len(found.Differ), found.Asked)
		}
		asked, refused = asked+found.Asked, refused+found.Refused
		for name, n := range found.Answers {
			answers[name] += n
			nonEmpty[name] += found.NonEmpty[name]
		}
	}
	t.Logf("%d questions up to seed %d, %d refused by both", asked, seed-1, refused)
	for _, ty := range query.Builtin() {
		t.Logf("%-20s %5d answers, %5d say something", ty.Name, answers[ty.Name], nonEmpty[ty.Name])
		if 2*nonEmpty[ty.Name] < answers[ty.Name] || answers[ty.Name] == 0 {
			t.Errorf("%s: %d of %d answers say something, want half", ty.Name, nonEmpty[ty.Name], answers[ty.Name])
		}
	}
}

// compare asks n questions about the world of seed, with a planted mistake if any.
func compare(t *testing.T, seed uint64, n int, plant *mistake) *storetest.Comparison {
	t.Helper()
	w, given := world.New(seed), world.New(seed)
	s := open(t, duckdb.Config{})
	var asked store.Store = s
	if plant != nil {
		asked = plant.in(s, &given.Batch)
	}
	if _, err := s.Write(t.Context(), &given.Batch); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed, 2))
	questions := make([]reference.Question, n)
	for i := range questions {
		questions[i] = w.Question(rng)
	}
	found, err := storetest.Compare(t.Context(), asked, reference.NewData(w.Batch), questions, plant != nil)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	return found
}

func number(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n <= 0 {
		t.Fatalf("%s=%q is no positive number", name, text)
	}
	return n
}
