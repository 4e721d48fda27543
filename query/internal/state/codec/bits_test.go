package codec

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestNumbers reads numbers of any size that were written.
func TestNumbers(t *testing.T) {
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 12))
		var w bitWriter
		lists := make([][]int64, 1+rng.IntN(4))
		for i := range lists {
			lists[i] = make([]int64, rng.IntN(200))
			for j := range lists[i] {
				lists[i][j] = int64(rng.Uint64()) >> rng.IntN(64)
				if seed%2 == 0 {
					lists[i][j] >>= 20
				}
				if rng.IntN(1000) == 0 {
					lists[i][j] = [...]int64{math.MinInt64, math.MaxInt64}[rng.IntN(2)]
				}
			}
			w.numbers(lists[i])
		}
		r := bitReader{b: w.done()}
		for _, want := range lists {
			if got := r.numbers(len(want)); !slices.Equal(got, want) {
				t.Fatalf("seed %d: got %d, want %d", seed, got, want)
			}
		}
		if !r.end() {
			t.Fatalf("seed %d: something is left", seed)
		}
	}
}
