package httpapi

import "github.com/sightline-analytics/sightline/auth"

// Access is the kind of permission that a route requires.
type Access string

// The kinds of access. A subject is a website, a link or a monitor. auth.ReadScopes returns its
// scopes.
const (
	Public         Access = "public"        // no key; keys are ignored
	ByKey          Access = "key"           // a key that may read subjects of the kind; the response lists the subjects that it may read
	ByOwnKey       Access = "own key"       // a key with a read scope, but not a panel token
	BySubject      Access = "subject"       // a key that may read the one subject in the URL's query
	ByWholeSubject Access = "whole subject" // like subject, but needs read:data, no panel token and no mandatory filters
	ByPath         Access = "path"          // a key that may read the website in the path
	ByClientKey    Access = "client key"    // a key with manage:flags for the client in clientId
	ByKeyOrClient  Access = "key or client" // a key, or the id of a client, which is public; see [Flags]
)

// A Route is a route of the API with its access. Routes with GET also respond to HEAD, and every path responds to
// OPTIONS.
type Route struct {
	Method string
	Path   string // {website_id} stands for one segment
	About  string // a short description
	Class  auth.Class
	Access Access
	Body   bool // whether the route reads a JSON body
}

// Routes returns all routes of a handler with every option of Config, in a new slice.
func Routes() []Route {
	rows := (*api)(nil).routes()
	list := make([]Route, 0, len(rows))
	for _, r := range rows {
		list = append(list, Route{Method: r.Method, Path: r.Path, About: r.about, Class: r.Class, Access: r.access, Body: r.body})
	}
	return list
}
