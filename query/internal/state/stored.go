package state

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/sightline-analytics/sightline/query/calendar"
)

// This file knows which states a store has of a website, and moves them between memory and the store.

// IsStoredKnown reports whether it is known what a store has of w.
func (w *Shelf) IsStoredKnown() bool {
	w.cache.mu.Lock()
	defer w.cache.mu.Unlock()
	return w.stored != nil
}

// A StoredVersion says that a store has something called by a number of a stretch, of which version.
type StoredVersion struct {
	Name    int64
	Of      calendar.Interval
	Version uint64
}

// SetStored notes all that a store has of w.
func (w *Shelf) SetStored(all []StoredVersion) {
	w.cache.mu.Lock()
	defer w.cache.mu.Unlock()
	w.stored = map[int64]map[calendar.Interval]uint64{}
	w.noteStored(all)
	const bytes = 64 // of each, about
	grown := bytes*int64(len(all)) - w.storedSize
	w.storedSize += grown
	w.size += grown
	if w.cache.websites[w.subject] == w {
		w.cache.size += grown
	}
}

// NoteStored notes what was stored; version 0: what is there is of no use.
func (w *Shelf) NoteStored(some []StoredVersion) {
	w.cache.mu.Lock()
	defer w.cache.mu.Unlock()
	if w.stored != nil {
		w.noteStored(some)
	}
}

func (w *Shelf) noteStored(some []StoredVersion) {
	for _, one := range some {
		if w.stored[one.Name] == nil {
			w.stored[one.Name] = map[calendar.Interval]uint64{}
		}
		w.stored[one.Name][one.Of] = one.Version
	}
}

// StoredVersions returns the versions of the stored states with a name, by interval. 0 means that none is known.
func (w *Shelf) StoredVersions(name int64, of []calendar.Interval) []uint64 {
	w.cache.mu.Lock()
	defer w.cache.mu.Unlock()
	versions := make([]uint64, len(of))
	if known := w.stored[name]; known != nil {
		for i, s := range of {
			versions[i] = known[s]
		}
	}
	return versions
}

// Encoded has the bytes to store for an interval.
type Encoded struct {
	States       [][]byte          // by state set
	Dictionaries map[string][]byte // by the name of their members: those that are new
}

// Encode encodes partials of an interval, by state set and aggregate. The sets of one call share dictionaries. It uses a
// dictionary in memory if that has nearly all members. Otherwise it makes a new one, and states with the old one become
// unreadable once the new one is stored. The caller holds the lock of w.
func (w *Shelf) Encode(s calendar.Interval, bundles []*StateSet, found [][]*Partial) *Encoded {
	e := &Encoded{Dictionaries: map[string][]byte{}}
	numbers, placings := map[string][]uint32{}, map[string]*places{} // by the name of a dictionary
	for i, bu := range bundles {
		for j, a := range bu.Aggregates {
			if a.Kind == Set {
				numbers[a.Members] = found[i][j].appendAll(numbers[a.Members])
			}
		}
		if name := bu.keyDictionary(); bu.SharesKeys {
			numbers[name] = append(numbers[name], allKeys(found[i])...)
		}
	}
	for name, all := range numbers {
		slices.Sort(all)
		placings[name] = w.places(dictionaryName{name, s}, slices.Compact(all), e.Dictionaries)
	}
	for i, bu := range bundles {
		e.States = append(e.States, w.encodeState(bu, found[i], placings))
	}
	return e
}

// places finds the places of numbers in a dictionary. It makes a new dictionary if the one in memory lacks many.
func (w *Shelf) places(name dictionaryName, all []uint32, stored map[string][]byte) *places {
	if d := w.dictionary(name); d != nil {
		p := newPlaces(d)
		lacks := slices.DeleteFunc(slices.Clone(all), func(n uint32) bool { _, ok := p.at[n]; return ok })
		if len(lacks) <= len(d.numbers)/8 {
			return p
		}
		all = append(slices.Clone(d.numbers), lacks...)
	}
	var d *dictionary
	if keyNames, ofKeys := strings.CutPrefix(name.members, ofKeys); ofKeys {
		d, stored[name.members] = newKeyDictionary(w.keysCalled(keyNames), all)
	} else {
		d, stored[name.members] = newDictionary(w.membersCalled(name.members), all)
	}
	w.putDictionary(name, d)
	return newPlaces(d)
}

// ForgetDictionary forgets the dictionary of a stretch, since the store has another.
func (w *Shelf) ForgetDictionary(members string, of calendar.Interval) {
	w.putDictionary(dictionaryName{members, of}, nil)
}

// A StoredState is one that was read from a store.
type StoredState struct {
	Of           calendar.Interval
	Version      uint64
	State        []byte
	Dictionaries map[string]*Dictionary // by the name of their members: those that are not in memory
}

// Load decodes some aggregates of stored states into memory. Without keys, the width of a cell is width. It returns the intervals
// whose states cannot be read, since they are damaged or belong to a replaced dictionary, and a panic of reading them, if there was
// one. The caller holds the lock of w.
func (w *Shelf) Load(bu *StateSet, some []Aggregate, width int64, states []StoredState) (unread []calendar.Interval, fault error) {
	readers := make([]*stateReader, len(states))
	names, whole := bu.Dictionaries(some), []string(nil)
	fault = Parallel(1, 1, func(int) { whole = w.wholeDictionaries(bu, some, width, states) })
	number := func(i int) { // members while keys are
		w.keepDictionaries(whole, states, i == 0)
		for j := range states {
			if i == 1 {
				readers[j] = w.newStateReader(bu, states[j], width)
			}
		}
	}
	if fault == nil {
		fault = Parallel(2, 2, number)
	}
	found := make([][]*Partial, len(states))
	if fault == nil {
		for _, r := range readers {
			r.number(w, some)
		}
		fault = Parallel(runtime.GOMAXPROCS(0), len(states), func(i int) { found[i] = readers[i].partials(some) })
	}
	made := make([][]*Partial, len(some))
	var stretches []calendar.Interval
	var versions []uint64
	for i, one := range states {
		if found[i] == nil {
			unread = append(unread, one.Of)
			for _, name := range names { // the store may have others by now
				w.ForgetDictionary(name, one.Of)
			}
			continue
		}
		stretches, versions = append(stretches, one.Of), append(versions, one.Version)
		for j, p := range found[i] {
			made[j] = append(made[j], p)
		}
	}
	if len(stretches) > 0 {
		w.keep(some, bu.KeyNames, stretches, versions, made)
	}
	return unread, fault
}

// wholeDictionaries returns the names of dictionaries of some aggregates whose members are all numbered. Dictionaries that the
// last of states uses little of are left out, since numbers take memory.
func (w *Shelf) wholeDictionaries(bu *StateSet, some []Aggregate, width int64, states []StoredState) []string {
	if len(states) == 0 {
		return nil
	}
	names, last := bu.Dictionaries(some), states[len(states)-1:]
	w.keepDictionaries(names, last, false)
	r := w.newStateReader(bu, last[0], width)
	return slices.DeleteFunc(names, func(name string) bool { return r.hasFew(some, name) })
}

// keepDictionaries holds the dictionaries of states in memory: dictionaries of members or of keys.
func (w *Shelf) keepDictionaries(names []string, states []StoredState, ofMembers bool) {
	of := make([]calendar.Interval, len(states))
	for _, name := range names {
		if strings.HasPrefix(name, ofKeys) == ofMembers {
			continue
		}
		read := make([]*Dictionary, len(states))
		for i, one := range states {
			of[i], read[i] = one.Of, one.Dictionaries[name]
		}
		w.KeepDictionaries(name, of, read)
	}
}

// Parallel calls what with each number below n, some at once. Its error is the first panic, with its stack. After a panic, others may
// not have been called, and the caller computes their results.
func Parallel(some, n int, what func(int)) error {
	var next atomic.Int64
	var first atomic.Pointer[error]
	var all sync.WaitGroup
	for range min(some, n) {
		all.Go(func() {
			defer func() {
				if fault := recover(); fault != nil {
					err := fmt.Errorf("panic: %v\n%s", fault, debug.Stack())
					first.CompareAndSwap(nil, &err)
				}
			}()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				what(i)
			}
		})
	}
	all.Wait()
	if err := first.Load(); err != nil {
		return *err
	}
	return nil
}

// HasOtherStored reports whether a store has something by other names than these.
func (w *Shelf) HasOtherStored(names []int64) bool {
	w.cache.mu.Lock()
	defer w.cache.mu.Unlock()
	for name := range w.stored {
		if !slices.Contains(names, name) {
			return true
		}
	}
	return false
}
