package keycache_test

import (
	"context"
	"encoding/binary"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/authtest"
	"github.com/sightline-analytics/sightline/auth/keycache"
)

var pepper, _ = auth.NewPepper([]byte("a pepper for caches of keys"))

// slow is a store whose look-ups a test can count and delay.
type slow struct {
	auth.KeyStore
	asked atomic.Int64
	hold  func(context.Context) error // runs before each answer; nil does nothing
}

func (s *slow) KeyByDigest(ctx context.Context, d auth.Digest) (*auth.Key, error) {
	s.asked.Add(1)
	k, err := s.KeyStore.KeyByDigest(ctx, d)
	if s.hold != nil {
		if err := s.hold(ctx); err != nil {
			return nil, err
		}
	}
	return k, err
}

// world is a cache around a counted store, with its own clock.
type world struct {
	*keycache.Cache
	keys  *auth.Memory
	inner *slow
	clock atomic.Int64 // nanoseconds since noon
	looks atomic.Int64 // number of clock readings
}

func (w *world) now() time.Time {
	w.looks.Add(1)
	return time.Date(2026, 3, 29, 12, 0, 0, 0, time.UTC).Add(time.Duration(w.clock.Load()))
}

func (w *world) wait(d time.Duration) { w.clock.Add(int64(d)) }

func newKeys(t testing.TB, now func() time.Time) *auth.Memory {
	t.Helper()
	m, err := auth.NewMemory(auth.MemoryConfig{Pepper: pepper, Issuer: auth.Issuer{Now: now}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func newWorld(t testing.TB, cfg keycache.Config) *world {
	t.Helper()
	w := &world{}
	w.keys = newKeys(t, w.now)
	w.inner = &slow{KeyStore: w.keys}
	cfg.Store, cfg.Now = w.inner, w.now
	c, err := keycache.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	w.Cache = c
	w.keys.Notify(c)
	return w
}

func (w *world) create(t testing.TB, owner string) (auth.Key, auth.Digest) {
	t.Helper()
	k, s, err := w.keys.CreateKey(t.Context(), auth.Key{Owner: owner, All: true, Scopes: auth.Scopes()})
	if err != nil {
		t.Fatal(err)
	}
	return k, s.Digest(pepper)
}

func (w *world) find(t testing.TB, d auth.Digest) *auth.Key {
	t.Helper()
	k, err := w.KeyByDigest(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestConforms(t *testing.T) {
	authtest.Run(t, authtest.Harness{
		Pepper: pepper, Lag: keycache.DefaultTTL,
		Open: func(t *testing.T, now func() time.Time) authtest.Store {
			m := newKeys(t, now)
			c, err := keycache.New(keycache.Config{Store: m, Now: now})
			if err != nil {
				t.Fatal(err)
			}
			m.Notify(c)
			return authtest.Store{KeyStore: c, Create: m.CreateKey, Rotate: m.RotateKey, Revoke: m.RevokeKey, SetDisabled: m.SetKeyDisabled}
		},
	})
}

func TestConfigReportsEveryFault(t *testing.T) {
	_, err := keycache.New(keycache.Config{TTL: 2 * time.Second, Keys: -1})
	for _, part := range []string{"Config.Store", "TTL", "keys (-1)"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not mention %s: %v", part, err)
		}
	}
}

func TestAnswersAreRememberedForTheirTime(t *testing.T) {
	w := newWorld(t, keycache.Config{})
	_, known := w.create(t, "acme")
	unknown := auth.Digest{1}
	ask := func() {
		t.Helper()
		w.find(t, known)
		if _, err := w.KeyByDigest(t.Context(), unknown); !errors.Is(err, auth.ErrNotFound) {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		says string
		wait time.Duration
		want int64
	}{
		{"the first look-up asks the store", 0, 2},
		{"the next look-up uses the cache", 0, 2},
		{"just before the TTL the cache is used", keycache.DefaultTTL - 1, 2},
		{"after the TTL the store is asked", 1, 4},
		{"after the clock was set back the store is asked", -time.Millisecond, 6},
		{"after the clock was set forward the store is asked", time.Hour, 8},
	} {
		w.wait(step.wait)
		ask()
		if got := w.inner.asked.Load(); got != step.want {
			t.Errorf("%s: asked %d times, want %d", step.says, got, step.want)
		}
	}
}

// TestChangeBeforeTheAnswerArrives makes a change happen after the store has answered and before the answer
// arrives.
func TestChangeBeforeTheAnswerArrives(t *testing.T) {
	w := newWorld(t, keycache.Config{})
	k, d := w.create(t, "acme")
	var once sync.Once
	w.inner.hold = func(context.Context) (err error) {
		once.Do(func() { err = w.keys.RevokeKey(t.Context(), k.ID) })
		return err
	}
	w.find(t, d) // started before the revocation, so it may return the old state
	if got := w.find(t, d); got.Revoked.IsZero() {
		t.Errorf("after the revocation: %+v", *got)
	}
}

// TestChangeDuringALookUp makes a change happen during a look-up. A call after the change does not
// wait for the answer from before the change.
func TestChangeDuringALookUp(t *testing.T) {
	w := newWorld(t, keycache.Config{})
	k, d := w.create(t, "acme")
	var calls atomic.Int64
	arrived, release := make(chan struct{}), make(chan struct{})
	w.inner.hold = func(context.Context) error {
		if calls.Add(1) == 1 {
			close(arrived)
			<-release
		}
		return nil
	}
	var wg sync.WaitGroup
	wg.Go(func() { _, _ = w.KeyByDigest(t.Context(), d) })
	<-arrived
	if err := w.keys.RevokeKey(t.Context(), k.ID); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if got, err := w.KeyByDigest(ctx, d); err != nil || got.Revoked.IsZero() {
		t.Errorf("after the revocation: %+v, %v", got, err)
	}
	close(release)
	wg.Wait()
	if got := w.find(t, d); got.Revoked.IsZero() {
		t.Errorf("after the answer from before the revocation: %+v", *got)
	}
}

func TestChangesElsewhere(t *testing.T) {
	for _, c := range []struct {
		says  string
		told  func(k auth.Key) string
		again int64 // look-ups of two keys, after one changed
	}{
		{"a change of one key keeps the other in the cache", func(k auth.Key) string { return k.ID }, 1},
		{"a change of unknown keys empties the cache", func(auth.Key) string { return "" }, 2},
	} {
		w := newWorld(t, keycache.Config{})
		k, changed := w.create(t, "acme")
		_, other := w.create(t, "acme")
		w.find(t, changed)
		w.find(t, other)
		w.keys.Notify(nil) // as if another process changed it
		if err := w.keys.RevokeKey(t.Context(), k.ID); err != nil {
			t.Fatal(err)
		}
		if got := w.find(t, changed); !got.Revoked.IsZero() {
			t.Errorf("%s: the key was looked up before the notification", c.says)
		}
		w.KeyChanged(t.Context(), c.told(k))
		before := w.inner.asked.Load()
		if got := w.find(t, changed); got.Revoked.IsZero() {
			t.Errorf("%s: still %+v", c.says, *got)
		}
		w.find(t, other)
		if asked := w.inner.asked.Load() - before; asked != c.again {
			t.Errorf("%s: %d look-ups, want %d", c.says, asked, c.again)
		}
	}
}

func TestConcurrentCallersShareALookUp(t *testing.T) {
	w := newWorld(t, keycache.Config{})
	k, d := w.create(t, "acme")
	const askers = 32
	arrived, release := make(chan struct{}, askers), make(chan struct{})
	w.inner.hold = func(context.Context) error { arrived <- struct{}{}; <-release; return nil }
	var wg sync.WaitGroup
	var errs [askers]error
	for i := range askers {
		wg.Go(func() {
			got, err := w.KeyByDigest(t.Context(), d)
			if err == nil && got.ID != k.ID {
				err = errors.New("found " + got.ID)
			}
			errs[i] = err
			if err == nil {
				got.Scopes[0] = "spoiled" // each caller has its own copy; the race detector checks it
			}
		})
	}
	<-arrived
	close(release)
	wg.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		t.Error(err)
	}
	if got := w.inner.asked.Load(); got != 1 {
		t.Errorf("the store was asked %d times", got)
	}
	if got := w.find(t, d); got.Scopes[0] == "spoiled" {
		t.Error("a caller changed the cached key")
	}
}

// TestFirstCallerIsCancelled cancels the first caller while another waits for the answer. A later caller finds the
// answer in the cache.
func TestFirstCallerIsCancelled(t *testing.T) {
	w := newWorld(t, keycache.Config{})
	k, d := w.create(t, "acme")
	arrived, release := make(chan struct{}, 2), make(chan struct{})
	w.inner.hold = func(ctx context.Context) error { arrived <- struct{}{}; <-release; return ctx.Err() }
	ctx, leave := context.WithCancel(t.Context())
	first, second := make(chan error, 1), make(chan error, 1)
	go func() { _, err := w.KeyByDigest(ctx, d); first <- err }()
	<-arrived
	go func() {
		got, err := w.KeyByDigest(t.Context(), d)
		if err == nil && got.ID != k.ID {
			err = errors.New("found " + got.ID)
		}
		second <- err
	}()
	leave()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("the cancelled caller got %v", err)
	}
	close(release)
	if err := <-second; err != nil {
		t.Errorf("the waiting caller got %v", err)
	}
	w.find(t, d)
	if got := w.inner.asked.Load(); got != 1 {
		t.Errorf("the store was asked %d times", got)
	}
}

// TestLookUpThatHangs checks that a caller starts a new look-up if the running one began longer ago than the
// TTL.
func TestLookUpThatHangs(t *testing.T) {
	w := newWorld(t, keycache.Config{})
	k, d := w.create(t, "acme")
	arrived, release := make(chan struct{}, 2), make(chan struct{})
	w.inner.hold = func(context.Context) error { arrived <- struct{}{}; <-release; return nil }
	var wg sync.WaitGroup
	wg.Go(func() { w.find(t, d) })
	<-arrived
	w.keys.Notify(nil) // as if another process changed it
	if err := w.keys.RevokeKey(t.Context(), k.ID); err != nil {
		t.Error(err)
	}
	w.wait(keycache.DefaultTTL)
	looks := w.looks.Load()
	wg.Go(func() {
		if got := w.find(t, d); got.Revoked.IsZero() {
			t.Errorf("after the TTL: %+v", *got)
		}
	})
	for w.looks.Load() == looks { // the call has not started yet
		time.Sleep(time.Millisecond)
	}
	close(release)
	wg.Wait()
}

func TestStoreThatPanics(t *testing.T) {
	w := newWorld(t, keycache.Config{})
	_, d := w.create(t, "acme")
	w.inner.hold = func(context.Context) error { panic("out of order") }
	if k, err := w.KeyByDigest(t.Context(), d); err == nil || errors.Is(err, auth.ErrNotFound) {
		t.Errorf("%+v, %v", k, err)
	}
}

var errAway = errors.New("the database is away")

func TestStoreIsAway(t *testing.T) {
	w := newWorld(t, keycache.Config{})
	_, d := w.create(t, "acme")
	w.find(t, d)
	w.inner.hold = func(context.Context) error { return errAway }
	w.find(t, d)
	w.wait(keycache.DefaultTTL)
	for range 3 {
		if k, err := w.KeyByDigest(t.Context(), d); !errors.Is(err, errAway) || k != nil {
			t.Errorf("after the TTL: %+v, %v", k, err)
		}
		if k, err := w.KeyByDigest(t.Context(), auth.Digest{9}); !errors.Is(err, errAway) || errors.Is(err, auth.ErrNotFound) || k != nil {
			t.Errorf("an unknown digest: %+v, %v", k, err)
		}
	}
	w.inner.hold = nil
	w.find(t, d)
}

// TestManyUnknownKeys looks up 100 000 unknown keys next to one that exists.
func TestManyUnknownKeys(t *testing.T) {
	w := newWorld(t, keycache.Config{})
	_, good := w.create(t, "acme")
	flood := func(from, to uint64) {
		var d auth.Digest
		for n := from; n < to; n++ {
			binary.LittleEndian.PutUint64(d[:], n+1)
			if _, err := w.KeyByDigest(t.Context(), d); !errors.Is(err, auth.ErrNotFound) {
				t.Fatal(err)
			}
			if n%1000 == 0 {
				w.find(t, good)
			}
		}
	}
	flood(0, 20_000)
	before := heap()
	asked := w.inner.asked.Load()
	flood(20_000, 100_000)
	if grown := heap() - before; grown > 1<<20 {
		t.Errorf("80 000 more unknown keys took %d bytes", grown)
	}
	if got := w.inner.asked.Load() - asked; got != 80_000 {
		t.Errorf("the store was asked %d times; the existing key was dropped from the cache", got)
	}
	_, fresh := w.create(t, "acme")
	w.find(t, fresh)
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestManyKeys(t *testing.T) {
	w := newWorld(t, keycache.Config{Keys: 100})
	var digests []auth.Digest
	for range 1000 {
		_, d := w.create(t, "acme")
		digests = append(digests, d)
	}
	for range 2 {
		for _, d := range digests {
			w.find(t, d)
		}
	}
	if got := w.inner.asked.Load(); got != 2000 {
		t.Errorf("with room for 100 of 1000 keys the store was asked %d times", got)
	}
}

func BenchmarkKeyByDigest(b *testing.B) {
	w := newWorld(b, keycache.Config{})
	_, d := w.create(b, "acme")
	b.Run("remembered", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			w.find(b, d)
		}
	})
	b.Run("parallel", func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				w.find(b, d)
			}
		})
	})
}
