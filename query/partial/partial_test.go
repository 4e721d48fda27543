package partial_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sightline-analytics/sightline/query/partial"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

const cell = 900_000

// An observation is what one row of a store has.
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

var aggregates = []partial.Aggregate{{Name: "rows", Kind: partial.Sum}, {Name: "members", Kind: partial.Set, Members: "m"}, {Name: "values", Kind: partial.Sample},
	{Name: "texts", Kind: partial.TextSet, Members: "t"}, {Name: "least", Kind: partial.Least}, {Name: "greatest", Kind: partial.Greatest}}

// batch is what a statement computes of observations in stretches. Rows that agree are told once or
// several times.
func batch(rng *rand.Rand, of []observation, keyed bool, stretches []partial.Stretch) *partial.Computed {
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
	b := &partial.Computed{Stretches: stretches, Versions: slices.Repeat([]uint64{1}, len(stretches)), Cell: 0, Width: width, KeyNames: "key",
		Aggregates: aggregates, Columns: []int{4, 2, 3, 5, 3, 3}, Count: 4}
	if keyed {
		b.Keys = []int{1}
	}
	columns := []store.Column{{Kind: dialect.Int}, {Kind: dialect.Text}, {Kind: dialect.Int}, {Kind: dialect.Int, Valid: []bool{}}, {Kind: dialect.Int}, {Kind: dialect.Text}}
	tell := func(r row, n int64) {
		columns[0].Ints, columns[1].Texts = append(columns[0].Ints, r.cell), append(columns[1].Texts, r.key)
		columns[2].Ints, columns[3].Ints = append(columns[2].Ints, r.member), append(columns[3].Ints, r.value)
		columns[3].Valid, columns[4].Ints = append(columns[3].Valid, !r.absent), append(columns[4].Ints, n)
		columns[5].Texts = append(columns[5].Texts, strings.Repeat("m", int(r.member)))
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

// answer is what partials say of a key, or of all without keys: rows, members, a quantile, extremes.
func answer(of []observation, key string) string {
	rows, members, values := 0, map[int64]bool{}, []int64{}
	for _, o := range of {
		if key != "" && o.key != key {
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
	quantile, least, greatest := "none", int64(partial.None), int64(partial.None)
	if n := len(values); n > 0 {
		least, greatest = values[0], values[n-1]
		at := (n - 1) * 750
		low, high := values[at/1000], values[min(at/1000+1, n-1)]
		quantile = fmt.Sprint(low*1000 + (high-low)*int64(at%1000))
	}
	return fmt.Sprintf("%d rows, %d members, %s, %d to %d", rows, len(members), quantile, least, greatest)
}

// TestMerge wants any cut of time into partials, made and merged in any order, to say what the rows
// say together, with keys and without.
func TestMerge(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		all, keyed := observations(rng, rng.IntN(200)), rng.IntN(2) == 0
		cache := partial.NewCache(1 << 20)
		site := cache.Website(store.Subject{ID: "w"})
		stretches, from := []partial.Stretch{}, int64(0)
		for from < 8*cell {
			to := min(from+cell*(1+rng.Int64N(3)), 8*cell)
			if keyed {
				to = min(from+1+rng.Int64N(3*cell), (from/(4*cell)+1)*4*cell)
			}
			stretches = append(stretches, partial.Stretch{From: from, To: to})
			from = to
		}
		for at := 0; at < len(stretches); {
			n := 1 + rng.IntN(len(stretches)-at)
			if _, err := site.Add(batch(rng, all, keyed, stretches[at:at+n])); err != nil {
				t.Fatal(err)
			}
			at += n
		}
		order := rng.Perm(len(stretches))
		sources := make([][]partial.Source, len(aggregates))
		for i, a := range aggregates {
			found, missing := site.Find(a, stretches, slices.Repeat([]uint64{1}, len(stretches)))
			if len(missing) > 0 {
				t.Fatalf("seed %d: %v are missing", seed, missing)
			}
			for _, j := range order {
				s := partial.Source{Partial: found[j]}
				if !keyed {
					s.Rows = make([]int32, 4)
				}
				sources[i] = append(sources[i], s)
			}
		}
		keys := []string{""}
		if keyed {
			keys = site.Keys("key")
		}
		sums, counts := partial.Sums(len(keys), sources[0]), cache.Counts(len(keys), site.Members(partial.Set, "m"), sources[1])
		texts := cache.Counts(len(keys), site.Members(partial.TextSet, "t"), sources[3])
		least, greatest := partial.Extremes(partial.Least, len(keys), sources[4]), partial.Extremes(partial.Greatest, len(keys), sources[5])
		for row, key := range keys {
			quantile := "none"
			if q := partial.Quantile(int32(row), 750, sources[2]); q != partial.None {
				quantile = fmt.Sprint(q)
			}
			if single := cache.Count(int32(row), site.Members(partial.Set, "m"), sources[1]); single != counts[row] || single != texts[row] {
				t.Errorf("seed %d: row %d has %d members by itself, %d among all, and %d texts", seed, row, single, counts[row], texts[row])
			}
			if got, want := fmt.Sprintf("%d rows, %d members, %s, %d to %d", sums[row], counts[row], quantile, least[row], greatest[row]), answer(all, key); got != want {
				t.Errorf("seed %d, key %q: got %s, want %s", seed, key, got, want)
			}
		}
	}
}

// TestCache wants partials of another version, aggregate or subject not to be found, and a cache
// that stays within its bound.
func TestCache(t *testing.T) {
	rng, stretch := rand.New(rand.NewPCG(1, 1)), []partial.Stretch{{From: 0, To: 4 * cell}}
	cache := partial.NewCache(64 << 10)
	site, other := cache.Website(store.Subject{ID: "w"}), cache.Website(store.Subject{ID: "v"})
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
	has := func(w *partial.Website, a partial.Aggregate, version uint64) bool {
		_, missing := w.Find(a, stretch, []uint64{version})
		return len(missing) == 0
	}
	if !has(site, aggregates[0], 1) || has(site, aggregates[0], 2) || has(other, aggregates[0], 1) || has(site, partial.Aggregate{Name: "others"}, 1) {
		t.Error("partials are found where they are not, or the other way round")
	}
	stale := func(version uint64) int { return site.Stale(aggregates[0], stretch, []uint64{version}) }
	if got := []int{stale(1), stale(2), stale(2), stale(3)}; !slices.Equal(got, []int{0, 1, 0, 1}) {
		t.Errorf("partials are stale %v times", got)
	}
	for i := range 200 { // other aggregates push them out
		b := batch(rng, observations(rng, 300), true, stretch)
		b.Aggregates = []partial.Aggregate{{Name: fmt.Sprint(i)}, {Name: fmt.Sprint(i, "set"), Kind: partial.Set, Members: "m"}, {Name: fmt.Sprint(i, "sample"), Kind: partial.Sample}}
		if _, err := site.Add(b); err != nil {
			t.Fatal(err)
		}
		if size := cache.Size(); size > 64<<10 {
			t.Fatalf("%d bytes after %d more", size, i)
		}
	}
	if has(site, aggregates[0], 1) || !has(site, partial.Aggregate{Name: "199"}, 1) {
		t.Error("what was used last is forgotten before what was not")
	}
	cache.Forget(store.Subject{ID: "v"})
	if cache.Forget(store.Subject{ID: "w"}); cache.Size() != 0 || has(site, partial.Aggregate{Name: "199"}, 1) {
		t.Errorf("%d bytes of what was forgotten", cache.Size())
	}
	site.Exclude([]partial.Aggregate{{Name: "199"}})
	if site.Asked([]partial.Aggregate{{Name: "199"}}) || has(site, partial.Aggregate{Name: "199"}, 1) {
		t.Error("what was excluded is kept")
	}
}

// TestAtOnce adds and merges at the same time, for the race detector.
func TestAtOnce(t *testing.T) {
	cache, stretch := partial.NewCache(1<<20), []partial.Stretch{{From: 0, To: 4 * cell}}
	var working sync.WaitGroup
	for i := range 4 {
		working.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(i), 2))
			for n := range 50 {
				site := cache.Website(store.Subject{ID: fmt.Sprint(n % 2)})
				if err := site.Lock(t.Context()); err != nil {
					t.Error(err)
					return
				}
				b := batch(rng, observations(rng, 50), true, stretch)
				b.KeyNames = fmt.Sprint("key", n%7)
				_, err := site.Add(b)
				site.Unlock()
				if err != nil {
					t.Error(err)
				}
				found, _ := site.Find(aggregates[1], stretch, []uint64{1})
				cache.Counts(len(site.Keys(b.KeyNames)), site.Members(partial.Set, "m"), []partial.Source{{Partial: found[0], Rows: make([]int32, 50)}})
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
			if got := partial.SplitKey(partial.JoinKey(values), len(values)); !slices.Equal(got, values) {
				t.Errorf("%q became %q", values, got)
			}
		}
	})
}
