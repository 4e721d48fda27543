package httpapi

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/auth"
)

// A route is one row of the API: what it is called by, who may call it, and how it is
// answered. Everything that must hold for all routes is done by the code that reads the rows.
type route struct {
	method string
	path   string // {website_id} stands for one segment
	class  auth.Class
	about  string
	access Access                                             // who may call it
	read   func(*api, *call) error                            // takes the request apart; nil: nothing to read
	run    func(*api, context.Context, *call) (*reply, error) // answers
	off    func(*Config) bool                                 // the host does without it; nil: never
}

func (rt *route) public() bool { return rt.access == Public }

// routes is the whole API.
func routes() []*route {
	return []*route{
		{method: http.MethodPost, path: "/v1/query", class: auth.ClassQuery, about: "One query, or a batch",
			access: BySubject, read: readBody, run: answerQueries},
		{method: http.MethodGet, path: "/v1/query", class: auth.ClassQuery, about: "One query as an address",
			access: BySubject, read: readAddress, run: answerAddress},
		{method: http.MethodPost, path: "/v1/query/compile", class: auth.ClassOther, about: "What a query would run",
			access: ByWholeSubject, read: readBody, run: explainQueries, off: func(cfg *Config) bool { return cfg.NoCompile }},
		{method: http.MethodGet, path: "/v1/query/types", class: auth.ClassPublic, access: Public, about: "Query types and what they accept",
			run: listTypes},
		{method: http.MethodGet, path: "/v1/query/websites", class: auth.ClassOther, about: "Websites that the key can read",
			access: ByKey, run: listWebsites},
		{method: http.MethodGet, path: "/v1/websites/{website_id}/analytics", class: auth.ClassQuery, about: "One website at a glance",
			access: ByPath, read: readOverview, run: answerOverview},
		{method: http.MethodGet, path: "/health", class: auth.ClassHealth, access: Public, about: "Health of the service and what it stands on",
			run: reportHealth, off: func(cfg *Config) bool { return cfg.Health == nil }},
		{method: http.MethodGet, path: "/health/live", class: auth.ClassHealth, access: Public, about: "Whether the process answers",
			run: reportLive},
	}
}

// An endpoint is one path and what can be done there.
type endpoint struct {
	segments []string
	methods  map[string]*route
	allow    string // value of the Allow header
}

// A router finds endpoints. It has no redirects: they would not know the host's prefix.
type router struct {
	exact   map[string]*endpoint
	pattern []*endpoint // those with a variable segment
}

func newRouter(cfg *Config) router {
	rt := router{exact: map[string]*endpoint{}}
	endpoints := map[string]*endpoint{}
	for _, row := range routes() {
		if row.off != nil && row.off(cfg) {
			continue
		}
		p := endpoints[row.path]
		if p == nil {
			p = &endpoint{segments: strings.Split(row.path, "/"), methods: map[string]*route{}}
			endpoints[row.path] = p
			if strings.Contains(row.path, "{") {
				rt.pattern = append(rt.pattern, p)
			} else {
				rt.exact[row.path] = p
			}
		}
		p.methods[row.method] = row
		if row.method == http.MethodGet {
			p.methods[http.MethodHead] = row
		}
		p.allow = allowHeader(p.methods)
	}
	return rt
}

func allowHeader(methods map[string]*route) string {
	names := []string{http.MethodOptions}
	for m := range methods {
		names = append(names, m)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// find returns the endpoint of u and the text in its variable segment; nil when there is none.
func (rt *router) find(u *url.URL) (*endpoint, string) {
	path := u.EscapedPath()
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // the host stripped a prefix that ended in a slash
	}
	if p := rt.exact[path]; p != nil {
		return p, ""
	}
	segments := strings.Split(path, "/")
	for _, p := range rt.pattern {
		if id, ok := p.match(segments); ok {
			return p, id
		}
	}
	return nil, ""
}

func (p *endpoint) match(segments []string) (id string, ok bool) {
	if len(segments) != len(p.segments) {
		return "", false
	}
	for i, want := range p.segments {
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
