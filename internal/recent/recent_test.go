package recent_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/recent"
)

const (
	ttl     = time.Second
	known   = 3
	unknown = 2
)

var (
	noon       = time.Date(2026, 3, 29, 12, 0, 0, 0, time.UTC)
	errMissing = errors.New("does not exist")
	errAway    = errors.New("the database is away")
)

// A world is a cache with its own clock, around look-ups that a test can count and delay.
type world struct {
	*recent.Cache[string]
	mu     sync.Mutex
	values map[string]string // what exists
	away   bool              // look-ups fail
	asked  int               // how many look-ups began
	after  time.Duration     // time since noon
	looks  int               // how often the clock was read
	hold   func(context.Context) error
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{values: map[string]string{}}
	cfg := recent.Config{TTL: ttl, Known: known, Unknown: unknown, NotFound: errMissing, Now: w.now}
	c, err := recent.New(cfg, w.load)
	if err != nil {
		t.Fatal(err)
	}
	w.Cache = c
	return w
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looks++
	return noon.Add(w.after)
}

// load reads the value, and then holds it back: what changes in between is not in the answer.
func (w *world) load(ctx context.Context, key string) (string, error) {
	w.mu.Lock()
	w.asked++
	v, exists := w.values[key]
	away, hold := w.away, w.hold
	w.mu.Unlock()
	if hold != nil {
		if err := hold(ctx); err != nil {
			return "", err
		}
	}
	switch {
	case away:
		return "", errAway
	case !exists:
		return "", fmt.Errorf("%s: %w", key, errMissing)
	}
	return v, nil
}

func (w *world) set(key, value string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.values[key] = value
}

func (w *world) wait(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.after += d
}

func (w *world) read() (asked, looks int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.asked, w.looks
}

func (w *world) want(t *testing.T, key, value string, asked int) {
	t.Helper()
	if got, err := w.Get(t.Context(), key); got != value || err != nil {
		t.Errorf("%s = %q, %v; want %q", key, got, err, value)
	}
	if n, _ := w.read(); n != asked {
		t.Errorf("%d look-ups, want %d", n, asked)
	}
}

// A remembered answer is one that the model of the cache has.
type remembered struct {
	key, value string
	missing    bool
	at         time.Duration
}

// A model is the contract of a cache for one caller at a time: two lists of answers, the last asked first.
type model struct{ known, unknown []remembered }

// take moves the answer to key to the front of its list, and returns it.
func (m *model) take(key string) (remembered, bool) {
	for _, list := range []*[]remembered{&m.known, &m.unknown} {
		i := slices.IndexFunc(*list, func(r remembered) bool { return r.key == key })
		if i >= 0 {
			r := (*list)[i]
			*list = slices.Insert(slices.Delete(*list, i, i+1), 0, r)
			return r, true
		}
	}
	return remembered{}, false
}

// put replaces the answer to a key.
func (m *model) put(r remembered) {
	other := func(had remembered) bool { return had.key == r.key }
	m.known, m.unknown = slices.DeleteFunc(m.known, other), slices.DeleteFunc(m.unknown, other)
	if r.missing {
		m.unknown = slices.Insert(m.unknown, 0, r)
		m.unknown = m.unknown[:min(len(m.unknown), unknown)]
		return
	}
	m.known = slices.Insert(m.known, 0, r)
	m.known = m.known[:min(len(m.known), known)]
}

// get says what the cache has to answer, and whether it has to look the key up.
func (m *model) get(w *world, key string) (want remembered, asks bool, err error) {
	if r, ok := m.take(key); ok && w.after >= r.at && w.after-r.at < ttl {
		want = r
	} else if w.away {
		return remembered{}, true, errAway
	} else {
		value, exists := w.values[key]
		want, asks = remembered{key: key, value: value, missing: !exists, at: w.after}, true
		m.put(want)
	}
	if want.missing {
		return want, asks, errMissing
	}
	return want, asks, nil
}

// TestOneCallerAtATime compares random calls with the model: what is answered, and whether the cache asked. So it
// covers age and clocks that are set, both bounds and their order, keys that appear and disappear, failures, and what
// is forgotten.
func TestOneCallerAtATime(t *testing.T) {
	for _, seed := range []uint64{1, 2, 3} {
		random := rand.New(rand.NewPCG(seed, 60))
		w, m := newWorld(t), &model{}
		for step := range 3000 {
			key := string(rune('a' + random.IntN(8)))
			switch random.IntN(40) {
			case 0, 1:
				w.wait(time.Duration(random.IntN(5)-1) * ttl / 3)
			case 2, 3, 4:
				w.values[key] = fmt.Sprint(key, step)
			case 5, 6, 7:
				delete(w.values, key)
			case 8:
				w.away = !w.away
			case 9:
				changed := func(v string) bool { return v[:1] <= key }
				w.Forget(changed)
				m.known = slices.DeleteFunc(m.known, func(r remembered) bool { return changed(r.value) })
				m.unknown = nil
			default:
				before := w.asked
				want, asks, wantErr := m.get(w, key)
				got, err := w.Get(t.Context(), key)
				if got != want.value || !errors.Is(err, wantErr) || (w.asked > before) != asks {
					t.Fatalf("seed %d, step %d: %s = %q, %v after %d look-ups; want %q, %v and a look-up: %v",
						seed, step, key, got, err, w.asked-before, want.value, wantErr, asks)
				}
			}
		}
	}
}

// TestAgeIsExact holds the bound itself, which random steps of a third do not distinguish from its neighbours.
func TestAgeIsExact(t *testing.T) {
	w := newWorld(t)
	w.set("a", "one")
	w.want(t, "a", "one", 1)
	w.wait(ttl - 1)
	w.want(t, "a", "one", 1)
	w.wait(1)
	w.want(t, "a", "one", 2)
	w.wait(-1) // the answer is of the future
	w.want(t, "a", "one", 3)
}

// held makes the first look-ups wait: each sends to arrived, and continues when release is closed.
func (w *world) held() (arrived chan context.Context, release chan struct{}) {
	arrived, release = make(chan context.Context, 64), make(chan struct{})
	w.hold = func(ctx context.Context) error {
		arrived <- ctx
		<-release
		return ctx.Err()
	}
	return arrived, release
}

func (w *world) free() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hold = nil
}

func TestConcurrentCallsShareALookUp(t *testing.T) {
	w := newWorld(t)
	w.set("a", "one")
	arrived, release := w.held()
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			if got, err := w.Get(t.Context(), "a"); got != "one" || err != nil {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	<-arrived
	close(release)
	wg.Wait()
	w.want(t, "a", "one", 1)
}

// TestFirstCallerLeaves cancels the caller that began a look-up. The look-up continues within its own time limit:
// another caller waits for it, and later ones find its answer.
func TestFirstCallerLeaves(t *testing.T) {
	w := newWorld(t)
	w.set("a", "one")
	arrived, release := w.held()
	ctx, leave := context.WithCancel(t.Context())
	first := make(chan error, 1)
	go func() {
		_, err := w.Get(ctx, "a")
		first <- err
	}()
	look := <-arrived
	if _, ok := look.Deadline(); !ok {
		t.Error("a look-up has no time limit")
	}
	leave()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("the caller that left got %v", err)
	}
	if _, err := w.Get(ctx, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that left earlier got %v", err)
	}
	second := make(chan error, 1)
	go func() {
		got, err := w.Get(t.Context(), "a")
		if got != "one" {
			err = errors.Join(err, fmt.Errorf("got %q", got))
		}
		second <- err
	}()
	close(release)
	if err := <-second; err != nil {
		t.Errorf("the caller that waited: %v", err)
	}
	w.want(t, "a", "one", 1)
}

// TestForgetDuringALookUp forgets a key between the moment when its value was read and the moment when the answer
// arrives. Later calls neither wait for the old answer nor find it.
func TestForgetDuringALookUp(t *testing.T) {
	w := newWorld(t)
	w.set("a", "old")
	arrived, release := w.held()
	old := make(chan string, 1)
	go func() {
		got, _ := w.Get(t.Context(), "a")
		old <- got
	}()
	<-arrived
	w.set("a", "new")
	w.Forget(func(string) bool { return false }) // it is not yet in the cache, so the function does not see it
	w.free()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // only if it waits for the old answer
	defer cancel()
	if got, err := w.Get(ctx, "a"); got != "new" || err != nil {
		t.Errorf("after the change: %q, %v", got, err)
	}
	close(release)
	if got := <-old; got != "old" {
		t.Errorf("the call from before the change got %q", got)
	}
	w.want(t, "a", "new", 2)
}

// TestLookUpThatHangs has a call join a look-up that began longer ago than an answer may be old. It looks up again.
func TestLookUpThatHangs(t *testing.T) {
	w := newWorld(t)
	w.set("a", "old")
	arrived, release := w.held()
	var wg sync.WaitGroup
	wg.Go(func() { _, _ = w.Get(t.Context(), "a") })
	<-arrived
	w.set("a", "new") // by another process: nothing is forgotten
	w.wait(ttl)
	_, looks := w.read()
	wg.Go(func() {
		if got, err := w.Get(t.Context(), "a"); got != "new" || err != nil {
			t.Errorf("after the TTL: %q, %v", got, err)
		}
	})
	for _, n := w.read(); n == looks; _, n = w.read() { // the call has not begun yet
		time.Sleep(time.Millisecond)
	}
	close(release)
	wg.Wait()
}

func TestLookUpThatPanics(t *testing.T) {
	w := newWorld(t)
	w.hold = func(context.Context) error { panic("out of order") }
	if got, err := w.Get(t.Context(), "a"); err == nil || errors.Is(err, errMissing) {
		t.Errorf("%q, %v", got, err)
	}
	w.free()
	w.set("a", "one")
	w.want(t, "a", "one", 2)
}

func TestSizesAreRequired(t *testing.T) {
	for _, cfg := range []recent.Config{{Known: 1}, {Unknown: 1}, {Known: -1, Unknown: 1}} {
		if _, err := recent.New(cfg, func(context.Context, string) (string, error) { return "", nil }); err == nil {
			t.Errorf("New accepts %+v", cfg)
		}
	}
}
