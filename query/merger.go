package query

import (
	"sync"

	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/query/internal/state"
	"github.com/sightline-analytics/sightline/store"
)

// A merger merges answers about the websites of one store from partials. It is safe for concurrent use.
type merger struct {
	store      store.Store
	types      *Registry
	partials   *state.Cache      // nil: no answer is merged
	keeper     store.StateKeeper // stores partials; nil: they stay in memory
	stateSets  func() stateSets
	background *background
	outdated   websiteSet
}

// newMerger returns a merger for answers about types. partials and keeper may be nil.
func newMerger(s store.Store, types *Registry, partials *state.Cache, keeper store.StateKeeper, pace *store.Pace) *merger {
	mr := &merger{store: s, types: types, partials: partials, keeper: keeper, background: newBackground(pace)}
	mr.stateSets = sync.OnceValue(mr.findStateSets)
	return mr
}

// sealed returns the seals that the statement of p may read, as snapshot has them.
func (mr *merger) sealed(p *plan.Plan, snapshot *days.Snapshot) days.Sealed {
	if snapshot == nil || p.Subject.Kind != store.KindWebsite || len(p.Mandatory) > 0 {
		return days.Sealed{}
	}
	found := snapshot.Sealed(p.Counted())
	if found.Changes.Since > 0 {
		mr.outdated.add(p.Subject)
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

// take empties the set and returns what it held.
func (s *websiteSet) take() map[store.Subject]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.of
	s.of = nil
	return taken
}
