package codec

import (
	"cmp"
	"slices"

	"github.com/sightline-analytics/sightline/query/internal/state"
)

// A stateEncoder writes one state.
type stateEncoder struct {
	*encoder
	w      Shelf
	bu     *StateSet
	of     []*state.Partial  // by aggregate
	keys   map[uint32]uint32 // their places, by number
	places map[string]*places
	buffer []uint32
}

// encodeState returns the stored bytes of partials, one for each aggregate.
func encodeState(w Shelf, bu *StateSet, of []*state.Partial, dictionaries map[string]*places) []byte {
	e := stateEncoder{encoder: newEncoder(stateFormat), w: w, bu: bu, of: of, places: map[string]*places{}}
	e.uint(uint64(len(of)))
	for _, name := range bu.membersOf(state.Set) {
		members := w.MembersOf(name)
		p := dictionaries[name].with(allMembers(e.sets(state.Set, name)), members.Compare)
		e.places[name] = p
		e.fixed(p.id)
		e.uint(uint64(len(p.lacks)))
		for _, n := range p.lacks {
			e.fixed(uint64(members.Value(n)))
		}
	}
	for _, name := range bu.membersOf(state.TextSet) {
		texts, all := w.TextsOf(name), allMembers(e.sets(state.TextSet, name))
		slices.SortFunc(all, texts.Compare)
		e.texts(texts, all)
		e.places[textPlaces+name] = newPlaces(&state.Dictionary{Numbers: all})
	}
	if bu.Keyed {
		e.keyTexts(dictionaries[bu.keyDictionary()])
	}
	for i := range bu.Aggregates {
		one := e.aggregate(i)
		e.uint(uint64(len(one)))
		e.b = append(e.b, one...)
	}
	return e.done()
}

// sets returns the sets of a kind with these members.
func (e *stateEncoder) sets(kind state.Kind, members string) (sets []*state.Partial) {
	for i, a := range e.bu.Aggregates {
		if a.Kind == kind && a.Members == members {
			sets = append(sets, e.of[i])
		}
	}
	return sets
}

// textPlaces distinguishes places of texts from places in dictionaries.
const textPlaces = "texts "

// keyTexts writes the texts of keys. It writes texts in the dictionary as their places.
func (e *stateEncoder) keyTexts(dictionary *places) {
	texts, all := e.w.TextsOf(e.bu.KeyNames), allKeys(e.of)
	e.keys = make(map[uint32]uint32, len(all))
	if e.bu.SharesKeys {
		p := dictionary.with(all, texts.Compare)
		e.fixed(p.id)
		e.texts(texts, p.lacks)
		slices.SortFunc(all, func(a, b uint32) int { return cmp.Compare(p.at[a], p.at[b]) })
		w := bitWriter{}
		e.buffer = e.buffer[:0]
		for _, n := range all {
			e.buffer = append(e.buffer, p.at[n])
		}
		w.places(e.buffer, len(p.at))
		e.bytes(w.done())
	} else {
		slices.SortFunc(all, texts.Compare)
		e.texts(texts, all)
	}
	for place, n := range all {
		e.keys[n] = uint32(place)
	}
}

// allKeys are the keys of partials, each once.
func allKeys(of []*state.Partial) []uint32 {
	var all []uint32
	for _, p := range of {
		all = append(all, p.Keys()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// aggregate returns the stored bytes of one aggregate.
func (e *stateEncoder) aggregate(i int) []byte {
	w, a, p := bitWriter{}, e.bu.Aggregates[i], e.of[i]
	for same := range i {
		if !a.Kind.Lists() && !e.bu.Aggregates[same].Kind.Lists() && e.of[same].Equal(p) {
			w.golomb(uint64(same+1), 0)
			return w.done()
		}
	}
	w.golomb(0, 0)
	order := e.order(&w, p)
	switch a.Kind {
	case state.Set:
		e.set(&w, p, order, e.places[a.Members])
	case state.TextSet:
		e.set(&w, p, order, e.places[textPlaces+a.Members])
	case state.Sample:
		samples(&w, p, order)
	default:
		values := make([]int64, len(order))
		for j, i := range order {
			values[j] = p.Value(i)
		}
		w.numbers(values)
	}
	return w.done()
}

// order writes the places of the keys of p, and tells the order of these.
func (e *stateEncoder) order(w *bitWriter, p *state.Partial) []int {
	order, all := make([]int, len(p.Keys())), anyPlaces
	place := func(i int) uint32 { return p.Keys()[i] }
	if e.bu.Keyed {
		place = func(i int) uint32 { return e.keys[p.Keys()[i]] }
		all = len(e.keys)
	}
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(place(a), place(b)) })
	e.buffer = e.buffer[:0]
	for _, i := range order {
		e.buffer = append(e.buffer, place(i))
	}
	w.places(e.buffer, all)
	return order
}

// anyPlaces says that it is not known how many places there are.
const anyPlaces = -1

// places writes how many of all places, which are ascending, and which.
func (w *bitWriter) places(some []uint32, all int) {
	w.signed(int64(len(some)))
	if len(some) == all || len(some) == 0 {
		return
	}
	last, next := some[len(some)-1], uint32(0)
	w.signed(int64(last))
	low := lowBits(uint64(last), len(some))
	for _, place := range some {
		w.rice(uint64(place-next), low)
		next = place + 1
	}
}

// samples writes how many values keys have, the first of each, and the differences of the others.
func samples(w *bitWriter, p *state.Partial, order []int) {
	counts, firsts, all := make([]int64, len(order)), make([]int64, len(order)), make([][]int64, len(order))
	for j, i := range order {
		all[j] = p.AppendSample(i, nil)
		counts[j], firsts[j] = int64(len(all[j])), all[j][0]
	}
	w.numbers(counts)
	w.numbers(firsts)
	for _, values := range all {
		n := len(values)
		if n == 1 {
			continue
		}
		low := lowBits(uint64(values[n-1])-uint64(values[0]), n-1)
		w.write(uint64(low), 6)
		for j := 1; j < n; j++ {
			w.rice(uint64(values[j])-uint64(values[j-1]), low)
		}
	}
}

// set writes how many members keys have, and their places.
func (e *stateEncoder) set(w *bitWriter, p *state.Partial, order []int, places *places) {
	counts, all := make([]int64, len(order)), make([][]uint32, len(order))
	for j, i := range order {
		all[j] = p.AppendMembers(i, nil)
		counts[j] = int64(len(all[j]))
	}
	w.numbers(counts)
	for _, members := range all {
		for j, n := range members {
			members[j] = places.at[n]
		}
		slices.Sort(members)
		low, next := lowBits(uint64(len(places.at)), len(members)), uint32(0)
		for _, place := range members {
			w.rice(uint64(place-next), low)
			next = place + 1
		}
	}
}
