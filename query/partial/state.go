package partial

import (
	"cmp"
	"math/bits"
	"slices"
)

// What is stored of a stretch, one state for all aggregates of a bundle, in order:
//
//	how many aggregates there are
//	for each name of members of its sets: the id of their dictionary, and members that it lacks
//	for each name of members of its sets of texts: the texts
//	with keys: their texts
//	for each aggregate how many bytes follow, its keys, unless it has all, and what it has of each: a number; or how
//	many samples or members, and then the bits of all of these
//
// Texts are in order, each without what it begins with as the one before does.
//
// Keys and members are numbered anew when a state is loaded: see [Website.Load].

// A Bundle is the aggregates that are stored together: over the same rows, by the same keys.
type Bundle struct {
	Aggregates []Aggregate
	KeyNames   string // as in Computed
	Keyed      bool   // otherwise keys are pieces of the stretch
}

// membersOf are the names of members that aggregates of a kind have, each once.
func (bu *Bundle) membersOf(kind Kind) (names []string) {
	for _, a := range bu.Aggregates {
		if a.Kind == kind && !slices.Contains(names, a.Members) {
			names = append(names, a.Members)
		}
	}
	return names
}

// Dictionaries are the names of the members, of the sets among some of its aggregates, that are in dictionaries.
func (bu *Bundle) Dictionaries(of []Aggregate) []string {
	return (&Bundle{Aggregates: of}).membersOf(Set)
}

// A placing tells the places that numbers have.
type placing struct {
	id    uint64            // of the dictionary
	at    map[uint32]uint32 // by number
	lacks []uint32          // numbers that are not in the dictionary
}

func newPlacing(d *dictionary) *placing {
	p := &placing{at: make(map[uint32]uint32, len(d.numbers)), id: d.id}
	for place, n := range d.numbers {
		p.at[n] = uint32(place)
	}
	return p
}

// with is p for sets with these numbers, too.
func (p *placing) with(numbers []uint32, of *members) *placing {
	var lacks []uint32
	for _, n := range numbers {
		if _, ok := p.at[n]; !ok {
			lacks = append(lacks, n)
		}
	}
	if len(lacks) == 0 {
		return p
	}
	slices.SortFunc(lacks, func(a, b uint32) int { return cmp.Compare(of.values[a], of.values[b]) })
	more := &placing{id: p.id, at: make(map[uint32]uint32, len(p.at)+len(lacks)), lacks: lacks}
	for n, place := range p.at {
		more.at[n] = place
	}
	for i, n := range lacks {
		more.at[n] = uint32(len(p.at) + i)
	}
	return more
}

// allMembers are the numbers of all members of sets, each once.
func allMembers(of []*Partial) []uint32 {
	var all []uint32
	for _, p := range of {
		all = p.appendAll(all)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// appendAll appends the members of all keys of a set.
func (p *Partial) appendAll(all []uint32) []uint32 {
	for i := range p.keys {
		all = p.appendMembers(i, all)
	}
	return all
}

// appendMembers appends those of the i-th key.
func (p *Partial) appendMembers(i int, all []uint32) []uint32 {
	from, to := p.span(i)
	return list{0, from, to, p.dense != nil && p.dense[i]}.appendMembers(all, []Source{{Partial: p}})
}

// A stateEncoder writes one state.
type stateEncoder struct {
	*encoder
	keys   map[uint32]uint32 // their places, by number
	keyed  bool              // otherwise the numbers of keys are their places
	places map[string]*placing
	buffer []uint32
}

// encodeState is what is stored of partials, one for each aggregate.
func (w *Website) encodeState(bu *Bundle, of []*Partial, dictionaries map[string]*placing) []byte {
	e := stateEncoder{encoder: newEncoder(stateFormat), places: map[string]*placing{}, keyed: bu.Keyed}
	e.uint(uint64(len(of)))
	setsOf := func(kind Kind, members string) (sets []*Partial) {
		for i, a := range bu.Aggregates {
			if a.Kind == kind && a.Members == members {
				sets = append(sets, of[i])
			}
		}
		return sets
	}
	for _, name := range bu.membersOf(Set) {
		members := w.membersCalled(name)
		p := dictionaries[name].with(allMembers(setsOf(Set, name)), members)
		e.places[name] = p
		e.fixed(p.id)
		e.uint(uint64(len(p.lacks)))
		for _, n := range p.lacks {
			e.fixed(uint64(members.values[n]))
		}
	}
	for _, name := range bu.membersOf(TextSet) {
		e.places[textPlaces+name] = &placing{at: e.texts(w.keysCalled(name).texts, allMembers(setsOf(TextSet, name)))}
	}
	if bu.Keyed {
		var all []uint32
		for _, p := range of {
			all = append(all, p.keys...)
		}
		slices.Sort(all)
		e.keys = e.texts(w.keysCalled(bu.KeyNames).texts, slices.Compact(all))
	}
	for i, a := range bu.Aggregates {
		before := e.b
		e.b = nil
		e.partial(a, of[i])
		one := e.b
		e.b = before
		e.uint(uint64(len(one)))
		e.b = append(e.b, one...)
	}
	return e.done()
}

// textPlaces tells the places of texts from those in dictionaries.
const textPlaces = "texts "

// texts writes those with these numbers, and tells their places.
func (e *stateEncoder) texts(texts []string, numbers []uint32) map[uint32]uint32 {
	places, before := make(map[uint32]uint32, len(numbers)), ""
	slices.SortFunc(numbers, func(a, b uint32) int { return cmp.Compare(texts[a], texts[b]) })
	e.uint(uint64(len(numbers)))
	for place, n := range numbers {
		same, text := 0, texts[n]
		for same < min(len(text), len(before)) && text[same] == before[same] {
			same++
		}
		e.uint(uint64(same))
		e.text(text[same:])
		places[n], before = uint32(place), text
	}
	return places
}

func (e *stateEncoder) partial(a Aggregate, p *Partial) {
	order, w := e.order(p), bitWriter{}
	for _, i := range order {
		switch {
		case a.Kind == Set:
			e.set(&w, p, i, e.places[a.Members])
		case a.Kind == TextSet:
			e.set(&w, p, i, e.places[textPlaces+a.Members])
		case a.Kind == Sample:
			e.sample(&w, p.values.slice(p.span(i)))
		default:
			e.int(p.values.at(i))
		}
	}
	if a.Kind.Lists() {
		listed := w.done()
		e.uint(uint64(len(listed)))
		e.b = append(e.b, listed...)
	}
}

// order writes how many keys p has and one more, or 0 where it has all of the state, and their places; and tells
// the order of these.
func (e *stateEncoder) order(p *Partial) []int {
	order := make([]int, len(p.keys))
	place := func(i int) int64 { return int64(p.keys[i]) }
	if e.keyed {
		place = func(i int) int64 { return int64(e.keys[p.keys[i]]) }
	}
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(place(a), place(b)) })
	if e.keyed && len(order) == len(e.keys) {
		e.uint(0)
		return order
	}
	e.uint(uint64(len(order)) + 1)
	before := int64(-1)
	for _, i := range order {
		e.uint(uint64(place(i) - before - 1))
		before = place(i)
	}
	return order
}

// sample writes how many values a key has, and to w the first, how many bits are lower ones, and the differences.
func (e *stateEncoder) sample(w *bitWriter, values numbers) {
	n := values.len()
	e.uint(uint64(n))
	first := uint64(values.at(0))
	width := uint(bits.Len64(first))
	w.write(uint64(width), 7)
	w.write(first, width)
	low := lowBits(uint64(values.at(n-1))-first, n)
	w.write(uint64(low), 6)
	for i := 1; i < n; i++ {
		w.rice(uint64(values.at(i))-uint64(values.at(i-1)), low)
	}
}

// set writes how many members a key has, and their places to w.
func (e *stateEncoder) set(w *bitWriter, p *Partial, i int, places *placing) {
	e.buffer = p.appendMembers(i, e.buffer[:0])
	for j, n := range e.buffer {
		e.buffer[j] = places.at[n]
	}
	slices.Sort(e.buffer)
	e.uint(uint64(len(e.buffer)))
	low, before := lowBits(uint64(len(places.at)), len(e.buffer)), int64(-1)
	for _, place := range e.buffer {
		w.rice(uint64(int64(place)-before-1), low)
		before = int64(place)
	}
}
