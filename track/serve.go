package track

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/requestid"
	"github.com/sightline-analytics/sightline/track/agent"
)

// handler is immutable after New and safe for concurrent use.
type handler struct {
	cfg         Config
	bots        *agent.Detector
	concurrency auth.ConcurrencyLimiter // nil: none
	routes      map[string]*route
}

// reply is an answer that is not sent yet.
type reply struct {
	status int
	body   any
}

// ServeHTTP implements http.Handler.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &call{h: h, r: r, w: w, id: requestid.Of(r, newID), now: h.cfg.Now().UTC()}
	w.Header().Set(requestid.Header, c.id)
	cors(w.Header(), r.Header.Get("Origin"))
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	defer c.release()
	c.send(h.answer(r.Context(), c))
}

// answer finds the route, runs it, and records the use of a key.
func (h *handler) answer(ctx context.Context, c *call) reply {
	path := "/" + strings.Trim(c.r.URL.Path, "/")
	route, ok := h.routes[path]
	switch {
	case !ok:
		return c.refuse(codeNotFound.problem())
	case c.r.Method != method:
		c.w.Header().Set("Allow", method+", "+http.MethodOptions)
		return c.refuse(codeMethod.problem())
	}
	c.route = route
	rep, err := c.run(ctx)
	if err != nil {
		rep = c.refuse(err)
	}
	if err := c.record(ctx, rep.status); err != nil {
		return c.refuse(codeUnavailable.withCause(fmt.Errorf("audit: %w", err)))
	}
	return rep
}

// cors lets pages of any origin send events. A beacon always sends in credentials
// mode, for which browsers take an echo of the origin and no asterisk.
func cors(h http.Header, origin string) {
	h.Add("Vary", "Origin")
	if origin == "" {
		return
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Allow-Credentials", "true")
	h.Set("Access-Control-Allow-Methods", "POST, GET, OPTIONS, PUT, DELETE")
	h.Set("Access-Control-Allow-Headers", "Content-Type, Authorization, X-Requested-With, databuddy-client-id, databuddy-sdk-name, databuddy-sdk-version")
	h.Set("Access-Control-Expose-Headers", "X-Request-ID, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, RateLimit, RateLimit-Policy")
	h.Set("Access-Control-Max-Age", "86400")
}

// send writes rep.
func (c *call) send(rep reply) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(rep.body); err != nil { // bodies are structs and maps of texts
		c.h.cfg.Logger.Error("answer not encoded", "requestId", c.id, "error", err)
		rep.status = http.StatusInternalServerError
		b.Reset()
	}
	h := c.w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	c.w.WriteHeader(rep.status)
	if _, err := c.w.Write(b.Bytes()); err != nil {
		c.h.cfg.Logger.Debug("answer not sent", "requestId", c.id, "error", err)
	}
}

// word reports whether r is one of A-Z a-z 0-9 _ -.
func word(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-'
}

// newID makes a random id in the form of a UUID of version 4.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// seconds is d in whole seconds, rounded up.
func seconds(d time.Duration) string {
	return strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10)
}
