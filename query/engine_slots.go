package query

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store"
)

// slots bounds the queries that a store runs at a time. A free slot goes to the owner that had the least of the store's
// time, to the caller of that owner that had the least, and to a light question before a heavy one. So who asks for
// little does not wait behind who asks for much, and an owner with many callers gets no more than an owner with one.
//
// No owner gets all slots, and heavy questions do not get all slots of an owner, if there are enough: the last one is
// for somebody else, or for something light. A nil *slots bounds nothing.
type slots struct {
	most       int // slots of one owner
	mostHeavy  int // slots for heavy questions of one owner
	heavyInAll int // slots for heavy questions

	mu      sync.Mutex
	free    int
	heavy   int // heavy questions that run
	begun   int // turns that began
	owners  shares
	callers map[string]*shares // by owner
	waiting []*question        // in the order in which they came
}

const (
	credit = time.Second // of the store's time
	// expected is what one of Type.Cost counts as until it is known how long a question took.
	expected = 100 * time.Millisecond
	// heavyCost is the cost from which a question is heavy.
	heavyCost = 5
	// maxPassed is the number of times that questions of a caller go before an older one.
	maxPassed = 4
)

// A question needs a slot.
type question struct {
	owner, caller string
	cost          int
	granted       chan struct{}
}

// newQuestion returns the question of p by who a says.
func newQuestion(p *plan.Plan, owner, caller string) *question {
	q := &question{owner: owner, caller: caller, cost: 1, granted: make(chan struct{})}
	if p != nil {
		q.cost = p.Type.Cost()
		if p.Other != nil {
			q.cost *= 2
		}
	}
	if q.owner == "" {
		q.owner = caller
	}
	return q
}

func (q *question) heavy() bool { return q.cost >= heavyCost }

func (q *question) expected() time.Duration { return time.Duration(q.cost) * expected }

// A share is what one owner, or one caller of an owner, has of the slots.
type share struct {
	used    time.Duration // of the store's time, and what it began with
	turn    int           // the turn when it began to wait, or last got a slot
	running int
	heavy   int // of running
	waiting int
	passed  int // newer questions of it that got a slot before the oldest one
}

func (s *share) asking() bool { return s.running+s.waiting > 0 }

// before compares whose turn it is.
func (s *share) before(o *share) bool { return s.used < o.used || s.used == o.used && s.turn < o.turn }

// shares are those of some owners, or of the callers of one owner. A new one is at most credit ahead of those who are
// asking, however little it had before.
type shares struct {
	of    map[string]*share
	least time.Duration // of used, among those who are asking; it only grows
}

func newShares() shares { return shares{of: map[string]*share{}} }

// ask returns the share of name, which begins to wait at a turn.
func (all *shares) ask(name string, turn int) {
	s := all.of[name]
	if s == nil {
		s = &share{}
		all.of[name] = s
	}
	if !s.asking() {
		s.used = max(s.used, all.least-credit)
	}
	if s.waiting == 0 {
		s.turn = turn
	}
	s.waiting++
}

// charge adds to the time that name used.
func (all *shares) charge(name string, took time.Duration) {
	all.of[name].used += took
	least := all.of[name].used
	for _, s := range all.of {
		if s.asking() {
			least = min(least, s.used)
		}
	}
	all.least = max(all.least, least)
}

// forget drops shares that would start with the time that they had, and all when nobody asks.
func (all *shares) forget() {
	busy := false
	maps.DeleteFunc(all.of, func(_ string, s *share) bool {
		busy = busy || s.asking()
		return s.used <= all.least-credit && !s.asking()
	})
	if !busy {
		*all = newShares()
	}
}

// newSlots returns the slots of s, or nil if s does not bound its queries.
func newSlots(s store.Store) *slots {
	bounded, ok := s.(store.Bounded)
	if !ok || bounded.MaxQueries() < 1 {
		return nil
	}
	n := bounded.MaxQueries()
	return &slots{most: max(1, n-1), mostHeavy: max(1, n-2), heavyInAll: max(1, n-1), free: n,
		owners: newShares(), callers: map[string]*shares{}}
}

// acquire takes a slot for q, or returns the error of ctx. A slot that was taken is given back by release.
func (s *slots) acquire(ctx context.Context, q *question) error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	s.begun++
	s.owners.ask(q.owner, s.begun)
	if s.callers[q.owner] == nil {
		s.callers[q.owner] = new(newShares())
	}
	s.callers[q.owner].ask(q.caller, s.begun)
	s.waiting = append(s.waiting, q)
	s.grant()
	s.mu.Unlock()
	select {
	case <-q.granted:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.waiting, q); i >= 0 {
		s.take(i)
		s.forget(q.owner)
		return ctx.Err()
	}
	s.giveBack(q, 0) // it was granted at the same time
	return ctx.Err()
}

// release gives back the slot of q, which took so long.
func (s *slots) release(q *question, took time.Duration) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.giveBack(q, took)
}

func (s *slots) giveBack(q *question, took time.Duration) {
	s.free++
	s.count(q, -1)
	s.charge(q, max(took, 0)-q.expected())
	s.forget(q.owner)
	s.grant()
}

// both calls do with the shares of q's owner, and of q's caller.
func (s *slots) both(q *question, do func(all *shares, name string)) {
	do(&s.owners, q.owner)
	do(s.callers[q.owner], q.caller)
}

// count adds to the questions that run.
func (s *slots) count(q *question, n int) {
	heavy := 0
	if q.heavy() {
		heavy = n
	}
	s.heavy += heavy
	s.both(q, func(all *shares, name string) {
		all.of[name].running += n
		all.of[name].heavy += heavy
	})
}

func (s *slots) charge(q *question, took time.Duration) {
	s.both(q, func(all *shares, name string) { all.charge(name, took) })
}

// forget drops what is not needed of an owner, and of all owners.
func (s *slots) forget(owner string) {
	s.callers[owner].forget()
	s.owners.forget()
	maps.DeleteFunc(s.callers, func(owner string, _ *shares) bool { return s.owners.of[owner] == nil })
}

// next returns the place of the question that gets the next slot, or -1 if none may have one.
func (s *slots) next() int {
	found := -1
	for i, q := range s.waiting {
		owner := s.owners.of[q.owner]
		if owner.running >= s.most || q.heavy() && (owner.heavy >= s.mostHeavy || s.heavy >= s.heavyInAll) {
			continue
		}
		if found < 0 || s.before(q, s.waiting[found]) {
			found = i
		}
	}
	return found
}

// before reports whether q gets a slot before o, which came earlier.
func (s *slots) before(q, o *question) bool {
	if q.owner != o.owner {
		return s.owners.of[q.owner].before(s.owners.of[o.owner])
	}
	callers := s.callers[q.owner].of
	if q.caller != o.caller {
		return callers[q.caller].before(callers[o.caller])
	}
	return q.cost < o.cost && callers[q.caller].passed < maxPassed
}

// grant gives free slots to the next questions.
func (s *slots) grant() {
	for s.free > 0 {
		i := s.next()
		if i < 0 {
			return
		}
		q := s.waiting[i]
		caller := s.callers[q.owner].of[q.caller]
		if slices.ContainsFunc(s.waiting[:i],
			func(o *question) bool { return o.owner == q.owner && o.caller == q.caller }) {
			caller.passed++
		} else {
			caller.passed = 0
		}
		s.take(i)
		s.free--
		s.begun++
		s.both(q, func(all *shares, name string) { all.of[name].turn = s.begun }) // who waits for more comes last
		s.count(q, 1)
		s.charge(q, q.expected())
		close(q.granted)
	}
}

// take removes the question at place i from the waiting ones.
func (s *slots) take(i int) {
	q := s.waiting[i]
	s.waiting = slices.Delete(s.waiting, i, i+1)
	s.both(q, func(all *shares, name string) { all.of[name].waiting-- })
}
