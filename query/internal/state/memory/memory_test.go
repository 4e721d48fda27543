package memory_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/state"
	"github.com/sightline-analytics/sightline/query/internal/state/memory"
	"github.com/sightline-analytics/sightline/query/internal/state/statetest"
	"github.com/sightline-analytics/sightline/store"
)

const cell = statetest.Cell

var aggregates = statetest.Aggregates()

// A cut is a random cut of time, and its partials in memory.
type cut struct {
	*statetest.Cut
	cache *memory.Cache
	site  *memory.Partials
}

func randomCut(t *testing.T, rng *rand.Rand, all []statetest.Observation, most int64) *cut {
	t.Helper()
	c := &cut{Cut: statetest.RandomCut(rng), cache: memory.NewCache(most)}
	c.site = c.cache.Of(store.Subject{ID: "w"})
	c.Numbers = c.site.Numbering
	for at := 0; at < len(c.Stretches); {
		n := 1 + rng.IntN(len(c.Stretches)-at)
		if _, err := c.site.Add(statetest.Batch(rng, all, c.Keyed, c.Stretches[at:at+n])); err != nil {
			t.Fatal(err)
		}
		at += n
	}
	return c
}

// sources returns the partials of an aggregate in memory.
func (c *cut) sources(t *testing.T, a state.Aggregate) []state.Source {
	t.Helper()
	c.site.Use([]state.Aggregate{a})
	found, missing := c.site.Find(a, c.Stretches, slices.Repeat([]uint64{1}, len(c.Stretches)))
	if len(missing) > 0 {
		t.Fatalf("%v are missing", missing)
	}
	return c.Sources(found)
}

// rollUp puts one source in place of some, asking as often as that takes.
func (c *cut) rollUp(a state.Aggregate, of []state.Source, from, to int) (rest []state.Source, asked int) {
	within, first := calendar.Interval{From: c.Stretches[from].From, To: c.Stretches[to-1].To}, int32(0)
	if !c.Keyed {
		first = of[from].Rows[0]
	}
	for asked < 3 {
		asked++
		if p := c.site.Rollups.Of(a, fmt.Sprint(c.Width), within, first, of[from:to]); p != nil {
			rollup := state.Source{Partial: p}
			for row := first; !c.Keyed && row < 8; row++ {
				rollup.Rows = append(rollup.Rows, row)
			}
			return slices.Concat(of[:from], []state.Source{rollup}, of[to:]), asked
		}
	}
	return of, asked
}

// TestRollUp wants partials to be rolled up when they are asked for again as they were, but never what they were
// before; and that TestMerge would show it if what was rolled up before stood for them.
func TestRollUp(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 4))
		all := statetest.Observations(rng, 50)
		c := randomCut(t, rng, all, 1<<20)
		of := c.sources(t, aggregates[0])
		changed := rng.IntN(len(of))
		before, asked := c.rollUp(aggregates[0], of, 0, len(of))
		_, again := c.rollUp(aggregates[0], of, 0, len(of))
		more := all
		for _, o := range statetest.Observations(rng, 50) { // come in one of the stretches
			if s := c.Stretches[changed]; o.At >= s.From && o.At < s.To {
				more = append(more, o)
			}
		}
		if _, err := c.site.Add(statetest.Batch(rng, more, c.Keyed, c.Stretches[changed:changed+1])); err != nil {
			t.Fatal(err)
		}
		after, askedAfter := c.rollUp(aggregates[0], c.sources(t, aggregates[0]), 0, len(of))
		if got := []int{asked, again, askedAfter}; !slices.Equal(got, []int{2, 1, 2}) {
			t.Errorf("seed %d: rolled up when asked %v times", seed, got)
		}
		if stale, sums := state.Sums(8, before), state.Sums(8, after); len(more) > len(all) &&
			slices.Equal(stale, sums) {
			t.Errorf("seed %d: rows that came do not show: %v", seed, sums)
		}
	}
}

// TestCache wants partials of another version, aggregate or subject not to be found, and a cache
// that stays within its bound.
func TestCache(t *testing.T) {
	rng, stretch := rand.New(rand.NewPCG(1, 1)), []calendar.Interval{{From: 0, To: 4 * cell}}
	cache := memory.NewCache(64 << 10)
	site, other := cache.Of(store.Subject{ID: "w"}), cache.Of(store.Subject{ID: "v"})
	before := site.Admission.Asked(aggregates)
	site.Admission.NoteAsked(aggregates)
	if before || !site.Admission.Asked(aggregates) || other.Admission.Asked(aggregates) {
		t.Error("it is reported wrong what was asked for before")
	}
	if err := site.Lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := site.Lock(ended); err == nil {
		t.Error("two hold the lock")
	}
	defer site.Unlock()
	if _, err := site.Add(statetest.Batch(rng, statetest.Observations(rng, 100), true, stretch)); err != nil {
		t.Fatal(err)
	}
	has := func(w *memory.Partials, a state.Aggregate, version uint64) bool {
		_, missing := w.Find(a, stretch, []uint64{version})
		return len(missing) == 0
	}
	if !has(site, aggregates[0], 1) || has(site, aggregates[0], 2) || has(other, aggregates[0], 1) ||
		has(cache.OfRemoved(store.Subject{ID: "w"}), aggregates[0], 1) ||
		has(site, state.Aggregate{Name: "others"}, 1) {
		t.Error("partials are found where they are not, or the other way round")
	}
	stale := func(version uint64) int {
		defer site.Want(aggregates[0], stretch, []uint64{version})
		return site.Stale(aggregates[0], stretch, []uint64{version})
	}
	if got := []int{stale(1), stale(2), stale(2), stale(3)}; !slices.Equal(got, []int{0, 1, 0, 1}) {
		t.Errorf("partials are stale %v times", got)
	}
	for i := range 200 { // other aggregates push them out
		b := statetest.Batch(rng, statetest.Observations(rng, 300), true, stretch)
		b.Aggregates = []state.Aggregate{{Name: fmt.Sprint(i)},
			{Name: fmt.Sprint(i, "set"), Kind: state.Set, Members: "m"},
			{Name: fmt.Sprint(i, "sample"), Kind: state.Sample}}
		if _, err := site.Add(b); err != nil {
			t.Fatal(err)
		}
		if size := cache.Size(); size > 64<<10 {
			t.Fatalf("%d bytes after %d more", size, i)
		}
	}
	if has(site, aggregates[0], 1) || !has(site, state.Aggregate{Name: "199"}, 1) {
		t.Error("what was used last is forgotten before what was not")
	}
	cache.Forget(store.Subject{ID: "v"})
	if cache.Forget(store.Subject{ID: "w"}); cache.Size() != 0 || has(site, state.Aggregate{Name: "199"}, 1) {
		t.Errorf("%d bytes of what was forgotten", cache.Size())
	}
	site.Admission.Exclude([]state.Aggregate{{Name: "199"}})
	if site.Admission.Asked([]state.Aggregate{{Name: "199"}}) || has(site, state.Aggregate{Name: "199"}, 1) {
		t.Error("what was excluded is kept")
	}
}

// TestRollUpRoom wants rollups to take no room from partials, nor from what else is asked for by turns.
func TestRollUpRoom(t *testing.T) {
	cutWithin := func(most int64) *cut {
		rng := rand.New(rand.NewPCG(1, 5))
		return randomCut(t, rng, statetest.Observations(rng, 4000), most)
	}
	ask := func(c *cut, way string) bool {
		for _, a := range aggregates {
			c.sources(t, a) // none of which is missing
		}
		return c.site.Rollups.Of(aggregates[2], way, calendar.Interval{To: 8 * cell}, 0,
			c.sources(t, aggregates[2])) != nil
	}
	large := cutWithin(1 << 20)
	days := large.cache.Size()
	for range 2 {
		ask(large, "a")
	}
	one := large.cache.Size() - days
	for _, c := range []struct {
		name string
		room int64 // beside the partials
		want string
	}{
		{"none", 0, "---- ----------------"},
		{"for one", one * 3 / 2, "--a- --------------bb"}, // the other is asked for alone in the end
		{"for both", one * 3, "--ab bbbbbbbbbbbbbbbb"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cut, got := cutWithin(days+c.room), ""
			for _, way := range "abab bbbbbbbbbbbbbbbb" {
				switch {
				case way == ' ':
					got += " "
				case ask(cut, string(way)):
					got += string(way)
				default:
					got += "-"
				}
			}
			if size := cut.cache.Size(); got != c.want || size > days+c.room {
				t.Errorf("with %d bytes of %d for partials: %s, want %s", size, days, got, c.want)
			}
			if cut.cache.Forget(store.Subject{ID: "w"}); cut.cache.Size() != 0 {
				t.Errorf("%d bytes of what was forgotten", cut.cache.Size())
			}
		})
	}
}

// TestRollUpPushesOut wants a rollup that is asked for again and again to push out partials that nobody uses, but none
// that are used by turns.
func TestRollUpPushesOut(t *testing.T) {
	cutWithin := func(most int64) *cut {
		rng := rand.New(rand.NewPCG(1, 5))
		return randomCut(t, rng, statetest.Observations(rng, 4000), most)
	}
	const spare = 6000 // bytes, half of what the rollup takes
	days := cutWithin(1 << 20).cache.Size()
	for _, used := range []bool{false, true} {
		made, c := 0, cutWithin(days+spare)
		for n := 1; n <= 20 && made == 0; n++ {
			if used {
				for _, a := range aggregates {
					c.sources(t, a) // none of which is missing
				}
			}
			if c.site.Rollups.Of(aggregates[2], "a", calendar.Interval{To: 8 * cell}, 0,
				c.sources(t, aggregates[2])) != nil {
				made = n
			}
		}
		if want := map[bool]int{false: 9, true: 0}[used]; made != want {
			t.Errorf("the others are used: %t; rolled up when asked for the %dth time, want %d (0 is never)", used,
				made, want)
		}
	}
}

// TestAtOnce adds and merges at the same time, for the race detector.
func TestAtOnce(t *testing.T) {
	cache, stretches := memory.NewCache(1<<20),
		[]calendar.Interval{{From: 0, To: 4 * cell}, {From: 4 * cell, To: 8 * cell}}
	var working sync.WaitGroup
	for i := range 4 {
		working.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(i), 2))
			for n := range 50 {
				site := cache.Of(store.Subject{ID: fmt.Sprint(n % 2)})
				if err := site.Lock(t.Context()); err != nil {
					t.Error(err)
					return
				}
				b := statetest.Batch(rng, statetest.Observations(rng, 50), true, stretches)
				b.KeyNames = fmt.Sprint("key", n%7)
				_, err := site.Add(b)
				site.Unlock()
				if err != nil {
					t.Error(err)
				}
				found, _ := site.Find(aggregates[1], stretches, []uint64{1, 1})
				of := []state.Source{{Partial: found[0], Rows: make([]int32, 50)},
					{Partial: found[1], Rows: make([]int32, 50)}}
				for range 3 {
					site.Rollups.Of(aggregates[1], "", calendar.Interval{To: 8 * cell}, 0, of)
				}
				cache.Counts(len(site.Keys(b.KeyNames)), site.Members(state.Set, "m"), of)
				if n%20 == 0 {
					cache.Forget(store.Subject{ID: "1"})
				}
			}
		})
	}
	working.Wait()
}
