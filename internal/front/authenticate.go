package front

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/failure"
)

// auditTimeout is the time limit for recording an entry, which continues if the caller hangs up.
const auditTimeout = 5 * time.Second

// wants reports whether r has to be authenticated.
func (r *Request) wants() bool {
	return r.Route.Credentials == NeedsCredentials || r.Route.Credentials == OptionalCredentials && r.Credentialed()
}

// authenticate authenticates r if the route requires it.
func (f *Front) authenticate(ctx context.Context, r *Request) error {
	if !r.wants() {
		return nil
	}
	sent := f.refusals.fingerprint(r.Request)
	screening := auth.Doubtful
	if s, ok := f.cfg.Auth.(auth.Screener); ok {
		screening = s.Screen(r.Request)
	}
	if screening != auth.Genuine && !f.refusals.good(sent, r.Now) {
		if err := f.mayBeRefused(ctx, r, screening); err != nil {
			return err
		}
	}
	p, err := f.caller(ctx, r)
	switch {
	case errors.Is(err, auth.ErrRequired):
		r.refused = err
		f.refusals.forget(sent)
		return f.spendRefusal(ctx, r, err)
	case err != nil:
		return err
	}
	f.refusals.remember(sent, r.Now)
	r.Principal = p
	return nil
}

// caller asks the Authenticator who sent r. The error wraps [auth.ErrRequired] if it refuses the credentials.
func (f *Front) caller(ctx context.Context, r *Request) (*auth.Principal, error) {
	p, err := f.cfg.Auth.Authenticate(ctx, r.Request)
	switch {
	case errors.Is(err, auth.ErrRequired):
		return nil, err
	case err != nil:
		return nil, &UnavailableError{"authentication", err}
	case p == nil || p.Key == nil:
		return nil, errors.New("the Authenticator returned neither a key nor an error")
	case p.Key.ID == "" || p.Key.Owner == "":
		return nil, fmt.Errorf("%w, from the Authenticator", auth.ErrNoID)
	}
	return p, nil
}

// The credentials of a request are checked again if it took longer than confirmAfter to arrive. Revoked keys are
// refused within about the same time.
const confirmAfter = time.Second

// confirm authenticates r again if its body took long to arrive. The steps before it trusted the earlier answer of the
// Authenticator, so confirm refuses the request if the key was revoked or lost a right meanwhile. Otherwise the later
// steps use the new answer.
func (r *Request) confirm(ctx context.Context) error {
	f := r.front
	if r.Principal == nil || f.cfg.Now().Sub(r.Now) <= confirmAfter {
		return nil
	}
	now, err := f.caller(ctx, r)
	if errors.Is(err, auth.ErrRequired) {
		r.Principal, r.refused = nil, err
	}
	if err != nil {
		return err
	}
	before := r.Principal
	r.Principal = now
	if before.Token != now.Token || before.Key.Exceeds(now.Key) != nil {
		return fmt.Errorf("%w: the key was limited while the body arrived", auth.ErrForbidden)
	}
	return nil
}

// reserveCost is the cost of looking up a well-formed key if the network has used up its refusals. It is taken from a
// second budget of the same size, so that new keys in a busy network get a few look-ups per minute.
const reserveCost = 6

// mayBeRefused returns an error without a look-up if the client's network has used up its refusals.
func (f *Front) mayBeRefused(ctx context.Context, r *Request, screening auth.Screening) error {
	d, err := f.cfg.Limiter.Allow(ctx, auth.ClassRefused, r.Network(), 0, nil)
	if err == nil && d.Limit > 0 && d.Remaining < 1 {
		if screening == auth.WellFormed {
			d, err = f.cfg.Limiter.Allow(ctx, auth.ClassRefused, "reserve "+r.Network(), reserveCost, nil)
		}
		if err == nil && (screening != auth.WellFormed || !d.OK) {
			// returns the time to wait, and uses a refusal that has just become available
			return f.spendRefusal(ctx, r, nil)
		}
	}
	if err != nil {
		return &UnavailableError{"limiter", err}
	}
	return nil
}

// spendRefusal takes one refusal from the client's network. It returns refusal, or another error if the refusals are
// used up.
func (f *Front) spendRefusal(ctx context.Context, r *Request, refusal error) error {
	d, err := f.cfg.Limiter.Allow(ctx, auth.ClassRefused, r.Network(), 1, nil)
	switch {
	case err != nil:
		return &UnavailableError{"limiter", err}
	case d.OK:
		r.decision, r.class = d, auth.ClassRefused
		return refusal
	}
	r.counted = true
	return r.judge(auth.ClassRefused, d, nil, 0)
}

// record stores the audit entry of r if r used a key or tried to. Requests refused before their key was known must not
// affect others: they are stored up to a rate and counted beyond it. They are also refused if the trail accepts no
// entries.
func (f *Front) record(ctx context.Context, r *Request, status int) (err error) {
	defer failure.Recovered(&err)
	if !r.wants() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditTimeout)
	defer cancel()
	e := auth.Entry{
		Time: r.Now.UTC(), RequestID: r.ID, Method: r.Method, Route: r.Route.Path, Resource: r.Resource, Scope: r.Scope,
		Outcome: auth.OutcomeOf(status), Status: status, UserAgent: r.UserAgent(),
	}
	if r.IP.IsValid() {
		e.IP = r.IP.String()
	}
	unheard := f.recordCounted(ctx, r.Now)
	if r.Principal != nil {
		e.Identify(r.Principal, nil)
		if r.Route.Use {
			e.Network = r.Network()
		}
		err = f.cfg.Audit.Record(ctx, e)
	} else {
		e.Identify(nil, r.refused)
		unheard = errors.Join(unheard, f.recordRefused(ctx, r, e))
	}
	if unheard != nil {
		f.cfg.Logger.WarnContext(ctx, "refused requests not audited", "requestId", r.ID, "error", unheard)
	}
	return err
}

// recordCounted records the counts of refusals whose window is over.
func (f *Front) recordCounted(ctx context.Context, now time.Time) error {
	var faults []error
	for _, due := range f.refusals.due(now) {
		faults = append(faults, f.cfg.Audit.Record(ctx, due))
	}
	return errors.Join(faults...)
}

// recordRefused records or counts e.
func (f *Front) recordRefused(ctx context.Context, r *Request, e auth.Entry) error {
	if !r.Credentialed() && (r.counted || errors.Is(r.refused, auth.ErrMissing)) {
		return nil // not attributable to anyone
	}
	if r.counted || !f.refusals.roomForEntry(r.Now) {
		f.refusals.count(r.Network(), e)
		return nil
	}
	return f.cfg.Audit.Record(ctx, e)
}
