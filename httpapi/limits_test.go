package httpapi

import (
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/auth"
)

func TestLimitHeaders(t *testing.T) {
	w := newWorld(t)
	w.limiter.allow = func(class auth.Class, _ string, _ int) (auth.Decision, error) {
		return auth.Decision{OK: class != auth.ClassOther, Limit: 120, Remaining: 7, Reset: now.Add(1500 * time.Millisecond)}, nil
	}
	for _, tc := range []struct {
		method, target, key, body, class string
		status                           int
	}{
		{"POST", "/v1/query?website_id=site_a", "all", question, "query", 200},
		{"POST", "/v1/query?website_id=site_x", "all", question, "query", 403},
		{"GET", "/v1/query/types", "", "", "public", 200},
		{"GET", "/health", "", "", "health", 200},
		{"GET", "/v1/query/websites", "all", "", "other", 429},
	} {
		t.Run(tc.method+" "+tc.target, func(t *testing.T) {
			rec := w.send(tc.method, tc.target, tc.key, tc.body)
			expect(t, rec, tc.status, "")
			want := map[string]string{
				"X-RateLimit-Limit": "120", "X-RateLimit-Remaining": "7", "X-RateLimit-Reset": "1774785601500", "Retry-After": "",
				"RateLimit-Policy": `"` + tc.class + `";q=120;w=60`, "RateLimit": `"` + tc.class + `";r=7;t=2`,
			}
			if tc.status == http.StatusTooManyRequests {
				want["Retry-After"] = "2"
				body := object(t, rec)
				delete(body, "requestId")
				if diff := cmp.Diff(map[string]any{"success": false, "error": "Rate limit exceeded", "code": "RATE_LIMITED", "limit": 120.0,
					"remaining": 7.0, "reset": 1774785601500.0, "retryAfter": 2.0}, body); diff != "" {
					t.Error(diff)
				}
			}
			for name, value := range want {
				if got := rec.Header().Get(name); got != value {
					t.Errorf("%s: %q, want %q", name, got, value)
				}
			}
		})
	}
	if e := w.trail.take(); len(e) != 3 || e[2].Status != 429 || e[2].Outcome != "refused" {
		t.Errorf("audit: %+v", e)
	}
	if rec := newWorld(t).send("GET", "/v1/query/types", "", ""); rec.Header().Get("X-RateLimit-Limit") != "" {
		t.Errorf("headers of a limit that does not exist: %v", rec.Header())
	}
}

func TestARefusalWithoutNumbers(t *testing.T) {
	w := newWorld(t)
	w.limiter.allow = func(auth.Class, string, int) (auth.Decision, error) { return auth.Decision{}, nil }
	rec := w.send("GET", "/v1/query/websites", "all", "")
	expect(t, rec, 429, "RATE_LIMITED")
	if body := object(t, rec); rec.Header().Get("Retry-After") != "1" || body["retryAfter"] != 1.0 || body["reset"] != 0.0 {
		t.Errorf("Retry-After %q, body %s", rec.Header().Get("Retry-After"), rec.Body)
	}
}

func TestWhatACallCosts(t *testing.T) {
	three := "[" + question + "," + question + `,{"parameters":[]}]`
	for _, tc := range []struct {
		name, method, target, key, body string
		want                            []string
	}{
		{"a query costs one", "POST", "/v1/query?website_id=site_a", "all", question, []string{"query key_all 1"}},
		{"a batch costs as many as it has queries", "POST", "/v1/query?website_id=site_a", "all", three, []string{"query key_all 1", "query key_all 2"}},
		{"a batch of two costs two", "POST", "/v1/query?website_id=site_a", "all", "[" + question + "," + question + "]", []string{"query key_all 1", "query key_all 1"}},
		{"a batch of one costs one", "POST", "/v1/query?website_id=site_a", "all", "[" + question + "]", []string{"query key_all 1"}},
		{"a batch to compile too", "POST", "/v1/query/compile?website_id=site_a", "all", three, []string{"other key_all 1", "other key_all 2"}},
		{"a body that is no JSON costs one", "POST", "/v1/query?website_id=site_a", "all", "{", []string{"query key_all 1"}},
		{"a refusal costs one", "POST", "/v1/query?website_id=site_x", "all", question, []string{"query key_all 1"}},
		{"a key may have limits of its own", "GET", "/v1/query/websites", "slow", "", []string{"other key_slow 1 of 5"}},
		{"no key costs nothing", "POST", "/v1/query?website_id=site_a", "", question, nil},
		{"public routes count by address", "GET", "/v1/query/types", "all", "", []string{"public 192.0.2.1 1"}},
		{"health counts by address", "GET", "/health/live", "", "", []string{"health 192.0.2.1 1"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			w.send(tc.method, tc.target, tc.key, tc.body)
			if diff := cmp.Diff(tc.want, w.limiter.asked); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// When the limiter knows how long to wait, the caller is told that, not when all is there again.
func TestHowLongToWait(t *testing.T) {
	w := newWorld(t)
	w.limiter.allow = func(auth.Class, string, int) (auth.Decision, error) {
		return auth.Decision{Limit: 120, Reset: now.Add(time.Minute), Retry: 2500 * time.Millisecond}, nil
	}
	rec := w.send("GET", "/v1/query/websites", "all", "")
	expect(t, rec, 429, "RATE_LIMITED")
	if h := rec.Header(); h.Get("Retry-After") != "3" || h.Get("RateLimit") != `"other";r=0;t=60` || object(t, rec)["retryAfter"] != 3.0 {
		t.Errorf("headers %v, body %s", h, rec.Body)
	}
}

func TestABatchThatCanNeverPassIsToldSo(t *testing.T) {
	w := newWorld(t)
	w.limiter.allow = func(_ auth.Class, _ string, cost int) (auth.Decision, error) {
		return auth.Decision{OK: cost == 1, Limit: 2, Remaining: 1, Reset: now.Add(time.Second)}, nil
	}
	rec := w.send("POST", "/v1/query?website_id=site_a", "all", "["+question+","+question+","+question+"]")
	expect(t, rec, 429, "RATE_LIMITED")
	if text := object(t, rec)["error"]; text != "Rate limit exceeded: a batch of 3 queries is more than the limit of 2 ever allows" {
		t.Errorf("it says %q", text)
	}
	rec = w.send("POST", "/v1/query?website_id=site_a", "all", "["+question+","+question+"]")
	if rec.Code != 200 {
		t.Errorf("a batch of two: %d", rec.Code)
	}
}

func TestABatchOverItsLimitIsNotRun(t *testing.T) {
	w := newWorld(t)
	w.limiter.allow = func(_ auth.Class, _ string, cost int) (auth.Decision, error) {
		return auth.Decision{OK: cost == 1, Limit: 2, Remaining: 1, Reset: now.Add(time.Second)}, nil
	}
	expect(t, w.send("POST", "/v1/query?website_id=site_a", "all", "["+question+","+question+","+question+"]"), 429, "RATE_LIMITED")
	if w.store.asked.Load() != 0 || w.dir.asked.Load() != 0 {
		t.Error("it was run")
	}
}

func TestHealthDoesNotHangOnTheLimiter(t *testing.T) {
	w := newWorld(t)
	w.limiter.allow = func(auth.Class, string, int) (auth.Decision, error) { return auth.Decision{}, errors.New("away") }
	expect(t, w.send("GET", "/health", "", ""), 200, "")
	expect(t, w.send("GET", "/health/live", "", ""), 200, "")
	expect(t, w.send("GET", "/v1/query/types", "", ""), 503, "SERVICE_UNAVAILABLE")
	if !strings.Contains(w.log.String(), "limiter failed") {
		t.Errorf("log: %s", w.log)
	}
}

func TestWhoseAddress(t *testing.T) {
	var client netip.Addr
	w := newWorld(t, func(cfg *Config) { cfg.ClientIP = func(*http.Request) netip.Addr { return client } })
	for _, tc := range []struct{ name, ip, id, audited string }{
		{"IPv4 by itself", "203.0.113.9", "203.0.113.9", "203.0.113.9"},
		{"IPv6 by its /64", "2001:db8:1:2:3::9", "2001:db8:1:2::/64", "2001:db8:1:2:3::9"},
		{"nobody knows", "", "invalid IP", ""},
	} {
		client, _ = netip.ParseAddr(tc.ip)
		w.limiter.asked = nil
		w.send("GET", "/v1/query/types", "", "")
		w.send("GET", "/v1/query/websites", "all", "", "User-Agent", "curl")
		if want := "public " + tc.id + " 1"; w.limiter.asked[0] != want {
			t.Errorf("%s: %q, want %q", tc.name, w.limiter.asked[0], want)
		}
		if e := w.trail.take(); len(e) != 1 || e[0].IP != tc.audited || e[0].UserAgent != "curl" {
			t.Errorf("%s: audit %+v", tc.name, e)
		}
	}
	spoofed := newWorld(t)
	spoofed.send("GET", "/v1/query/types", "", "", "X-Forwarded-For", "1.2.3.4")
	if got := spoofed.limiter.asked[0]; got != "public 192.0.2.1 1" {
		t.Errorf("a header is trusted by default: %s", got)
	}
}
