package front_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/internal/front"
)

const usual = "Content-Type, Authorization, X-Api-Key, If-None-Match, If-Match, X-Requested-With, X-Request-ID, X-Client-Id, " +
	"databuddy-client-id, databuddy-sdk-name, databuddy-sdk-version, traceparent, tracestate, baggage, sentry-trace"

func TestCORS(t *testing.T) {
	w := newWorld(t)
	for _, row := range []struct {
		name, path, origin string
		want               string // Access-Control-Allow-Origin
		credentials        string
		vary               string
	}{
		{"a named origin", "/open/1", "https://a.example", "https://a.example", "", "Origin"},
		{"another scheme", "/open/1", "http://a.example", "", "", "Origin"},
		{"a look-alike", "/open/1", "https://a.example.evil.com", "", "", "Origin"},
		{"null", "/open/1", "null", "", "", "Origin"},
		{"no origin", "/open/1", "", "", "", "Origin"},
		{"a refusal", "/work", "https://a.example", "https://a.example", "", "Origin"},
		{"any origin, with credentials", "/any", "https://b.example", "https://b.example", "true", "Origin"},
		{"any origin, without credentials", "/free", "https://b.example", "*", "", ""},
		{"no origin where any may read", "/free", "", "", "", ""},
		{"no route", "/nothing", "https://a.example", "https://a.example", "", "Origin"},
		{"nothing is allowed", "/closed", "https://a.example", "", "", ""},
	} {
		method := "GET"
		if row.path == "/any" || row.path == "/work" {
			method = "POST"
		}
		h := w.send(method, row.path, "", "Origin", row.origin).Header()
		got := [3]string{
			h.Get("Access-Control-Allow-Origin"),
			h.Get("Access-Control-Allow-Credentials"),
			strings.Join(h.Values("Vary"), "; "),
		}
		if got != [3]string{row.want, row.credentials, row.vary} {
			t.Errorf("%s: %v", row.name, h)
		}
		if exposed := h.Get("Access-Control-Expose-Headers"); (exposed == "ETag") != (row.want != "") {
			t.Errorf("%s: exposed %q", row.name, exposed)
		}
		if row.path == "/nothing" {
			continue
		}
		h = w.send("OPTIONS", row.path, "", "Origin", row.origin, "Access-Control-Request-Method", method).Header()
		told := [3]string{
			h.Get("Access-Control-Allow-Methods"),
			h.Get("Access-Control-Allow-Headers"),
			h.Get("Access-Control-Max-Age"),
		}
		want := [3]string{}
		if row.want != "" {
			want = [3]string{"GET, POST", usual, "3600"}
		}
		if told != want || h.Get("Access-Control-Allow-Origin") != row.want {
			t.Errorf("%s: preflight %v", row.name, h)
		}
		vary := row.vary
		if vary != "" {
			vary += ", Access-Control-Request-Method, Access-Control-Request-Headers"
		}
		if h.Get("Vary") != vary {
			t.Errorf("%s: preflight varies by %q", row.name, h.Get("Vary"))
		}
		h = w.send("OPTIONS", row.path, "", "Origin", row.origin).Header()
		if h.Get("Access-Control-Allow-Methods") != "" {
			t.Errorf("%s: OPTIONS is answered like a preflight: %v", row.name, h)
		}
	}
}

// TestPreflightsAllowTracingHeaders asks for headers that tracing scripts add to every request.
func TestPreflightsAllowTracingHeaders(t *testing.T) {
	w := newWorld(t)
	allowed := func(path, asked string) string {
		return w.send("OPTIONS", path, "", "Origin", "https://a.example", "Access-Control-Request-Method", "POST",
			"Access-Control-Request-Headers", asked).Header().Get("Access-Control-Allow-Headers")
	}
	many := strings.Repeat("a-header,", 10) + strings.Repeat("x", 101) + ",bad name,two\r\nlines"
	for i := range 1000 {
		many += fmt.Sprintf(",x-%d", i)
	}
	first := usual + ", a-header"
	for i := range 99 { // up to a hundred
		first += fmt.Sprintf(", x-%d", i)
	}
	for _, path := range []string{"/open/1", "/any", "/free"} {
		for asked, want := range map[string]string{
			"": usual,
			"traceparent, X-Anything,x-api-key,baggage,sentry-trace": usual + ", x-anything",
			many: first,
		} {
			if got := allowed(path, asked); got != want {
				t.Errorf("%s: %.100q: %q, want %q", path, asked, got, want)
			}
		}
	}
}

func TestParseOrigins(t *testing.T) {
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
		if got, err := front.ParseOrigins([]string{text}); want != "" && !got[want] || (err == nil) != (want != "") {
			t.Errorf("%q becomes %v, %v; want %q", text, got, err, want)
		}
	}
}
