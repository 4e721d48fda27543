package partial

import "slices"

// What a store has of a website: which states, as far as is known; and how they get from memory there and back.

// IsStoredKnown reports whether it is known what a store has of w.
func (w *Website) IsStoredKnown() bool {
	w.cache.mu.Lock()
	defer w.cache.mu.Unlock()
	return w.stored != nil
}

// A StoredVersion says that a store has something called by a number of a stretch, of which version.
type StoredVersion struct {
	Name    int64
	Of      Stretch
	Version uint64
}

// SetStored notes all that a store has of w.
func (w *Website) SetStored(all []StoredVersion) {
	w.cache.mu.Lock()
	defer w.cache.mu.Unlock()
	w.stored = map[int64]map[Stretch]uint64{}
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
func (w *Website) NoteStored(some []StoredVersion) {
	w.cache.mu.Lock()
	defer w.cache.mu.Unlock()
	if w.stored != nil {
		w.noteStored(some)
	}
}

func (w *Website) noteStored(some []StoredVersion) {
	for _, one := range some {
		if w.stored[one.Name] == nil {
			w.stored[one.Name] = map[Stretch]uint64{}
		}
		w.stored[one.Name][one.Of] = one.Version
	}
}

// StoredVersions are the versions of what a store has by a name; 0: nothing, as far as is known.
func (w *Website) StoredVersions(name int64, of []Stretch) []uint64 {
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

// Encoded is what is to be stored of a stretch.
type Encoded struct {
	States       [][]byte          // by bundle
	Dictionaries map[string][]byte // by the name of their members: those that are new
}

// Encode writes partials of a stretch, by bundle and aggregate. Those of one call share dictionaries. One that is in
// memory is used again if it has nearly all members; otherwise there is a new one, and what is stored with
// the one before cannot be read any more once that is stored. The caller holds the lock of w.
func (w *Website) Encode(s Stretch, bundles []*Bundle, found [][]*Partial) *Encoded {
	e := &Encoded{Dictionaries: map[string][]byte{}}
	sets, placings := map[string][]*Partial{}, map[string]*placing{}
	for i, bu := range bundles {
		for j, a := range bu.Aggregates {
			if a.Kind == Set {
				sets[a.Members] = append(sets[a.Members], found[i][j])
			}
		}
	}
	for name, of := range sets {
		all := allMembers(of)
		if d := w.dictionary(dictionaryName{name, s}); d != nil {
			p := newPlacing(d)
			lacks := slices.DeleteFunc(slices.Clone(all), func(n uint32) bool { _, ok := p.at[n]; return ok })
			if len(lacks) <= len(d.numbers)/8 {
				placings[name] = p
				continue
			}
			all = append(slices.Clone(d.numbers), lacks...)
		}
		d, stored := newDictionary(w.membersCalled(name), all)
		e.Dictionaries[name], placings[name] = stored, newPlacing(d)
		w.putDictionary(dictionaryName{name, s}, d)
	}
	for i, bu := range bundles {
		e.States = append(e.States, w.encodeState(bu, found[i], placings))
	}
	return e
}

// ForgetDictionary forgets the dictionary of a stretch, since the store has another.
func (w *Website) ForgetDictionary(members string, of Stretch) {
	w.putDictionary(dictionaryName{members, of}, nil)
}

// A StoredState is one that was read from a store.
type StoredState struct {
	Of           Stretch
	Version      uint64
	State        []byte
	Dictionaries map[string]*Dictionary // by the name of their members: those that are not in memory
}

// Load keeps the partials of some aggregates of stored states; without keys, keys are pieces of that width. It returns those that cannot be
// read, since they are damaged or another dictionary took the place of theirs. The caller holds the lock of w.
func (w *Website) Load(bu *Bundle, some []Aggregate, width int64, states []StoredState) (unread []Stretch) {
	made := make([][]*Partial, len(some))
	var stretches []Stretch
	var versions []uint64
	for _, name := range bu.Dictionaries(some) {
		n := 0
		for _, one := range states {
			if d := one.Dictionaries[name]; d != nil {
				n += len(d.values)
			}
		}
		w.membersCalled(name).reserve(n)
	}
	for _, one := range states {
		found, err := w.loadOne(bu, some, width, one)
		if err != nil {
			unread = append(unread, one.Of)
			continue
		}
		stretches, versions = append(stretches, one.Of), append(versions, one.Version)
		for i, p := range found {
			made[i] = append(made[i], p)
		}
	}
	if len(stretches) > 0 {
		w.keep(some, bu.KeyNames, stretches, versions, made)
	}
	return unread
}

func (w *Website) loadOne(bu *Bundle, some []Aggregate, width int64, one StoredState) ([]*Partial, error) {
	dictionaries := map[string]*dictionary{}
	for _, name := range bu.Dictionaries(some) {
		of := dictionaryName{name, one.Of}
		d := w.dictionary(of)
		if read := one.Dictionaries[name]; d == nil && read != nil {
			d = w.keepDictionary(of, read)
		}
		if d == nil {
			return nil, ErrDamaged
		}
		dictionaries[name] = d
	}
	found, err := w.readState(bu, some, one.Of, width, one.State, dictionaries)
	if err != nil { // the store may have others by now
		for name := range dictionaries {
			w.putDictionary(dictionaryName{name, one.Of}, nil)
		}
	}
	return found, err
}

// HasOtherStored reports whether a store has something by other names than these.
func (w *Website) HasOtherStored(names []int64) bool {
	w.cache.mu.Lock()
	defer w.cache.mu.Unlock()
	for name := range w.stored {
		if !slices.Contains(names, name) {
			return true
		}
	}
	return false
}
