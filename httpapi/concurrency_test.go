package httpapi

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

// gatedLimiter is a fakeLimiter with slots.
type gatedLimiter struct {
	*fakeLimiter
	most int

	mu      sync.Mutex
	running map[string]int
	entered int
}

func (g *gatedLimiter) Acquire(id string) auth.Decision {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.running[id] >= g.most {
		return auth.Decision{Limit: g.most, Reset: now.Add(time.Second), Retry: time.Second, Concurrent: true}
	}
	g.running[id]++
	g.entered++
	return auth.Decision{OK: true, Limit: g.most, Remaining: g.most - g.running[id], Concurrent: true}
}

func (g *gatedLimiter) Release(id string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running[id]--
}

func (g *gatedLimiter) inside(id string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.running[id]
}

func gated(t *testing.T, most int, change ...func(*Config)) (*world, *gatedLimiter) {
	t.Helper()
	g := &gatedLimiter{fakeLimiter: &fakeLimiter{}, most: most, running: map[string]int{}}
	return newWorld(t, append(change, func(cfg *Config) { cfg.Limiter = g })...), g
}

func TestTooManyAtOnce(t *testing.T) {
	w, g := gated(t, 2)
	g.allow = func(auth.Class, string, int) (auth.Decision, error) {
		return auth.Decision{OK: true, Limit: 120, Remaining: 100, Reset: now.Add(10 * time.Second)}, nil
	}
	running, release := make(chan struct{}, 2), make(chan struct{})
	w.store.onQuery = func() { running <- struct{}{}; <-release }
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			if rec := w.send("POST", "/v1/query?website_id=site_a", "all", question); rec.Code != 200 {
				t.Errorf("a request that got a slot: %d %s", rec.Code, rec.Body)
			}
		})
	}
	<-running
	<-running
	rec := w.send("GET", "/v1/query/websites", "all", "")
	expect(t, rec, 429, "RATE_LIMITED")
	body := object(t, rec)
	delete(body, "requestId")
	for name, want := range map[string]any{"error": "Too many requests at the same time; the key may have 2",
		"limit": 2.0, "remaining": 0.0, "reset": 1774785601000.0, "retryAfter": 1.0} {
		if body[name] != want {
			t.Errorf("%s: %v, want %v", name, body[name], want)
		}
	}
	for name, want := range map[string]string{"Retry-After": "1", "X-RateLimit-Limit": "2", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1774785601000",
		"RateLimit-Policy": `"concurrency";q=2;qu="concurrent-requests"`, "RateLimit": `"concurrency";r=0;t=1`} {
		if got := rec.Header().Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if e := w.trail.take(); len(e) != 1 || e[0].Status != 429 || e[0].KeyID != "key_all" || e[0].Outcome != "refused" {
		t.Errorf("audit: %+v", e)
	}
	for name, target := range map[string]string{"another key": "/v1/query/websites", "a public route": "/v1/query/types", "health": "/health"} {
		if rec := w.send("GET", target, "site_a", ""); rec.Code != 200 {
			t.Errorf("%s: %d", name, rec.Code)
		}
	}
	close(release)
	all.Wait()
	rec = w.send("GET", "/v1/query/websites", "all", "")
	if expect(t, rec, 200, ""); rec.Header().Get("X-RateLimit-Limit") != "120" {
		t.Errorf("after they ended: headers %v", rec.Header())
	}
}

// brokenWriter panics when the answer is sent, as net/http's does when the host wants it to.
type brokenWriter struct{ http.ResponseWriter }

func (brokenWriter) WriteHeader(int) { panic(http.ErrAbortHandler) }

func TestSlotsAreAlwaysGivenBack(t *testing.T) {
	batch := "[" + question + "," + question + "]"
	for _, tc := range []struct {
		name, method, target, key, body string
		status                          int
		set                             func(*world, *gatedLimiter)
	}{
		{"an answer", "POST", "/v1/query?website_id=site_a", "all", question, 200, nil},
		{"a refusal", "POST", "/v1/query?website_id=site_x", "all", question, 403, nil},
		{"a bad body", "POST", "/v1/query?website_id=site_a", "all", "{", 400, nil},
		{"a failing directory", "POST", "/v1/query?website_id=site_a", "all", question, 500, func(w *world, _ *gatedLimiter) { w.dir.err = errors.New("x") }},
		{"a panic", "POST", "/v1/query?website_id=site_a", "all", batch, 500, func(_ *world, g *gatedLimiter) {
			asked := 0
			g.allow = func(auth.Class, string, int) (auth.Decision, error) {
				if asked++; asked > 1 {
					panic("limiter")
				}
				return auth.Decision{OK: true}, nil
			}
		}},
		{"a batch over its limit", "POST", "/v1/query?website_id=site_a", "all", batch, 429, func(_ *world, g *gatedLimiter) {
			asked := 0
			g.allow = func(auth.Class, string, int) (auth.Decision, error) {
				asked++
				return auth.Decision{OK: asked == 1, Limit: 5}, nil
			}
		}},
		{"an audit trail that fails", "GET", "/v1/query/websites", "all", "", 503, func(w *world, _ *gatedLimiter) { w.trail.err = errors.New("x") }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w, g := gated(t, 2)
			if tc.set != nil {
				tc.set(w, g)
			}
			if rec := w.send(tc.method, tc.target, tc.key, tc.body); rec.Code != tc.status {
				t.Errorf("status %d, want %d: %s", rec.Code, tc.status, rec.Body)
			}
			if g.entered != 1 || g.inside("key_all") != 0 {
				t.Errorf("%d entered, %d still inside", g.entered, g.inside("key_all"))
			}
		})
	}
}

func TestSlotsAreGivenBackWhenTheServerPanics(t *testing.T) {
	w, g := gated(t, 1)
	r := httptest.NewRequest("GET", "/v1/query/websites", http.NoBody)
	r.Header.Set("X-Api-Key", "all")
	func() {
		defer func() {
			if recover() == nil {
				t.Error("nothing panicked")
			}
		}()
		w.handler.ServeHTTP(brokenWriter{httptest.NewRecorder()}, r)
	}()
	if g.entered != 1 || g.inside("key_all") != 0 {
		t.Errorf("%d entered, %d still inside", g.entered, g.inside("key_all"))
	}
}

func TestWhoTakesNoSlot(t *testing.T) {
	w, g := gated(t, 0) // nobody would get one
	for name, tc := range map[string]struct {
		target, key string
		status      int
	}{
		"no key":         {"/v1/query/websites", "", 401},
		"a bad key":      {"/v1/query/websites", "nobody", 401},
		"a public route": {"/v1/query/types", "all", 200},
		"health":         {"/health/live", "", 200},
	} {
		if rec := w.send("GET", tc.target, tc.key, ""); rec.Code != tc.status {
			t.Errorf("%s: %d, want %d", name, rec.Code, tc.status)
		}
	}
	if g.entered != 0 {
		t.Errorf("%d entered", g.entered)
	}
	if rec := newWorld(t).send("GET", "/v1/query/websites", "all", ""); rec.Code != 200 {
		t.Errorf("a limiter that is no ConcurrencyLimiter: %d", rec.Code)
	}
}
