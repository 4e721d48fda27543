package httpapi

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestOnARealServer tests what a recorder cannot show: bodies without a length, responses without a body, and one
// connection for all requests.
func TestOnARealServer(t *testing.T) {
	w := newWorld(t, func(cfg *Config) { cfg.MaxBody = 1000 })
	server := httptest.NewServer(http.StripPrefix("/a", w.handler))
	defer server.Close()
	tag := w.send("GET", "/v1/query/types", "", "").Header().Get("ETag")
	for _, tc := range []struct {
		name, method, path string
		body               io.Reader
		header             [2]string
		status             int
		empty              bool
	}{
		{"a query", "POST", "/a/v1/query?website_id=site_a", strings.NewReader(oneQuery), [2]string{}, 200, false},
		{"a query in chunks", "POST", "/a/v1/query?website_id=site_a", io.MultiReader(strings.NewReader(oneQuery)),
			[2]string{}, 200, false},
		{"a too large body in chunks", "POST", "/a/v1/query?website_id=site_a",
			io.MultiReader(strings.NewReader(strings.Repeat(" ", 1<<20))), [2]string{}, 413, false},
		{"a query after that", "POST", "/a/v1/query?website_id=site_a", strings.NewReader(oneQuery), [2]string{}, 200,
			false},
		{"no body", "POST", "/a/v1/query?website_id=site_a", nil, [2]string{}, 400, false},
		{"HEAD", "HEAD", "/a/v1/query/types", nil, [2]string{}, 200, true},
		{"not modified", "GET", "/a/v1/query/types", nil, [2]string{"If-None-Match", tag}, 304, true},
		{"OPTIONS", "OPTIONS", "/a/v1/query", nil, [2]string{}, 204, true},
		{"an id with a slash", "GET", "/a/v1/websites/x%2Fy/analytics", nil, [2]string{}, 403, false},
		{"outside the prefix", "GET", "/v1/query/types", nil, [2]string{}, 404, false},
	} {
		r, err := http.NewRequestWithContext(t.Context(), tc.method, server.URL+tc.path, tc.body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Api-Key", "all")
		if tc.header[0] != "" {
			r.Header.Set(tc.header[0], tc.header[1])
		}
		resp, err := server.Client().Do(r)
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != tc.status || (len(body) == 0) != tc.empty {
			t.Errorf("%s: %d, want %d: %s %v", tc.name, resp.StatusCode, tc.status, body, err)
		}
		if tc.status == http.StatusNotModified && resp.Header.Get("Content-Type") != "" {
			t.Errorf("%s: Content-Type %s of nothing", tc.name, resp.Header.Get("Content-Type"))
		}
	}
}
