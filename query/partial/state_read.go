package partial

import (
	"cmp"
	"slices"
)

// A stateReader reads one state. Its texts are numbered when it is made, then its members, and then any may
// read its partials at the same time as others read theirs.
type stateReader struct {
	*reader
	bu      *Bundle
	of      Stretch
	lacks   [][]int64  // by name of members: those that dictionaries lack
	ids     []uint64   // of dictionaries
	numbers [][]uint32 // of members, by aggregate and place
	keys    []uint32   // their numbers, by place
	sorted  []uint32   // their places, by number
	at      []int32    // what of an aggregate has a key, by its place; -1: nothing
	made    maker
}

// newStateReader reads what is before the partials of a state.
func (w *Website) newStateReader(bu *Bundle, one StoredState, width int64) *stateReader {
	r := &stateReader{reader: newReader(stateFormat, one.State), bu: bu, of: one.Of, numbers: make([][]uint32, len(bu.Aggregates))}
	if r.uint() != uint64(len(bu.Aggregates)) {
		r.fail()
	}
	for range bu.membersOf(Set) {
		r.ids = append(r.ids, r.fixed())
		lacks := make([]int64, r.count(8))
		for i := range lacks {
			lacks[i] = int64(r.fixed())
		}
		r.lacks = append(r.lacks, lacks)
	}
	for _, name := range bu.membersOf(TextSet) {
		r.give(TextSet, name, r.texts(w.keysCalled(name)))
	}
	if bu.Keyed {
		r.keys = r.texts(w.keysCalled(bu.KeyNames))
	} else {
		for piece := range (one.Of.To - one.Of.From) / width {
			r.keys = append(r.keys, uint32(piece))
		}
	}
	return r
}

// give gives the numbers of members to the aggregates that have such.
func (r *stateReader) give(kind Kind, name string, numbers []uint32) {
	for i, a := range r.bu.Aggregates {
		if a.Kind == kind && a.Members == name {
			r.numbers[i] = numbers
		}
	}
}

// number finds the numbers of the members of sets: those of these names are wanted.
func (r *stateReader) number(w *Website, wanted []string) {
	for i, name := range r.bu.membersOf(Set) {
		if r.failed || !slices.Contains(wanted, name) {
			continue
		}
		d := w.dictionary(dictionaryName{name, r.of})
		if d == nil || d.id != r.ids[i] {
			r.fail()
			continue
		}
		numbers, members := d.numbers, w.membersCalled(name)
		if len(r.lacks[i]) > 0 {
			numbers = slices.Clone(numbers)
		}
		for _, value := range r.lacks[i] {
			numbers = append(numbers, members.number(value))
		}
		r.give(Set, name, numbers)
	}
}

// partials makes those of some aggregates; nil where the state is damaged.
func (r *stateReader) partials(some []Aggregate) []*Partial {
	found := make([]*Partial, len(some))
	r.sort()
	for i, a := range r.bu.Aggregates {
		n := r.count(1)
		rest := r.b[n:]
		if wanted := slices.Index(some, a); wanted >= 0 {
			r.b = r.b[:n]
			if found[wanted] = r.partial(a.Kind, r.numbers[i]); r.failed || len(r.b) > 0 {
				return nil
			}
		}
		r.b = rest
	}
	if r.failed || len(r.b) > 0 || slices.Contains(found, nil) {
		return nil
	}
	return found
}

// texts numbers texts.
func (r *stateReader) texts(of *keys) []uint32 {
	numbers := make([]uint32, r.count(2))
	var text []byte
	for i := range numbers {
		same := r.uint()
		if same > uint64(len(text)) {
			r.fail()
			return nil
		}
		rest := r.text()
		if i > 0 && same < uint64(len(text)) && (len(rest) == 0 || rest[0] <= text[same]) || i > 0 && same == uint64(len(text)) && len(rest) == 0 {
			r.fail() // they are not in order
			return nil
		}
		text = append(text[:same], rest...)
		n, ok := of.numbers[string(text)]
		if !ok {
			n = of.number(string(text))
		}
		numbers[i] = n
	}
	return numbers
}

// sort puts keys in the order of their numbers.
func (r *stateReader) sort() {
	r.sorted, r.at = make([]uint32, len(r.keys)), make([]int32, len(r.keys))
	for place := range r.sorted {
		r.sorted[place] = uint32(place)
	}
	slices.SortFunc(r.sorted, func(a, b uint32) int { return cmp.Compare(r.keys[a], r.keys[b]) })
}

// partial reads that of one aggregate, whose members have these numbers.
func (r *stateReader) partial(kind Kind, numbers []uint32) *Partial {
	n := r.places()
	if r.failed {
		return nil
	}
	var values []int64
	var members []uint32
	ends := make([]int, n)
	if kind.Lists() {
		if values, members = r.lists(kind, ends, numbers); r.failed {
			return nil
		}
	} else {
		for range n {
			values = append(values, r.int())
		}
	}
	for _, place := range r.sorted {
		i, from := r.at[place], 0
		switch {
		case i < 0:
			continue
		case i > 0:
			from = ends[i-1] // 0 where there is one value for each key
		}
		switch key := r.keys[place]; {
		case kind == Sample:
			r.made.addSample(key, values[from:ends[i]])
		case kind.Lists():
			r.made.addSet(key, members[from:ends[i]])
		default:
			r.made.addValue(key, values[i])
		}
	}
	return r.made.done()
}

// lists reads the samples or the members of each key, one after the other, and where those of each end.
func (r *stateReader) lists(kind Kind, ends []int, numbers []uint32) (values []int64, members []uint32) {
	all := uint64(0)
	for i := range ends {
		ends[i] = int(r.uint())
		all += uint64(ends[i])
	}
	n := r.count(1)
	listed := bitReader{b: r.b[:n]}
	r.b = r.b[n:]
	if all > 8*uint64(n) { // each takes a bit at least
		r.fail()
		return nil, nil
	}
	if kind == Sample {
		values = make([]int64, 0, all)
	} else {
		members = make([]uint32, 0, all)
	}
	for i, many := range ends {
		if many < 1 || many > 8*n || listed.failed || r.failed {
			r.fail()
			return nil, nil
		}
		if kind == Sample {
			values = readSample(&listed, many, values)
		} else {
			members = readSet(&listed, many, members, numbers)
		}
		ends[i] = max(len(values), len(members))
	}
	if listed.failed {
		r.fail()
	}
	return values, members
}

// places reads which keys an aggregate has into r.at, and tells how many.
func (r *stateReader) places() int {
	n := r.uint()
	if n == 0 {
		for place := range r.at {
			r.at[place] = int32(place)
		}
		return len(r.at)
	}
	for place := range r.at {
		r.at[place] = -1
	}
	at, most := uint64(0), uint64(len(r.at))
	for i := range n - 1 {
		step := r.uint()
		if step >= most-at { // at is never more than most
			r.fail()
			return 0
		}
		at += step
		r.at[at] = int32(i)
		at++
	}
	return int(n - 1)
}

func readSample(r *bitReader, n int, values []int64) []int64 {
	value := int64(r.read(min(uint(r.read(7)), 64)))
	low := uint(r.read(6))
	values = append(values, value)
	for range n - 1 {
		next := int64(uint64(value) + r.rice(low))
		if next < value || r.failed {
			r.failed = true
			return values
		}
		value = next
		values = append(values, value)
	}
	return values
}

// readSet appends the numbers of the members of a key.
func readSet(r *bitReader, n int, members, numbers []uint32) []uint32 {
	low, at, most := lowBits(uint64(len(numbers)), n), uint64(0), uint64(len(numbers))
	for range n {
		step := r.rice(low)
		if step >= most-at || r.failed {
			r.failed = true
			return members
		}
		at += step
		members = append(members, numbers[at])
		at++
	}
	return members
}
