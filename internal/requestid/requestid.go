// Package requestid finds the id by which a request is known in answers, logs and the
// audit trail.
package requestid

import "net/http"

// Header carries the id, in and out. It is spelled as net/http does, which otherwise spells it anew
// for every request.
const Header = "X-Request-Id"

// Of is the id that r came with when that is clean, else a fresh one.
func Of(r *http.Request, fresh func() string) string {
	if id := r.Header.Get(Header); clean(id) {
		return id
	}
	return fresh()
}

// clean reports whether id is 1 to 128 of the characters A-Z a-z 0-9 . _ -, so that it
// cannot break a log line, a header or a page.
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
