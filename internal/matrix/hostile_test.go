package matrix

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
)

// TestBadKeysByTheThousand checks that guessing keys uses little memory and audit trail, and does not block good keys.
func TestBadKeysByTheThousand(t *testing.T) {
	e := inMemory(t)
	e.trail = onSQLite(t).trail
	w := newWorld(t, e)
	w.limiter.renew(t, ratelimit.Config{Factor: 1e6})
	var bad, good atomic.Int64
	send := func(secret string) int {
		r := httptest.NewRequest(http.MethodGet, "/v1/query/websites", http.NoBody)
		r.Header.Set("X-Api-Key", secret)
		return w.send(hostAPI, r).Code
	}
	flood := func(n int) {
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for i := range n / 4 {
					s, err := auth.NewSecret(nil, "")
					if err != nil {
						t.Error(err)
						return
					}
					if send(s.Reveal()) == http.StatusUnauthorized {
						bad.Add(1)
					}
					if i%100 == 0 && send(w.secrets["right"].Reveal()) == http.StatusOK {
						good.Add(1)
					}
				}
			})
		}
		all.Wait()
	}
	flood(5_000)
	before := heap()
	flood(20_000)
	if grown := heap() - before; grown > 16<<20 {
		t.Errorf("20 000 bad keys more took %d bytes", grown)
	}
	if bad.Load() != 25_000 || good.Load() != 252 {
		t.Errorf("%d of 25 000 bad keys were refused, %d of 252 good ones served", bad.Load(), good.Load())
	}
	if err := w.audit.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	chains, err := e.trail.Chains(t.Context())
	if err != nil || len(chains) != 1 || chains[0].Head.Seq != 600+252 {
		t.Errorf("audit trail: %+v, %v", chains, err)
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestHeadersOf64KiB checks that large headers are not valid credentials, and that the trail stores little of them.
func TestHeadersOf64KiB(t *testing.T) {
	w := newWorld(t, inMemory(t))
	server := httptest.NewServer(w.api)
	defer server.Close()
	long := strings.Repeat("sl_0aA~", 64<<10/7)
	right := w.secrets["right"].Reveal()
	for _, c := range []struct {
		name   string
		header map[string]string
		status int
	}{
		{"a key", map[string]string{"X-Api-Key": long}, 401},
		{"a key beside the right one", map[string]string{"X-Api-Key": long, "Authorization": "Bearer " + right}, 200},
		{"a bearer", map[string]string{"Authorization": "Bearer " + long}, 401},
		{"a token", map[string]string{"Authorization": "Bearer slt_" + strings.Repeat("A", 64<<10)}, 401},
		{"another scheme", map[string]string{"Authorization": long, "X-Api-Key": right}, 200},
		{"a user agent", map[string]string{"User-Agent": long, "X-Api-Key": right}, 200},
		{"a request id", map[string]string{"X-Request-Id": long, "X-Api-Key": right}, 200},
		{"proxies", map[string]string{"X-Forwarded-For": strings.Repeat("1.1.1.1,", 8<<10), "X-Api-Key": right}, 200},
		{"tags", map[string]string{"If-None-Match": strings.Repeat(`"x",`, 16<<10), "X-Api-Key": right}, 200},
		{"a cookie", map[string]string{"Cookie": long, "X-Api-Key": right}, 200},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/v1/query/websites", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range c.header {
			r.Header.Set(name, value)
		}
		resp, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		id := resp.Header.Get("X-Request-Id")
		if resp.StatusCode != c.status || id == "" || len(id) > 128 {
			t.Errorf("%s: status %d, want %d; request id of %d bytes", c.name, resp.StatusCode, c.status, len(id))
		}
		found := w.entries(t)[id]
		if len(found) != 1 || len(fmt.Sprint(found[0])) > 2048 {
			t.Errorf("%s: audit trail has %d entries, %.3000s", c.name, len(found), fmt.Sprint(found))
		}
	}
}

// TestSpoofedAddresses checks that clients with invented addresses get no other limits, and no other address in the
// trail, unless the host trusts the sender of the header. Package clientip tests the choice of the address.
func TestSpoofedAddresses(t *testing.T) {
	for _, c := range []struct {
		name    string
		trusted string
		sent    string // X-Forwarded-For of the n-th request
		passed  int    // of 20, with a limit of 4 per client
		last    string // the address of the last request in the trail
	}{
		{"nobody is trusted", "", "198.51.100.%d", 4, "192.0.2.1"},
		{"clients behind a trusted proxy", "192.0.2.0/24", "198.51.100.%d", 10, "198.51.100.9"},
		{"a client who writes in front of the proxy", "192.0.2.0/24", "198.51.100.%d, 203.0.113.7", 4, "203.0.113.7"},
		{"clients in networks of their own", "192.0.2.0/24", "2001:db8:%d::1", 10, "2001:db8:9::1"},
		{"a client with many addresses of one network", "192.0.2.0/24", "2001:db8::%d", 4, "2001:db8::9"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var proxies []netip.Prefix
			if c.trusted != "" {
				proxies = append(proxies, netip.MustParsePrefix(c.trusted))
			}
			w := newWorld(t, inMemory(t), proxies...)
			w.limiter.renew(t, ratelimit.Config{Limits: map[auth.Class]int{auth.ClassPublic: 4}})
			passed := 0
			for n := range 10 {
				for _, target := range []string{"/v1/query/types", "/v1/query/websites"} {
					r := httptest.NewRequest(http.MethodGet, target, http.NoBody)
					r.Header.Set("X-Forwarded-For", fmt.Sprintf(c.sent, n))
					r.Header.Set("X-Request-Id", fmt.Sprintf("request-%d", n))
					r.Header.Set("X-Api-Key", malformed)
					if w.send(hostAPI, r).Code == http.StatusOK {
						passed++
					}
				}
			}
			if passed != c.passed {
				t.Errorf("%d requests passed, want %d", passed, c.passed)
			}
			if e := w.entries(t)["request-9"]; len(e) != 1 || e[0].IP != c.last {
				t.Errorf("audit trail %+v, want %s", e, c.last)
			}
		})
	}
}
