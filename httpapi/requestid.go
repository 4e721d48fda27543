package httpapi

import "net/http"

const headerRequestID = "X-Request-ID"

// requestID is the inbound id when it is clean, else a new one.
func requestID(r *http.Request, fresh func() string) string {
	if id := r.Header.Get(headerRequestID); clean(id) {
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
