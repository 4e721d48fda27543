package front

import (
	"net/http"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/internal/mistake"
)

// An error repeats at most maxAskedPath bytes of a method and of a path.
const maxAskedPath = 64

// noRoute is the error of a request that no route has the path of. It names the nearest route by the path that
// the client sees: the host may have stripped a prefix.
func (rt *router) noRoute(r *http.Request) *RouteError {
	path := r.URL.EscapedPath()
	full, _, _ := strings.Cut(r.RequestURI, "?")
	prefix, stripped := strings.CutSuffix(full, path)
	if !stripped || !strings.HasPrefix(full, "/") {
		full, prefix = path, ""
	}
	method := r.Method
	if method == http.MethodHead { // HEAD has the headers of GET
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

// noMethod is the error of a request to e with a method that no route there has.
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

// nearest returns the endpoint whose path was probably meant, or nil: the one that ends as path does, or else the
// longest one that path begins with. Of equals it returns the first of the table. Variable segments do not count.
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

// sameEnd compares the fixed segments at the end of e's path and of asked: it counts two for an equal one, and one for a slip.
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
