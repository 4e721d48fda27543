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
		{"a clean one", "Trace-1.2_z", true},
		{"128 characters", strings.Repeat("a", 128), true},
		{"129 characters", strings.Repeat("a", 129), false},
		{"a blank", "a b", false},
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
	w := newWorld(t, func(cfg *Config) { cfg.CORSOrigins = []string{"https://App.example.com:443", "http://localhost:3000"} })
	none := newWorld(t)
	for _, tc := range []struct {
		name, origin string
		w            *world
		allowed      bool
	}{
		{"a named origin", "https://app.example.com", w, true},
		{"another named origin", "http://localhost:3000", w, true},
		{"another scheme", "http://app.example.com", w, false},
		{"another port", "http://localhost:3001", w, false},
		{"a look-alike", "https://app.example.com.evil.com", w, false},
		{"null", "null", w, false},
		{"no origin", "", w, false},
		{"nobody is named", "https://app.example.com", none, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, status := range []int{200, 401} {
				key := map[int]string{200: "all", 401: ""}[status]
				rec := tc.w.send("POST", "/v1/query?website_id=site_a", key, question, "Origin", tc.origin)
				expect(t, rec, status, "")
				h := rec.Header()
				if got := h.Get("Access-Control-Allow-Origin") == tc.origin && tc.origin != ""; got != tc.allowed {
					t.Errorf("%d: allowed %v, want %v: %v", status, got, tc.allowed, h)
				}
				if exposed := h.Get("Access-Control-Expose-Headers"); strings.Contains(exposed, "ETag, X-Request-ID, X-RateLimit-Limit") != tc.allowed {
					t.Errorf("%d: exposed %q", status, exposed)
				}
				if h.Get("Access-Control-Allow-Credentials") != "" {
					t.Error("credentials are allowed")
				}
			}
			pre := tc.w.send("OPTIONS", "/v1/query", "", "", "Origin", tc.origin, "Access-Control-Request-Method", "POST",
				"Access-Control-Request-Headers", "x-api-key")
			expect(t, pre, 204, "")
			h := pre.Header()
			if !tc.allowed {
				if h.Get("Access-Control-Allow-Origin") != "" || h.Get("Access-Control-Allow-Methods") != "" {
					t.Errorf("preflight: %v", h)
				}
				return
			}
			for name, want := range map[string]string{
				"Access-Control-Allow-Origin":  tc.origin,
				"Access-Control-Allow-Methods": "GET, POST, PATCH, DELETE",
				"Access-Control-Allow-Headers": "Content-Type, x-api-key, Authorization, If-None-Match, If-Match",
				"Vary":                         "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
			} {
				if h.Get(name) != want {
					t.Errorf("preflight: %s %q, want %q", name, h.Get(name), want)
				}
			}
		})
	}
	if got := w.send("GET", "/v1/query/types", "", "").Header().Get("Vary"); got != "Origin" {
		t.Errorf("Vary of a public route: %q", got)
	}
	if e := none.trail.take(); len(e) != 2 {
		t.Errorf("a preflight is audited: %+v", e)
	}
}

func TestOriginsOfTheConfiguration(t *testing.T) {
	for text, want := range map[string]string{
		"https://a.example":      "https://a.example",
		"https://A.example:443":  "https://a.example",
		"http://a.example:80":    "http://a.example",
		"http://a.example:443":   "http://a.example:443",
		"http://[::1]:3000":      "http://[::1]:3000",
		"*":                      "",
		"null":                   "",
		"a.example":              "",
		"https://*.example":      "",
		"https://a.example/":     "",
		"https://a.example?x":    "",
		"https://a.example#x":    "",
		"https://me@a.example":   "",
		"ftp://a.example":        "",
		"https://":               "",
		"https://a.example:port": "",
	} {
		if got, err := parseOrigin(text); got != want || (err == nil) != (want != "") {
			t.Errorf("%q becomes %q, %v; want %q", text, got, err, want)
		}
	}
}
