// Package front is the front door that all routes share: httpapi, track and the routes of
// feature flags are tables of routes behind it. Every request takes the same steps in the
// same order, of which [Steps] are the route's own:
//
//	id · route · CORS · address · refusal budget · authenticate · limit · allow · read · cost · slot · answer · room · audit
//
// Nothing is read before it is known who pays for it, and no slot is held while a body is
// on its way. The use of a key is recorded after the answer is known and before it is sent;
// an answer that cannot be recorded is not given. Large answers count against a budget of bytes until
// they are written, and clients must read them at a minimum rate.
package front

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/clientip"
	"github.com/sightline-analytics/sightline/internal/requestid"
	"github.com/sightline-analytics/sightline/observe"
	"github.com/sightline-analytics/sightline/store"
)

// Config is what a [Front] works with. Its users check what is required.
type Config struct {
	Auth    auth.Authenticator // required
	Limiter auth.Limiter       // required; also asked as an auth.ConcurrencyLimiter when it is one
	Audit   auth.Sink          // required
	// Refuse says how a caller is told of err. r has no Route when none was found. Required.
	Refuse func(r *Request, err error) Refusal
	// CORS is for answers to requests that no route was found for.
	CORS *CORS
	// TrimSlash takes paths with more slashes at an end for the same without them.
	TrimSlash bool

	Timeout     time.Duration // of a route's own steps; 0 means none
	BodyTimeout time.Duration // until a body has arrived; 0 means DefaultBodyTimeout
	WriteGrace  time.Duration // how long a client may stop reading a large answer; 0 means DefaultWriteGrace
	// Observe is told of every request after it was answered; may be nil.
	Observe      func(context.Context, observe.Request)
	Logger       *slog.Logger                   // nil means silent
	ClientIP     func(*http.Request) netip.Addr // nil means the peer's address
	Now          func() time.Time               // nil means time.Now
	NewRequestID func() string                  // nil means NewRequestID
}

// Credentials says whether a route looks at who asks.
type Credentials int

// What a route does with credentials.
const (
	NoCredentials       Credentials = iota // they are not looked at
	OptionalCredentials                    // they are looked at when they are in a header of their own
	NeedsCredentials                       // who has none is refused
)

// A Route is one row of a table of routes. HEAD does what GET does.
type Route struct {
	Method      string
	Path        string // {name} stands for one segment
	Class       auth.Class
	Anonymous   auth.Class // of callers without a key; empty means Class
	Credentials Credentials
	Use         bool       // requests change no key and no setting, so that the audit trail may count equal ones
	Scope       auth.Scope // that the audit trail is told of, unless Allow says more
	CORS        *CORS
	Cache       string // the header Cache-Control
	Vary        string // the header Vary, when CORS does not say more
	Steps       Runner
}

// Front is the handler of a table of routes. It is safe for concurrent use, and starts
// nothing of its own.
type Front struct {
	cfg         Config
	concurrency auth.ConcurrencyLimiter // nil: none
	router      router
	bodies      *budget
	answers     *budget
	refusals    *refusals
	compressor  compressor
}

// New makes the handler of routes.
func New(cfg Config, routes []*Route) *Front {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.ClientIP == nil {
		cfg.ClientIP = clientip.Proxies(nil).Addr
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.NewRequestID == nil {
		cfg.NewRequestID = NewRequestID
	}
	cfg.BodyTimeout = cmp.Or(cfg.BodyTimeout, DefaultBodyTimeout)
	cfg.WriteGrace = cmp.Or(cfg.WriteGrace, DefaultWriteGrace)
	f := &Front{cfg: cfg, router: newRouter(routes), bodies: newBodies(), answers: newAnswers(), refusals: newRefusals()}
	f.concurrency, _ = cfg.Limiter.(auth.ConcurrencyLimiter)
	return f
}

// NewRequestID is the id of a request that came without a clean one.
func NewRequestID() string { return "req_" + rand.Text() }

// ServeHTTP implements http.Handler.
func (f *Front) ServeHTTP(w http.ResponseWriter, hr *http.Request) {
	r := &Request{Request: hr, ID: requestid.Of(hr, f.cfg.NewRequestID), Now: f.cfg.Now(), front: f, w: w}
	r.undo = r.first[:0]
	h := w.Header()
	setHeaders(h, header{requestid.Header, r.ID}, header{"X-Content-Type-Options", "nosniff"})
	defer r.release()
	ctx, _ := store.WithMeter(store.WithRequestID(hr.Context(), r.ID))
	a := new(*f.answer(ctx, r)) // a copy, since a route may give one answer many times
	defer f.observe(ctx, r, a)  // also when the caller is gone, which may be a panic
	r.limitHeaders(h)
	r.boundBody()
	r.body.shrink(0) // the answer is known, so nobody needs the body any more
	f.compressor.compress(a, hr)
	r.answer.shrink(int64(cap(a.Body)))
	a.write(w, hr, f.cfg.WriteGrace)
	a.release()
}

// answer finds the route of r and goes through it.
func (f *Front) answer(ctx context.Context, r *Request) *Answer {
	endpoint, segment := f.router.find(r.URL, f.cfg.TrimSlash)
	if endpoint == nil {
		f.cfg.CORS.allow(r.w.Header(), r.Header.Get("Origin"))
		return f.aside(ctx, r, auth.ClassPublic, f.router.noRoute(r.Request))
	}
	r.Route = endpoint.methods[r.Method]
	r.Segment = segment
	endpoint.cors.allow(r.w.Header(), r.Header.Get("Origin"))
	switch {
	case r.Method == http.MethodOptions:
		endpoint.cors.preflight(r.w.Header(), r.Request)
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

// aside answers what is no route's: 204 when err is nil. It is limited by the client's network.
func (f *Front) aside(ctx context.Context, r *Request, class auth.Class, err error) *Answer {
	r.IP = f.cfg.ClientIP(r.Request)
	if limited := r.chargeNetwork(ctx, class, 1); limited != nil {
		err = limited
	}
	if err != nil {
		return f.refusal(r, err)
	}
	return &Answer{Status: http.StatusNoContent}
}

// guard answers r, and records it when it is the use of a key.
func (f *Front) guard(ctx context.Context, r *Request) *Answer {
	a, err := f.attempt(ctx, r)
	if err == nil {
		err = r.hold(a)
	}
	if err != nil {
		a = f.refusal(r, err)
	}
	if err := f.record(ctx, r, a.sent(r.Request)); err != nil {
		r.answer.shrink(0)
		return f.refusal(r, &UnavailableError{"audit", err})
	}
	return a
}

// attempt takes r through the steps. What panics on the way is an error like any other.
func (f *Front) attempt(ctx context.Context, r *Request) (_ *Answer, err error) {
	defer Recovered(&err)
	r.IP = f.cfg.ClientIP(r.Request)
	if f.cfg.Timeout > 0 {
		d := within(ctx, f.cfg.Timeout)
		defer d.cancel()
		ctx = d
	}
	if err := f.authenticate(ctx, r); err != nil {
		return nil, err
	}
	return r.Route.Steps.Run(ctx, r)
}

// Recovered turns a panic into an error, with the stack for the log.
func Recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
	}
}
