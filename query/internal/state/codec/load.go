package codec

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/state"
)

// A Shelf numbers the keys and members of a subject, and holds dictionaries in memory. [memory.Shelf] is one.
type Shelf interface {
	TextsOf(name string) *state.Texts
	MembersOf(name string) *state.Members
	// Dictionary returns a dictionary of an interval, or nil if it is not in memory.
	Dictionary(members string, of calendar.Interval) *state.Dictionary
	// PutDictionary holds a dictionary in memory, in place of an earlier one; nil: it forgets the earlier one.
	PutDictionary(members string, of calendar.Interval, d *state.Dictionary)
}

// Encoded has the bytes to store for an interval.
type Encoded struct {
	States       [][]byte          // by state set
	Dictionaries map[string][]byte // by the name of their members: those that are new
}

// Encode encodes partials of an interval, by state set and aggregate. The sets of one call share dictionaries. It uses a
// dictionary in memory if that has nearly all members. Otherwise it makes a new one, and states with the old one become
// unreadable once the new one is stored. The caller holds the lock of w.
func Encode(w Shelf, s calendar.Interval, bundles []*StateSet, found [][]*state.Partial) *Encoded {
	e := &Encoded{Dictionaries: map[string][]byte{}}
	numbers, placings := map[string][]uint32{}, map[string]*places{} // by the name of a dictionary
	for i, bu := range bundles {
		for j, a := range bu.Aggregates {
			if a.Kind == state.Set {
				numbers[a.Members] = appendAll(found[i][j], numbers[a.Members])
			}
		}
		if name := bu.keyDictionary(); bu.SharesKeys {
			numbers[name] = append(numbers[name], allKeys(found[i])...)
		}
	}
	for name, all := range numbers {
		slices.Sort(all)
		placings[name] = placesIn(w, name, s, slices.Compact(all), e.Dictionaries)
	}
	for i, bu := range bundles {
		e.States = append(e.States, encodeState(w, bu, found[i], placings))
	}
	return e
}

// placesIn finds the places of numbers in a dictionary. It makes a new dictionary if the one in memory lacks many.
func placesIn(w Shelf, name string, of calendar.Interval, all []uint32, stored map[string][]byte) *places {
	if d := w.Dictionary(name, of); d != nil {
		p := newPlaces(d)
		lacks := slices.DeleteFunc(slices.Clone(all), func(n uint32) bool { _, ok := p.at[n]; return ok })
		if len(lacks) <= len(d.Numbers)/8 {
			return p
		}
		all = append(slices.Clone(d.Numbers), lacks...)
	}
	var d *state.Dictionary
	if keyNames, ofKeys := strings.CutPrefix(name, ofKeys); ofKeys {
		d, stored[name] = newKeyDictionary(w.TextsOf(keyNames), all)
	} else {
		d, stored[name] = newDictionary(w.MembersOf(name), all)
	}
	w.PutDictionary(name, of, d)
	return newPlaces(d)
}

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
	Partials [][]*state.Partial  // by aggregate and interval
	Unread   []calendar.Interval // whose states cannot be read, since they are damaged or belong to a replaced dictionary
}

// Load decodes some aggregates of stored states. Without keys, the width of a cell is width. Its error is a panic of reading them, if
// there was one; then Unread has the states that were not read. The caller holds the lock of w, and puts the partials there.
func Load(w Shelf, bu *StateSet, some []state.Aggregate, width int64, states []StoredState) (read Loaded, fault error) {
	readers := make([]*stateReader, len(states))
	names, whole := bu.Dictionaries(some), []string(nil)
	fault = Parallel(1, 1, func(int) { whole = wholeDictionaries(w, bu, some, width, states) })
	number := func(i int) { // members while keys are
		keepDictionaries(w, whole, states, i == 0)
		for j := range states {
			if i == 1 {
				readers[j] = newStateReader(w, bu, states[j], width)
			}
		}
	}
	if fault == nil {
		fault = Parallel(2, 2, number)
	}
	found := make([][]*state.Partial, len(states))
	if fault == nil {
		for _, r := range readers {
			r.number(w, some)
		}
		fault = Parallel(runtime.GOMAXPROCS(0), len(states), func(i int) { found[i] = readers[i].partials(some) })
	}
	read.Partials = make([][]*state.Partial, len(some))
	for i, one := range states {
		if found[i] == nil {
			read.Unread = append(read.Unread, one.Of)
			for _, name := range names { // the store may have others by now
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

// wholeDictionaries returns the names of dictionaries of some aggregates whose members are all numbered. Dictionaries that the
// last of states uses little of are left out, since numbers take memory.
func wholeDictionaries(w Shelf, bu *StateSet, some []state.Aggregate, width int64, states []StoredState) []string {
	if len(states) == 0 {
		return nil
	}
	names, last := bu.Dictionaries(some), states[len(states)-1:]
	keepDictionaries(w, names, last, false)
	r := newStateReader(w, bu, last[0], width)
	return slices.DeleteFunc(names, func(name string) bool { return r.hasFew(some, name) })
}

// keepDictionaries holds the dictionaries of states in memory: dictionaries of members or of keys.
func keepDictionaries(w Shelf, names []string, states []StoredState, ofMembers bool) {
	of := make([]calendar.Interval, len(states))
	for _, name := range names {
		if strings.HasPrefix(name, ofKeys) == ofMembers {
			continue
		}
		read := make([]*Dictionary, len(states))
		for i, one := range states {
			of[i], read[i] = one.Of, one.Dictionaries[name]
		}
		KeepDictionaries(w, name, of, read)
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
