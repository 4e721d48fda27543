package memory

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/calendar"
)

// This file knows which states a store has of a subject.

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
	if w.cache.shelves[w.subject] == w {
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
