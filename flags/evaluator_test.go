package flags

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// watched is a store whose calls a test can count, delay and make fail.
type watched struct {
	Memory
	loads, looks atomic.Int64
	away         atomic.Bool
	panics       atomic.Bool
	damaged      atomic.Pointer[Client]                // loads of this client fail
	hold         atomic.Pointer[func(context.Context)] // runs after a load and before it returns
}

var errAway = errors.New("the database is away")

func (w *watched) Load(ctx context.Context, client Client) (Set, error) {
	w.loads.Add(1)
	set, err := w.Memory.Load(ctx, client)
	if hold := w.hold.Load(); hold != nil {
		(*hold)(ctx)
	}
	if w.panics.Load() {
		panic("out of order")
	}
	if d := w.damaged.Load(); w.away.Load() || d != nil && *d == client {
		return Set{}, errAway
	}
	return set, errors.Join(err, ctx.Err())
}

func (w *watched) Revisions(ctx context.Context, clients []Client) (map[Client]int64, error) {
	w.looks.Add(1)
	if w.panics.Load() {
		panic("out of order")
	}
	if w.away.Load() {
		return nil, errAway
	}
	return w.Memory.Revisions(ctx, clients)
}

// world has an evaluator with its own simulated time, an editor that notifies it, and an editor of another
// process that does not.
type world struct {
	*Evaluator
	t           *testing.T
	store       *watched
	here, there *Editor
	log         bytes.Buffer
}

func inBubble(t *testing.T, cfg EvaluatorConfig, test func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, store: &watched{}}
		cfg.Store, cfg.Logger = w.store, slog.New(slog.NewTextHandler(&w.log, nil))
		var err error
		if w.Evaluator, err = NewEvaluator(cfg); err != nil {
			t.Fatal(err)
		}
		defer w.Close(t.Context())
		w.here = newEditor(t, &w.store.Memory, w.Evaluator)
		w.there = newEditor(t, &w.store.Memory)
		test(t, w)
	})
}

// want checks the default that the flag k of a client evaluates to.
func (w *world) want(client Client, on bool) {
	w.t.Helper()
	r, err := w.Evaluate(w.t.Context(), client, "k", &Context{})
	if err != nil || r.Enabled != on {
		w.t.Errorf("%s: %+v, %v; want %v", client, r, err, on)
	}
}

func (w *world) set(e *Editor, f Flag, on bool) {
	w.t.Helper()
	if _, err := e.Change(w.t.Context(), Target{Client: f.Client, ID: f.ID},
		func(f *Flag) { f.Default = on }); err != nil {
		w.t.Fatal(err)
	}
}

func TestAnswersComeFromMemory(t *testing.T) {
	inBubble(t, EvaluatorConfig{}, func(t *testing.T, w *world) {
		mustCreate(t, w.there, Flag{Key: "k", Default: true})
		for range 1000 {
			w.want(OfWebsite("web"), true)
		}
		w.want(OfWebsite("empty"), false)
		w.want(OfWebsite("empty"), false)
		if all, err := w.EvaluateAll(t.Context(), OfWebsite("web"), &Context{}); err != nil || len(all) != 1 {
			t.Errorf("%v, %v", all, err)
		}
		if some, err := w.EvaluateKeys(t.Context(), OfWebsite("web"), []string{"k", "l"}, &Context{}); err != nil ||
			len(some) != 1 {
			t.Errorf("%v, %v", some, err)
		}
		if n := w.store.loads.Load(); n != 2 {
			t.Errorf("%d loads for two clients", n)
		}
		if _, err := w.EvaluateKeys(t.Context(), OfWebsite("web"), make([]string, MaxKeys+1),
			&Context{}); !errors.Is(err, ErrInvalid) {
			t.Errorf("too many keys: %v", err)
		}
		if _, err := w.Evaluate(t.Context(), Client{}, "k", &Context{}); !errors.Is(err, ErrInvalid) {
			t.Errorf("no client: %v", err)
		}
		if _, err := w.EvaluateAll(t.Context(), OfWebsite("web"),
			&Context{UserID: strings.Repeat("x", MaxID+1)}); !errors.Is(err, ErrInvalid) {
			t.Errorf("a large context: %v", err)
		}
	})
}

func TestOwnChangesAreSeenAtOnce(t *testing.T) {
	inBubble(t, EvaluatorConfig{}, func(t *testing.T, w *world) {
		f := mustCreate(t, w.here, Flag{Key: "k", Default: true})
		for n := range 20 {
			w.want(OfWebsite("web"), n%2 == 0)
			w.set(w.here, f, n%2 != 0)
		}
		if n := w.store.looks.Load(); n != 0 {
			t.Errorf("%d checks although no time passed", n)
		}
	})
}

func TestChangesElsewhereAreSeenWithinASecond(t *testing.T) {
	inBubble(t, EvaluatorConfig{}, func(t *testing.T, w *world) {
		f := mustCreate(t, w.there, Flag{Key: "k", Default: true})
		other := mustCreate(t, w.there, Flag{Client: OfWebsite("other"), Key: "k"})
		w.want(OfWebsite("web"), true)
		w.want(OfWebsite("other"), false)
		time.Sleep(10 * time.Second)
		if n := w.store.loads.Load(); n != 2 {
			t.Errorf("%d loads although nothing changed", n)
		}
		w.set(w.there, f, false)
		w.want(OfWebsite("web"), true) // the change is not known yet
		time.Sleep(time.Second)
		w.want(OfWebsite("web"), false)
		w.want(OfWebsite("other"), false)
		if n := w.store.loads.Load(); n != 3 {
			t.Errorf("%d loads for two clients, one of which changed", n)
		}

		// After a lost connection a message bus reports that any client may have changed.
		w.set(w.there, other, true)
		w.FlagsChanged(t.Context(), Client{})
		synctest.Wait()
		w.want(OfWebsite("other"), true)
	})
}

func TestSchedulesNeedNoStore(t *testing.T) {
	var now atomic.Pointer[time.Time]
	now.Store(new(noon()))
	inBubble(t, EvaluatorConfig{Now: func() time.Time { return *now.Load() }}, func(t *testing.T, w *world) {
		enabled := noon().Add(time.Hour)
		mustCreate(t, w.there, Flag{Key: "k", Default: true, Status: Inactive,
			Schedule: []Step{{At: enabled, Action: Enable}}})
		w.want(OfWebsite("web"), false)
		w.store.away.Store(true)
		now.Store(new(enabled.Add(-1)))
		w.want(OfWebsite("web"), false)
		now.Store(&enabled)
		w.want(OfWebsite("web"), true)
	})
}

func TestStoreIsAway(t *testing.T) {
	inBubble(t, EvaluatorConfig{}, func(t *testing.T, w *world) {
		f := mustCreate(t, w.there, Flag{Key: "k", Default: true})
		w.want(OfWebsite("web"), true)
		time.Sleep(time.Second)
		if err := w.Check(t.Context()); err != nil {
			t.Error(err)
		}
		for i, trouble := range []*atomic.Bool{&w.store.away, &w.store.panics} {
			stranger := OfWebsite(fmt.Sprint("stranger-", i))
			trouble.Store(true)
			time.Sleep(time.Hour)
			w.want(OfWebsite("web"), true)
			w.FlagsChanged(t.Context(), OfWebsite("web")) // cannot be loaded
			w.want(OfWebsite("web"), true)
			if err := w.Check(t.Context()); err == nil ||
				!strings.Contains(err.Error(), "using the flags of 2000-01-") {
				t.Errorf("Check: %v", err)
			}
			for range 2 {
				if r, err := w.Evaluate(t.Context(), stranger, "k", &Context{}); err == nil ||
					trouble == &w.store.away && !errors.Is(err, errAway) {
					t.Errorf("an unknown client: %+v, %v", r, err)
				}
			}
			trouble.Store(false)
			time.Sleep(time.Second)
			if err := w.Check(t.Context()); err != nil {
				t.Errorf("Check after the store is back: %v", err)
			}
			w.want(stranger, false)
		}
		w.set(w.there, f, false)
		time.Sleep(time.Second)
		w.want(OfWebsite("web"), false)
		if text := w.log.String(); strings.Count(text, "using the last known flags") != 2 ||
			strings.Count(text, "flags are up to date again") != 2 {
			t.Errorf("logged:\n%s", text)
		}
	})
}

// TestStoreHangs checks that evaluations wait at most for the timeout, and only for new flags.
func TestStoreHangs(t *testing.T) {
	inBubble(t, EvaluatorConfig{Timeout: time.Second}, func(t *testing.T, w *world) {
		f := mustCreate(t, w.there, Flag{Key: "k", Default: true})
		w.want(OfWebsite("web"), true)
		w.store.hold.Store(new(func(ctx context.Context) { <-ctx.Done() }))
		w.set(w.here, f, false)
		began := time.Now()
		w.want(OfWebsite("web"), true)
		if took := time.Since(began); took != time.Second {
			t.Errorf("after a change that could not be loaded, an evaluation took %v", took)
		}
		w.want(OfWebsite("web"), true)
		if took := time.Since(began); took != time.Second {
			t.Errorf("the next evaluation waited, too, %v in total", took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		if _, err := w.Evaluate(ctx, OfWebsite("stranger"), "k", &Context{}); !errors.Is(err,
			context.DeadlineExceeded) {
			t.Errorf("an evaluation whose context ends first: %v", err)
		}
		w.store.hold.Store(nil)
		time.Sleep(2 * time.Second)
		w.want(OfWebsite("web"), false)
	})
}

// TestOneClientCannotBeLoaded uses a store that fails for one client only.
func TestOneClientCannotBeLoaded(t *testing.T) {
	inBubble(t, EvaluatorConfig{}, func(t *testing.T, w *world) {
		f := mustCreate(t, w.there, Flag{Key: "k", Default: true})
		mustCreate(t, w.there, Flag{Client: OfWebsite("other"), Key: "k", Default: true})
		w.want(OfWebsite("web"), true)
		w.want(OfWebsite("other"), true)
		w.store.damaged.Store(new(OfWebsite("web")))
		w.FlagsChanged(t.Context(), OfWebsite("web")) // nothing changed, so the index is current
		time.Sleep(2 * time.Second)
		if err := w.Check(t.Context()); err != nil {
			t.Error(err)
		}
		w.set(w.there, f, false)
		time.Sleep(2 * time.Second)
		w.want(OfWebsite("web"), true)
		if err := w.Check(t.Context()); !errors.Is(err, errAway) {
			t.Errorf("Check: %v", err)
		}
		w.store.damaged.Store(nil)
		time.Sleep(2 * time.Second)
		w.want(OfWebsite("web"), false)
		if err := w.Check(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestLoadFromBeforeAChange makes changes happen after a load has read and before it returns.
func TestLoadFromBeforeAChange(t *testing.T) {
	inBubble(t, EvaluatorConfig{}, func(t *testing.T, w *world) {
		f := mustCreate(t, w.there, Flag{Key: "k", Default: true})
		release := make(chan struct{})
		w.store.hold.Store(new(func(context.Context) { <-release }))
		first := make(chan Result)
		go func() {
			r, _ := w.Evaluate(t.Context(), OfWebsite("web"), "k", &Context{})
			first <- r
		}()
		synctest.Wait()
		for range 5 {
			w.set(w.here, f, false)
		}
		var late [3]Result
		var wg sync.WaitGroup
		for i := range late {
			wg.Go(func() { late[i], _ = w.Evaluate(t.Context(), OfWebsite("web"), "k", &Context{}) })
		}
		synctest.Wait()
		close(release)
		wg.Wait()
		if r := <-first; !r.Enabled {
			t.Errorf("an evaluation from before the change: %+v", r)
		}
		for _, r := range late {
			if r.Enabled || r.Reason != BooleanDefault {
				t.Errorf("an evaluation from after the change: %+v", r)
			}
		}
		if n := w.store.loads.Load(); n != 2 {
			t.Errorf("%d loads", n)
		}
	})
}

func TestUnusedClientsAreDropped(t *testing.T) {
	inBubble(t, EvaluatorConfig{Clients: 100}, func(t *testing.T, w *world) {
		mustCreate(t, w.there, Flag{Key: "k", Default: true})
		w.want(OfWebsite("web"), true)
		loads := w.store.loads.Load()
		for n := range 10_000 { // made-up ids
			w.want(OfWebsite(fmt.Sprint("stranger-", n)), false)
		}
		if w.mu.RLock(); len(w.clients) > 100 {
			t.Errorf("%d clients are in memory", len(w.clients))
		}
		w.mu.RUnlock()
		w.want(OfWebsite("web"), true)
		if n := w.store.loads.Load() - loads; n != 10_000 {
			t.Errorf("%d loads for as many unknown ids: a client with flags was dropped", n)
		}
		time.Sleep(idle + idleEmpty)
		if w.mu.RLock(); len(w.clients) != 0 {
			t.Errorf("%d unused clients are still in memory", len(w.clients))
		}
		w.mu.RUnlock()
	})
}

func TestTooManyLoads(t *testing.T) {
	inBubble(t, EvaluatorConfig{Clients: 2}, func(t *testing.T, w *world) {
		release := make(chan struct{})
		w.store.hold.Store(new(func(context.Context) { <-release }))
		var wg sync.WaitGroup
		for _, client := range []Client{OfWebsite("a"), OfWebsite("b")} {
			wg.Go(func() { _, _ = w.Evaluate(t.Context(), client, "k", &Context{}) })
		}
		synctest.Wait()
		if _, err := w.Evaluate(t.Context(), OfWebsite("c"), "k", &Context{}); !errors.Is(err, ErrBusy) {
			t.Errorf("with two clients being loaded: %v", err)
		}
		close(release)
		wg.Wait()
		w.want(OfWebsite("c"), false)
	})
}

func TestClosed(t *testing.T) {
	inBubble(t, EvaluatorConfig{}, func(t *testing.T, w *world) {
		mustCreate(t, w.there, Flag{Key: "k", Default: true})
		w.want(OfWebsite("web"), true)
		for range 2 {
			if err := w.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}
		w.FlagsChanged(t.Context(), OfWebsite("web"))
		w.FlagsChanged(t.Context(), Client{})
		w.want(OfWebsite("web"), true)
		if _, err := w.Evaluate(t.Context(), OfWebsite("stranger"), "k", &Context{}); !errors.Is(err, ErrBusy) {
			t.Error(err)
		}
	})
}
