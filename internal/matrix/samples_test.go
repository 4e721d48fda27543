package matrix

import (
	"cmp"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/httpapi"
	"github.com/sightline-analytics/sightline/internal/matrix/samples"
	"github.com/sightline-analytics/sightline/track"
)

// A route is a row of one of the handlers' tables.
type route struct {
	host         string
	method, path string
	class        auth.Class
	anonymous    auth.Class // class of callers without a key
	access       string     // of rules, or track.Access
}

func (r route) String() string { return r.host + " " + r.method + " " + r.path }

// routes returns all routes of both handlers.
func routes() (all []route) {
	for _, r := range httpapi.Routes() {
		all = append(all, route{hostAPI, r.Method, r.Path, r.Class, cmp.Or(r.Anonymous, r.Class),
			rules[r.Method+" "+r.Path]})
	}
	for _, r := range track.Routes() {
		if r.Access != track.Open { // a public file
			all = append(all, route{hostTrack, r.Method, r.Path, r.Class, cmp.Or(r.Anonymous, r.Class),
				string(r.Access)})
		}
	}
	return all
}

// sampleOf returns the sample of r, or fails t.
func sampleOf(t *testing.T, r route) samples.Sample {
	t.Helper()
	s, ok := samples.All()[r.String()]
	if !ok {
		t.Fatalf("add a sample request for %s to internal/matrix/samples, so that its permissions are tested", r)
	}
	return s
}

// request returns a request of s about a resource, with headers of a browser.
func request(s samples.Sample, r route, kind, id string) *http.Request {
	target, body := s.Of(kind, id)
	req := httptest.NewRequest(r.method, target, strings.NewReader(body))
	req.Header.Set("User-Agent", browser)
	if s.Body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	return req
}

const browser = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36"
