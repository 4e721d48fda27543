//go:build cgo

package e2e

import (
	"io"
	"net/http"
	"testing"
	"time"
)

// get requests path of p with or without its key, and returns status and headers.
func (p *process) get(t *testing.T, path string, keyed bool) (int, http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.Address+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if keyed {
		r.Header.Set("X-Api-Key", p.Key)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header
}

// TestLimits requests a public route 200 times, and a route with a key, with --limits at its default, a factor and off.
func TestLimits(t *testing.T) {
	t.Parallel()
	const asked = 200
	for _, row := range []struct {
		name   string
		args   []string
		pass   int    // minimum of answered requests to the public route
		public string // X-RateLimit-Limit of the public route
		key    string // X-RateLimit-Limit with the key
	}{
		{"are on when nothing is said", nil, 120, "120", "60000"},
		{"are multiplied by a factor", []string{"--limits", "0.1"}, 12, "12", "6000"},
		{"are off", []string{"--limits", "off"}, asked, "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := empty(t, t.TempDir(), row.args...)
			began := time.Now()
			passed := 0
			for range asked {
				status, h := p.get(t, "/v1/query/types", false)
				switch {
				case h.Get("X-RateLimit-Limit") != row.public:
					t.Fatalf("status %d, X-RateLimit-Limit %q, want %q", status, h.Get("X-RateLimit-Limit"), row.public)
				case status == http.StatusOK:
					passed++
				case status != http.StatusTooManyRequests || h.Get("Retry-After") == "":
					t.Fatalf("status %d, headers %v", status, h)
				}
			}
			most := min(float64(row.pass)*(1+time.Since(began).Minutes()), asked)
			if passed < row.pass || float64(passed) > most {
				t.Errorf("%d of %d passed, want %d to %.1f", passed, asked, row.pass, most)
			}
			if status, h := p.get(t, "/v1/query/websites", true); status != http.StatusOK ||
				h.Get("X-RateLimit-Limit") != row.key {
				t.Errorf("with the key: status %d, X-RateLimit-Limit %q, want 200, %q", status,
					h.Get("X-RateLimit-Limit"), row.key)
			}
			p.stop(t)
		})
	}
}
