package front

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/clientip"
	"github.com/sightline-analytics/sightline/internal/failure"
	"github.com/sightline-analytics/sightline/memory"
)

// A Request is a request and the results of the steps so far.
type Request struct {
	*http.Request
	ID        string // the request id
	Route     *Route
	Segment   string // the variable segment of the path
	Now       time.Time
	IP        netip.Addr
	Principal *auth.Principal // nil without credentials

	// Scope and Resource are the requested ones, for the audit trail.
	Scope    auth.Scope
	Resource auth.Resource

	front    *Front
	w        http.ResponseWriter
	values   url.Values
	refused  error         // why authentication failed
	decision auth.Decision // last decision of the limiter
	class    auth.Class    // class of that decision
	paid     int           // total cost so far
	counted  bool          // one of many refusals, without a separate audit entry
	bounded  bool          // the body has a deadline
	body     *memory.Claim // the bytes of the request's body; nil before the first
	claiming sync.Mutex    // guards answer and ended: work that several requests wait for may outlive this one
	answer   *memory.Claim // the bytes of the answer, and of the rows that it is made of; nil before the first
	ended    bool          // Claim has no effect any more
	undo     []func()      // releases resources after the response was sent
	first    [4]func()     // memory for undo
}

// Key returns the caller's key, or nil.
func (r *Request) Key() *auth.Key {
	if r.Principal == nil {
		return nil
	}
	return r.Principal.Key
}

// Query returns the parameters of the URL, and whether they are well-formed. The caller must not change
// them.
func (r *Request) Query() (values url.Values, ok bool) {
	if r.values == nil {
		var err error
		if r.values, err = url.ParseQuery(r.URL.RawQuery); err != nil {
			return nil, false
		}
	}
	return r.values, true
}

// Credentialed reports whether the request carries a key or a token in one of the usual headers.
func (r *Request) Credentialed() bool { return credentialed(r.Request) }

func credentialed(r *http.Request) bool {
	return r.Header.Get("X-Api-Key") != "" || r.Header.Get("Authorization") != ""
}

// Network returns the network of the client: see [clientip.Network].
func (r *Request) Network() string { return clientip.Network(r.IP) }

// limitClass returns the class of the rate limit for r.
func (r *Request) limitClass() auth.Class {
	if r.Principal == nil && r.Route.Anonymous != "" {
		return r.Route.Anonymous
	}
	return r.Route.Class
}

// charge takes cost from the bucket of the caller's key, or without a key from bucket.
func (r *Request) charge(ctx context.Context, bucket string, cost int) error {
	var d auth.Decision
	var err error
	limiter, class := r.front.cfg.Limiter, r.limitClass()
	if r.Principal != nil {
		d, err = r.Principal.Charge(ctx, limiter, class, cost)
	} else {
		d, err = limiter.Allow(ctx, class, bucket, cost, nil)
	}
	if err != nil && class == auth.ClassHealth { // health checks must not depend on the limiter
		r.front.cfg.Logger.WarnContext(ctx, "limiter failed", "requestId", r.ID, "error", err)
		return nil
	}
	return r.judge(class, d, err, cost)
}

// chargeNetwork takes cost from the bucket of the client's network in class.
func (r *Request) chargeNetwork(ctx context.Context, class auth.Class, cost int) error {
	d, err := r.front.cfg.Limiter.Allow(ctx, class, r.Network(), cost, nil)
	return r.judge(class, d, err, cost)
}

// judge stores d, and returns an error for a refusal.
func (r *Request) judge(class auth.Class, d auth.Decision, err error, cost int) error {
	if err != nil {
		return &UnavailableError{"limiter", err}
	}
	r.decision, r.class = d, class
	if d.OK {
		r.paid += cost
		return nil
	}
	if all := r.paid + cost; d.Limit > 0 && all > d.Limit && !d.Concurrent { // waiting would not help
		r.decision = auth.Decision{}
		return &CostError{Cost: all, Limit: d.Limit}
	}
	return &LimitedError{Decision: d, Status: d.RateStatus(r.Now)}
}

// networkFactor times a key's slots is the maximum number of concurrent requests without a key from one network. It is
// large, since thousands of visitors may share the address of a provider.
const networkFactor = 50

// acquire takes a slot for a concurrent request from the key, the panel token, or else the network. Health checks need
// no slot.
func (r *Request) acquire() error {
	l := r.front.concurrency
	if l == nil || r.Principal == nil && r.Route.Class == auth.ClassHealth {
		return nil
	}
	var d auth.Decision
	var release func()
	if r.Principal != nil {
		d, release = r.Principal.Acquire(l)
	} else {
		network := "network " + r.Network()
		d, release = l.Acquire(network, networkFactor), func() { l.Release(network) }
	}
	if !d.OK {
		return r.judge(r.limitClass(), d, nil, 0)
	}
	r.undo = append(r.undo, release)
	return nil
}

// sender returns under whose name the budget counts r.
func (r *Request) sender() memory.Caller {
	if p := r.Principal; p != nil {
		return memory.Caller{Owner: p.Key.Owner, Key: p.Key.ID, Token: p.Token}
	}
	return memory.Caller{Owner: "network " + r.Network()}
}

// Claim counts size bytes of rows, of which the response is made, against the budget for answers. Its error is a
// *[LimitedError] or an *[UnavailableError].
func (r *Request) Claim(size int64) error {
	r.claiming.Lock()
	if r.answer == nil && !r.ended {
		r.answer = r.front.cfg.Memory.Answer(r.sender())
	}
	claim := r.answer
	r.claiming.Unlock()
	if claim == nil {
		return nil
	}
	return r.overdrawn("answers", claim.Grow(size))
}

// held returns the claim of the answer, or nil.
func (r *Request) held() *memory.Claim {
	r.claiming.Lock()
	defer r.claiming.Unlock()
	return r.answer
}

// overdrawn returns err of a budget as an error of r. name is that of the bytes.
func (r *Request) overdrawn(name string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, memory.ErrCaller):
		d := auth.Decision{Retry: time.Second, Reset: r.Now.Add(time.Second), Concurrent: true}
		return &LimitedError{Decision: d, Status: d.RateStatus(r.Now), Of: name}
	}
	return &UnavailableError{name, err}
}

// hold counts the bytes of a response beyond those of its rows. A stream has claimed what it needs.
func (r *Request) hold(a *Answer) error {
	if a.Stream != nil {
		return nil
	}
	held, size := r.held(), int64(cap(a.Body))
	if len(a.Body) <= memory.Small || a.sent(r.Request) == http.StatusNotModified {
		return nil // it does not count
	}
	if more := size - held.Size(); more > 0 {
		return r.Claim(more)
	}
	return nil
}

// OnEnd calls end after the response was sent, or not sent.
func (r *Request) OnEnd(end func()) { r.undo = append(r.undo, end) }

// release releases the resources of r. A guest of the context keeps the bytes of the response.
func (r *Request) release() {
	r.body.End()
	r.claiming.Lock()
	r.ended = true
	r.claiming.Unlock()
	if guest := memory.GuestOf(r.Context()); guest != nil {
		guest.Keep(r.held())
	} else {
		r.held().End()
	}
	for _, undo := range r.undo {
		undo()
	}
}

// limitHeaders sets headers with the remaining limit, if a limit was checked.
func (r *Request) limitHeaders(h http.Header) {
	if r.decision != (auth.Decision{}) {
		r.decision.SetHeaders(h, r.class, r.Now)
	}
}

// The errors of requests without a route. Such an error is a [RouteError].
var (
	ErrNoRoute = failure.New(failure.NoRoute, "no such route")
	ErrMethod  = failure.New(failure.NoMethod, "method not allowed")
)

// A RouteError says that no route has the path of the request, or that none with this path has the method.
type RouteError struct {
	err     error  // ErrNoRoute or ErrMethod
	asked   string // the method; without a route also the path
	instead string // the suggested path or the supported methods; may be empty
}

// Error returns a message for the caller with the suggestion.
func (e *RouteError) Error() string {
	switch {
	case errors.Is(e.err, ErrMethod):
		return fmt.Sprintf("This endpoint does not support %s; use %s", e.asked, e.instead)
	case e.instead != "":
		return fmt.Sprintf("No such endpoint: %s; did you mean %s?", e.asked, e.instead)
	}
	return "No such endpoint: " + e.asked
}

// Failure returns the same message.
func (e *RouteError) Failure() (kind failure.Kind, text string) {
	kind, _, _ = failure.Of(e.err)
	return kind, e.Error()
}

// Unwrap returns ErrNoRoute or ErrMethod.
func (e *RouteError) Unwrap() error { return e.err }

// A LimitedError is a refusal by a limiter.
type LimitedError struct {
	auth.Decision
	Status auth.RateStatus
	Of     string // "bodies" or "answers" if the caller has too many bytes of them in memory
}

// Error implements error.
func (e *LimitedError) Error() string {
	switch {
	case e.Of != "":
		return fmt.Sprintf("Your %s at the same time have too many bytes; wait until earlier requests have ended", e.Of)
	case e.Concurrent && e.Limit > 0:
		return fmt.Sprintf("Too many requests at the same time; the limit is %d", e.Limit)
	case e.Concurrent:
		return "Too many requests at the same time"
	}
	return "Rate limit exceeded"
}

// A CostError says that a request costs more than the whole limit.
type CostError struct{ Cost, Limit int }

// Error implements error.
func (e *CostError) Error() string {
	return fmt.Sprintf("costs %d of a limit of %d per %s: split it into smaller requests", e.Cost, e.Limit, auth.Window)
}

// An UnavailableError says that a required dependency failed.
type UnavailableError struct {
	Part string
	Err  error
}

// Error implements error.
func (e *UnavailableError) Error() string { return e.Part + ": " + e.Err.Error() }

// Failure says that a later attempt may succeed.
func (e *UnavailableError) Failure() (kind failure.Kind, text string) { return failure.Unavailable, "" }

// Unwrap returns the cause.
func (e *UnavailableError) Unwrap() error { return e.Err }
