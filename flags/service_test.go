package flags

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// wire is a Bus that records its notifications.
type wire struct {
	told
	to []Invalidator
}

func (w *wire) NotifyFlags(inv Invalidator) { w.to = append(w.to, inv) }

// The evaluator sees a change without a check of the store, and so do other processes.
func TestServiceIsConnected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bus := &wire{told: told{}}
		s, err := New(Config{Store: &Memory{}, Bus: bus})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close(t.Context())
		shop := OfWebsite("web")
		for _, want := range []bool{false, true} {
			if r, err := s.Evaluator().Evaluate(t.Context(), shop, "k", &Context{}); err != nil || r.Enabled != want {
				t.Errorf("%+v, %v; want %v", r, err, want)
			}
			if !want {
				mustCreate(t, s.Editor(), Flag{Key: "k", Default: true})
			}
		}
		if bus.told[shop] != 1 || len(bus.told) != 1 {
			t.Errorf("the bus was notified of %v", bus.told)
		}
		if !slices.Equal(bus.to, []Invalidator{s.Evaluator()}) {
			t.Errorf("the bus notifies %v", bus.to)
		}
	})
	if s, err := New(Config{}); err == nil || s != nil {
		t.Errorf("New accepts a missing store")
	}
}

// Close returns when its context ends, although a store is still busy.
func TestCloseIsBounded(t *testing.T) {
	inBubble(t, EvaluatorConfig{}, func(t *testing.T, w *world) {
		release := make(chan struct{})
		w.store.hold.Store(new(func(context.Context) { <-release }))
		go func() { _, _ = w.Evaluate(t.Context(), OfWebsite("a"), "k", &Context{}) }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := w.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("with a busy store: %v", err)
		}
		close(release)
		if err := w.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestClientsWithoutKindOrID(t *testing.T) {
	for _, client := range []Client{{}, {ID: "web"}, {Kind: Website}, {Kind: "link", ID: "web"}} {
		inBubble(t, EvaluatorConfig{}, func(t *testing.T, w *world) {
			ctx, target := t.Context(), Target{Client: client, ID: "f"}
			e := w.here
			_, list := e.List(ctx, client)
			_, flag := e.Flag(ctx, client, "f")
			_, create := e.Create(ctx, Actor{}, Flag{Client: client, Key: "k", Type: Boolean})
			_, change := e.Change(ctx, target, func(*Flag) {})
			_, history := e.History(ctx, target, 0, 1)
			_, groups := e.Groups(ctx, client)
			_, put := e.PutGroup(ctx, Group{Client: client, Name: "g"})
			_, one := w.Evaluate(ctx, client, "k", &Context{})
			_, all := w.EvaluateAll(ctx, client, &Context{})
			_, some := w.EvaluateKeys(ctx, client, []string{"k"}, &Context{})
			for name, err := range map[string]error{
				"List": list, "Flag": flag, "Create": create, "Change": change, "Remove": e.Remove(ctx, target),
				"History": history,
				"Groups":  groups, "PutGroup": put, "RemoveGroup": e.RemoveGroup(ctx, client, "g"),
				"Evaluate": one, "EvaluateAll": all, "EvaluateKeys": some,
			} {
				if !errors.Is(err, ErrInvalid) {
					t.Errorf("%s for %+v: %v", name, client, err)
				}
			}
		})
	}
}
