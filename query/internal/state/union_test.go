package state

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// setsAmong are sets, one per partial, of so many members at most among those below most.
func setsAmong(rng *rand.Rand, sets, members int, most uint32) (of []Source, all []uint32) {
	for range sets {
		set := make([]uint32, 1+rng.IntN(members))
		for i := range set {
			set[i] = rng.Uint32N(most)
		}
		slices.Sort(set)
		set = slices.Compact(set)
		all = append(all, set...)
		rng.Shuffle(len(set), func(i, j int) { set[i], set[j] = set[j], set[i] }) // as they are loaded
		var p Maker
		p.AddSet(0, set)
		of = append(of, Source{Partial: p.Done()})
	}
	return of, all
}

// TestUnion wants the union of sets, whether these are few members far apart or many, to have the members of all of
// them once, whatever was united before.
func TestUnion(t *testing.T) {
	var u union
	dense := map[bool]int{}
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 12))
		of, want := setsAmong(rng, 1+rng.IntN(4), 1<<rng.IntN(10), 1<<(4+rng.IntN(14)))
		slices.Sort(want)
		want = slices.Compact(want)
		var p Maker
		u.add(&p, 0, listsOf(0, of), of)
		made := p.Done()
		dense[made.dense != nil]++
		if got := made.AppendMembers(0, nil); !slices.Equal(got, want) {
			t.Errorf("seed %d: got %d, want %d", seed, got, want)
		}
	}
	if dense[true] == 0 || dense[false] == 0 {
		t.Errorf("of unions as bits or not there were %v", dense)
	}
}

// BenchmarkUnion unites the sets of 30 days: of a key that most visitors have, and of one that few have.
func BenchmarkUnion(b *testing.B) {
	for _, members := range []int{20_000, 200, 2} {
		b.Run(fmt.Sprint(members), func(b *testing.B) {
			of, _ := setsAmong(rand.New(rand.NewPCG(1, 13)), 30, members, 2_000_000)
			var u union
			for b.Loop() {
				u.add(&Maker{}, 0, listsOf(0, of), of)
			}
		})
	}
}
