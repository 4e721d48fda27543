package query

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/query/partial"
	"github.com/sightline-analytics/sightline/store"
)

// What is stored, and when: the partials that are computed ahead, of days that are over for a day at least, so that
// hardly any is stored twice. Those of questions with filters, and of ends of ranges, stay in memory.

// savedAtOnce is about how many bytes are stored at once. Meanwhile a store may take no rows.
const savedAtOnce = 4 << 20

// A savedDay is one whose partials are to be stored, and those of which shapes.
type savedDay struct {
	of     partial.Stretch
	rows   uint64 // the version of its rows
	due    []int  // shapes of which the store has no valid state
	others []int  // of which it has one
}

// save stores the partials of shapes of a website that the store does not have, and drops what has names that
// this program does not know.
func (e *Engine) save(ctx context.Context, website store.Subject, of []gathered) error {
	if len(of) == 0 {
		return nil
	}
	s := &saving{engine: e, website: website, site: of[0].site, of: of}
	if err := s.site.Lock(ctx); err != nil {
		return err
	}
	err := s.encode(ctx)
	s.site.Unlock()
	if err == nil {
		err = s.store(ctx)
	}
	known := e.shapesOf()
	if names := known.names(); s.site.StoredBeside(names) {
		err = errors.Join(err, e.keeper.DropStates(ctx, website, names))
	}
	return err
}

// A saving is a call of save.
type saving struct {
	engine       *Engine
	website      store.Subject
	site         *partial.Website
	of           []gathered
	versions     [][]uint64             // by shape and stretch
	found        [][][]*partial.Partial // by shape, aggregate and stretch
	dictionaries []store.State
	states       []store.State
	encoded      []*partial.Encoded
}

// encode makes the states that are to be stored. The caller holds the lock of the website.
func (s *saving) encode(ctx context.Context) error {
	days := s.days()
	if err := s.loadDictionaries(ctx, days); err != nil {
		return err
	}
	for i, of := range days {
		if len(of.due) > 0 {
			s.encodeDay(i, of)
		}
	}
	return nil
}

// days are those of the shapes, and what is due of each.
func (s *saving) days() []savedDay {
	stretches, settled := s.of[0].stretches, s.engine.settledBefore().UnixMilli()
	days := make([]savedDay, len(stretches))
	for i, of := range stretches {
		days[i] = savedDay{of: of, rows: s.of[0].days.sum(interval{of.From, of.To})}
	}
	for n, one := range s.of {
		versions := one.versions(one.parts[0])
		missing := make([]bool, len(stretches))
		found := make([][]*partial.Partial, len(one.sh.Aggregates))
		for j, a := range one.sh.Aggregates {
			var without []int
			// Those that were gathered may be of older versions than the latest that are known.
			found[j], without = s.site.Find(a, stretches, versions)
			for _, i := range without {
				missing[i] = true
			}
		}
		s.versions, s.found = append(s.versions, versions), append(s.found, found)
		for i, stored := range s.site.StoredVersions(one.sh.name, stretches) {
			switch of := &days[i]; {
			case missing[i] || versions[i] == 0 || of.of.From >= settled:
			case one.days.sum(interval{of.of.From, of.of.To}) != of.rows: // rows came meanwhile
			case stored < versions[i]:
				of.due = append(of.due, n)
			default:
				of.others = append(of.others, n)
			}
		}
	}
	return days
}

// loadDictionaries loads those of days of which something is due, so that what is stored is stored with the same.
func (s *saving) loadDictionaries(ctx context.Context, days []savedDay) error {
	var of []*shape
	for _, one := range s.of {
		of = append(of, one.sh)
	}
	for i := 0; i < len(days); i += loadedAtOnce {
		var due []partial.Stretch
		for _, one := range days[i:min(i+loadedAtOnce, len(days))] {
			if len(one.due) > 0 {
				due = append(due, one.of)
			}
		}
		if len(due) == 0 {
			continue
		}
		bytes, _, err := s.engine.readStates(ctx, s.site, s.website, of, due, false)
		if err != nil {
			return err
		}
		for _, sh := range of {
			for members, name := range sh.called {
				for _, day := range due {
					if stored, ok := bytes[storedName{name, day}]; ok && !s.site.HasDictionary(members, day) {
						_ = s.site.LoadDictionary(members, day, stored) // a damaged one is replaced
					}
				}
			}
		}
	}
	return nil
}

// encodeDay makes the states of the i-th stretch. With a new dictionary all that is in memory is stored anew: what
// the store has cannot be read any more.
func (s *saving) encodeDay(i int, of savedDay) {
	e := s.encodeShapes(i, of.due)
	if len(e.Dictionaries) > 0 && len(of.others) > 0 {
		of.due = append(of.due, of.others...)
		e = s.encodeShapes(i, of.due)
	}
	start, names := time.UnixMilli(of.of.From).UTC(), map[string]int64{}
	for j, n := range of.due {
		one := s.of[n]
		for members, name := range one.sh.called {
			names[members] = name
		}
		s.states = append(s.states, store.State{Name: one.sh.name, Day: start, Version: s.versions[n][i], Rows: of.rows, Bytes: e.States[j]})
	}
	for members, bytes := range e.Dictionaries {
		s.dictionaries = append(s.dictionaries, store.State{Name: names[members], Day: start, Version: of.rows, Rows: of.rows, Bytes: bytes})
	}
	s.encoded = append(s.encoded, e)
}

func (s *saving) encodeShapes(i int, which []int) *partial.Encoded {
	shapes, found := make([]*partial.Shape, len(which)), make([][]*partial.Partial, len(which))
	for j, n := range which {
		shapes[j] = &s.of[n].sh.Shape
		for _, all := range s.found[n] {
			found[j] = append(found[j], all[i])
		}
	}
	return s.site.Encode(s.of[0].stretches[i], shapes, found)
}

// store stores first the dictionaries, without which no state can be read. States of a shape lie together, as they
// are loaded.
func (s *saving) store(ctx context.Context) error {
	if err := s.storeAll(ctx, s.dictionaries); err != nil {
		return err
	}
	for _, e := range s.encoded {
		s.site.Stored(e)
	}
	return s.storeAll(ctx, s.states)
}

func (s *saving) storeAll(ctx context.Context, states []store.State) error {
	slices.SortStableFunc(states, func(a, b store.State) int { return cmp.Or(cmp.Compare(a.Name, b.Name), a.Day.Compare(b.Day)) })
	for len(states) > 0 {
		n, bytes := 0, 0
		for n < len(states) && bytes < savedAtOnce {
			bytes += len(states[n].Bytes)
			n++
		}
		if err := s.engine.keeper.SaveStates(ctx, s.website, states[:n]); err != nil {
			return err
		}
		noted := make([]partial.StoredVersion, n)
		for i, one := range states[:n] {
			noted[i] = partial.StoredVersion{Name: one.Name, Of: dayOf(one.Day), Version: one.Version}
		}
		s.site.NoteStored(noted)
		states = states[n:]
	}
	return nil
}
