package front

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/auth"
)

// An endpoint is a path with its routes.
type endpoint struct {
	segments []string
	first    string // method of the first route in the table
	methods  map[string]*Route
	allow    string // value of the header Allow
	cors     *CORS  // of its routes
	class    auth.Class
}

// A router finds endpoints. It makes no redirects, since it does not know the host's prefix.
type router struct {
	exact   map[string]*endpoint
	pattern []*endpoint // endpoints with a variable segment
	all     []*endpoint // in the order of the table
}

func newRouter(routes []*Route) router {
	rt := router{exact: map[string]*endpoint{}}
	endpoints := map[string]*endpoint{}
	for _, row := range routes {
		e := endpoints[row.Path]
		if e == nil {
			e = &endpoint{segments: strings.Split(row.Path, "/"), first: row.Method, methods: map[string]*Route{}}
			endpoints[row.Path], rt.all = e, append(rt.all, e)
			if strings.Contains(row.Path, "{") {
				rt.pattern = append(rt.pattern, e)
			} else {
				rt.exact[row.Path] = e
			}
		}
		e.methods[row.Method], e.cors, e.class = row, row.CORS, row.Class
		if row.Method == http.MethodGet {
			e.methods[http.MethodHead] = row
		}
		e.allow = allowHeader(e.methods)
	}
	return rt
}

func allowHeader(methods map[string]*Route) string {
	names := []string{http.MethodOptions}
	for m := range methods {
		names = append(names, m)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// find returns the endpoint of u and the text in its variable segment; nil if the endpoint is missing.
func (rt *router) find(u *url.URL, trimSlash bool) (*endpoint, string) {
	path := u.EscapedPath()
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // the host stripped a prefix that ended with a slash
	}
	if trimSlash {
		path = "/" + strings.Trim(path, "/")
	}
	if e := rt.exact[path]; e != nil {
		return e, ""
	}
	segments := strings.Split(path, "/")
	for _, e := range rt.pattern {
		if id, ok := e.match(segments); ok {
			return e, id
		}
	}
	return nil, ""
}

func (e *endpoint) match(segments []string) (id string, ok bool) {
	if len(segments) != len(e.segments) {
		return "", false
	}
	for i, want := range e.segments {
		if !strings.HasPrefix(want, "{") {
			if segments[i] != want {
				return "", false
			}
			continue
		}
		text, err := url.PathUnescape(segments[i])
		if err != nil || text == "" {
			return "", false
		}
		id = text
	}
	return id, true
}

// ofNetwork returns the class of the rate limit for requests to e without a key. Browsers send OPTIONS before events,
// so there may be many of them behind one address.
func (e *endpoint) ofNetwork() auth.Class {
	switch e.class {
	case auth.ClassQuery, auth.ClassOther, auth.ClassExport:
		return auth.ClassPublic
	case auth.ClassEvaluate:
		return auth.ClassFlags
	}
	return e.class
}
