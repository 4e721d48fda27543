package keep_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

var errFull = errors.New("full")

// What fails is reported, and tried again in the next round. It delays nothing else. More days than one statement may
// have are tried in halves.
func TestAStoreThatFails(t *testing.T) {
	w := newWorld(t, newFake(), nil)
	w.write(website("a"), 0)
	w.write(website("b"), 0)
	w.round(t)
	bad := true
	w.fault = func(call string) error {
		if bad && strings.HasPrefix(call, "seal a ") && !strings.HasPrefix(call, "seal a -1 to 0") {
			return errFull
		}
		return nil
	}
	w.taken()
	n, err := w.Keeper.Seal(t.Context())
	if !errors.Is(err, errFull) || n != 7 {
		t.Errorf("%d days were sealed, want 2 of a and 5 of b; the error is %v", n, err)
	}
	calls := w.taken()
	for _, want := range []string{"seal a -1 to 3", "seal a -1 to 0", "seal a 1 to 3", "seal a 1 to 1",
		"seal b -1 to 3"} {
		if !slices.Contains(calls, want) {
			t.Errorf("the calls %v do not include %q", calls, want)
		}
	}
	if left := w.Backlog(); left.Days != 10 {
		t.Errorf("the backlog is %+v, want the days that were due when the round began", left)
	}
	n, err = w.Keeper.Seal(t.Context())
	if calls := w.taken(); n != 0 || !errors.Is(err, errFull) || !slices.Contains(calls, "list states") {
		t.Errorf("the next round seals %d days by %v, %v; want none, and the states of b", n, calls, err)
	}
	bad = false
	if calls := w.round(t); !slices.Equal(calls, []string{"seal a 1 to 3"}) {
		t.Errorf("a round without faults calls %v", calls)
	}
	for _, broken := range []string{"websites", "list states"} {
		w.write(website("a"), 40)
		w.round(t)
		w.round(t)
		w.fault = func(call string) error {
			if call == broken {
				return errFull
			}
			return nil
		}
		if _, err := w.Keeper.Seal(t.Context()); !errors.Is(err, errFull) {
			t.Errorf("Seal returns %v if the store fails to answer %q", err, broken)
		}
		w.fault = nil
	}
}

// A panic of a store becomes an error of Run, or a line of the log, and Run continues.
func TestRunReportsPanics(t *testing.T) {
	for _, logged := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		w := newWorld(t, newFake(), nil)
		panics := 0
		w.fault = func(call string) error {
			if call != "websites" {
				return nil
			}
			if panics++; panics > 1 {
				cancel()
				return nil
			}
			panic("the store is broken")
		}
		var errs []error
		failed := func(err error) { errs = append(errs, err) }
		if logged {
			failed = nil
		}
		ticking := time.NewTicker(time.Millisecond)
		done := make(chan struct{})
		go func() {
			defer close(done)
			w.Run(ctx, failed)
		}()
		for ended := false; !ended; {
			select {
			case <-ticking.C:
				w.pass(time.Minute) // so that Run does not wait for its next round
			case <-done:
				ended = true
			}
		}
		ticking.Stop()
		told := w.log.String()
		if !logged {
			told = errors.Join(errs...).Error()
		}
		if strings.Count(told, "the store is broken") != 1 || !strings.Contains(told, "fault_test.go") {
			t.Errorf("logged %t: the panic is reported as %q, want its text and stack once", logged, told)
		}
		cancel()
	}
}

// Nothing begins after the context ended.
func TestACancelledContext(t *testing.T) {
	w := newWorld(t, newFake(), nil)
	for _, id := range []string{"a", "b", "c"} {
		w.write(website(id), 0)
	}
	w.round(t)
	ctx, cancel := context.WithCancel(t.Context())
	w.fault = func(call string) error {
		if strings.HasPrefix(call, "seal ") {
			cancel()
		}
		return nil
	}
	w.taken()
	n, err := w.Keeper.Seal(ctx)
	if calls := w.taken(); err == nil || err.Error() != context.Canceled.Error() || n != 0 || len(calls) != 2 {
		t.Errorf("%d days were sealed, %v, by the calls %v; want websites and one seal", n, err, calls)
	}
	w.Run(ctx, func(err error) { t.Errorf("Run reports %v", err) })
	_, verify := w.Seals.Verify(ctx, website("a"), on(0), on(1))
	_, rebuild := w.RebuildSeals(ctx, website("a"), on(0), on(1))
	for name, err := range map[string]error{
		"Seals.Verify": verify, "RebuildSeals": rebuild, "Finish": w.Finish(ctx),
		"States.Store": w.Keeper.States.Store(ctx, website("a"), on(0), on(1)),
		"Seals.Reseal": w.Seals.Reseal(ctx, website("a"), on(0), on(1)),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s returns %v after the context ended", name, err)
		}
	}
}
