package query

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

type boundedStore struct{ store.Store }

func (boundedStore) MaxQueries() int { return 4 }

// A caller that asks for many waits for callers that ask for one.
func TestSlotsAreGivenInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots(boundedStore{})
		var order []string
		granted := make(chan string, 100)
		ask := func(caller string, n int) {
			for range n {
				go func() {
					if s.acquire(t.Context(), caller) == nil {
						granted <- caller
					}
				}()
				synctest.Wait()
			}
		}
		ask("greedy", 10)
		if len(granted) != 3 {
			t.Fatalf("%d of four slots are one caller's", len(granted))
		}
		ask("modest", 1)
		if len(granted) != 4 {
			t.Fatal("the last slot was not for another")
		}
		ask("late", 2)
		for len(granted) > 0 {
			caller := <-granted
			order = append(order, caller)
			s.release(caller, 0)
			synctest.Wait()
		}
		place := func(caller string) (at int) {
			for i, c := range order {
				if c == caller {
					at = i
				}
			}
			return at
		}
		if len(order) != 13 || place("late") > 8 {
			t.Errorf("slots were given in the order %q", order)
		}
		if s.free != 4 || len(s.running)+len(s.waiting)+len(s.turns) != 0 {
			t.Errorf("afterwards: %+v", s)
		}
	})
}

// A caller that had little of the store's time does not wait behind one that had much. Callers that had equally much
// take turns.
func TestSlotsGoToWhoHadLeast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots(boundedStore{})
		granted := make(chan string, 100)
		for _, ask := range []struct {
			caller string
			n      int
		}{{"greedy", 20}, {"modest", 5}} {
			for range ask.n {
				go func() {
					if s.acquire(t.Context(), ask.caller) == nil {
						granted <- ask.caller
					}
				}()
				synctest.Wait()
			}
		}
		order := ""
		for len(granted) > 0 {
			caller := <-granted
			order += caller[:1]
			s.release(caller, map[string]time.Duration{"greedy": time.Second, "modest": time.Millisecond}[caller])
			synctest.Wait()
		}
		if len(order) != 25 || !strings.HasPrefix(order, "gggmmmgmm") { // no caller has all four
			t.Errorf("slots were given in the order %s", order)
		}
		if len(s.used) != 0 || s.least != 0 {
			t.Errorf("nobody asks, and %v is remembered", s.used)
		}
	})
}

// Who begins to ask is not served before all others until they had as much as those.
func TestANewCallerIsLittleAhead(t *testing.T) {
	s := newSlots(boundedStore{})
	for _, caller := range []string{"old", "old", "old", "once"} {
		if err := s.acquire(t.Context(), caller); err != nil {
			t.Fatal(err)
		}
	}
	s.release("once", time.Millisecond)
	s.release("old", time.Hour)
	if err := s.acquire(t.Context(), "new"); err != nil {
		t.Fatal(err)
	}
	if s.used["new"] != time.Hour-credit || s.used["old"] != time.Hour || len(s.used) != 2 {
		t.Errorf("what is remembered: %v", s.used)
	}
}

func TestWhoGivesUpWaitingHoldsNoSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots(boundedStore{})
		for range 3 {
			if err := s.acquire(t.Context(), "a"); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error, 1)
		go func() { failed <- s.acquire(ctx, "a") }()
		synctest.Wait()
		cancel()
		if err := <-failed; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		for range 3 {
			s.release("a", 0)
		}
		if s.free != 4 || len(s.running)+len(s.waiting)+len(s.turns) != 0 {
			t.Errorf("afterwards: %+v", s)
		}
	})
}
