package merge

import (
	"log/slog"
	"sync"

	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/query/internal/state/memory"
	"github.com/sightline-analytics/sightline/store"
)

// A Merger merges answers about the websites of one store from partials. It is safe for concurrent use.
type Merger struct {
	store      store.Store
	types      *catalog.Registry
	Partials   *memory.Cache     // nil: no answer is merged
	Keeper     store.StateKeeper // stores partials; nil: they stay in memory
	StateSets  func() StateSets
	Background *background
	Trace      store.Tracer // of statements that compute partials; may be nil
	Outdated   websiteSet
	expired    expiredDays
	log        *slog.Logger
}

// New returns a merger for answers about types. partials and keeper may be nil. Panics of work that no caller waits for
// are written to log.
func New(s store.Store, types *catalog.Registry, partials *memory.Cache, keeper store.StateKeeper, pace *store.Pace,
	log *slog.Logger) *Merger {
	mr := &Merger{store: s, types: types, Partials: partials, Keeper: keeper, Background: newBackground(pace), log: log}
	mr.StateSets = sync.OnceValue(mr.findStateSets)
	return mr
}

// logFault logs a panic that only costs time: a statement gives the answer, or the next question computes the states.
func (mr *Merger) logFault(what string, fault error) {
	if fault != nil {
		mr.log.Error("query: a panic was recovered", "while", what, "error", fault)
	}
}

// Sealed returns the seals that the statement of p may read, as snapshot has them.
func (mr *Merger) Sealed(p *plan.Plan, snapshot *days.Snapshot) days.Sealed {
	if snapshot == nil || p.Subject.Kind != store.KindWebsite || p.Websites != nil || len(p.Mandatory) > 0 {
		return days.Sealed{}
	}
	found := snapshot.Sealed(p.Counted())
	if found.Changes.Since > 0 {
		mr.Outdated.add(p.Subject)
	}
	return found
}

// A websiteSet is the websites that have seals which are not valid for all ids, and that a statement read. It is safe
// for concurrent use.
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
