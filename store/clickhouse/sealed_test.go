package clickhouse

import "testing"

// A seal is valid while the versions of the days that it was computed from stay the same, and then at least as new as
// each of them.
func TestSealedOfADay(t *testing.T) {
	t.Parallel()
	d := &dayStates{
		versions: map[int32]uint64{1: 5, 2: 9, 3: 7, 9: 100},
		seals: map[int32]daySeal{
			2:  {first: 0, last: 3, version: 5 + 9 + 7},
			3:  {first: 1, last: 4, version: 5 + 9 + 6}, // a late row came
			20: {first: 19, last: 21},                   // without rows
		},
	}
	for day, want := range map[int32]uint64{2: 9, 3: 0, 9: 0, 20: 1} {
		if got := d.sealed(day); got != want {
			t.Errorf("day %d is sealed at %d, want %d", day, got, want)
		}
	}
}
