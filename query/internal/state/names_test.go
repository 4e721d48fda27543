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

// TestMembers checks that equal values get equal numbers and other values others, from 0 on, whether values are hashes
// or not.
func TestMembers(t *testing.T) {
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
		members, want := newMembers(), map[int64]uint32{}
		for _, list := range lists {
			if rng.IntN(2) == 0 {
				members.Reserve(len(list))
			}
			for _, value := range list {
				if _, known := want[value]; !known {
					want[value] = uint32(len(want))
				}
				if got := members.Number(value); got != want[value] || members.Value(got) != value {
					t.Fatalf("seed %d: %d has number %d, want %d", seed, value, got, want[value])
				}
			}
		}
	}
}

// BenchmarkMembers numbers the members of a quarter's days of a website with 26 000 visitors a day.
func BenchmarkMembers(b *testing.B) {
	lists := dictionariesOf(rand.New(rand.NewPCG(1, 11)), 90, 26_500, 1_720_000)
	for b.Loop() {
		members := newMembers()
		for _, list := range lists {
			members.Reserve(len(list))
			for _, value := range list {
				members.Number(value)
			}
		}
	}
}
