package httpapi

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/clientip"
)

func TestCostOfACall(t *testing.T) {
	three := "[" + oneQuery + "," + oneQuery + `,{"parameters":[]}]`
	for _, tc := range []struct {
		name, method, target, key, body string
		want                            []string
	}{
		{"a query costs one", "POST", "/v1/query?website_id=site_a", "all", oneQuery, []string{"query key_all 1"}},
		{"a batch costs one per query", "POST", "/v1/query?website_id=site_a", "all", three,
			[]string{"query key_all 1", "query key_all 2"}},
		{"a batch of two costs two", "POST", "/v1/query?website_id=site_a", "all", "[" + oneQuery + "," + oneQuery +
			"]", []string{"query key_all 1", "query key_all 1"}},
		{"a batch of one costs one", "POST", "/v1/query?website_id=site_a", "all", "[" + oneQuery + "]",
			[]string{"query key_all 1"}},
		{"a batch to compile costs one per query", "POST", "/v1/query/compile?website_id=site_a", "all", three,
			[]string{"other key_all 1", "other key_all 2"}},
		{"a body that is not JSON costs one", "POST", "/v1/query?website_id=site_a", "all", "{",
			[]string{"query key_all 1"}},
		{"a refusal costs one", "POST", "/v1/query?website_id=site_x", "all", oneQuery, []string{"query key_all 1"}},
		{"a key may have its own limits", "GET", "/v1/query/websites", "slow", "", []string{"other key_slow 1 of 5"}},
		{"ten parameters cost one", "POST", "/v1/query?website_id=site_a", "all", parameters(10),
			[]string{"query key_all 1"}},
		{"eleven parameters cost two", "POST", "/v1/query?website_id=site_a", "all", parameters(11),
			[]string{"query key_all 1", "query key_all 1"}},
		{"two parameters about goals cost one", "POST", "/v1/query?website_id=site_a", "all", goals(2, ""),
			[]string{"query key_all 1"}},
		{"three parameters about goals cost two", "POST", "/v1/query?website_id=site_a", "all", goals(3, ""),
			[]string{"query key_all 1", "query key_all 1"}},
		{"two compared parameters about goals cost two", "POST", "/v1/query?website_id=site_a", "all",
			goals(2, "previous_year"), []string{"query key_all 1", "query key_all 1"}},
		{"two queries with fifty parameters each cost ten", "POST", "/v1/query?website_id=site_a", "all", "[" +
			parameters(50) + "," + parameters(50) + "]",
			[]string{"query key_all 1", "query key_all 9"}},
		{"a request without key costs a refusal", "POST", "/v1/query?website_id=site_a", "", oneQuery,
			[]string{"refused 192.0.2.1 0", "refused 192.0.2.1 1"}},
		{"public routes count by address", "GET", "/v1/query/types", "all", "", []string{"public 192.0.2.1 1"}},
		{"health counts by address", "GET", "/health/live", "", "", []string{"health 192.0.2.1 1"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			if tc.key != "" { // so the key is known to be valid
				w.send("GET", "/v1/query/websites", tc.key, "")
				w.limiter.asked = nil
			}
			w.send(tc.method, tc.target, tc.key, tc.body)
			if diff := cmp.Diff(tc.want, w.limiter.asked); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAFlagCostsByItsSize(t *testing.T) {
	w, _ := newFlagWorld(t)
	w.create(t, newFlag) // the key is known to be good from here on
	w.limiter.asked = nil
	w.create(t, `{"clientId":"site_a","key":"k","type":"boolean","defaultValue":true,"payload":{"a":"`+
		strings.Repeat("x", 20_000)+`"}}`)
	if diff := cmp.Diff([]string{"other key_flags 1", "other key_flags 1"}, w.limiter.asked); diff != "" {
		t.Error(diff)
	}
}

// parameters returns a query with n parameters.
func parameters(n int) string {
	return `{"parameters":[` + strings.Repeat(`"pages",`, n-1) +
		`"pages"],"startDate":"2026-03-01","endDate":"2026-03-02"}`
}

// goals returns a query with n parameters about goals.
func goals(n int, compare string) string {
	one := `{"name":"goals","goals":[{"name":"Signup","event":"signup"}]}`
	return `{"compare":"` + compare + `","parameters":[` + strings.Repeat(one+",", n-1) + one +
		`],"startDate":"2026-03-01","endDate":"2026-03-02"}`
}

func TestABatchAboveTheWholeLimit(t *testing.T) {
	w := newWorld(t)
	w.limiter.allow = func(_ auth.Class, _ string, cost int) (auth.Decision, error) {
		return auth.Decision{OK: cost == 1, Limit: 2, Remaining: 1, Reset: now.Add(time.Second)}, nil
	}
	rec := w.send("POST", "/v1/query?website_id=site_a", "all", "["+oneQuery+","+oneQuery+","+oneQuery+"]")
	expect(t, rec, 400, "VALIDATION_ERROR")
	if text := object(t, rec)["error"]; text != "The request costs 3 of a limit of 2 per minute: split it into smaller requests" || rec.Header().Get("Retry-After") != "" {
		t.Errorf("message %q, headers %v", text, rec.Header())
	}
	rec = w.send("POST", "/v1/query?website_id=site_a", "all", "["+oneQuery+","+oneQuery+"]")
	if rec.Code != 200 {
		t.Errorf("a batch of two: %d", rec.Code)
	}
}

func TestABatchOverItsLimitIsNotRun(t *testing.T) {
	w := newWorld(t)
	w.limiter.allow = func(_ auth.Class, _ string, cost int) (auth.Decision, error) {
		return auth.Decision{OK: cost == 1, Limit: 5, Remaining: 1, Reset: now.Add(time.Second)}, nil
	}
	expect(t, w.send("POST", "/v1/query?website_id=site_a", "all", "["+oneQuery+","+oneQuery+","+oneQuery+"]"), 429,
		"RATE_LIMITED")
	if w.store.asked.Load() != 0 {
		t.Error("the batch was run")
	}
}

func TestHealthIgnoresAFailingLimiter(t *testing.T) {
	w := newWorld(t)
	w.limiter.allow = func(auth.Class, string, int) (auth.Decision, error) {
		return auth.Decision{},
			errors.New("away")
	}
	expect(t, w.send("GET", "/health", "", ""), 200, "")
	expect(t, w.send("GET", "/health/live", "", ""), 200, "")
	expect(t, w.send("GET", "/v1/query/types", "", ""), 503, "SERVICE_UNAVAILABLE")
	if !strings.Contains(w.log.String(), "limiter failed") {
		t.Errorf("log: %s", w.log)
	}
}

func TestClientAddress(t *testing.T) {
	w := newWorld(t, func(cfg *Config) { cfg.Proxies = clientip.Proxies{netip.MustParsePrefix("192.0.2.1/32")} })
	for _, tc := range []struct{ name, ip, id, audited string }{
		{"an IPv4 address", "203.0.113.9", "203.0.113.9", "203.0.113.9"},
		{"an IPv6 /64", "2001:db8:1:2:3::9", "2001:db8:1:2::/64", "2001:db8:1:2:3::9"},
		{"the proxy itself", "", "192.0.2.1", "192.0.2.1"},
	} {
		w.limiter.asked = nil
		w.send("GET", "/v1/query/types", "", "", clientip.Header, tc.ip)
		w.send("GET", "/v1/query/websites", "all", "", "User-Agent", "curl", clientip.Header, tc.ip)
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
		t.Errorf("a proxy header is trusted by default: %s", got)
	}
	if log := spoofed.log.String(); !strings.Contains(log, "ignoring proxy header") {
		t.Errorf("an ignored header is not logged: %s", log)
	}
}
