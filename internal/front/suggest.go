package front

import (
	"net/http"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/internal/mistake"
)

// maxAskedPath is the maximum number of bytes of a method and of a path in an error.
const maxAskedPath = 64

// noRoute returns the error for a request without a route. It suggests the nearest route, with the path that the client
// sees: the host may have stripped a prefix.
func (rt *router) noRoute(r *http.Request) *RouteError {
	path := r.URL.EscapedPath()
	full, _, _ := strings.Cut(r.RequestURI, "?")
	prefix, stripped := strings.CutSuffix(full, path)
	if !stripped || !strings.HasPrefix(full, "/") {
		full, prefix = path, ""
	}
	method := r.Method
	if method == http.MethodHead { // HEAD is handled by GET
		method = http.MethodGet
	}
	e := &RouteError{err: ErrNoRoute, asked: short(method) + " " + short(full)}
	if near := rt.nearest(path); near != nil {
		if near.methods[method] == nil {
			method = near.first
		}
		e.instead = method + " " + strings.TrimSuffix(prefix, "/") + strings.Join(near.segments, "/")
	}
	return e
}

// noMethod returns the error for a request to e with an unsupported method.
func (e *endpoint) noMethod(method string) *RouteError {
	var methods []string
	for name := range e.methods {
		if name != http.MethodHead {
			methods = append(methods, name)
		}
	}
	slices.Sort(methods)
	return &RouteError{err: ErrMethod, asked: short(method), instead: mistake.Or(methods...)}
}

func short(text string) string {
	if len(text) > maxAskedPath {
		return text[:maxAskedPath] + "…"
	}
	return text
}

// nearest returns the endpoint that was probably meant, or nil. It prefers an endpoint whose end resembles path, then
// the longest one that path begins with, and then the first one in the table. Variable segments do not count.
func (rt *router) nearest(path string) *endpoint {
	asked := strings.Split(strings.Trim(path, "/"), "/")
	var best *endpoint
	most := 0
	for _, e := range rt.all {
		if n := e.sameEnd(asked); n > most {
			best, most = e, n
		}
	}
	if best != nil {
		return best
	}
	for _, e := range rt.all {
		if n := len(e.segments) - 1; n > most && n < len(asked) && e.segments[n] != "" {
			if _, ok := e.match(append([]string{""}, asked[:n]...)); ok {
				best, most = e, n
			}
		}
	}
	return best
}

// sameEnd compares the fixed segments at the end of e's path and of asked. An equal segment counts 2, a similar one 1.
func (e *endpoint) sameEnd(asked []string) (same int) {
	for i := range min(len(asked), len(e.segments)-1) {
		want, got := e.segments[len(e.segments)-1-i], asked[len(asked)-1-i]
		switch {
		case got == "":
			return same
		case strings.HasPrefix(want, "{"):
		case got == want:
			same += 2
		case mistake.Slip(got, want):
			same++
		default:
			return same
		}
	}
	return same
}
