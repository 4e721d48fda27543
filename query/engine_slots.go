package query

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// slots bounds the queries that a store runs at a time. A free slot goes to the caller that had the least of the
// store's time. So a caller that asks for little does not wait behind one that asks for much, and callers that ask for
// equally much get equally much. A new caller is at most credit ahead of the callers that are asking, however little it
// had before. No caller gets all slots: the last one is for somebody else. A nil *slots bounds nothing.
type slots struct {
	most int // of one caller

	mu      sync.Mutex
	free    int
	running map[string]int             // by caller; no zeros
	waiting map[string][]chan struct{} // by caller; none empty
	turns   []string                   // the callers that wait, in the order in which they began or had a slot
	used    map[string]time.Duration   // by caller: the store's time, and what it began with
	least   time.Duration              // of used, among those who are asking; it only grows
}

const credit = time.Second // of the store's time

// newSlots returns the slots of s, or nil if s does not bound its queries.
func newSlots(s store.Store) *slots {
	bounded, ok := s.(store.Bounded)
	if !ok || bounded.MaxQueries() < 1 {
		return nil
	}
	n := bounded.MaxQueries()
	return &slots{most: max(1, n-1), free: n, running: map[string]int{}, waiting: map[string][]chan struct{}{},
		used: map[string]time.Duration{}}
}

// acquire takes a slot for caller, or returns the error of ctx. A slot that was taken is given
// back by release.
func (s *slots) acquire(ctx context.Context, caller string) error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	granted := make(chan struct{})
	if !s.asking(caller) {
		s.used[caller] = max(s.used[caller], s.least-credit)
	}
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
	s.giveBack(caller, 0) // it was granted at the same time
	return ctx.Err()
}

// release gives back a slot of caller, whose query took so long.
func (s *slots) release(caller string, took time.Duration) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.giveBack(caller, took)
}

func (s *slots) giveBack(caller string, took time.Duration) {
	s.charge(caller, took)
	s.free++
	if s.running[caller]--; s.running[caller] == 0 {
		delete(s.running, caller)
	}
	s.forget()
	s.grant()
}

// asking reports whether caller has a slot, or waits for one.
func (s *slots) asking(caller string) bool {
	return s.running[caller] > 0 || len(s.waiting[caller]) > 0
}

// charge adds to the time that caller used. The caller is asking.
func (s *slots) charge(caller string, took time.Duration) {
	s.used[caller] += max(took, 0)
	least := s.used[caller]
	for c, used := range s.used {
		if s.asking(c) {
			least = min(least, used)
		}
	}
	s.least = max(s.least, least)
}

// forget drops callers that would start with the time that they had, and all callers when nobody asks.
func (s *slots) forget() {
	if len(s.running)+len(s.waiting) == 0 {
		clear(s.used)
		s.least = 0
	}
	maps.DeleteFunc(s.used, func(c string, used time.Duration) bool { return used <= s.least-credit && !s.asking(c) })
}

// next is the caller that gets the next slot; empty when nobody waits who may have one.
func (s *slots) next() (caller string, ok bool) {
	for _, c := range s.turns {
		if s.running[c] < s.most && (!ok || s.used[c] < s.used[caller]) {
			caller, ok = c, true
		}
	}
	return caller, ok
}

// grant gives free slots to the next callers.
func (s *slots) grant() {
	for s.free > 0 {
		caller, ok := s.next()
		if !ok {
			return
		}
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
