package service

import (
	"net/http"

	"github.com/sightline-analytics/sightline/internal/program/control"
	"github.com/sightline-analytics/sightline/mcp"
	"github.com/sightline-analytics/sightline/panel"
	"github.com/sightline-analytics/sightline/store/embedded"
)

const (
	// trackPrefix is the path of tracking on the address of the API.
	trackPrefix = "/ingest"
	// toolsPath is the path of the tools for assistants on the address of the API.
	toolsPath = "/v1/mcp"
)

// A listener is one of the addresses at which the program answers.
type listener string

const (
	onMain    listener = "--addr"
	onTrack   listener = "--track-addr"
	onMetrics listener = "--metrics-addr"
	onSocket  listener = "the control socket"
)

// A mount is a handler at some paths of a listener. The program serves nothing that has no mount.
type mount struct {
	on       listener
	patterns []string // as for http.ServeMux
	name     string   // the label of its metrics
	handler  http.Handler
	// page describes the requests of a handler without a table of routes. It is nil for the API and tracking:
	// httpapi.Routes and track.Routes describe their requests.
	page *page
}

// A page describes all requests to a handler without a table of routes.
type page struct {
	about  string // a file below docs that describes it
	body   int64  // the largest body that the handler reads, in bytes; 0: it reads none
	free   string // why requests need no rate limit of their own
	owners bool   // only the owner of the data folder can connect, so bodies have no bound
}

// mounts returns everything that the program serves.
func (a *app) mounts() ([]mount, error) {
	api, tracking := a.service.API(), a.service.Tracking()
	page, err := a.panel()
	if err != nil {
		return nil, err
	}
	all := []mount{
		{on: onMain, patterns: []string{"/"}, name: "api", handler: api},
		{on: onMain, patterns: []string{trackPrefix}, name: "track", handler: atRoot(tracking)},
		{
			on: onMain, patterns: []string{trackPrefix + "/"}, name: "track",
			handler: http.StripPrefix(trackPrefix, tracking),
		},
		{on: onTrack, patterns: []string{"/"}, name: "track", handler: tracking},
		page,
	}
	if a.settings.MCP {
		tools, err := a.tools(api)
		if err != nil {
			return nil, err
		}
		all = append(all, tools)
	}
	if a.metrics != nil {
		all = append(all, a.metrics.mount())
	}
	if commands, ok := a.commands(); ok {
		all = append(all, commands)
	}
	return all, nil
}

// atRoot passes requests for the prefix of h, without a slash at its end, to the root of h.
func atRoot(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.Clone(r.Context())
		r.URL.Path, r.URL.RawPath = "/", ""
		h.ServeHTTP(w, r)
	})
}

func (a *app) panel() (mount, error) {
	h, err := panel.New(panel.Config{})
	about := &page{about: "panel.md", free: "it answers from files in memory, and the page asks the API"}
	return mount{on: onMain, patterns: []string{"/{$}", "/panel/"}, name: "panel", handler: h, page: about}, err
}

func (a *app) tools(api http.Handler) (mount, error) {
	h, err := mcp.New(mcp.Config{API: a.metrics.counted("api", api), Version: Version(),
		Origins: a.settings.Origins, Proxies: a.settings.Proxies})
	about := &page{
		about: "mcp.md", body: mcp.MaxBody,
		free: "each message and each call of a tool is a request to the API, with the limits of its caller",
	}
	return mount{on: onMain, patterns: []string{toolsPath}, name: "mcp", handler: h, page: about}, err
}

func (m *metrics) mount() mount {
	about := &page{about: "operations.md", free: "operators keep the address private"}
	return mount{on: onMetrics, patterns: []string{"GET /metrics"}, name: "metrics", handler: m.handler(), page: about}
}

// commands returns the handler for commands. If the events are in ClickHouse, there is none, because commands ask
// ClickHouse.
func (a *app) commands() (_ mount, ok bool) {
	file, ok := a.events.(embedded.Store)
	if !ok || a.backups == nil {
		return mount{}, false
	}
	about := &page{about: "operations.md", free: "only the owner of the data folder can connect", owners: true}
	h := control.Handler(file, a.service.Engine(), a.backups)
	return mount{on: onSocket, patterns: []string{"/"}, name: "control", handler: h, page: about}, true
}

// handler returns the handler of everything that is mounted on one listener, or nil if there is nothing.
func (a *app) handler(all []mount, on listener) http.Handler {
	mux := http.NewServeMux()
	var every http.Handler // of every path
	paths := 0
	for _, m := range all {
		if m.on != on {
			continue
		}
		for _, pattern := range m.patterns {
			h := a.metrics.counted(m.name, m.handler)
			if m.page != nil {
				h = a.metrics.watched(m.name, pattern, h)
			}
			mux.Handle(pattern, h)
			if paths++; pattern == "/" {
				every = h
			}
		}
	}
	switch {
	case paths == 0:
		return nil
	case paths == 1 && every != nil:
		return every // a mux would redirect paths such as //
	}
	return mux
}
