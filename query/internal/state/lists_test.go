package state

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestByRow wants all lists of each row together, in the order of sources, however many rows are put in order at once.
func TestByRow(t *testing.T) {
	const rows, sources = 3 * listsAtOnce / 4, 4
	rng := rand.New(rand.NewPCG(9, 9))
	want, of := map[uint32][]list{}, make([]Source, sources)
	for n := range of {
		m := &Maker{}
		for key := range uint32(rows) {
			if members := rng.IntN(3); members > 0 && rng.IntN(2) == 0 {
				from := uint32(len(m.p.members))
				m.AddSet(key, []uint32{7, 9}[:members])
				want[key] = append(want[key], list{uint32(n), from, uint32(len(m.p.members)), false})
			}
		}
		of[n].Partial = m.Done()
	}
	got := map[uint32][]list{}
	byRow(rows, of, nil, func(row uint32, lists []list) { got[row] = append(got[row], lists...) })
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%d rows have lists, want %d, or others", len(got), len(want))
	}
}
