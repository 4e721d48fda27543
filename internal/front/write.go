package front

import (
	"cmp"
	"maps"
	"net/http"
	"strconv"
	"time"
)

const (
	// DefaultWriteGrace is how long a client may stop reading an answer when Config does not say.
	DefaultWriteGrace = 10 * time.Second
	// largeAnswer is the size in bytes from which answers count against the budget, and from which their
	// clients must read at minRate. Smaller ones usually fit into the buffers of the connection.
	largeAnswer = 64 << 10
	// minRate is how many bytes a second a client must read on average after the grace.
	minRate = 64_000
)

// Write sends a as the answer to r.
func (a *Answer) Write(w http.ResponseWriter, r *http.Request) { a.write(w, r, DefaultWriteGrace) }

// write sends a as the answer to r. A client that reads too slowly loses its connection.
func (a *Answer) write(w http.ResponseWriter, r *http.Request, grace time.Duration) {
	h := w.Header()
	maps.Copy(h, a.Header)
	if a.varies {
		h.Add("Vary", "Accept-Encoding")
	}
	status := a.sent(r)
	if status == http.StatusNotModified || status == http.StatusNoContent {
		setHeaders(h, header{"Etag", a.ETag})
		w.WriteHeader(status)
		return
	}
	setHeaders(h, header{"Etag", a.ETag}, header{"Content-Type", cmp.Or(a.Type, "application/json; charset=utf-8")},
		header{"Content-Length", strconv.Itoa(len(a.Body))}, header{"Content-Encoding", a.coding})
	w.WriteHeader(status)
	switch {
	case r.Method == http.MethodHead:
	case len(a.Body) > largeAnswer:
		writeLarge(w, a.Body, grace)
	default:
		_, _ = w.Write(a.Body) // a caller who left cannot be told
	}
}

// writeLarge writes body in chunks. It replaces the server's flat deadline by two that move with the client's
// progress: the client may not pause for longer than grace, and must read at minRate on average after it.
func writeLarge(w http.ResponseWriter, body []byte, grace time.Duration) {
	rc := http.NewResponseController(w)
	took := func(bytes int) time.Duration { return grace + time.Duration(bytes)*(time.Second/minRate) }
	began := time.Now()
	for sent := 0; sent < len(body); {
		chunk := body[sent:min(sent+largeAnswer, len(body))]
		sent += len(chunk)
		at, pause := began.Add(took(sent)), time.Now().Add(took(len(chunk)))
		if pause.Before(at) {
			at = pause
		}
		_ = rc.SetWriteDeadline(at) // some writers have no deadlines
		if _, err := w.Write(chunk); err != nil {
			return // a caller who left cannot be told
		}
	}
	_ = rc.SetWriteDeadline(time.Now().Add(grace)) // for what net/http still has in its own buffer
}
