package codec

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/internal/state"
)

// The stored bytes of an interval, one state for all aggregates of a set, in order:
//
//	how many aggregates there are
//	for each name of members of its sets: the id of their dictionary, and members that it lacks
//	for each name of members of its sets of texts: the texts
//	with keys: their texts; or, if these are in a dictionary, its id, texts that it lacks, and the places of all
//	for each aggregate how many bytes follow, and as bits: its keys, unless it has all, and a number of each; of a set
//	and a Sample the numbers of members or values of each key, and then these. Or, in place of all that, which
//	aggregate before has the same.
//
// Texts are in order, each without what it begins with as the one before does.
//
// Keys and members get new numbers when a state is loaded: see [Load].

// A StateSet is the aggregates that are stored together: over the same rows, by the same keys.
type StateSet struct {
	Aggregates []state.Aggregate
	KeyNames   string // as in Computed
	Keyed      bool   // otherwise keys are pieces of the stretch
	SharesKeys bool   // several state sets have these keys: their texts are in a dictionary
}

// membersOf are the names of members that aggregates of a kind have, each once.
func (bu *StateSet) membersOf(kind state.Kind) (names []string) {
	for _, a := range bu.Aggregates {
		if a.Kind == kind && !slices.Contains(names, a.Members) {
			names = append(names, a.Members)
		}
	}
	return names
}

// Dictionaries are the names of the dictionaries that some of its aggregates need: of members, and of keys.
func (bu *StateSet) Dictionaries(of []state.Aggregate) []string {
	names := (&StateSet{Aggregates: of}).membersOf(state.Set)
	if bu.SharesKeys {
		names = append(names, bu.keyDictionary())
	}
	return names
}

// ofKeys begins the names of the dictionaries of keys.
const ofKeys = "keys "

func (bu *StateSet) keyDictionary() string { return ofKeys + bu.KeyNames }

// A places tells the places that numbers have.
type places struct {
	id    uint64            // of the dictionary
	at    map[uint32]uint32 // by number
	lacks []uint32          // numbers that are not in the dictionary
}

func newPlaces(d *state.Dictionary) *places {
	p := &places{at: make(map[uint32]uint32, len(d.Numbers)), id: d.ID}
	for place, n := range d.Numbers {
		p.at[n] = uint32(place)
	}
	return p
}

// with is p for things with these numbers, too, which compare orders.
func (p *places) with(numbers []uint32, compare func(a, b uint32) int) *places {
	var lacks []uint32
	for _, n := range numbers {
		if _, ok := p.at[n]; !ok {
			lacks = append(lacks, n)
		}
	}
	if len(lacks) == 0 {
		return p
	}
	slices.SortFunc(lacks, compare)
	more := &places{id: p.id, at: make(map[uint32]uint32, len(p.at)+len(lacks)), lacks: lacks}
	for n, place := range p.at {
		more.at[n] = place
	}
	for i, n := range lacks {
		more.at[n] = uint32(len(p.at) + i)
	}
	return more
}

// allMembers are the numbers of all members of sets, each once.
func allMembers(of []*state.Partial) []uint32 {
	var all []uint32
	for _, p := range of {
		all = appendAll(p, all)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// appendAll appends the members of all keys of a set.
func appendAll(p *state.Partial, all []uint32) []uint32 {
	for i := range p.Keys() {
		all = p.AppendMembers(i, all)
	}
	return all
}
