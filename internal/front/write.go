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

// largeAnswer is the size in bytes from which clients must read at minRate. Smaller responses usually fit into the
// buffers of the connection.
const largeAnswer = memory.Small

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

// addHeaders adds the headers of a to h. A header of a replaces the one of h, except Vary, whose names add up.
func (a *Answer) addHeaders(h http.Header) {
	vary := h["Vary"]
	maps.Copy(h, a.Header)
	if own := a.Header["Vary"]; own != nil && vary != nil {
		h["Vary"] = slices.Concat(vary, own)
	}
}

// writeLarge writes body in chunks, at the pace of the client.
func writeLarge(w http.ResponseWriter, body []byte, grace time.Duration) {
	to := newPaced(w, grace)
	for sent := 0; sent < len(body); {
		chunk := body[sent:min(sent+largeAnswer, len(body))]
		sent += len(chunk)
		if _, err := to.Write(chunk); err != nil {
			return // if the caller hung up, the error cannot be reported
		}
	}
	to.end()
}

// paced writes to a client that must keep its pace. Its deadlines replace the server's fixed one. Between two writes
// no deadline applies, because the next bytes may take long to compute.
type paced struct {
	to     http.ResponseWriter
	limits *http.ResponseController
	pace   pace
}

func newPaced(w http.ResponseWriter, grace time.Duration) *paced {
	return &paced{w, http.NewResponseController(w), newPace(grace)}
}

func (s *paced) Write(p []byte) (int, error) {
	began := time.Now()
	_ = s.limits.SetWriteDeadline(began.Add(s.pace.allowed(len(p)))) // some writers support no deadlines
	n, err := s.to.Write(p)
	if err == nil {
		_ = s.limits.SetWriteDeadline(time.Time{})
	}
	s.pace.took(n, time.Since(began))
	return n, err
}

// end sets the deadline for the bytes in the buffer of net/http.
func (s *paced) end() { _ = s.limits.SetWriteDeadline(time.Now().Add(s.pace.allowed(0))) }
