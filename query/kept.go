package query

import (
	"context"
	"sync"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store"
)

// sealed returns the seals that the statement of p may read, as snapshot has them.
func (e *Engine) sealed(p *plan.Plan, snapshot *days.Snapshot) days.Sealed {
	if snapshot == nil || p.Subject.Kind != store.KindWebsite || len(p.Mandatory) > 0 {
		return days.Sealed{}
	}
	found := snapshot.Sealed(p.Counted())
	if found.Changes.Since > 0 {
		e.outdated.add(p.Subject)
	}
	return found
}

// daysBeside is the number of further days that a snapshot has on each side of the time that is counted. It is more than any
// answer needs.
const daysBeside = 7

// snapshot reads the days that decide about the answers of p. It is nil where no answer of p uses stored results, and where the store
// fails: then statements read rows alone.
func (e *Engine) snapshot(ctx context.Context, p *Prepared) *days.Snapshot {
	d, ok := e.store.(store.Deriver)
	if !ok || e.plain || p.subject.Kind != store.KindWebsite {
		return nil
	}
	var w calendar.Interval
	for i := range p.resolved.Parameters {
		if one := p.resolved.Parameters[i].Plan; one != nil {
			w = w.Hull(one.Counted())
			if one.Other != nil {
				w = w.Hull(one.Other.Plan.Counted())
			}
		}
	}
	if w.Empty() {
		return nil
	}
	ctx, cancel := e.inTime(ctx)
	defer cancel()
	found, err := days.Read(ctx, d, p.subject, w.Widen(daysBeside*calendar.Day, daysBeside*calendar.Day))
	if err != nil {
		return nil
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
