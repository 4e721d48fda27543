// Package requestid finds the id of a request in responses, logs and the audit trail:
//
//	id := requestid.Of(r, func() string { return "req_" + rand.Text() }) // the id in X-Request-ID, or a new one
//	w.Header().Set(requestid.Header, id)
package requestid

import "net/http"

// Header contains the id in requests and responses. It is in the canonical form of net/http, which saves a conversion
// for every request.
const Header = "X-Request-Id"

// Of returns the id in r if it is valid, else a fresh one.
func Of(r *http.Request, fresh func() string) string {
	if id := r.Header.Get(Header); clean(id) {
		return id
	}
	return fresh()
}

// clean reports whether id has 1 to 128 of the characters A-Z a-z 0-9 . _ -. Such an id cannot break a log line, a
// header or a page.
func clean(id string) bool {
	if id == "" || len(id) > 128 {
		return false
	}
	for i := range len(id) {
		c := id[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '.', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}
