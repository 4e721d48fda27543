package front_test

import (
	"testing"

	"github.com/sightline-analytics/sightline/internal/front"
)

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
		{"any origin, with credentials", "/any", "https://b.example", "https://b.example", "true", "Origin"},
		{"no route", "/nothing", "https://a.example", "https://a.example", "", "Origin"},
	} {
		method := map[bool]string{true: "POST", false: "GET"}[row.path == "/any"]
		h := w.send(method, row.path, "", "Origin", row.origin).Header()
		if h.Get("Access-Control-Allow-Origin") != row.want || h.Get("Access-Control-Allow-Credentials") != row.credentials || h.Get("Vary") != row.vary {
			t.Errorf("%s: %v", row.name, h)
		}
		if exposed := h.Get("Access-Control-Expose-Headers"); (exposed == "ETag") != (row.want != "") {
			t.Errorf("%s: exposed %q", row.name, exposed)
		}
		if row.path == "/nothing" {
			continue
		}
		h = w.send("OPTIONS", row.path, "", "Origin", row.origin, "Access-Control-Request-Method", method).Header()
		if told := h.Get("Access-Control-Allow-Methods") != ""; told != (row.want != "") || h.Get("Access-Control-Allow-Origin") != row.want {
			t.Errorf("%s: preflight %v", row.name, h)
		}
		if vary := h.Get("Vary"); vary != "Origin, Access-Control-Request-Method, Access-Control-Request-Headers" {
			t.Errorf("%s: preflight varies by %q", row.name, vary)
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
