package track

import (
	"net/http"

	"github.com/sightline-analytics/sightline/auth"
)

// Access says how a route identifies the website, link or monitor of the data.
type Access string

// The kinds of access. Keys need the scope of [Route.Scope].
const (
	ByWebsite      Access = "website"        // the id of a website, which is public; keys are ignored
	ByKeyOrWebsite Access = "key or website" // a key, else the id of a website
	ByKey          Access = "key"            // a key
	Open           Access = "open"           // it takes no data; keys are ignored
)

// A Route is one route of the handler. Every path answers OPTIONS, too.
type Route struct {
	Method string
	Path   string
	Access Access
	Class  auth.Class
	// Anonymous is the class of limits for senders without a key; empty means Class.
	Anonymous auth.Class
	Scope     auth.Scope // of keys; empty: none is needed
	Items     int        // most items of a body; 0: it reads none
	List      bool       // the body must be an array
}

// Routes lists the routes of the handler, in a new slice.
func Routes() []Route {
	rows := routes()
	list := make([]Route, 0, len(rows))
	for _, r := range rows {
		one := Route{Method: r.verb(), Path: r.path, Access: r.access, Class: auth.ClassTrack, Anonymous: r.anonymous, Scope: auth.TrackEvents, List: r.list}
		if one.Method == http.MethodPost {
			one.Items = r.items
		}
		list = append(list, one)
	}
	for _, path := range []string{scriptPath, pinned} {
		list = append(list, Route{Method: http.MethodGet, Path: path, Access: Open, Class: auth.ClassTrack})
	}
	return append(list, Route{Method: http.MethodGet, Path: alivePath, Access: Open, Class: auth.ClassHealth})
}
