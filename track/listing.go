package track

import (
	"net/http"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/openapi"
)

// Access says how requests to a route identify the website, link or monitor.
type Access string

// The kinds of access. Keys need the scope in [Route.Scope].
const (
	ByWebsite      Access = "website"        // by the id of a website, which is public; keys are ignored
	ByKeyOrWebsite Access = "key or website" // by a key, or by the id of a website
	ByKey          Access = "key"            // by a key
	Open           Access = "open"           // without data; keys are ignored
)

// A Route is a route of the handler. Every path also responds to OPTIONS.
type Route struct {
	Method string
	Path   string
	Access Access
	Class  auth.Class
	// Anonymous is the class of rate limits for senders without a key; empty means Class.
	Anonymous auth.Class
	Scope     auth.Scope // required scope of keys; empty means none
	Items     int        // maximum number of items in a body; 0 if the route reads no body
	List      bool       // the body must be an array
	// Stores has names of the table "Bytes on disk" in docs/security.md, joined by commas: the rows that requests
	// store. It is empty if they store none.
	Stores string
}

// Routes returns the routes of the handler in a new slice.
func Routes() []Route {
	all := listing()
	list := make([]Route, len(all))
	for i := range all {
		list[i] = all[i].Route
	}
	return list
}

// A listed route is a route with what the document says of it.
type listed struct {
	Route
	says described
}

// listing returns all routes: those of the table, and those without items.
func listing() []listed {
	rows := routes()
	list := make([]listed, 0, len(rows)+3)
	for _, r := range rows {
		one := listed{says: r.says, Route: Route{
			Method: r.verb(), Path: r.path, Access: r.access, Class: auth.ClassTrack, Anonymous: r.anonymous,
			Scope: auth.TrackEvents, List: r.body.list, Stores: r.stores,
		}}
		if one.Method == http.MethodPost {
			one.Items = r.body.items
		}
		list = append(list, one)
	}
	open := func(path string, class auth.Class, says described) listed {
		return listed{Route{Method: http.MethodGet, Path: path, Access: Open, Class: class}, says}
	}
	return append(list,
		open(scriptPath, auth.ClassTrack,
			described{id: "getTracker", summary: "The script for pages", form: "text/javascript"}),
		open(pinned, auth.ClassTrack, described{id: "getPinnedTracker", summary: "The script for pages by its hash",
			about: "`websites tag` prints the element that loads it.", form: "text/javascript",
			params: []openapi.Param{openapi.Path("file", openapi.Text("The hash of the script and .js"))}}),
		open(alivePath, auth.ClassHealth, described{id: "getTrackingHealth", summary: "Whether tracking responds",
			answer: schemaOf[answer]()}))
}
