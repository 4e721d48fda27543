package track

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/auth"
)

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		why        string
		decision   auth.Decision
		code       int
		header     map[string]string
		retryAfter any
	}{
		{"a no that does not know how long", auth.Decision{Limit: 6000, Remaining: -1, Reset: noon.Add(1500 * time.Millisecond)}, 429,
			map[string]string{"Retry-After": "2", "X-Ratelimit-Limit": "6000", "X-Ratelimit-Remaining": "0", "Ratelimit": `"track";r=0;t=2`, "Ratelimit-Policy": `"track";q=6000;w=60`}, 2.0},
		{"a no that does", auth.Decision{Limit: 6000, Reset: noon.Add(time.Minute), Retry: 10 * time.Millisecond}, 429,
			map[string]string{"Retry-After": "1", "X-Ratelimit-Limit": "6000", "X-Ratelimit-Remaining": "0", "Ratelimit": `"track";r=0;t=60`, "Ratelimit-Policy": `"track";q=6000;w=60`}, 1.0},
		{"a yes", auth.Decision{OK: true, Limit: 6000, Remaining: 5, Reset: noon.Add(time.Minute)}, 200,
			map[string]string{"Retry-After": "", "X-Ratelimit-Limit": "6000", "X-Ratelimit-Remaining": "5", "Ratelimit": `"track";r=5;t=60`, "Ratelimit-Policy": `"track";q=6000;w=60`}, nil},
		{"a yes without limit", auth.Decision{OK: true}, 200,
			map[string]string{"Retry-After": "", "X-Ratelimit-Limit": "", "X-Ratelimit-Remaining": "", "X-Ratelimit-Reset": "", "Ratelimit": "", "Ratelimit-Policy": ""}, nil},
	} {
		w := world{decision: c.decision}
		a := w.post(t, "/?client_id=w1", pageview)
		if a.code != c.code || a.body["retryAfter"] != c.retryAfter || len(w.written) != map[int]int{200: 1}[c.code] {
			t.Errorf("%s: %d %s, %d writes", c.why, a.code, a.raw, len(w.written))
		}
		if c.decision.Limit > 0 {
			c.header["X-Ratelimit-Reset"] = fmt.Sprint(c.decision.Reset.UnixMilli())
		}
		for name, value := range c.header {
			if got := a.header.Get(name); got != value {
				t.Errorf("%s: %s is %q, want %q", c.why, name, got, value)
			}
		}
		if c.code == 200 {
			continue
		}
		want := map[string]any{"code": "TRACK_RATE_LIMITED", "retryable": true, "limit": 6000.0, "remaining": 0.0, "reset": float64(c.decision.Reset.UnixMilli())}
		for name, value := range want {
			if a.body[name] != value {
				t.Errorf("%s: %s is %v, want %v", c.why, name, a.body[name], value)
			}
		}
	}
}

func TestWhoseBucket(t *testing.T) {
	for _, c := range []struct {
		why, target, body string
		headers           []string
		want              string
	}{
		{"a website and the sender's network", "/?client_id=w1", pageview, nil, "track:w1|203.0.113.7"},
		{"a key with limits of its own", "/track?website_id=w1", custom, keyed("one"), "track:k-one own"},
		{"a key", "/track?website_id=w1", custom, []string{"X-Api-Key", "all"}, "track:k-all"},
		{"a website that the sender made up has no bucket", "/?client_id=made_up", pageview, nil, "track:|203.0.113.7"},
		{"nor has one that is no id at all", "/?client_id=" + strings.Repeat("x", 1000), pageview, nil, "track:|203.0.113.7"},
		{"nor one that only the body names", "/track", `{"name":"x","websiteId":"w1"}`, nil, "track:|203.0.113.7"},
		{"nor none", "/", pageview, nil, "track:|203.0.113.7"},
	} {
		var w world
		w.post(t, c.target, c.body, c.headers...)
		if diff := cmp.Diff([]string{c.want}, w.limits); diff != "" {
			t.Errorf("%s: %s", c.why, diff)
		}
	}
}

func TestUnknownWebsitesAreToldAfterTheLimit(t *testing.T) {
	w := world{decision: auth.Decision{Limit: 6000, Reset: noon}}
	if a := w.post(t, "/?client_id=made_up", pageview); a.code != 429 {
		t.Errorf("over the limit: %d %s", a.code, a.raw)
	}
	w = world{}
	if a := w.post(t, "/?client_id=made_up", pageview); a.code != 400 || a.body["code"] != "INGEST_INVALID_CLIENT_ID" {
		t.Errorf("below it: %d %s", a.code, a.raw)
	}
	if a := w.post(t, "/track?website_id=made_up", custom); a.code != 404 || a.body["code"] != "TRACK_WEBSITE_NOT_FOUND" {
		t.Errorf("on /track: %d %s", a.code, a.raw)
	}
}

// gatedWorld is a world whose limiter has slots.
type gatedWorld struct {
	world
	most    int
	inside  map[string]int
	entered int
	held    sync.Mutex
}

func (g *gatedWorld) Acquire(id string) auth.Decision {
	g.held.Lock()
	defer g.held.Unlock()
	if g.inside[id] >= g.most {
		return auth.Decision{Limit: g.most, Reset: noon.Add(time.Second), Retry: time.Second, Concurrent: true}
	}
	g.inside[id]++
	g.entered++
	return auth.Decision{OK: true, Limit: g.most, Concurrent: true}
}

func (g *gatedWorld) Release(id string) {
	g.held.Lock()
	defer g.held.Unlock()
	g.inside[id]--
}

func gated(t *testing.T, most int) *gatedWorld {
	t.Helper()
	g := &gatedWorld{most: most, inside: map[string]int{}}
	h, err := New(Config{Writer: &g.world, Directory: &g.world, Auth: &g.world, Limiter: g, Audit: &g.world, Salts: &g.world, Now: noonClock})
	if err != nil {
		t.Fatal(err)
	}
	g.built = h
	return g
}

func TestTooManyAtOnce(t *testing.T) {
	g := gated(t, 1)
	g.inside["k-all"] = 1
	a := g.post(t, "/track", `{"name":"x","websiteId":"w1"}`, keyed("all")...)
	want := map[string]any{"code": "TRACK_RATE_LIMITED", "message": "Too many requests of the key at the same time", "retryable": true,
		"limit": 1.0, "remaining": 0.0, "reset": float64(noon.Add(time.Second).UnixMilli()), "retryAfter": 1.0}
	for name, value := range want {
		if a.code != 429 || a.body[name] != value {
			t.Errorf("%d, %s is %v, want %v", a.code, name, a.body[name], value)
		}
	}
	if a.header.Get("Retry-After") != "1" || a.header.Get("RateLimit-Policy") != `"concurrency";q=1;qu="concurrent-requests"` {
		t.Errorf("headers %v", a.header)
	}
	if len(g.written) != 0 || len(g.entries) != 1 || g.entries[0].Status != 429 {
		t.Errorf("%d writes, entries %+v", len(g.written), g.entries)
	}
	if g.inside["k-all"] != 1 {
		t.Errorf("who was refused gave back a slot: %v", g.inside)
	}
	for range 3 { // without a key there are no slots
		if a := g.post(t, "/?client_id=w1", pageview); a.code != 200 {
			t.Errorf("a page: %d %s", a.code, a.raw)
		}
	}
}

func TestPlacesAreAlwaysGivenBack(t *testing.T) {
	for _, c := range []struct {
		why, body, key string
		code           int
		set            func(*gatedWorld)
	}{
		{"an answer", `{"name":"x","websiteId":"w1"}`, "all", 200, func(*gatedWorld) {}},
		{"a body that is no JSON", `{`, "all", 400, func(*gatedWorld) {}},
		{"a key without the scope", `{"name":"x","websiteId":"w1"}`, "reader", 403, func(*gatedWorld) {}},
		{"a panic", `{"name":"x","websiteId":"w1"}`, "all", 500, func(g *gatedWorld) { g.panics = true }},
		{"a store that fails", `{"name":"x","websiteId":"w1"}`, "all", 503, func(g *gatedWorld) { g.writeErr = errDown }},
		{"an audit trail that fails", `{"name":"x","websiteId":"w1"}`, "all", 503, func(g *gatedWorld) { g.auditErr = errors.New("x") }},
	} {
		g := gated(t, 1)
		c.set(g)
		if a := g.post(t, "/track", c.body, keyed(c.key)...); a.code != c.code {
			t.Errorf("%s: %d %s", c.why, a.code, a.raw)
		}
		for id, n := range g.inside {
			if n != 0 {
				t.Errorf("%s: %d of %s still inside", c.why, n, id)
			}
		}
		if g.entered != 1 {
			t.Errorf("%s: %d entered", c.why, g.entered)
		}
	}
}

func TestBrowsersMayReadTheHeadersOfLimits(t *testing.T) {
	var w world
	r := httptest.NewRequest("POST", "/?client_id=w1", strings.NewReader(pageview))
	r.Header.Set("Origin", "https://shop.com")
	rec := httptest.NewRecorder()
	w.handler(t).ServeHTTP(rec, r)
	exposed := strings.Split(rec.Header().Get("Access-Control-Expose-Headers"), ", ")
	for _, name := range []string{"Retry-After", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "RateLimit", "RateLimit-Policy"} {
		if !slices.Contains(exposed, name) {
			t.Errorf("%s is not among %q", name, exposed)
		}
	}
}

// panel authenticates everybody as a panel token of the key all.
type panel struct{}

func (panel) Authenticate(context.Context, *http.Request) (*auth.Principal, error) {
	return &auth.Principal{Key: keys["all"], Token: "t1"}, nil
}

func TestPanelTokensHaveBucketsAndPlacesOfTheirOwn(t *testing.T) {
	g := gated(t, 1)
	h, err := New(Config{Writer: &g.world, Directory: &g.world, Auth: panel{}, Limiter: g, Audit: &g.world, Salts: &g.world, Now: noonClock})
	if err != nil {
		t.Fatal(err)
	}
	g.built = h
	if a := g.post(t, "/track", `{"name":"x","websiteId":"w1"}`, keyed("token")...); a.code != 200 {
		t.Errorf("%d %s", a.code, a.raw)
	}
	if diff := cmp.Diff([]string{"track-token:k-all/t1", "track-tokens:k-all"}, g.limits); diff != "" {
		t.Error(diff)
	}
	if g.entered != 1 || len(g.inside) != 1 || g.inside["k-all/tokens"] != 0 {
		t.Errorf("%d entered: %v", g.entered, g.inside)
	}
}
