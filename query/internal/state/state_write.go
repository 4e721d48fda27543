package state

import (
	"cmp"
	"slices"
)

// A stateEncoder writes one state.
type stateEncoder struct {
	*encoder
	w      *Shelf
	bu     *StateSet
	of     []*Partial        // by aggregate
	keys   map[uint32]uint32 // their places, by number
	places map[string]*places
	buffer []uint32
}

// encodeState returns the stored bytes of partials, one for each aggregate.
func (w *Shelf) encodeState(bu *StateSet, of []*Partial, dictionaries map[string]*places) []byte {
	e := stateEncoder{encoder: newEncoder(stateFormat), w: w, bu: bu, of: of, places: map[string]*places{}}
	e.uint(uint64(len(of)))
	for _, name := range bu.membersOf(Set) {
		members := w.membersCalled(name)
		p := dictionaries[name].with(allMembers(e.sets(Set, name)), members.compare)
		e.places[name] = p
		e.fixed(p.id)
		e.uint(uint64(len(p.lacks)))
		for _, n := range p.lacks {
			e.fixed(uint64(members.values[n]))
		}
	}
	for _, name := range bu.membersOf(TextSet) {
		texts, all := w.keysCalled(name), allMembers(e.sets(TextSet, name))
		slices.SortFunc(all, texts.compare)
		e.texts(texts.texts, all)
		e.places[textPlaces+name] = newPlaces(&dictionary{numbers: all})
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
func (e *stateEncoder) sets(kind Kind, members string) (sets []*Partial) {
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
	texts, all := e.w.keysCalled(e.bu.KeyNames), allKeys(e.of)
	e.keys = make(map[uint32]uint32, len(all))
	if e.bu.SharesKeys {
		p := dictionary.with(all, texts.compare)
		e.fixed(p.id)
		e.texts(texts.texts, p.lacks)
		slices.SortFunc(all, func(a, b uint32) int { return cmp.Compare(p.at[a], p.at[b]) })
		w := bitWriter{}
		e.buffer = e.buffer[:0]
		for _, n := range all {
			e.buffer = append(e.buffer, p.at[n])
		}
		w.places(e.buffer, len(p.at))
		e.bytes(w.done())
	} else {
		slices.SortFunc(all, texts.compare)
		e.texts(texts.texts, all)
	}
	for place, n := range all {
		e.keys[n] = uint32(place)
	}
}

// allKeys are the keys of partials, each once.
func allKeys(of []*Partial) []uint32 {
	var all []uint32
	for _, p := range of {
		all = append(all, p.keys...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// aggregate returns the stored bytes of one aggregate.
func (e *stateEncoder) aggregate(i int) []byte {
	w, a, p := bitWriter{}, e.bu.Aggregates[i], e.of[i]
	for same := range i {
		if !a.Kind.Lists() && !e.bu.Aggregates[same].Kind.Lists() && e.of[same].equal(p) {
			w.golomb(uint64(same+1), 0)
			return w.done()
		}
	}
	w.golomb(0, 0)
	order := e.order(&w, p)
	switch a.Kind {
	case Set:
		e.set(&w, p, order, e.places[a.Members])
	case TextSet:
		e.set(&w, p, order, e.places[textPlaces+a.Members])
	case Sample:
		samples(&w, p, order)
	default:
		values := make([]int64, len(order))
		for j, i := range order {
			values[j] = p.values.at(i)
		}
		w.numbers(values)
	}
	return w.done()
}

// equal reports whether p, which has a number for each key, has the same numbers as q.
func (p *Partial) equal(q *Partial) bool {
	return slices.Equal(p.keys, q.keys) && slices.Equal(p.values.small, q.values.small) && slices.Equal(p.values.wide, q.values.wide)
}

// order writes the places of the keys of p, and tells the order of these.
func (e *stateEncoder) order(w *bitWriter, p *Partial) []int {
	order, all := make([]int, len(p.keys)), anyPlaces
	place := func(i int) uint32 { return p.keys[i] }
	if e.bu.Keyed {
		place = func(i int) uint32 { return e.keys[p.keys[i]] }
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
func samples(w *bitWriter, p *Partial, order []int) {
	counts, firsts := make([]int64, len(order)), make([]int64, len(order))
	for j, i := range order {
		from, to := p.span(i)
		counts[j], firsts[j] = int64(to-from), p.values.at(int(from))
	}
	w.numbers(counts)
	w.numbers(firsts)
	for _, i := range order {
		values := p.values.slice(p.span(i))
		n := values.len()
		if n == 1 {
			continue
		}
		low := lowBits(uint64(values.at(n-1))-uint64(values.at(0)), n-1)
		w.write(uint64(low), 6)
		for j := 1; j < n; j++ {
			w.rice(uint64(values.at(j))-uint64(values.at(j-1)), low)
		}
	}
}

// set writes how many members keys have, and their places.
func (e *stateEncoder) set(w *bitWriter, p *Partial, order []int, places *places) {
	counts := make([]int64, len(order))
	for j, i := range order {
		from, to := p.span(i)
		counts[j] = int64(list{0, from, to, p.dense != nil && p.dense[i]}.len([]Source{{Partial: p}}))
	}
	w.numbers(counts)
	for _, i := range order {
		e.buffer = p.appendMembers(i, e.buffer[:0])
		for j, n := range e.buffer {
			e.buffer[j] = places.at[n]
		}
		slices.Sort(e.buffer)
		low, next := lowBits(uint64(len(places.at)), len(e.buffer)), uint32(0)
		for _, place := range e.buffer {
			w.rice(uint64(place-next), low)
			next = place + 1
		}
	}
}
