package codec

import (
	"cmp"
	"slices"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/state"
)

// The content of a state, which has all aggregates of a set in an interval, in order:
//
//	the number of aggregates
//	for each name of members of its sets: the id of their dictionary
//	for each name of members of its sets of texts: the texts
//	with keys: their texts
//	for each aggregate the number of bytes that follow, and these: 0, the number of its keys, their places, and a number for each;
//	for a set and a Sample that is the number of members or values of the key, and these follow. An aggregate that is equal to an
//	earlier one has only the place of that one, from 1 on.
//
// Texts are in order. Keys and members get new numbers when a state is loaded.

// Encoded has the bytes to store for an interval.
type Encoded struct {
	States       [][]byte          // by state set
	Dictionaries map[string][]byte // by the name of their members: those that are new
}

// Encode encodes partials of an interval, by state set and aggregate. The sets of one call share dictionaries. It uses
// a dictionary in memory if that has all members. Otherwise it makes a new one, and states with the old one become
// unreadable once the new one is stored. The caller holds the lock of w.
func Encode(w Memory, of calendar.Interval, sets []*StateSet, found [][]*state.Partial) *Encoded {
	z := newCompressor()
	e, members := &Encoded{Dictionaries: map[string][]byte{}}, map[string][]uint32{}
	for i, set := range sets {
		set.appendMembers(found[i], members)
	}
	dictionaries := map[string]encoded{}
	for name, all := range members {
		slices.Sort(all)
		all = slices.Compact(all)
		d := w.Dictionary(name, of)
		if d == nil {
			d = &state.Dictionary{}
		}
		one := encoded{d.ID, placesOf(d.Numbers)}
		lacks := slices.DeleteFunc(all, func(n uint32) bool {
			_, ok := one.places[n]
			return ok
		})
		if len(lacks) > 0 || d.ID == 0 {
			made, content := newDictionary(w.MembersOf(name), append(slices.Clone(d.Numbers), lacks...))
			one = encoded{made.ID, placesOf(made.Numbers)}
			e.Dictionaries[name] = content.pack(z, dictionaryFormat)
			w.PutDictionary(name, of, made)
		}
		dictionaries[name] = one
	}
	for i, set := range sets {
		s := stateWriter{w: w, set: set, of: found[i], dictionaries: dictionaries,
			texts: map[string]map[uint32]uint32{}}
		s.write()
		e.States = append(e.States, s.pack(z, stateFormat))
	}
	return e
}

// An encoded dictionary has the places of numbers.
type encoded struct {
	id     uint64
	places map[uint32]uint32
}

// appendMembers appends the members of the sets among partials of s, by the name of their members.
func (s *StateSet) appendMembers(of []*state.Partial, members map[string][]uint32) {
	for i, a := range s.Aggregates {
		if a.Kind == state.Set {
			members[a.Members] = appendAll(of[i], members[a.Members])
		}
	}
}

// appendAll appends the members of all keys of a set.
func appendAll(p *state.Partial, all []uint32) []uint32 {
	for i := range p.Keys() {
		all = p.AppendMembers(i, all)
	}
	return all
}

// A stateWriter writes one state.
type stateWriter struct {
	writer
	w            Memory
	set          *StateSet
	of           []*state.Partial // by aggregate
	dictionaries map[string]encoded
	texts        map[string]map[uint32]uint32 // the places of texts, by the name of members and by number
	keys         map[uint32]uint32            // the places of keys, by number; nil: their numbers
}

func (s *stateWriter) write() {
	s.uint(uint64(len(s.of)))
	for _, name := range membersOf(state.Set, s.set.Aggregates) {
		s.fixed(s.dictionaries[name].id)
	}
	for _, name := range membersOf(state.TextSet, s.set.Aggregates) {
		var all []uint32
		for i, a := range s.set.Aggregates {
			if a.Kind == state.TextSet && a.Members == name {
				all = appendAll(s.of[i], all)
			}
		}
		s.texts[name] = s.writeTexts(name, all)
	}
	if s.set.Keyed {
		var all []uint32
		for _, p := range s.of {
			all = append(all, p.Keys()...)
		}
		s.keys = s.writeTexts(s.set.KeyNames, all)
	}
	for i := range s.of {
		s.bytes(s.aggregate(i))
	}
}

// writeTexts writes the texts with these numbers, in order, and returns their places.
func (s *stateWriter) writeTexts(name string, numbers []uint32) map[uint32]uint32 {
	texts := s.w.TextsOf(name)
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	slices.SortFunc(numbers, texts.Compare)
	s.writer.texts(texts, numbers)
	return placesOf(numbers)
}

// aggregate returns the bytes of the i-th aggregate.
func (s *stateWriter) aggregate(i int) []byte {
	w, a, p := writer{}, s.set.Aggregates[i], s.of[i]
	for same := range i {
		if !a.Kind.Lists() && !s.set.Aggregates[same].Kind.Lists() && s.of[same].Equal(p) {
			w.uint(uint64(same + 1))
			return w.b
		}
	}
	w.uint(0)
	order := s.writeKeys(&w, p)
	switch a.Kind {
	case state.Set:
		writeSet(&w, p, order, s.dictionaries[a.Members].places)
	case state.TextSet:
		writeSet(&w, p, order, s.texts[a.Members])
	case state.Sample:
		writeSample(&w, p, order)
	default:
		for _, i := range order {
			w.int(p.Value(i))
		}
	}
	return w.b
}

// writeKeys writes the number of keys of p and their places, and returns their indexes in the order of places.
func (s *stateWriter) writeKeys(w *writer, p *state.Partial) []int {
	keys := p.Keys()
	order, places := make([]int, len(keys)), slices.Clone(keys)
	for i, n := range keys {
		if order[i] = i; s.set.Keyed {
			places[i] = s.keys[n]
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(places[a], places[b]) })
	slices.Sort(places)
	w.uint(uint64(len(places)))
	w.ascending(places)
	return order
}

// writeSet writes how many members keys have, and the places of these.
func writeSet(w *writer, p *state.Partial, order []int, places map[uint32]uint32) {
	var members writer
	var all []uint32
	for _, i := range order {
		all = p.AppendMembers(i, all[:0])
		for j, n := range all {
			all[j] = places[n]
		}
		slices.Sort(all)
		w.uint(uint64(len(all)))
		members.ascending(all)
	}
	w.b = append(w.b, members.b...)
}

// writeSample writes how many values keys have, the first of each, and the differences of the others.
func writeSample(w *writer, p *state.Partial, order []int) {
	var values writer
	var all []int64
	for _, i := range order {
		all = p.AppendSample(i, all[:0])
		w.uint(uint64(len(all)))
		values.int(all[0])
		for j := 1; j < len(all); j++ {
			values.uint(uint64(all[j]) - uint64(all[j-1]))
		}
	}
	w.b = append(w.b, values.b...)
}
