package memory

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/store"
)

// A Stored has the versions of the states that a store has of a subject. It is safe for concurrent use.
type Stored struct {
	partials *Partials

	// Guarded by Cache.mu.
	versions map[store.StateName]map[calendar.Interval]StoredVersion // nil: not known
	size     int64                                                   // bytes of versions; Partials.size has them, too
}

// IsKnown reports whether it is known what the store has.
func (s *Stored) IsKnown() bool {
	s.partials.cache.mu.Lock()
	defer s.partials.cache.mu.Unlock()
	return s.versions != nil
}

// A StoredVersion says that a store has something called by a number of a stretch, of which version.
type StoredVersion struct {
	Name    store.StateName
	Of      calendar.Interval
	Version uint64
	Empty   bool // there are no rows for it
}

// Set notes all that the store has.
func (s *Stored) Set(all []StoredVersion) {
	s.partials.cache.mu.Lock()
	defer s.partials.cache.mu.Unlock()
	s.versions = map[store.StateName]map[calendar.Interval]StoredVersion{}
	s.note(all)
	const bytes = 120 // of each, about
	grown := bytes*int64(len(all)) - s.size
	s.size += grown
	w := s.partials
	w.size += grown
	if w.cache.subjects[w.subject] == w {
		w.cache.size += grown
	}
}

// Note notes what was stored; version 0: what is there is of no use.
func (s *Stored) Note(some []StoredVersion) {
	s.partials.cache.mu.Lock()
	defer s.partials.cache.mu.Unlock()
	if s.versions != nil {
		s.note(some)
	}
}

func (s *Stored) note(some []StoredVersion) {
	for _, one := range some {
		if s.versions[one.Name] == nil {
			s.versions[one.Name] = map[calendar.Interval]StoredVersion{}
		}
		s.versions[one.Name][one.Of] = one
	}
}

// Versions returns the versions of the stored states with a name, by interval. 0 means that none is known.
func (s *Stored) Versions(name store.StateName, of []calendar.Interval) []uint64 {
	s.partials.cache.mu.Lock()
	defer s.partials.cache.mu.Unlock()
	versions := make([]uint64, len(of))
	if known := s.versions[name]; known != nil {
		for i, day := range of {
			versions[i] = known[day].Version
		}
	}
	return versions
}

// IsEmpty reports whether the store has a state that is known to have no rows.
func (s *Stored) IsEmpty(name store.StateName, of calendar.Interval) bool {
	s.partials.cache.mu.Lock()
	defer s.partials.cache.mu.Unlock()
	return s.versions[name][of].Empty
}

// HasOthers reports whether the store has something of these kinds with other numbers than these.
func (s *Stored) HasOthers(kinds, numbers []int64) bool {
	s.partials.cache.mu.Lock()
	defer s.partials.cache.mu.Unlock()
	for name := range s.versions {
		if slices.Contains(kinds, name.Kind) && !slices.Contains(numbers, name.Number) {
			return true
		}
	}
	return false
}
