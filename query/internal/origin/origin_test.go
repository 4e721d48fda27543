package origin_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/query/answer"
	"github.com/sightline-analytics/sightline/query/internal/origin"
)

// ten are the facts about a part with rows on ten days, all of whose partials are in memory.
func ten(change func(*origin.Part)) []origin.Part {
	p := origin.Part{Days: 10}
	change(&p)
	return []origin.Part{p}
}

func TestDecideAboutAWay(t *testing.T) {
	all := func(*origin.Part) {}
	lacks := func(n int) func(*origin.Part) { return func(p *origin.Part) { p.Missing = n } }
	stale := func(n int) func(*origin.Part) { return func(p *origin.Part) { p.Stale = n } }
	has := func(stored int) func(*origin.Part) {
		return func(p *origin.Part) { p.Missing, p.Storable, p.Stored, p.Loadable = 10, true, stored, stored }
	}
	fit := origin.Room{Fit: true}
	for _, row := range []struct {
		name string
		way  origin.Way
		want origin.Choice
	}{
		{"asked, and all in memory", origin.Way{Asked: true, Fits: true, Parts: ten(all)},
			origin.Choice{Counts: true, Missing: []int{0}}},
		{"a new question", origin.Way{Fits: true, Parts: ten(lacks(10))}, origin.Choice{Why: answer.FirstAsked}},
		{"too large", origin.Way{Parts: ten(lacks(10))}, origin.Choice{Why: answer.TooLarge}},
		{"a new question, half is stored", origin.Way{Fits: true, Parts: ten(has(5)), Room: fit},
			origin.Choice{Why: answer.NotStored, Counts: true, Missing: []int{10}, Later: true}},
		{"a new question, most is stored", origin.Way{Fits: true, Parts: ten(has(8)), Room: fit},
			origin.Choice{Counts: true, Missing: []int{10}}},
		{"a new question, little is stored", origin.Way{Fits: true, Parts: ten(has(4)), Room: fit},
			origin.Choice{Why: answer.FirstAsked}},
		{"asked, little is missing", origin.Way{Asked: true, Fits: true, Parts: ten(lacks(2)), Room: fit},
			origin.Choice{Counts: true, Missing: []int{2}}},
		{"asked, a quarter is missing", origin.Way{Asked: true, Fits: true, Parts: ten(lacks(3)), Room: fit},
			origin.Choice{Why: answer.NotStored, Counts: true, Missing: []int{3}, Later: true}},
		{"asked, and no room", origin.Way{Asked: true, Fits: true, Parts: ten(lacks(1))},
			origin.Choice{Why: answer.NoRoom, Counts: true, Missing: []int{1}}},
		{"asked, and room after it", origin.Way{Asked: true, Parts: ten(lacks(1)), Room: origin.Room{Renew: true}},
			origin.Choice{Why: answer.NoRoom, Counts: true, Missing: []int{1}, Renew: true}},
		{"asked, and little is stale", origin.Way{Asked: true, Parts: ten(stale(2))},
			origin.Choice{Counts: true, Missing: []int{0}}},
		{"asked, and much is stale", origin.Way{Asked: true, Parts: ten(stale(3))},
			origin.Choice{Why: answer.DaysChanged, Counts: true, Missing: []int{0}}},
		{"asked, and the store fails", origin.Way{Asked: true, Unread: true}, origin.Choice{Why: answer.NotStored}},
		{"it failed", origin.Way{Asked: true, Parts: ten(all), Failed: answer.TooLarge},
			origin.Choice{Why: answer.TooLarge}},
		{"on keys, half is in memory", origin.Way{Kind: origin.OnKeys, InMemory: true,
			Parts: ten(func(p *origin.Part) { p.Missing, p.Loadable = 5, 5 }), Room: fit},
			origin.Choice{Counts: true, Missing: []int{5}}},
		{"on keys, less is in memory",
			origin.Way{Kind: origin.OnKeys, Fits: true, InMemory: true, Parts: ten(lacks(6))},
			origin.Choice{Why: answer.FirstAsked}},
		{"nobody waits", origin.Way{Kind: origin.Waiting, Parts: ten(lacks(10)), Room: fit},
			origin.Choice{Counts: true, Missing: []int{10}}},
		{"nobody waits, and no room", origin.Way{Kind: origin.Waiting, Parts: ten(lacks(10))},
			origin.Choice{Why: answer.NoRoom, Counts: true, Missing: []int{10}}},
	} {
		got := origin.Decide(origin.Facts{Ways: []origin.Way{row.way}}).Ways[0]
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s: %s", row.name, diff)
		}
	}
}

// TestTheFirstSourceAnswers checks, for random facts, that a source answers only if those before it do not, and with
// the reason of the one before.
func TestTheFirstSourceAnswers(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	coin := func() bool { return rng.IntN(2) == 0 }
	rarely := func() bool { return rng.IntN(4) == 0 }
	seen := map[answer.Origin]bool{}
	for range 10_000 {
		f := origin.Facts{Answer: origin.Answer{Off: rarely(), Lasting: !rarely(), Remembered: coin(),
			Asked: coin(), Unchanged: coin()}}
		for _, kind := range []origin.Kind{origin.OnKeys, origin.Own} {
			if coin() {
				continue
			}
			p := origin.Part{Days: rng.IntN(9), Missing: rng.IntN(9), Stale: rng.IntN(3)}
			f.Ways = append(f.Ways, origin.Way{Kind: kind, Asked: coin(), Fits: coin(), InMemory: coin(),
				Unread: coin(), Parts: []origin.Part{p}, Room: origin.Room{Fit: coin()}})
		}
		f.Off = len(f.Ways) == 0 && coin()
		d := origin.Decide(f)
		seen[d.Origin] = true
		remembered := f.Answer.Lasting && f.Answer.Remembered && !f.Answer.Off
		merges := slices.ContainsFunc(d.Ways, func(c origin.Choice) bool { return c.Why == "" })
		want := answer.Statement
		switch {
		case remembered:
			want = answer.Remembered
		case merges:
			want = answer.Merged
		}
		if d.Source != want || (d.Why == "") != remembered {
			t.Fatalf("%+v: %+v, want %s", f, d, want)
		}
		totals := origin.Facts{Answer: f.Answer, Ways: []origin.Way{{Kind: origin.Totals}}}
		if other := origin.Decide(totals); merges && other.Why != d.Why {
			t.Fatalf("%+v: %s, and from totals %s", f, d.Why, other.Why)
		}
		if n := len(d.Ways); n > 0 && d.Source == answer.Merged && d.Ways[n-1].Why != "" {
			t.Fatalf("%+v: the last way does not merge: %+v", f, d)
		}
	}
	if len(seen) < 1+5+7 {
		t.Errorf("only %v were decided", seen)
	}
}
