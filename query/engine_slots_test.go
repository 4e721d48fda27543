package query

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/sightline-analytics/sightline/store"
)

type boundedStore struct{ store.Store }

func (boundedStore) MaxQueries() int { return 4 }

// Whoever asks for many waits for those who ask for one.
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
			s.release(caller)
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
			s.release("a")
		}
		if s.free != 4 || len(s.running)+len(s.waiting)+len(s.turns) != 0 {
			t.Errorf("afterwards: %+v", s)
		}
	})
}
