// Package front handles the steps that the routes of httpapi, track and feature flags have in common:
//
//	f := front.New(front.Config{Auth: callers, Limiter: limits, Audit: trail, Refuse: refuse}, []*front.Route{{
//		Method: "GET", Path: "/v1/items/{id}", Class: auth.ClassOther, Credentials: front.NeedsCredentials,
//		Steps: front.Steps[item]{Allow: allow, Answer: answer},
//	}})
//	mux.Handle("/", f)
//
// Every request takes the same steps in the same order. A route defines its own steps in [Steps]:
//
//	id · route · CORS · address · refusal budget · authenticate · limit · allow · read · cost · slot · answer · room · audit
//
// A body is only read after the caller was charged, and a request holds no slot while its body arrives. The use of a
// key is recorded before the response is sent. If it cannot be recorded, the response is replaced by an error. Large
// responses count against a budget of bytes until they are written, and clients must read them at a minimum rate.
package front

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/clientip"
	"github.com/sightline-analytics/sightline/internal/failure"
	"github.com/sightline-analytics/sightline/internal/requestid"
	"github.com/sightline-analytics/sightline/memory"
	"github.com/sightline-analytics/sightline/observe"
	"github.com/sightline-analytics/sightline/store"
)

// Config configures a [Front]. Callers of New check that the required fields are set.
type Config struct {
	Auth    auth.Authenticator // required
	Limiter auth.Limiter       // required; its auth.ConcurrencyLimiter is used if it is one
	Audit   auth.Sink          // required
	Memory  *memory.Budget     // for bodies and answers; nil means a new one
	// Refuse returns the response to err. r has no Route if no route was found. Required.
	Refuse func(r *Request, err error) Refusal
	// CORS applies to responses without a route.
	CORS *CORS
	// Encoders compress responses, besides gzip. They are preferred to it, the first one most.
	Encoders []Encoder
	// TrimSlash ignores additional slashes at both ends of a path.
	TrimSlash bool

	Timeout     time.Duration // of a route's own steps; 0 means no limit
	BodyTimeout time.Duration // for the arrival of a body; 0 means DefaultBodyTimeout
	WriteGrace  time.Duration // how long a client of a large response may pause at first; 0 means DefaultWriteGrace
	// Observe is called after every response; may be nil.
	Observe      func(context.Context, observe.Request)
	Logger       *slog.Logger     // nil means no log
	Proxies      clientip.Proxies // trusted proxies; empty means none
	ProxyHeader  string           // another header of proxies; the log warns once if other peers send it; may be empty
	Now          func() time.Time // nil means time.Now
	NewRequestID func() string    // nil means NewRequestID
}

// Credentials defines whether a route authenticates callers.
type Credentials int

// The uses of credentials by a route.
const (
	NoCredentials       Credentials = iota // credentials are ignored
	OptionalCredentials                    // the caller is authenticated if one of the usual headers is set
	NeedsCredentials                       // requests without credentials are refused
)

// A Route is a row of a table of routes. Routes with GET also handle HEAD.
type Route struct {
	Method      string
	Path        string // {name} stands for one segment
	Class       auth.Class
	Anonymous   auth.Class // class of callers without a key; empty means Class
	Credentials Credentials
	May         auth.Permission // that callers with credentials need; Allow checks it
	Use         bool            // requests change no key and no setting, so the audit trail may merge equal ones
	Scope       auth.Scope      // for the audit trail, unless Allow sets another one
	CORS        *CORS
	Cache       string // the header Cache-Control
	Vary        string // the header Vary, unless CORS adds to it
	Steps       Runner
}

// Front is the handler of a table of routes. It is safe for concurrent use and starts no
// goroutines.
type Front struct {
	cfg         Config
	addr        func(*http.Request) netip.Addr // the client's address
	concurrency auth.ConcurrencyLimiter        // nil means no limit
	router      router
	refusals    *refusals
	compressor  compressor
}

// New returns the handler of routes.
func New(cfg Config, routes []*Route) *Front {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Memory == nil {
		cfg.Memory = memory.Default()
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.NewRequestID == nil {
		cfg.NewRequestID = NewRequestID
	}
	cfg.BodyTimeout = cmp.Or(cfg.BodyTimeout, DefaultBodyTimeout)
	cfg.WriteGrace = cmp.Or(cfg.WriteGrace, DefaultWriteGrace)
	f := &Front{cfg: cfg, router: newRouter(routes), refusals: newRefusals(), compressor: newCompressor(cfg.Encoders)}
	f.addr = cfg.Proxies.Watched(cfg.Logger, cfg.ProxyHeader)
	f.concurrency, _ = cfg.Limiter.(auth.ConcurrencyLimiter)
	return f
}

// NewRequestID returns a new id for a request.
func NewRequestID() string { return "req_" + rand.Text() }

// ServeHTTP implements http.Handler.
func (f *Front) ServeHTTP(w http.ResponseWriter, hr *http.Request) {
	r := &Request{Request: hr, ID: requestid.Of(hr, f.cfg.NewRequestID), Now: f.cfg.Now(), front: f, w: w}
	r.undo = r.first[:0]
	h := w.Header()
	setHeaders(h, header{requestid.Header, r.ID}, header{"X-Content-Type-Options", "nosniff"})
	defer r.release()
	ctx, _ := store.WithMeter(store.WithRequestID(hr.Context(), r.ID))
	a := new(*f.answer(ctx, r)) // a copy, since a route may reuse an answer
	defer f.observe(ctx, r, a)  // also after a panic, for example because the caller hung up
	r.limitHeaders(h)
	r.boundBody()
	r.body.End() // the response is known, so the body is not needed any more
	if a.Stream != nil {
		f.stream(ctx, w, r, a)
		return
	}
	f.compressor.compress(a, hr)
	r.held().Shrink(int64(cap(a.Body)))
	a.write(w, hr, f.cfg.WriteGrace)
	a.release()
}

// answer finds the route of r and runs its steps.
func (f *Front) answer(ctx context.Context, r *Request) *Answer {
	endpoint, segment := f.router.find(r.URL, f.cfg.TrimSlash)
	if endpoint == nil {
		f.cfg.CORS.Allow(r.w.Header(), r.Header.Get("Origin"))
		return f.aside(ctx, r, auth.ClassPublic, f.router.noRoute(r.Request))
	}
	r.Route = endpoint.methods[r.Method]
	r.Segment = segment
	endpoint.cors.Allow(r.w.Header(), r.Header.Get("Origin"))
	switch {
	case r.Method == http.MethodOptions:
		endpoint.cors.Preflight(r.w.Header(), r.Request)
		r.w.Header().Set("Allow", endpoint.allow)
		return f.aside(ctx, r, endpoint.ofNetwork(), nil)
	case r.Route == nil:
		r.w.Header().Set("Allow", endpoint.allow)
		return f.aside(ctx, r, endpoint.ofNetwork(), endpoint.noMethod(r.Method))
	}
	r.Scope = r.Route.Scope
	r.Route.headers(r.w.Header())
	return f.guard(ctx, r)
}

// aside answers a request without a route: with 204 if err is nil. It is limited by the client's network.
func (f *Front) aside(ctx context.Context, r *Request, class auth.Class, err error) *Answer {
	r.IP = f.addr(r.Request)
	if limited := r.chargeNetwork(ctx, class, 1); limited != nil {
		err = limited
	}
	if err != nil {
		return f.refusal(r, err)
	}
	return &Answer{Status: http.StatusNoContent}
}

// guard answers r, and records it if a key was used.
func (f *Front) guard(ctx context.Context, r *Request) *Answer {
	a, err := f.attempt(ctx, r)
	if err == nil {
		err = r.hold(a)
	}
	if err != nil {
		a = f.refusal(r, err)
	}
	if failed := f.record(ctx, r, a.sent(r.Request)); failed != nil {
		r.held().Shrink(0)
		err = &UnavailableError{"audit", failed}
		a = f.refusal(r, err)
	}
	if errors.Is(err, http.ErrAbortHandler) {
		breakConnection() // as a part of the host did
	}
	return a
}

// attempt runs the steps of r. A panic becomes an error.
func (f *Front) attempt(ctx context.Context, r *Request) (_ *Answer, err error) {
	defer failure.Recovered(&err)
	r.IP = f.addr(r.Request)
	if f.cfg.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.cfg.Timeout)
		defer cancel()
	}
	if err := f.authenticate(ctx, r); err != nil {
		return nil, err
	}
	return r.Route.Steps.Run(ctx, r)
}
