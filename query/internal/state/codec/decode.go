package codec

import (
	"runtime"
	"slices"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/state"
)

// A StoredState is one that was read from a store.
type StoredState struct {
	Of           calendar.Interval
	Version      uint64
	State        []byte
	Dictionaries map[string]*Dictionary // by the name of their members: those that are not in memory
}

// Loaded has the partials that stored states were decoded into.
type Loaded struct {
	Of       []calendar.Interval
	Versions []uint64
	Partials [][]*state.Partial // by aggregate and interval
	// whose states cannot be read, since they are damaged or belong to a replaced dictionary
	Unread []calendar.Interval
}

// Load decodes some aggregates of stored states. Without keys, the width of a cell is width. Its error is a panic of
// reading them, if there was one; then Unread has the states that were not read. The caller holds the lock of
// w, and puts the partials there.
func Load(w Memory, set *StateSet, some []state.Aggregate, width int64, states []StoredState) (read Loaded,
	fault error) {
	readers, found := make([]*stateReader, len(states)), make([][]*state.Partial, len(states))
	atOnce := runtime.GOMAXPROCS(0)
	fault = Parallel(atOnce, len(states), func(i int) { readers[i] = newStateReader(set, &states[i]) })
	if fault == nil {
		fault = Parallel(1, len(states), func(i int) { readers[i].number(w, some, width) })
	}
	if fault == nil {
		fault = Parallel(atOnce, len(states), func(i int) { found[i] = readers[i].partials(some) })
	}
	read.Partials = make([][]*state.Partial, len(some))
	for i, one := range states {
		if found[i] == nil {
			read.Unread = append(read.Unread, one.Of)
			for _, name := range set.Dictionaries(some) { // the store may have others by now
				w.PutDictionary(name, one.Of, nil)
			}
			continue
		}
		read.Of, read.Versions = append(read.Of, one.Of), append(read.Versions, one.Version)
		for j, p := range found[i] {
			read.Partials[j] = append(read.Partials[j], p)
		}
	}
	return read, fault
}

// A stateReader reads one state in three steps: the frame, the numbers of texts and members, and the partials. Only the
// step in the middle needs the memory.
type stateReader struct {
	*reader
	set *StateSet
	*StoredState
	keys    []uint32         // their numbers, by place
	sorted  []uint64         // their numbers, ascending, each with its place in the lower half
	numbers [][]uint32       // of members, by aggregate and place
	stored  [][]byte         // by aggregate
	at      []int32          // which key of an aggregate has a place; -1: none
	known   []*state.Partial // that were read, by aggregate
	made    state.Maker
}

func newStateReader(set *StateSet, one *StoredState) *stateReader {
	n := len(set.Aggregates)
	return &stateReader{reader: unpack(stateFormat, one.State), set: set, StoredState: one,
		numbers: make([][]uint32, n), known: make([]*state.Partial, n)}
}

// number reads the state up to its aggregates, and finds the numbers of its keys, and of the members that some
// aggregates need.
func (r *stateReader) number(w Memory, some []state.Aggregate, width int64) {
	if r.uint() != uint64(len(r.set.Aggregates)) {
		r.fail()
	}
	ids := map[string]uint64{}
	for _, name := range membersOf(state.Set, r.set.Aggregates) {
		ids[name] = r.fixed()
	}
	for _, name := range membersOf(state.TextSet, r.set.Aggregates) {
		r.give(state.TextSet, name, r.numberTexts(w.TextsOf(name)))
	}
	if r.set.Keyed {
		r.keys = r.numberTexts(w.TextsOf(r.set.KeyNames))
	} else {
		for piece := range uint32((r.Of.To - r.Of.From) / width) {
			r.keys = append(r.keys, piece)
		}
	}
	for range r.set.Aggregates {
		r.stored = append(r.stored, r.bytes())
	}
	if !r.end() {
		r.fail()
		return
	}
	for _, name := range r.set.Dictionaries(some) {
		r.give(state.Set, name, r.members(w, name, ids[name], some))
	}
}

// give gives the numbers of members to the aggregates that have such.
func (r *stateReader) give(kind state.Kind, name string, numbers []uint32) {
	for i, a := range r.set.Aggregates {
		if a.Kind == kind && a.Members == name {
			r.numbers[i] = numbers
		}
	}
}

// members returns the numbers of the members in a dictionary, by their places. If some aggregates have less than half
// of the members, it numbers only these, since numbers take memory, and does not hold the dictionary in memory.
func (r *stateReader) members(w Memory, name string, id uint64, some []state.Aggregate) []uint32 {
	d, read := w.Dictionary(name, r.Of), r.Dictionaries[name]
	switch {
	case d != nil && d.ID == id:
		return d.Numbers
	case d != nil || read == nil || read.id != id:
		r.fail()
		return nil
	}
	var sets []int
	bytes := 0 // a member takes at least one
	for i, a := range r.set.Aggregates {
		if a.Kind == state.Set && a.Members == name && slices.Contains(some, a) {
			sets, bytes = append(sets, i), bytes+len(r.stored[i])
		}
	}
	if 2*bytes >= len(read.values) {
		return read.Keep(w, name, r.Of).Numbers
	}
	members, used, numbers := w.MembersOf(name), make([]bool, len(read.values)), make([]uint32, len(read.values))
	for _, i := range sets {
		one := r.aggregate(i, len(read.values))
		if one == nil {
			r.fail()
			return nil
		}
		for _, place := range one.members {
			used[place] = true
		}
	}
	for place, value := range read.values {
		if used[place] {
			numbers[place] = members.Number(value)
		}
	}
	return numbers
}

// partials returns the partials of some aggregates, or nil if the state is damaged.
func (r *stateReader) partials(some []state.Aggregate) []*state.Partial {
	if r.failed {
		return nil
	}
	r.at = make([]int32, len(r.keys))
	for place, n := range r.keys {
		r.sorted = append(r.sorted, uint64(n)<<32|uint64(place))
	}
	slices.Sort(r.sorted)
	found := make([]*state.Partial, len(some))
	for i, a := range some {
		at := slices.Index(r.set.Aggregates, a)
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

// An aggregate is the content of an aggregate: the places of its keys, and of each key a value, or several values or
// places of members.
type aggregate struct {
	same    int // which other one it is equal to, from 1 on; 0: none
	keys    []uint32
	ends    []int // of a set and a Sample: where those of each key end
	values  []int64
	members []uint32
}

// aggregate reads the i-th aggregate, or returns nil if it is damaged. Sets have members at places below a limit.
func (r *stateReader) aggregate(i, limit int) *aggregate {
	b, kind := &reader{b: r.stored[i]}, r.set.Aggregates[i].Kind
	one := &aggregate{same: int(min(b.uint(), uint64(i+1)))}
	if one.same == 0 {
		n := b.count()
		one.keys = b.ascending(make([]uint32, 0, n), n, len(r.keys))
		switch kind {
		case state.Set, state.TextSet:
			b.readSets(one, limit)
		case state.Sample:
			b.readSamples(one)
		default:
			one.values = make([]int64, len(one.keys))
			for j := range one.values {
				one.values[j] = b.int()
			}
		}
	}
	if !b.end() || one.same > i {
		return nil
	}
	return one
}

func (r *reader) readSets(one *aggregate, limit int) {
	one.ends = r.counts(len(one.keys))
	if r.failed || len(one.ends) == 0 {
		return
	}
	one.members = make([]uint32, 0, one.ends[len(one.ends)-1])
	for _, end := range one.ends {
		one.members = r.ascending(one.members, end-len(one.members), limit)
	}
}

func (r *reader) readSamples(one *aggregate) {
	one.ends = r.counts(len(one.keys))
	if r.failed || len(one.ends) == 0 {
		return
	}
	one.values = make([]int64, 0, one.ends[len(one.ends)-1])
	for _, end := range one.ends {
		value := r.int()
		one.values = append(one.values, value)
		for len(one.values) < end && !r.failed {
			next := int64(uint64(value) + r.uint())
			if next < value {
				r.fail()
				return
			}
			value = next
			one.values = append(one.values, value)
		}
	}
}

// partial returns the partial of one aggregate, or nil if it is damaged.
func (r *stateReader) partial(i int) *state.Partial {
	one, kind, numbers := r.aggregate(i, len(r.numbers[i])), r.set.Aggregates[i].Kind, r.numbers[i]
	if one == nil {
		return nil
	}
	if one.same > 0 {
		return r.copyOf(kind, one.same-1)
	}
	for place := range r.at {
		r.at[place] = -1
	}
	for j, place := range one.keys {
		r.at[place] = int32(j)
	}
	for j, place := range one.members {
		one.members[j] = numbers[place]
	}
	r.made.Reserve(len(one.keys), len(one.members), len(one.values))
	for _, both := range r.sorted {
		key, j, from := uint32(both>>32), r.at[uint32(both)], 0
		if j < 0 {
			continue
		}
		if j > 0 && kind.Lists() {
			from = one.ends[j-1]
		}
		switch kind {
		case state.Sample:
			r.made.AddSample(key, one.values[from:one.ends[j]])
		case state.Set, state.TextSet:
			r.made.AddSet(key, one.members[from:one.ends[j]])
		default:
			r.made.AddValue(key, one.values[j])
		}
	}
	return r.made.Done()
}

// copyOf returns a copy of the partial of an earlier aggregate, whose numbers an aggregate of a kind has. It returns
// nil if one of them has lists.
func (r *stateReader) copyOf(kind state.Kind, i int) *state.Partial {
	if kind.Lists() || r.set.Aggregates[i].Kind.Lists() {
		return nil
	}
	if r.known[i] == nil {
		if r.known[i] = r.partial(i); r.known[i] == nil {
			return nil
		}
	}
	copied := *r.known[i]
	return &copied
}
