package memory

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/calendar"
)

// A Stored has the versions of the states that a store has of a subject. It is safe for concurrent use.
type Stored struct {
	partials *Partials

	// Guarded by Cache.mu.
	versions map[int64]map[calendar.Interval]uint64 // by name; nil: not known
	size     int64                                  // bytes of versions; Partials.size has them, too
}

// IsKnown reports whether it is known what the store has.
func (s *Stored) IsKnown() bool {
	s.partials.cache.mu.Lock()
	defer s.partials.cache.mu.Unlock()
	return s.versions != nil
}

// A StoredVersion says that a store has something called by a number of a stretch, of which version.
type StoredVersion struct {
	Name    int64
	Of      calendar.Interval
	Version uint64
}

// Set notes all that the store has.
func (s *Stored) Set(all []StoredVersion) {
	s.partials.cache.mu.Lock()
	defer s.partials.cache.mu.Unlock()
	s.versions = map[int64]map[calendar.Interval]uint64{}
	s.note(all)
	const bytes = 64 // of each, about
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
			s.versions[one.Name] = map[calendar.Interval]uint64{}
		}
		s.versions[one.Name][one.Of] = one.Version
	}
}

// Versions returns the versions of the stored states with a name, by interval. 0 means that none is known.
func (s *Stored) Versions(name int64, of []calendar.Interval) []uint64 {
	s.partials.cache.mu.Lock()
	defer s.partials.cache.mu.Unlock()
	versions := make([]uint64, len(of))
	if known := s.versions[name]; known != nil {
		for i, day := range of {
			versions[i] = known[day]
		}
	}
	return versions
}

// HasOthers reports whether the store has something by other names than these.
func (s *Stored) HasOthers(names []int64) bool {
	s.partials.cache.mu.Lock()
	defer s.partials.cache.mu.Unlock()
	for name := range s.versions {
		if !slices.Contains(names, name) {
			return true
		}
	}
	return false
}

// Names returns the names of what the store has that fulfil a condition.
func (s *Stored) Names(condition func(int64) bool) (names []int64) {
	s.partials.cache.mu.Lock()
	defer s.partials.cache.mu.Unlock()
	for name := range s.versions {
		if condition(name) {
			names = append(names, name)
		}
	}
	return names
}
