package merge

import (
	"sync"

	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/query/internal/state"
	"github.com/sightline-analytics/sightline/store"
)

// A Merger merges answers about the websites of one store from partials. It is safe for concurrent use.
type Merger struct {
	store      store.Store
	types      *catalog.Registry
	Partials   *state.Cache      // nil: no answer is merged
	Keeper     store.StateKeeper // stores partials; nil: they stay in memory
	StateSets  func() StateSets
	Background *background
	Outdated   websiteSet
}

// New returns a merger for answers about types. partials and keeper may be nil.
func New(s store.Store, types *catalog.Registry, partials *state.Cache, keeper store.StateKeeper, pace *store.Pace) *Merger {
	mr := &Merger{store: s, types: types, Partials: partials, Keeper: keeper, Background: newBackground(pace)}
	mr.StateSets = sync.OnceValue(mr.findStateSets)
	return mr
}

// Sealed returns the seals that the statement of p may read, as snapshot has them.
func (mr *Merger) Sealed(p *plan.Plan, snapshot *days.Snapshot) days.Sealed {
	if snapshot == nil || p.Subject.Kind != store.KindWebsite || len(p.Mandatory) > 0 {
		return days.Sealed{}
	}
	found := snapshot.Sealed(p.Counted())
	if found.Changes.Since > 0 {
		mr.Outdated.add(p.Subject)
	}
	return found
}

// A websiteSet is the websites that have seals which are not valid for all ids, and that a statement read. It is safe for
// concurrent use.
type websiteSet struct {
	mu sync.Mutex
	of map[store.Subject]bool
}

func (s *websiteSet) add(website store.Subject) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of == nil {
		s.of = map[store.Subject]bool{}
	}
	s.of[website] = true
}

// Take empties the set and returns what it held.
func (s *websiteSet) Take() map[store.Subject]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.of
	s.of = nil
	return taken
}
