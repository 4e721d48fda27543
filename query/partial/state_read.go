package partial

import (
	"cmp"
	"slices"
)

// A stateReader reads one state.
type stateReader struct {
	*reader
	keys    []uint32   // their numbers, by place
	sorted  []uint32   // their places, by number
	at      []int32    // what of an aggregate has a key, by its place; -1: nothing
	numbers [][]uint32 // of members, by aggregate and place
	made    maker
}

// readState makes the partials of some aggregates of a stored state. The dictionaries are those of their names of members.
func (w *Website) readState(bu *Bundle, some []Aggregate, s Stretch, width int64, stored []byte, dictionaries map[string]*dictionary) ([]*Partial, error) {
	r := stateReader{reader: newReader(stateFormat, stored), numbers: make([][]uint32, len(bu.Aggregates))}
	if r.uint() != uint64(len(bu.Aggregates)) {
		return nil, ErrDamaged
	}
	r.readMembers(w, bu, dictionaries)
	if bu.Keyed {
		r.keys = r.texts(w.keysCalled(bu.KeyNames))
	} else {
		for piece := range (s.To - s.From) / width {
			r.keys = append(r.keys, uint32(piece))
		}
	}
	r.sort()
	found := make([]*Partial, len(some))
	for i, a := range bu.Aggregates {
		n := r.count(1)
		rest := r.b[n:]
		if wanted := slices.Index(some, a); wanted >= 0 {
			r.b = r.b[:n]
			if found[wanted] = r.partial(a.Kind, r.numbers[i]); r.failed || len(r.b) > 0 {
				return nil, ErrDamaged
			}
		}
		r.b = rest
	}
	if r.failed || len(r.b) > 0 || slices.Contains(found, nil) {
		return nil, ErrDamaged
	}
	return found, nil
}

// readMembers finds the numbers of the members of all sets.
func (r *stateReader) readMembers(w *Website, bu *Bundle, dictionaries map[string]*dictionary) {
	give := func(kind Kind, name string, numbers []uint32) {
		for i, a := range bu.Aggregates {
			if a.Kind == kind && a.Members == name {
				r.numbers[i] = numbers
			}
		}
	}
	for _, name := range bu.membersOf(Set) {
		id, n := r.fixed(), r.count(8)
		d := dictionaries[name]
		if d == nil { // no set of these members is wanted
			r.b = r.b[8*n:]
			continue
		}
		numbers := d.numbers
		if id != d.id {
			r.fail()
		}
		if n > 0 {
			numbers = slices.Clone(numbers)
			members := w.membersCalled(name)
			for range n {
				numbers = append(numbers, members.number(int64(r.fixed())))
			}
		}
		give(Set, name, numbers)
	}
	for _, name := range bu.membersOf(TextSet) {
		give(TextSet, name, r.texts(w.keysCalled(name)))
	}
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
