package state_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/state"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

const cell = 900_000

// An observation is the content of one row of a store.
type observation struct {
	at     int64
	key    string
	member int64
	value  int64
	absent bool // it has no value
}

func observations(rng *rand.Rand, n int) []observation {
	found := make([]observation, n)
	for i := range found {
		found[i] = observation{rng.Int64N(8 * cell), string(rune('a' + rng.IntN(5))), rng.Int64N(12), rng.Int64N(9) - 4, rng.IntN(4) == 0}
	}
	return found
}

var aggregates = []state.Aggregate{{Name: "rows", Kind: state.Sum}, {Name: "members", Kind: state.Set, Members: "m"}, {Name: "values", Kind: state.Sample},
	{Name: "texts", Kind: state.TextSet, Members: "t"}, {Name: "least", Kind: state.Least}, {Name: "greatest", Kind: state.Greatest}}

// batch returns the rows that a statement computes of observations in stretches. Equal rows occur once or several times.
func batch(rng *rand.Rand, of []observation, keyed bool, stretches []calendar.Interval) *state.Computed {
	type row struct {
		cell, member, value int64
		key                 string
		absent              bool
	}
	width := int64(cell)
	if keyed {
		width = 4 * cell
	}
	counts := map[row]int64{}
	b := &state.Computed{Stretches: stretches, Versions: slices.Repeat([]uint64{1}, len(stretches)), Cell: 0, Width: width, KeyNames: "key",
		Aggregates: aggregates, Columns: []int{4, 2, 3, 5, 3, 3}, Count: 4}
	if keyed {
		b.Keys = []int{1}
	}
	columns := []store.Column{{Kind: dialect.Int}, {Kind: dialect.Text}, {Kind: dialect.Int}, {Kind: dialect.Int, Valid: []bool{}}, {Kind: dialect.Int}, {Kind: dialect.Text}}
	tell := func(r row, n int64) {
		columns[0].Ints, columns[1].Texts = append(columns[0].Ints, r.cell), append(columns[1].Texts, r.key)
		columns[2].Ints, columns[3].Ints = append(columns[2].Ints, r.member), append(columns[3].Ints, r.value)
		columns[3].Valid, columns[4].Ints = append(columns[3].Valid, !r.absent), append(columns[4].Ints, n)
		columns[5].Texts = append(columns[5].Texts, strings.TrimPrefix(fmt.Sprint(r.member, "\xff\x00"), "0\xff\x00"))
	}
	for _, o := range of {
		if o.at < stretches[0].From || o.at >= stretches[len(stretches)-1].To {
			continue
		}
		r := row{cell: o.at / width, member: o.member, value: o.value, absent: o.absent}
		if keyed {
			r.key = o.key
		}
		if rng.IntN(3) == 0 {
			tell(r, 1)
		} else {
			counts[r]++
		}
	}
	for r, n := range counts {
		tell(r, n)
	}
	b.Rows = &store.Rows{Len: len(columns[0].Ints), Columns: columns}
	return b
}

// answer returns the numbers of the rows that count: rows, members, a quantile, extremes.
func answer(of []observation, counts func(observation) bool) string {
	rows, members, values := 0, map[int64]bool{}, []int64{}
	for _, o := range of {
		if !counts(o) {
			continue
		}
		rows++
		if o.member != 0 {
			members[o.member] = true
		}
		if !o.absent {
			values = append(values, o.value)
		}
	}
	slices.Sort(values)
	quantile, least, greatest := int64(state.None), int64(state.None), int64(state.None)
	if n := len(values); n > 0 {
		least, greatest = values[0], values[n-1]
		at := (n - 1) * 750
		low, high := values[at/1000], values[min(at/1000+1, n-1)]
		quantile = low*1000 + (high-low)*int64(at%1000)
	}
	return fmt.Sprintf("%d rows, %d members, %d, %d to %d", rows, len(members), quantile, least, greatest)
}

// A cut is a random cut of time into partials.
type cut struct {
	cache     *state.Cache
	site      *state.Shelf
	keyed     bool
	width     int64 // of the rows of the answer, in cells, where there are no keys
	stretches []calendar.Interval
}

func randomCut(t *testing.T, rng *rand.Rand, all []observation, most int64) *cut {
	t.Helper()
	c := &cut{cache: state.NewCache(most), keyed: rng.IntN(2) == 0, width: 1 + rng.Int64N(8)}
	c.site = c.cache.Shelf(store.Subject{ID: "w"})
	for from := int64(0); from < 8*cell; {
		to := min(from+cell*(1+rng.Int64N(3)), 8*cell)
		if c.keyed {
			to = min(from+1+rng.Int64N(3*cell), (from/(4*cell)+1)*4*cell)
		}
		c.stretches = append(c.stretches, calendar.Interval{From: from, To: to})
		from = to
	}
	for at := 0; at < len(c.stretches); {
		n := 1 + rng.IntN(len(c.stretches)-at)
		if _, err := c.site.Add(batch(rng, all, c.keyed, c.stretches[at:at+n])); err != nil {
			t.Fatal(err)
		}
		at += n
	}
	return c
}

// sources are the partials of an aggregate. Without keys a row is so many cells.
func (c *cut) sources(t *testing.T, a state.Aggregate) (of []state.Source) {
	t.Helper()
	found, missing := c.site.Find(a, c.stretches, slices.Repeat([]uint64{1}, len(c.stretches)))
	if len(missing) > 0 {
		t.Fatalf("%v are missing", missing)
	}
	for i, p := range found {
		s := state.Source{Partial: p}
		for at := c.stretches[i].From; !c.keyed && at < c.stretches[i].To; at += cell {
			s.Rows = append(s.Rows, int32(at/cell/c.width))
		}
		of = append(of, s)
	}
	return of
}

// rollUp puts one source in place of some, asking as often as that takes.
func (c *cut) rollUp(a state.Aggregate, of []state.Source, from, to int) (rest []state.Source, asked int) {
	within, first := calendar.Interval{From: c.stretches[from].From, To: c.stretches[to-1].To}, int32(0)
	if !c.keyed {
		first = of[from].Rows[0]
	}
	for asked < 3 {
		asked++
		if p := c.site.RollUp(a, fmt.Sprint(c.width), within, false, first, of[from:to]); p != nil {
			rollup := state.Source{Partial: p}
			for row := first; !c.keyed && row < 8; row++ {
				rollup.Rows = append(rollup.Rows, row)
			}
			return slices.Concat(of[:from], []state.Source{rollup}, of[to:]), asked
		}
	}
	return of, asked
}

// rows returns, by number, which observations each row of the answer counts.
func (c *cut) rows() []func(observation) bool {
	var rows []func(observation) bool
	if c.keyed {
		for _, key := range c.site.Keys("key") {
			rows = append(rows, func(o observation) bool { return o.key == key })
		}
		return rows
	}
	for row := range (7 / c.width) + 1 {
		rows = append(rows, func(o observation) bool { return o.at/cell/c.width == row })
	}
	return rows
}

// answers returns the numbers of each row by the sources of all aggregates. It also computes each row alone.
func (c *cut) answers(sources [][]state.Source) (all []string) {
	n := len(c.rows())
	members, texts := c.site.Members(state.Set, "m"), c.site.Members(state.TextSet, "t")
	sums, sets, textSets := state.Sums(n, sources[0]), c.cache.Counts(n, members, sources[1]), c.cache.Counts(n, texts, sources[3])
	quantiles := state.Quantiles(n, 750, sources[2])
	least, greatest := state.Extremes(state.Least, n, sources[4]), state.Extremes(state.Greatest, n, sources[5])
	for row := range int32(n) {
		if c.cache.Count(row, members, sources[1]) != sets[row] || textSets[row] != sets[row] || state.Quantile(row, 750, sources[2]) != quantiles[row] {
			all = append(all, "one thing by itself, another among all")
			continue
		}
		all = append(all, fmt.Sprintf("%d rows, %d members, %d, %d to %d", sums[row], sets[row], quantiles[row], least[row], greatest[row]))
	}
	return all
}

// TestMerge wants any cut of time into partials, made and merged in any order, and with some of them rolled up,
// to say what the rows say together, with keys and without.
func TestMerge(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		all := observations(rng, rng.IntN(200))
		c := randomCut(t, rng, all, 1<<20)
		from := rng.IntN(len(c.stretches))
		to := from + 1 + rng.IntN(len(c.stretches)-from)
		var sources [][]state.Source
		for _, a := range aggregates {
			of, _ := c.rollUp(a, c.sources(t, a), from, to)
			rng.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
			sources = append(sources, of)
		}
		got := c.answers(sources)
		for row, counts := range c.rows() {
			if want := answer(all, counts); got[row] != want {
				t.Errorf("seed %d, row %d, %d to %d rolled up: got %s, want %s", seed, row, from, to, got[row], want)
			}
		}
	}
}

// TestRollUp wants partials to be rolled up when they are asked for again as they were, but never what they were
// before; and that TestMerge would show it if what was rolled up before stood for them.
func TestRollUp(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 4))
		all := observations(rng, 50)
		c := randomCut(t, rng, all, 1<<20)
		of := c.sources(t, aggregates[0])
		changed := rng.IntN(len(of))
		before, asked := c.rollUp(aggregates[0], of, 0, len(of))
		_, again := c.rollUp(aggregates[0], of, 0, len(of))
		more := all
		for _, o := range observations(rng, 50) { // come in one of the stretches
			if s := c.stretches[changed]; o.at >= s.From && o.at < s.To {
				more = append(more, o)
			}
		}
		if _, err := c.site.Add(batch(rng, more, c.keyed, c.stretches[changed:changed+1])); err != nil {
			t.Fatal(err)
		}
		after, askedAfter := c.rollUp(aggregates[0], c.sources(t, aggregates[0]), 0, len(of))
		if got := []int{asked, again, askedAfter}; !slices.Equal(got, []int{2, 1, 2}) {
			t.Errorf("seed %d: rolled up when asked %v times", seed, got)
		}
		if stale, sums := state.Sums(8, before), state.Sums(8, after); len(more) > len(all) && slices.Equal(stale, sums) {
			t.Errorf("seed %d: rows that came do not show: %v", seed, sums)
		}
	}
}

// TestCache wants partials of another version, aggregate or subject not to be found, and a cache
// that stays within its bound.
func TestCache(t *testing.T) {
	rng, stretch := rand.New(rand.NewPCG(1, 1)), []calendar.Interval{{From: 0, To: 4 * cell}}
	cache := state.NewCache(64 << 10)
	site, other := cache.Shelf(store.Subject{ID: "w"}), cache.Shelf(store.Subject{ID: "v"})
	if site.Asked(aggregates) || !site.Asked(aggregates) || other.Asked(aggregates) {
		t.Error("what was asked for before is told wrong")
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
	if _, err := site.Add(batch(rng, observations(rng, 100), true, stretch)); err != nil {
		t.Fatal(err)
	}
	has := func(w *state.Shelf, a state.Aggregate, version uint64) bool {
		_, missing := w.Find(a, stretch, []uint64{version})
		return len(missing) == 0
	}
	if !has(site, aggregates[0], 1) || has(site, aggregates[0], 2) || has(other, aggregates[0], 1) || has(site, state.Aggregate{Name: "others"}, 1) {
		t.Error("partials are found where they are not, or the other way round")
	}
	stale := func(version uint64) int { return site.Stale(aggregates[0], stretch, []uint64{version}) }
	if got := []int{stale(1), stale(2), stale(2), stale(3)}; !slices.Equal(got, []int{0, 1, 0, 1}) {
		t.Errorf("partials are stale %v times", got)
	}
	for i := range 200 { // other aggregates push them out
		b := batch(rng, observations(rng, 300), true, stretch)
		b.Aggregates = []state.Aggregate{{Name: fmt.Sprint(i)}, {Name: fmt.Sprint(i, "set"), Kind: state.Set, Members: "m"}, {Name: fmt.Sprint(i, "sample"), Kind: state.Sample}}
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
	site.Exclude([]state.Aggregate{{Name: "199"}})
	if site.Asked([]state.Aggregate{{Name: "199"}}) || has(site, state.Aggregate{Name: "199"}, 1) {
		t.Error("what was excluded is kept")
	}
}

// TestRollUpRoom wants rollups to take no room from partials, nor from what else is asked for by turns.
func TestRollUpRoom(t *testing.T) {
	cutWithin := func(most int64) *cut {
		rng := rand.New(rand.NewPCG(1, 5))
		return randomCut(t, rng, observations(rng, 4000), most)
	}
	ask := func(c *cut, way string) bool {
		for _, a := range aggregates {
			c.sources(t, a) // none of which is missing
		}
		return c.site.RollUp(aggregates[2], way, calendar.Interval{To: 8 * cell}, false, 0, c.sources(t, aggregates[2])) != nil
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
		return randomCut(t, rng, observations(rng, 4000), most)
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
			if c.site.RollUp(aggregates[2], "a", calendar.Interval{To: 8 * cell}, false, 0, c.sources(t, aggregates[2])) != nil {
				made = n
			}
		}
		if want := map[bool]int{false: 9, true: 0}[used]; made != want {
			t.Errorf("the others are used: %t; rolled up when asked for the %dth time, want %d (0 is never)", used, made, want)
		}
	}
}

// TestAtOnce adds and merges at the same time, for the race detector.
func TestAtOnce(t *testing.T) {
	cache, stretches := state.NewCache(1<<20), []calendar.Interval{{From: 0, To: 4 * cell}, {From: 4 * cell, To: 8 * cell}}
	var working sync.WaitGroup
	for i := range 4 {
		working.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(i), 2))
			for n := range 50 {
				site := cache.Shelf(store.Subject{ID: fmt.Sprint(n % 2)})
				if err := site.Lock(t.Context()); err != nil {
					t.Error(err)
					return
				}
				b := batch(rng, observations(rng, 50), true, stretches)
				b.KeyNames = fmt.Sprint("key", n%7)
				_, err := site.Add(b)
				site.Unlock()
				if err != nil {
					t.Error(err)
				}
				found, _ := site.Find(aggregates[1], stretches, []uint64{1, 1})
				of := []state.Source{{Partial: found[0], Rows: make([]int32, 50)}, {Partial: found[1], Rows: make([]int32, 50)}}
				for range 3 {
					site.RollUp(aggregates[1], "", calendar.Interval{To: 8 * cell}, false, 0, of)
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

// FuzzKey wants keys to be taken apart into the values that they were made of.
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
