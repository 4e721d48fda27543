package codec

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/state"
	"github.com/sightline-analytics/sightline/query/internal/state/statetest"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// TestOtherDictionary checks that a state is not read with a dictionary in memory that another process made, and that
// this dictionary is forgotten then.
func TestOtherDictionary(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 7))
	all := statetest.Diverse(rng)
	p := newProcess(t, rng, all)
	set := &StateSet{KeyNames: "key", Keyed: p.Keyed, Aggregates: statetest.Aggregates()}
	e := p.encode([]*StateSet{set}, 0)
	o := p.other(t, rng, all)
	o.partials = o.compute(t, rng, all, o.Stretches)
	o.encode([]*StateSet{set}, 0) // makes a dictionary
	if o.load(set, 0, e.States[0], readable(e.Dictionaries)) {
		t.Error("a state is read with another dictionary in memory")
	}
	if !o.load(set, 0, e.States[0], readable(e.Dictionaries)) {
		t.Error("the other dictionary is still in memory")
	}
}

// setOf returns the partial of a set without keys, in the first cell of a day.
func setOf(t *testing.T, numbers *memory, of calendar.Interval, members ...int64) *state.Partial {
	t.Helper()
	n := len(members)
	ints := func(v []int64) store.Column { return store.Column{Kind: dialect.Int, Ints: v} }
	made, err := (&state.Computed{Stretches: []calendar.Interval{of}, Versions: []uint64{1}, Width: statetest.Cell,
		Count:      0,
		Rows:       &store.Rows{Len: n, Columns: []store.Column{ints(make([]int64, n)), ints(members)}},
		Aggregates: []state.Aggregate{{Kind: state.Set, Members: "m"}}, Columns: []int{1}}).Build(numbers.Numbering)
	if err != nil {
		t.Fatal(err)
	}
	return made[0][0]
}

// TestDictionaryGrows checks that a dictionary that lacks members is replaced by one that has the members of all
// states.
func TestDictionaryGrows(t *testing.T) {
	day, site := calendar.Interval{From: 0, To: 4 * statetest.Cell}, newMemory()
	set := &StateSet{Aggregates: []state.Aggregate{{Kind: state.Set, Members: "m"}}}
	stored := map[string][]byte{}
	for i, c := range []struct {
		members []int64
		grows   bool
	}{{[]int64{7, 9}, true}, {[]int64{8}, true}, {[]int64{7, 9}, false}, {[]int64{7, 8, 9}, false}} {
		e := Encode(site, day, []*StateSet{set}, [][]*state.Partial{{setOf(t, site, day, c.members...)}})
		for name, bytes := range e.Dictionaries {
			stored[name] = bytes
		}
		if grows := len(e.Dictionaries) > 0; grows != c.grows {
			t.Errorf("state %d: a new dictionary: %t, want %t", i, grows, c.grows)
		}
		other := newMemory()
		read, fault := Load(other, set, set.Aggregates, statetest.Cell,
			[]StoredState{{Of: day, State: e.States[0], Dictionaries: readable(stored)}})
		if fault != nil || len(read.Unread) > 0 {
			t.Fatalf("state %d cannot be read: %v", i, fault)
		}
		got := map[int64]bool{}
		for _, n := range read.Partials[0][0].AppendMembers(0, nil) {
			got[other.MembersOf("m").Value(n)] = true
		}
		for _, member := range c.members {
			if !got[member] || len(got) != len(c.members) {
				t.Errorf("state %d has the members %v, want %v", i, got, c.members)
			}
		}
	}
}

// TestDictionaryDamage checks that content with a right checksum is rejected if its members do not ascend, or if it has
// more or less bytes than members.
func TestDictionaryDamage(t *testing.T) {
	for _, c := range []struct {
		content []byte
		damaged bool
	}{
		{[]byte{1, 0, 0, 0, 0, 0, 0, 0, 2, 5, 1}, false},
		{[]byte{1, 0, 0, 0, 0, 0, 0, 0, 0}, false},
		{[]byte{1, 0, 0, 0, 0, 0, 0, 0, 2, 5, 0}, true},
		{[]byte{1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 5}, true},
		{[]byte{1, 0, 0, 0, 0, 0, 0, 0, 2, 5, 1, 1}, true},
		{[]byte{1, 0, 0, 0, 0, 0, 0, 0, 3, 5, 1}, true},
		{[]byte{1, 0, 0, 0, 0, 0, 0}, true},
	} {
		_, err := ReadDictionary((&writer{c.content}).pack(newCompressor(), dictionaryFormat))
		if damaged := errors.Is(err, ErrDamaged); damaged != c.damaged || err != nil && !damaged {
			t.Errorf("%v: error %v, want damage: %t", c.content, err, c.damaged)
		}
	}
}
