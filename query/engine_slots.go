package query

import (
	"context"
	"slices"
	"sync"

	"github.com/sightline-analytics/sightline/store"
)

// slots are the queries that a store runs at a time, given out to callers in turn, whoever
// asked most. No caller has all of them: the last one is for somebody else, so that no one's
// long queries keep another waiting until the deadline. A nil *slots bounds nothing.
type slots struct {
	most int // of one caller

	mu      sync.Mutex
	free    int
	running map[string]int             // by caller; no zeros
	waiting map[string][]chan struct{} // by caller; none empty
	turns   []string                   // the callers that wait, the next one first
}

// newSlots are those of s; nil when s does not bound its queries.
func newSlots(s store.Store) *slots {
	bounded, ok := s.(store.Bounded)
	if !ok || bounded.MaxQueries() < 1 {
		return nil
	}
	n := bounded.MaxQueries()
	return &slots{most: max(1, n-1), free: n, running: map[string]int{}, waiting: map[string][]chan struct{}{}}
}

// acquire takes a slot for caller, or returns the error of ctx. A slot that was taken is given
// back by release.
func (s *slots) acquire(ctx context.Context, caller string) error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	granted := make(chan struct{})
	if len(s.waiting[caller]) == 0 {
		s.turns = append(s.turns, caller)
	}
	s.waiting[caller] = append(s.waiting[caller], granted)
	s.grant()
	s.mu.Unlock()
	select {
	case <-granted:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.waiting[caller], granted); i >= 0 {
		s.take(caller, i)
		return ctx.Err()
	}
	s.giveBack(caller) // it was granted at the same time
	return ctx.Err()
}

func (s *slots) release(caller string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.giveBack(caller)
}

func (s *slots) giveBack(caller string) {
	s.free++
	if s.running[caller]--; s.running[caller] == 0 {
		delete(s.running, caller)
	}
	s.grant()
}

// grant gives free slots to those whose turn it is.
func (s *slots) grant() {
	for s.free > 0 {
		i := slices.IndexFunc(s.turns, func(caller string) bool { return s.running[caller] < s.most })
		if i < 0 {
			return
		}
		caller := s.turns[i]
		granted := s.waiting[caller][0]
		s.take(caller, 0)
		if j := slices.Index(s.turns, caller); j >= 0 { // who waits for more comes last
			s.turns = append(slices.Delete(s.turns, j, j+1), caller)
		}
		s.free--
		s.running[caller]++
		close(granted)
	}
}

// take removes what waits at place i of caller's.
func (s *slots) take(caller string, i int) {
	if s.waiting[caller] = slices.Delete(s.waiting[caller], i, i+1); len(s.waiting[caller]) > 0 {
		return
	}
	delete(s.waiting, caller)
	j := slices.Index(s.turns, caller)
	s.turns = slices.Delete(s.turns, j, j+1)
}
