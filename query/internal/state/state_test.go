package state_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sightline-analytics/sightline/query/internal/state"
	"github.com/sightline-analytics/sightline/query/internal/state/statetest"
)

// TestMerge checks that any cut of time into partials, made and merged in any order, and with some of them rolled up,
// gives the same answers as the rows together, with keys and without.
func TestMerge(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		all := statetest.Observations(rng, rng.IntN(200))
		c := statetest.RandomCut(rng)
		partials := build(t, rng, c, all)
		from := rng.IntN(len(c.Stretches))
		to := from + 1 + rng.IntN(len(c.Stretches)-from)
		var sources [][]state.Source
		for i, a := range statetest.Aggregates() {
			of := rollUp(c, a.Kind, c.Sources(partials[i]), from, to)
			rng.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
			sources = append(sources, of)
		}
		got := c.Answers(sources)
		for row, counts := range c.Rows() {
			if want := statetest.Answer(all, counts); got[row] != want {
				t.Errorf("seed %d, row %d, %d to %d rolled up: got %s, want %s", seed, row, from, to, got[row], want)
			}
		}
	}
}

// build makes the partials of c, by aggregate and stretch, of some stretches at a time.
func build(t *testing.T, rng *rand.Rand, c *statetest.Cut, all []statetest.Observation) [][]*state.Partial {
	t.Helper()
	partials := make([][]*state.Partial, len(statetest.Aggregates()))
	for at := 0; at < len(c.Stretches); {
		n := 1 + rng.IntN(len(c.Stretches)-at)
		made, err := statetest.Batch(rng, all, c.Keyed, c.Stretches[at:at+n]).Build(c.Numbers)
		if err != nil {
			t.Fatal(err)
		}
		for i := range made {
			partials[i] = append(partials[i], made[i]...)
		}
		at += n
	}
	c.Numbers.Publish(statetest.Aggregates(), "key")
	return partials
}

// rollUp returns the sources with one in place of some.
func rollUp(c *statetest.Cut, kind state.Kind, of []state.Source, from, to int) []state.Source {
	first := int32(0)
	if !c.Keyed {
		first = of[from].Rows[0]
	}
	rollup := state.Source{Partial: state.RollUp(kind, first, of[from:to])}
	for row := first; !c.Keyed && row < 8; row++ {
		rollup.Rows = append(rollup.Rows, row)
	}
	return slices.Concat(of[:from], []state.Source{rollup}, of[to:])
}

// FuzzKey checks that SplitKey returns the values that JoinKey encoded.
func FuzzKey(f *testing.F) {
	f.Add("a", "b:1", "")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		for _, values := range [][]string{{a}, {a, b}, {a, b, c}} {
			if got := state.SplitKey(state.JoinKey(values), len(values)); !slices.Equal(got, values) {
				t.Errorf("%q became %q", values, got)
			}
		}
	})
}
