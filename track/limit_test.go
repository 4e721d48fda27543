package track

import (
	"errors"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/auth"
)

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

func TestSlotsAreAlwaysGivenBack(t *testing.T) {
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
