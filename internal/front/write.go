package front

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/sightline-analytics/sightline/memory"
)

const (
	// DefaultWriteGrace is the default time for which a client may pause while it reads a response.
	DefaultWriteGrace = 10 * time.Second
	// largeAnswer is the size in bytes from which clients must read at minRate. Smaller responses usually fit into the
	// buffers of the connection.
	largeAnswer = memory.Small
	// minRate is the average number of bytes per second that a client must read after the grace.
	minRate = 64_000
)

// Write sends a as the response to r.
func (a *Answer) Write(w http.ResponseWriter, r *http.Request) { a.write(w, r, DefaultWriteGrace) }

// write sends a as the response to r. It closes the connection of a client that reads too slowly.
func (a *Answer) write(w http.ResponseWriter, r *http.Request, grace time.Duration) {
	h := w.Header()
	a.addHeaders(h)
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
		_, _ = w.Write(a.Body) // if the caller hung up, the error cannot be reported
	}
}

// addHeaders adds the headers of a to h. A header of a replaces that of h, except Vary, whose names add up.
func (a *Answer) addHeaders(h http.Header) {
	vary := h["Vary"]
	maps.Copy(h, a.Header)
	if own := a.Header["Vary"]; own != nil && vary != nil {
		h["Vary"] = slices.Concat(vary, own)
	}
}

// writeLarge writes body in chunks. It replaces the server's fixed deadline by two that move with the client's
// progress: the client must not pause for longer than grace, and must then read at minRate on average.
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
		_ = rc.SetWriteDeadline(at) // some writers support no deadlines
		if _, err := w.Write(chunk); err != nil {
			return // if the caller hung up, the error cannot be reported
		}
	}
	_ = rc.SetWriteDeadline(time.Now().Add(grace)) // for the bytes in the buffer of net/http
}
