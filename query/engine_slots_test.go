package query

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

type boundedStore struct {
	store.Store
	most int
}

func (s boundedStore) MaxQueries() int { return s.most }

const heavy, light = heavyCost, 1

// asked is a question with that cost.
func asked(owner, caller string, cost int) *question {
	q := newQuestion(nil, owner, caller)
	q.cost = cost
	return q
}

// A crowd asks questions of a virtual store.
type crowd struct {
	slots   *slots
	granted chan *question
}

func newCrowd(most int) *crowd {
	return &crowd{newSlots(boundedStore{most: most}), make(chan *question, 1000)}
}

// ask asks n questions that wait or have a slot when it returns.
func (c *crowd) ask(t *testing.T, n int, owner, caller string, cost int) {
	for range n {
		q := asked(owner, caller, cost)
		go func() {
			if c.slots.acquire(t.Context(), q) == nil {
				c.granted <- q
			}
		}()
		synctest.Wait()
	}
}

// serve ends the questions in the order in which they got a slot, after so long, and returns who they were.
func (c *crowd) serve(took func(*question) time.Duration) (order []string) {
	for len(c.granted) > 0 {
		q := <-c.granted
		order = append(order, q.caller)
		c.slots.release(q, took(q))
		synctest.Wait()
	}
	return order
}

// idle checks that nothing is left.
func (c *crowd) idle(t *testing.T, most int) {
	t.Helper()
	s := c.slots
	if s.free != most || s.heavy != 0 || len(s.waiting)+len(s.owners.of)+len(s.callers) != 0 || s.owners.least != 0 {
		t.Errorf("afterwards: %+v", s)
	}
}

func same(took time.Duration) func(*question) time.Duration {
	return func(*question) time.Duration { return took }
}

// A caller that asks for many waits for callers that ask for one.
func TestSlotsAreGivenInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(4)
		c.ask(t, 10, "", "greedy", light)
		if len(c.granted) != 3 {
			t.Fatalf("%d of four slots are one caller's", len(c.granted))
		}
		c.ask(t, 1, "", "modest", light)
		if len(c.granted) != 4 {
			t.Fatal("the last slot was not for another")
		}
		c.ask(t, 2, "", "late", light)
		order := c.serve(same(0))
		last := 0
		for i, caller := range order {
			if caller == "late" {
				last = i
			}
		}
		if len(order) != 13 || last > 8 {
			t.Errorf("slots were given in the order %q", order)
		}
		c.idle(t, 4)
	})
}

// A caller that had little of the store's time does not wait behind one that had much. Callers that had equally much
// take turns.
func TestSlotsGoToWhoHadLeast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(4)
		c.ask(t, 20, "", "greedy", light)
		c.ask(t, 5, "", "modest", light)
		order := ""
		for _, caller := range c.serve(func(q *question) time.Duration {
			return map[string]time.Duration{"greedy": time.Second, "modest": time.Millisecond}[q.caller]
		}) {
			order += caller[:1]
		}
		if len(order) != 25 || strings.LastIndex(order, "m") > 9 {
			t.Errorf("slots were given in the order %s", order)
		}
		c.idle(t, 4)
	})
}

// Who begins to ask is not served before all others until they had as much as those.
func TestANewCallerIsLittleAhead(t *testing.T) {
	s := newSlots(boundedStore{most: 4})
	begin := func(caller string) *question {
		q := asked("", caller, light)
		if err := s.acquire(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		return q
	}
	old := begin("old")
	begin("old")
	begin("old")
	s.release(begin("once"), time.Millisecond)
	s.release(old, time.Hour)
	begin("new")
	if got := s.owners.of["new"].used; got != s.owners.least-credit+expected || got < time.Hour/2 ||
		len(s.owners.of) != 2 || len(s.callers) != 2 {
		t.Errorf("a new caller begins with %v, of %v", got, s.owners.least)
	}
}

// TestAnOwnerWithManyKeysGetsNoMore compares how long others wait beside one key with heavy questions, and beside
// twelve such keys of the same owner, without any real time.
func TestAnOwnerWithManyKeysGetsNoMore(t *testing.T) {
	for _, most := range []int{1, 2, 3, 4, 10} {
		for _, cost := range []int{heavy, light} {
			waits := map[int]time.Duration{}
			for _, keys := range []int{1, 12} {
				synctest.Test(t, func(t *testing.T) {
					c := newCrowd(most)
					var all sync.WaitGroup
					defer all.Wait()
					ask := func(owner, caller string, cost int, took time.Duration) {
						q := asked(owner, caller, cost)
						if c.slots.acquire(t.Context(), q) == nil {
							time.Sleep(took)
							c.slots.release(q, took)
						}
					}
					for key := range keys {
						for range 4 {
							all.Go(func() { ask("greedy", fmt.Sprint("key ", key), cost, 5*time.Second) })
						}
					}
					synctest.Wait()
					for range 5 {
						began := time.Now()
						ask("other", "key", light, time.Millisecond)
						waits[keys] = max(waits[keys], time.Since(began))
						time.Sleep(time.Second)
					}
				})
			}
			if waits[12] > 2*waits[1] || most > 1 && waits[12] > time.Second {
				t.Errorf("%d slots: others wait %v beside one key and %v beside twelve", most, waits[1], waits[12])
			}
		}
	}
}

// A key's light questions pass its heavy ones, and wait for none that runs. Its heavy ones are answered all the same.
func TestLightQuestionsPassHeavyOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(4)
		c.ask(t, 8, "acme", "key", heavy)
		if len(c.granted) != 2 {
			t.Fatalf("%d of four slots have heavy questions of one owner, want 2", len(c.granted))
		}
		c.ask(t, 3, "globex", "other", heavy)
		if len(c.granted) != 3 {
			t.Fatalf("%d of four slots have heavy questions, want 3", len(c.granted))
		}
		q := asked("acme", "key", light)
		if err := c.slots.acquire(t.Context(), q); err != nil { // it would not return before a heavy one ends
			t.Fatal(err)
		}
		c.slots.release(q, 0)
		c.serve(same(time.Second))
		c.idle(t, 4)
	})
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(1)
		c.ask(t, 2, "acme", "key", heavy)
		c.ask(t, 20, "acme", "key", light)
		heavies := []int{}
		for i := 0; len(c.granted) > 0; i++ {
			q := <-c.granted
			if q.heavy() {
				heavies = append(heavies, i)
			}
			c.slots.release(q, 0)
			synctest.Wait()
		}
		if len(heavies) != 2 || heavies[0] != 0 || heavies[1] != 1+maxPassed {
			t.Errorf("heavy questions were answered at the places %d, want the second after %d light ones", heavies,
				maxPassed)
		}
		c.idle(t, 1)
	})
}

func TestWhoGivesUpWaitingHoldsNoSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(4)
		c.ask(t, 3, "", "a", light)
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error, 1)
		go func() { failed <- c.slots.acquire(ctx, asked("", "a", light)) }()
		synctest.Wait()
		cancel()
		if err := <-failed; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		c.serve(same(0))
		c.idle(t, 4)
	})
}
