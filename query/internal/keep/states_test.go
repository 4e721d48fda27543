package keep_test

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// A day whose states take longer than a round is stored by several rounds: none computes a state set that an earlier
// one computed.
func TestStatesAreStoredByParts(t *testing.T) {
	site := website("w")
	whole := newWorld(t, newFake(), nil)
	whole.write(site, 0)
	if err := whole.Keeper.States.Store(t.Context(), site, on(0), on(1)); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, newFake(), nil)
	w.write(site, 0)
	const parts, each = 3, 3
	for part := range parts {
		ctx, cancel := context.WithCancel(t.Context())
		w.counted = func(n int) {
			if n == each*(part+1) {
				cancel()
			}
		}
		if err := w.Keeper.States.Store(ctx, site, on(0), on(1)); !errors.Is(err, context.Canceled) {
			t.Fatalf("part %d: %v", part, err)
		}
		cancel()
	}
	if calls := w.taken(); slices.Contains(calls, "save states") || w.Keeper.States.BatchSize() == 0 {
		t.Errorf("the calls %v store states of some sets only, or the batch with %d bytes has none", calls,
			w.Keeper.States.BatchSize())
	}
	if err := w.Keeper.States.Store(t.Context(), site, on(0), on(1)); err != nil {
		t.Fatal(err)
	}
	// What the statement computes during which the context ends may be lost.
	if w.statements > whole.statements+parts || whole.statements <= each*parts {
		t.Errorf("%d statements computed the states, want %d as at once, and at most %d more", w.statements,
			whole.statements, parts)
	}
	if calls := w.taken(); !slices.Contains(calls, "save states") || w.Keeper.States.BatchSize() != 0 {
		t.Errorf("the calls %v store no states, or leave %d bytes in the batch", calls, w.Keeper.States.BatchSize())
	}
}
