package codec

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/state"
)

// A stateReader reads one state. Its texts are numbered when it is made, then its members, and then any may
// read its partials at the same time as others read theirs.
type stateReader struct {
	*reader
	bu      *StateSet
	of      calendar.Interval
	lacks   [][]int64 // by name of members: those that dictionaries lack
	ids     []uint64  // of dictionaries
	read    map[string]*Dictionary
	stored  [][]byte         // by aggregate
	numbers [][]uint32       // of members, by aggregate and place
	keys    []uint32         // their numbers, by place
	sorted  []uint32         // their places, by number
	at      []int32          // what of an aggregate has a key, by its place; -1: nothing
	known   []*state.Partial // that were read, by aggregate
	made    state.Maker
}

// newStateReader reads what is before the partials of a state.
func newStateReader(w Shelf, bu *StateSet, one StoredState, width int64) *stateReader {
	r := &stateReader{reader: newReader(stateFormat, one.State), bu: bu, of: one.Of, read: one.Dictionaries, numbers: make([][]uint32, len(bu.Aggregates))}
	if r.uint() != uint64(len(bu.Aggregates)) {
		r.fail()
	}
	for range bu.membersOf(state.Set) {
		r.ids = append(r.ids, r.fixed())
		lacks := make([]int64, r.count(8))
		for i := range lacks {
			lacks[i] = int64(r.fixed())
		}
		r.lacks = append(r.lacks, lacks)
	}
	for _, name := range bu.membersOf(state.TextSet) {
		numbers, _ := r.numberTexts(w.TextsOf(name))
		r.give(state.TextSet, name, numbers)
	}
	switch {
	case bu.SharesKeys:
		r.sharedKeys(w)
	case bu.Keyed:
		r.keys, _ = r.numberTexts(w.TextsOf(bu.KeyNames))
		r.sorted = placesByNumber(r.keys)
	default:
		for piece := range uint32((one.Of.To - one.Of.From) / width) {
			r.keys, r.sorted = append(r.keys, piece), append(r.sorted, piece)
		}
	}
	for range bu.Aggregates {
		r.stored = append(r.stored, r.bytes())
	}
	if len(r.b) > 0 {
		r.fail()
	}
	r.at = make([]int32, len(r.keys))
	return r
}

// sharedKeys reads keys that are in a dictionary.
func (r *stateReader) sharedKeys(w Shelf) {
	d, id := w.Dictionary(r.bu.keyDictionary(), r.of), r.fixed()
	lacks, _ := r.numberTexts(w.TextsOf(r.bu.KeyNames))
	some := bitReader{b: r.bytes()}
	if d == nil || id != d.ID {
		r.fail()
	}
	if r.failed {
		return
	}
	numbers, sorted := d.Numbers, d.Sorted
	if len(lacks) > 0 {
		numbers = append(slices.Clone(numbers), lacks...)
		sorted = placesByNumber(numbers)
	}
	places := some.places(len(numbers), len(numbers))
	if !some.end() {
		r.fail()
		return
	}
	at := make([]int32, len(numbers)) // one more than the place among those of the state
	for i, place := range places {
		at[place] = int32(i + 1)
		r.keys = append(r.keys, numbers[place])
	}
	for _, place := range sorted {
		if at[place] > 0 {
			r.sorted = append(r.sorted, uint32(at[place]-1))
		}
	}
}

// give gives the numbers of members to the aggregates that have such.
func (r *stateReader) give(kind state.Kind, name string, numbers []uint32) {
	for i, a := range r.bu.Aggregates {
		if a.Kind == kind && a.Members == name {
			r.numbers[i] = numbers
		}
	}
}

// number finds the numbers of the members that sets among some aggregates have.
func (r *stateReader) number(w Shelf, some []state.Aggregate) {
	for i, name := range r.bu.membersOf(state.Set) {
		if r.failed || !slices.ContainsFunc(some, func(a state.Aggregate) bool { return a.Kind == state.Set && a.Members == name }) {
			continue
		}
		var numbers []uint32
		members, d, read := w.MembersOf(name), w.Dictionary(name, r.of), r.read[name]
		switch {
		case d != nil && d.ID == r.ids[i]:
			if numbers = d.Numbers; len(r.lacks[i]) > 0 {
				numbers = slices.Clone(numbers)
			}
		case d == nil && read != nil && read.id == r.ids[i]:
			numbers = r.numberUsed(members, some, name, read.values, len(r.lacks[i]))
		default:
			r.fail()
			continue
		}
		for _, value := range r.lacks[i] {
			numbers = append(numbers, members.Number(value))
		}
		r.give(state.Set, name, numbers)
	}
}

// numberUsed numbers the values of a dictionary that sets among some aggregates have; others have no numbers. The state has so many
// members that the dictionary lacks.
func (r *stateReader) numberUsed(members *state.Members, some []state.Aggregate, name string, values []int64, lacks int) []uint32 {
	places, used, numbers := make([]uint32, len(values)+lacks), make([]bool, len(values)+lacks), make([]uint32, len(values))
	for place := range places {
		places[place] = uint32(place)
	}
	r.eachSet(some, name, func(b *bitReader, counts []int64) {
		for _, place := range b.sets(counts, places) {
			used[place] = true
		}
		if !b.end() {
			r.fail()
		}
	})
	for place, value := range values {
		if used[place] {
			numbers[place] = members.Number(value)
		}
	}
	return numbers
}

// hasFew reports whether sets among some aggregates have less than half of the members of their dictionary, which is not in memory.
func (r *stateReader) hasFew(some []state.Aggregate, name string) bool {
	if r.read[name] == nil {
		return false
	}
	all := int64(0)
	r.eachSet(some, name, func(b *bitReader, counts []int64) { all += b.sum(counts) })
	return 2*all < int64(len(r.read[name].values))
}

// eachSet calls what with how many members each key has, for the sets among some aggregates with members of this name.
func (r *stateReader) eachSet(some []state.Aggregate, name string, what func(b *bitReader, counts []int64)) {
	for i, a := range r.bu.Aggregates {
		if a.Kind == state.Set && a.Members == name && slices.Contains(some, a) && !r.failed {
			b := &bitReader{b: r.stored[i]}
			if same := b.golomb(0); same == 0 {
				what(b, b.numbers(r.readKeys(b)))
			}
		}
	}
}

// partials returns the partials of some aggregates, or nil if the state is damaged.
func (r *stateReader) partials(some []state.Aggregate) []*state.Partial {
	if r.failed {
		return nil
	}
	r.known = make([]*state.Partial, len(r.stored))
	found := make([]*state.Partial, len(some))
	for i, a := range some {
		at := slices.Index(r.bu.Aggregates, a)
		if at < 0 {
			return nil
		}
		if found[i] = r.partial(at); found[i] == nil {
			return nil
		}
		r.known[at] = found[i]
	}
	return found
}

// partial returns the partial of one aggregate, or nil if it is damaged.
func (r *stateReader) partial(i int) *state.Partial {
	b, kind := &bitReader{b: r.stored[i]}, r.bu.Aggregates[i].Kind
	if same := b.golomb(0); same > 0 {
		if same > uint64(i) || kind.Lists() || r.bu.Aggregates[same-1].Kind.Lists() || !b.end() {
			return nil
		}
		if r.known[same-1] == nil {
			r.known[same-1] = r.partial(int(same - 1))
		}
		if r.known[same-1] == nil {
			return nil
		}
		copied := *r.known[same-1]
		return &copied
	}
	ends := b.numbers(r.readKeys(b))
	values, members := ends, []uint32(nil)
	switch kind {
	case state.Sample:
		values = b.samples(ends)
	case state.Set, state.TextSet:
		members = b.sets(ends, r.numbers[i])
	}
	if !b.end() {
		return nil
	}
	r.made.Reserve(len(ends), len(members), len(values))
	for _, place := range r.sorted {
		i := r.at[place]
		if i < 0 {
			continue
		}
		from := int64(0)
		if i > 0 {
			from = ends[i-1] // 0 where there is one value for each key
		}
		switch key := r.keys[place]; kind {
		case state.Sample:
			r.made.AddSample(key, values[from:ends[i]])
		case state.Set, state.TextSet:
			r.made.AddSet(key, members[from:ends[i]])
		default:
			r.made.AddValue(key, values[i])
		}
	}
	return r.made.Done()
}

// readKeys reads which keys an aggregate has into r.at, and tells how many.
func (r *stateReader) readKeys(b *bitReader) int {
	all := anyPlaces
	if r.bu.Keyed {
		all = len(r.at)
	}
	places := b.places(len(r.at), all)
	for place := range r.at {
		r.at[place] = -1
	}
	for i, place := range places {
		r.at[place] = int32(i)
	}
	return len(places)
}
