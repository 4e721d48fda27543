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

// TestReferenceCatchesMistakes plants one mistake at a time in the dialect, and wants
// each to be seen.
func TestReferenceCatchesMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		of    dialect.Func
		spell string
	}{
		{"visitors counted by row", dialect.Uniq, "count(nullif($1, ''))"},
		{"medians that take a neighbour", dialect.Quantile, "(quantile_disc(($1)::DOUBLE, $2 / 1000) * 1000)::BIGINT"},
		{"a prefix that is a pattern", dialect.StartsWith, "($1 LIKE $2 || '%')"},
		{"a part that is a pattern", dialect.Contains, "($1 LIKE '%' || $2 || '%')"},
		{"buckets cut towards zero hours", dialect.FloorDiv, "round(($1) / $2)::BIGINT"},
		{"fields of the session's last event", dialect.FirstIf, "coalesce(arg_max($1, $2) FILTER (WHERE $3), '')"},
		{"only the first session of an id", dialect.RunningMax, "min($1) OVER (PARTITION BY $2)"},
		{"shares of the rows shown", dialect.SumOver, "(max($1) OVER ())::BIGINT"},
		{"the first instead of the latest", dialect.Latest, "arg_min($1, ROW($2, $3))"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			found := compare(t, 4, 400, func(d *dialect.Dialect) { d.Spell[c.of] = c.spell })
			if len(found.Differ) == 0 {
				t.Errorf("%d questions did not see it", found.Asked)
			}
			t.Logf("seen after %d questions", found.Asked)
		})
	}
}

// compare asks n questions about the world of seed, with a planted mistake if any.
func compare(t *testing.T, seed uint64, n int, plant func(*dialect.Dialect)) *storetest.Comparison {
	t.Helper()
	w := world.New(seed)
	s := open(t, duckdb.Config{})
	if _, err := s.Write(t.Context(), &w.Batch); err != nil {
		t.Fatal(err)
	}
	var asked store.Store = s
	if plant != nil {
		lang := *s.Dialect()
		plant(&lang)
		asked = mistaken{s, &lang}
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

// mistaken is a store that spells something wrong.
type mistaken struct {
	store.Store
	lang *dialect.Dialect
}

func (m mistaken) Dialect() *dialect.Dialect { return m.lang }

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
