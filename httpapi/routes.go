package httpapi

import (
	"net/http"
	"slices"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/front"
)

// Access says whether callers of a route need a key.
type Access int

// The kinds of access.
const (
	ByKey         Access = iota // a key or a panel token that has [Route.May]
	ByKeyOrClient               // a key, or the id of a client, which is public; see [Flags]
	Public                      // no key; keys are ignored
)

// A Route is a route of the API with its access. Routes with GET also respond to HEAD, and every path responds to
// OPTIONS.
type Route struct {
	Method string
	Path   string // {website_id} stands for one segment
	About  string // a short description
	Class  auth.Class
	// Anonymous is the class of rate limits for callers without a key; empty means Class.
	Anonymous auth.Class
	Access    Access
	May       auth.Permission // that keys need; the zero Permission is every key's
	Of        []string        // the kinds of the resource that a request is about; empty if it is about no single one
	Body      bool            // whether the route reads a JSON body
	// Stores has names of the table "Bytes on disk" in docs/security.md, joined by commas: the records that requests
	// create or change. It is "nothing" if they change none, and empty for GET.
	Stores string
}

// Routes returns all routes of a handler with every option of Config, in a new slice.
func Routes() []Route {
	rows := (*api)(nil).routes()
	list := make([]Route, 0, len(rows))
	for _, r := range rows {
		list = append(list, Route{
			Method: r.Method, Path: r.Path, About: r.about, Class: r.Class, Anonymous: r.Anonymous, Access: r.access,
			May: r.May, Of: slices.Clone(r.of), Body: r.body, Stores: r.stores,
		})
	}
	return list
}

// The kinds of resources that requests may be about.
var (
	anySubject = []string{auth.KindWebsite, auth.KindLink, auth.KindSchedule}
	oneWebsite = []string{auth.KindWebsite}
)

// A route is a row of the table of routes: its path, what its callers need, and its steps.
type route struct {
	front.Route
	about  string
	access Access
	of     []string           // as in Route
	body   bool               // reads a JSON body
	stores string             // as in Route
	off    func(*Config) bool // reports whether the host disabled the route; nil means never
	open   bool               // pages of any origin may read responses
	forms  bool               // responses also have the forms of rowFormats
	// describe returns what the OpenAPI document says of the route.
	describe func(d *describer) described
}

// nothing is the value of route.stores for requests that only read, or that only remove what is stored.
const nothing = "nothing"

// changes returns stored for requests with a method that changes something, and an empty text for GET.
func changes(method, stored string) string {
	if method == http.MethodGet {
		return ""
	}
	return stored
}

// routes returns the whole API. a may be nil, as in Routes: the rows only hold its methods.
func (a *api) routes() []*route {
	return slices.Concat(a.queryRoutes(), a.exportRoutes(), a.eraseRoutes(), a.tokenRoutes(), a.selfRoutes(),
		a.trackerRoutes(), a.documentRoutes(), a.healthRoutes(), a.websiteRoutes(), a.definitionRoutes(),
		a.noticeRoutes(), a.keyRoutes(), a.flagRoutes())
}

// mounted returns the enabled routes, with settings that follow from their access and class. Responses to pages of any
// origin depend on nothing that browsers send automatically.
func (a *api) mounted(cors, open *front.CORS) (all []*front.Route) {
	for _, row := range a.routes() {
		if row.off != nil && row.off(&a.cfg) {
			continue
		}
		row.CORS, row.Cache = cors, "no-cache"
		row.Use = row.Method == http.MethodGet || row.Class == auth.ClassQuery || row.Class == auth.ClassEvaluate
		if row.open {
			row.CORS = open
		}
		switch {
		case row.access == ByKeyOrClient:
			row.Credentials, row.Cache = front.OptionalCredentials, "private, no-cache"
		case row.access == ByKey:
			row.Credentials, row.Cache, row.Vary = front.NeedsCredentials, "private, no-cache",
				"Authorization, X-Api-Key, Origin"
		case row.Class == auth.ClassHealth:
			row.Cache = "no-store"
		}
		if row.forms {
			row.Vary += ", Accept"
		}
		all = append(all, &row.Route)
	}
	return all
}
