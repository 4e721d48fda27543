package httpapi

import (
	"regexp"
	"strings"
	"testing"
)

func TestRequestIDs(t *testing.T) {
	w := newWorld(t)
	fresh := regexp.MustCompile(`^req_[A-Z2-7]{26}$`)
	for _, tc := range []struct {
		name, sent string
		echoed     bool
	}{
		{"none", "", false},
		{"a valid id", "Trace-1.2_z", true},
		{"128 characters", strings.Repeat("a", 128), true},
		{"129 characters", strings.Repeat("a", 129), false},
		{"a space", "a b", false},
		{"a quote", `a"b`, false},
		{"markup", "<script>", false},
		{"an umlaut", "ä", false},
		{"a line break", "a\nX-Evil: 1", false},
	} {
		rec := w.send("GET", "/v1/query/types", "", "", "X-Request-ID", tc.sent)
		got := rec.Header().Get("X-Request-ID")
		if tc.echoed && got != tc.sent || !tc.echoed && !fresh.MatchString(got) {
			t.Errorf("%s: %q becomes %q", tc.name, tc.sent, got)
		}
	}
	own := newWorld(t, func(cfg *Config) { cfg.NewRequestID = func() string { return "mine" } })
	if got := own.send("GET", "/nothing", "", "").Header().Get("X-Request-ID"); got != "mine" {
		t.Errorf("the host's own id: %q", got)
	}
}

func TestCORS(t *testing.T) {
	w := newWorld(t, func(cfg *Config) { cfg.CORSOrigins = []string{"https://App.example.com:443"} })
	const origin = "https://app.example.com"
	for _, status := range []int{200, 401} {
		key := map[int]string{200: "all", 401: ""}[status]
		rec := w.send("POST", "/v1/query?website_id=site_a", key, oneQuery, "Origin", origin)
		expect(t, rec, status, "")
		if h := rec.Header(); h.Get("Access-Control-Allow-Origin") != origin || h.Get("Access-Control-Allow-Credentials") != "" ||
			!strings.Contains(h.Get("Access-Control-Expose-Headers"), "ETag, X-Request-ID, X-RateLimit-Limit") || h.Get("Vary") != "Authorization, X-Api-Key, Origin, Accept" {
			t.Errorf("%d: %v", status, h)
		}
	}
	pre := w.send("OPTIONS", "/v1/query", "", "", "Origin", origin, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "x-api-key")
	expect(t, pre, 204, "")
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin":  origin,
		"Access-Control-Allow-Methods": "GET, POST, PATCH, DELETE",
		"Access-Control-Allow-Headers": "Content-Type, x-api-key, Authorization, If-None-Match, If-Match",
	} {
		if got := pre.Header().Get(name); got != want {
			t.Errorf("preflight: %s %q, want %q", name, got, want)
		}
	}
	if h := newWorld(t).send("GET", "/v1/query/types", "", "", "Origin", origin).Header(); h.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("without CORSOrigins: %v", h)
	}
}
