package codec

import (
	"math"
	"slices"
	"testing"
)

// TestReplaced checks that a member is replaced at its place, and that the dictionary keeps its id: states name places.
func TestReplaced(t *testing.T) {
	w := &writer{}
	w.fixed(77)
	w.uint(3)
	for _, more := range []uint64{10, 10, 70} {
		w.uint(more)
	}
	read := func(b []byte) *Dictionary {
		t.Helper()
		d, err := ReadDictionary(b)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	d := read(w.pack(newCompressor(), dictionaryFormat))
	for member, want := range map[int64][2]int64{10: {0, 20}, 20: {10, 90}, 90: {20, math.MaxInt64}} {
		if before, after, has := d.Between(member); !has || before != want[0] || after != want[1] {
			t.Errorf("%d is between %d and %d, %t; want %v", member, before, after, has, want)
		}
	}
	if _, _, has := d.Between(21); has {
		t.Error("a number that is no member is one")
	}
	d.Replaced(20, 55)
	if got := read(d.Replaced(90, math.MaxInt64-1)); got.id != 77 ||
		!slices.Equal(got.values, []int64{10, 55, math.MaxInt64 - 1}) {
		t.Errorf("the dictionary is %+v", got)
	}
}
