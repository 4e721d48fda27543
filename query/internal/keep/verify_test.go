package keep_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/query/internal/keep"
	"github.com/sightline-analytics/sightline/query/internal/merge"
	"github.com/sightline-analytics/sightline/store"
)

// Verify reports a planted difference in a table, and does not report days that changed meanwhile.
func TestVerifyFindsAPlantedDifference(t *testing.T) {
	const table = "verify sealed_hits"
	site := website("w")
	w := newWorld(t, newFake(), nil)
	w.write(site, 0, 9)
	if n, err := w.RebuildSeals(t.Context(), site, on(-5), on(15)); n != 2 || err != nil {
		t.Fatalf("%d days were rebuilt, %v", n, err)
	}
	verify := func(name string, want keep.SealReport) {
		t.Helper()
		got, err := w.Seals.Verify(t.Context(), site, on(-5), on(15))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got)\n%s", name, err, diff)
		}
	}
	verify("no row differs", keep.SealReport{Verified: 4})
	w.found[table] = [][3]int64{{dayNumber(0), 3, 1}, {dayNumber(9), 0, 2}}
	planted := []keep.SealDifference{{Day: on(0), Table: "sealed_hits", Missing: 3, Surplus: 1},
		{Day: on(9), Table: "sealed_hits", Surplus: 2}}
	w.taken()
	verify("rows differ", keep.SealReport{Verified: 4, Differences: planted})
	if n := strings.Count(strings.Join(w.taken(), "\n"), table); n != 4 {
		t.Errorf("the hits of two days were compared %d times, want twice each, since a commit may have been on its way", n)
	}
	w.fault = func(call string) error {
		if call == table {
			w.write(site, 9)
		}
		return nil
	}
	verify("a day changes", keep.SealReport{Verified: 3, Skipped: 1, Differences: planted[:1]})
	w.fault = func(call string) error {
		if call == table {
			return errFull
		}
		return nil
	}
	if _, err := w.Seals.Verify(t.Context(), site, on(-5), on(15)); !errors.Is(err, errFull) {
		t.Errorf("the error is %v if the store fails", err)
	}
}

// Rebuild seals the days with rows, and drops what was computed from the old seals: states in memory and in the store,
// and answers.
func TestRebuild(t *testing.T) {
	site := website("w")
	w := newWorld(t, newFake(), nil)
	w.write(site, 0, 1, 9)
	before := w.merger.Partials.Of(site)
	n, err := w.RebuildSeals(t.Context(), site, on(0), on(9))
	calls := w.taken()
	if n != 2 || err != nil || len(calls) == 0 || calls[0] != "seal w 0 to 1" ||
		!slices.Contains(calls, "drop states of w but 0") {
		t.Errorf("%d days were rebuilt by %v, %v", n, calls, err)
	}
	if w.forgets != 1 || w.merger.Partials.Of(site) == before {
		t.Errorf("answers were forgotten %d times, and the states in memory stay: %t", w.forgets,
			w.merger.Partials.Of(site) == before)
	}
	w.fault = func(call string) error {
		if strings.HasPrefix(call, "seal ") {
			return errFull
		}
		return nil
	}
	n, err = w.RebuildSeals(t.Context(), site, on(0), on(9))
	if calls := w.taken(); n != 0 || !errors.Is(err, errFull) || !slices.Contains(calls, "drop states of w but 0") ||
		w.forgets != 2 {
		t.Errorf("%d days were rebuilt by %v, %v; want none, and no states and answers of old seals", n, calls, err)
	}
}

// A store that seals nothing is reported by every method.
func TestAStoreThatSealsNothing(t *testing.T) {
	w := newWorld(t, newFake(), struct{ store.Store }{newFake()})
	site := website("w")
	_, verify := w.Seals.Verify(t.Context(), site, on(0), on(1))
	_, rebuild := w.RebuildSeals(t.Context(), site, on(0), on(1))
	_, seal := w.Keeper.Seal(t.Context())
	for name, err := range map[string]error{
		"Seals.Verify": verify, "RebuildSeals": rebuild, "Seal": seal, "Reseal": w.Reseal(t.Context()),
		"Finish":       w.Finish(t.Context()),
		"Seals.Seal":   w.Seals.Seal(t.Context(), site, on(0), on(1)),
		"Seals.Reseal": w.Seals.Reseal(t.Context(), site, on(0), on(1)),
	} {
		if !errors.Is(err, merge.ErrNotDerived) {
			t.Errorf("%s returns %v", name, err)
		}
	}
	if err := w.Keeper.States.Store(t.Context(), site, on(0), on(1)); err == nil {
		t.Error("States.Store stores nothing and returns no error")
	}
}
