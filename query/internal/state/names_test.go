package state

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// dictionariesOf are the members of some days, each of which has about so many of all.
func dictionariesOf(rng *rand.Rand, days, each, all int) [][]int64 {
	hashes, found := make([]int64, all), make([][]int64, days)
	for i := range hashes {
		hashes[i] = 1 + rng.Int64N(1<<63-1)
	}
	for i := range found {
		for range each {
			found[i] = append(found[i], hashes[rng.IntN(all)])
		}
		slices.Sort(found[i])
		found[i] = slices.Compact(found[i])
	}
	return found
}

// TestNumberLists wants values to get the same numbers together as one by one.
func TestNumberLists(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 10))
		lists := dictionariesOf(rng, 1+rng.IntN(40), 1+rng.IntN(2000), 1+rng.IntN(20_000))
		if seed%3 == 0 { // they are no hashes
			for _, list := range lists {
				for i := range list {
					list[i] = int64(i + 1)
				}
			}
			lists[0] = append(lists[0], -2, -1) // the greatest
		}
		together, single := newMembers(), newMembers()
		for len(lists) > 0 {
			n := 1 + rng.IntN(len(lists))
			got := together.NumberLists(lists[:n])
			for i, list := range lists[:n] {
				for j, value := range list {
					if want := single.Number(value); got[i][j] != want || together.Number(value) != want {
						t.Fatalf("seed %d, list %d, %d: got %d, want %d", seed, i, value, got[i][j], want)
					}
				}
			}
			lists = lists[n:]
		}
		if !slices.Equal(together.values, single.values) {
			t.Fatalf("seed %d: values differ", seed)
		}
	}
}

// BenchmarkNumberLists numbers the members of a quarter's days of a website with 26 000 visitors a day.
func BenchmarkNumberLists(b *testing.B) {
	lists := dictionariesOf(rand.New(rand.NewPCG(1, 11)), 90, 26_500, 1_720_000)
	for b.Loop() {
		newMembers().NumberLists(lists)
	}
}
