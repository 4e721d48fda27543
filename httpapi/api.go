package httpapi

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/requestid"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// api is the handler that New returns.
type api struct {
	cfg         Config // complete
	origins     origins
	router      router
	types       typeAnswers
	concurrency auth.ConcurrencyLimiter // nil: none
}

// A call is one request on its way. Each step adds what it found out.
type call struct {
	w         http.ResponseWriter // for the limit on bodies alone
	r         *http.Request
	id        string // of the request
	route     *route
	pathID    string // the variable segment of the path
	values    url.Values
	valuesErr error
	ip        netip.Addr

	principal *auth.Principal // nil on public routes and before authentication
	refused   error           // why authentication was, where it was
	decision  auth.Decision   // the last word of the limiter
	acquired  bool            // the slot of the concurrency limiter, given back when the answer is sent
	scope     auth.Scope      // asked for
	resource  auth.Resource   // asked for
	queries   []query.Decoded
	batch     bool
	compare   bool // overview: with the period before
}

// key is the caller's; nil without one.
func (c *call) key() *auth.Key {
	if c.principal == nil {
		return nil
	}
	return c.principal.Key
}

// subject is the resource as the store and the engine know it.
func (c *call) subject() store.Subject {
	return store.Subject{Kind: store.SubjectKind(c.resource.Kind), ID: c.resource.ID}
}

// A reply is a whole answer, kept back until its audit entry is safe.
type reply struct {
	status int
	header http.Header // added to those that every answer has; may be nil
	etag   string
	body   []byte
}

// ServeHTTP answers r.
func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &call{w: w, r: r, id: requestid.Of(r, a.cfg.NewRequestID)}
	w.Header().Set(requestid.Header, c.id)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	a.origins.allow(w.Header(), r)
	endpoint, id := a.router.find(r.URL)
	if endpoint == nil {
		a.refusal(c, errNoRoute).write(w, r)
		return
	}
	if r.Method == http.MethodOptions {
		a.origins.options(w, r, endpoint.allow)
		return
	}
	if c.route = endpoint.methods[r.Method]; c.route == nil {
		w.Header().Set("Allow", endpoint.allow)
		a.refusal(c, errMethod).write(w, r)
		return
	}
	c.pathID = id
	c.values, c.valuesErr = url.ParseQuery(r.URL.RawQuery)
	defer a.release(c)
	rep := a.guard(store.WithRequestID(r.Context(), c.id), c)
	c.limitHeaders(w.Header(), a.cfg.Now())
	c.cacheHeaders(w.Header())
	rep.write(w, r)
}

// cacheHeaders say who may keep the answer, and what it depends on.
func (c *call) cacheHeaders(h http.Header) {
	switch {
	case !c.route.public():
		h.Set("Cache-Control", "private, no-cache")
		h.Set("Vary", "Authorization, X-Api-Key, Origin")
	case c.route.class == auth.ClassHealth:
		h.Set("Cache-Control", "no-store")
	default:
		h.Set("Cache-Control", "no-cache")
	}
}

// sent is the status that the caller will see: 304 when they have the answer already.
func (rep *reply) sent(r *http.Request) int {
	if rep.status == http.StatusOK && rep.etag != "" && matches(r, rep.etag) {
		return http.StatusNotModified
	}
	return rep.status
}

// write sends rep.
func (rep *reply) write(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	maps.Copy(h, rep.header)
	if rep.etag != "" {
		h.Set("ETag", rep.etag)
	}
	status := rep.sent(r)
	if status == http.StatusNotModified {
		w.WriteHeader(status)
		return
	}
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(rep.body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(rep.body) // a caller who left cannot be told
	}
}

// encode makes a reply of 200 of v: compact JSON, nothing escaped for HTML, and a newline.
func encode(v any) (*reply, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return &reply{status: http.StatusOK, body: b.Bytes()}, nil
}
