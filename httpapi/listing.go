package httpapi

import "github.com/sightline-analytics/sightline/auth"

// Access says what a route requires of its caller.
type Access string

// The kinds of access. A subject is a website, a link or a monitor; its scopes are those
// of auth.ReadScopes.
const (
	Public         Access = "public"        // nothing; keys are ignored
	ByKey          Access = "key"           // a key that may read subjects of the kind; the answer lists those that it may read
	ByOwnKey       Access = "own key"       // a key with a scope that reads, and no panel token
	BySubject      Access = "subject"       // a key that may read the one subject in the URL's query
	ByWholeSubject Access = "whole subject" // the same with read:data, no panel token and no mandatory filters
	ByPath         Access = "path"          // a key that may read the website in the path
	ByClientKey    Access = "client key"    // a key with manage:flags for the client that clientId names
	ByKeyOrClient  Access = "key or client" // a key, or the id of a client, which is public; see [Flags]
)

// A Route is one route of the API, and who may call it. Routes of GET answer HEAD, and every path
// answers OPTIONS.
type Route struct {
	Method string
	Path   string // {website_id} stands for one segment
	About  string // a line for people
	Class  auth.Class
	Access Access
	Body   bool // it reads a body of JSON
}

// Routes lists all routes of a handler with every option of Config, in a new slice.
func Routes() []Route {
	rows := (*api)(nil).routes()
	list := make([]Route, 0, len(rows))
	for _, r := range rows {
		list = append(list, Route{Method: r.Method, Path: r.Path, About: r.about, Class: r.Class, Access: r.access, Body: r.body})
	}
	return list
}
