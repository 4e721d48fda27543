package front

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

// auditTimeout bounds the recording of one entry, which must go on when the caller leaves.
const auditTimeout = 5 * time.Second

// wants reports whether it matters who sent r.
func (r *Request) wants() bool {
	return r.Route.Credentials == NeedsCredentials || r.Route.Credentials == OptionalCredentials && r.Credentialed()
}

// authenticate finds out who asks, if the route wants to know.
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
	p, err := f.cfg.Auth.Authenticate(ctx, r.Request)
	switch {
	case errors.Is(err, auth.ErrRequired):
		r.refused = err
		f.refusals.forget(sent)
		return f.spendRefusal(ctx, r, err)
	case err != nil:
		return &UnavailableError{"authentication", err}
	case p == nil || p.Key == nil:
		return errors.New("the Authenticator returned neither a key nor an error")
	case p.Key.ID == "" || p.Key.Owner == "":
		return fmt.Errorf("%w, from the Authenticator", auth.ErrNoID)
	}
	f.refusals.remember(sent, r.Now)
	r.Principal = p
	return nil
}

// The credentials of a request are checked again if it took longer than confirmAfter to arrive. Revoked keys are refused
// within about the same time.
const confirmAfter = time.Second

// confirm authenticates r once more if its body took long to arrive: a key that was revoked meanwhile gets no answer,
// and its events are not stored.
func (r *Request) confirm(ctx context.Context) error {
	f := r.front
	if r.Principal == nil || f.cfg.Now().Sub(r.Now) <= confirmAfter {
		return nil
	}
	_, err := f.cfg.Auth.Authenticate(ctx, r.Request)
	switch {
	case errors.Is(err, auth.ErrRequired):
		r.Principal, r.refused = nil, err
		return err
	case err != nil:
		return &UnavailableError{"authentication", err}
	}
	return nil
}

// reserveCost is what a look-up of a well-formed key costs when the refusals of its network are used up. It is
// taken from a second budget of the same size, so that a new key of a busy network gets some look-ups a minute.
const reserveCost = 6

// mayBeRefused returns an error, without a look-up, when the client's network has used up its refusals.
func (f *Front) mayBeRefused(ctx context.Context, r *Request, screening auth.Screening) error {
	d, err := f.cfg.Limiter.Allow(ctx, auth.ClassRefused, r.Network(), 0, nil)
	if err == nil && d.Limit > 0 && d.Remaining < 1 {
		if screening == auth.WellFormed {
			d, err = f.cfg.Limiter.Allow(ctx, auth.ClassRefused, "reserve "+r.Network(), reserveCost, nil)
		}
		if err == nil && (screening != auth.WellFormed || !d.OK) {
			return f.spendRefusal(ctx, r, nil) // it knows for how long, and takes a refusal that came back just now
		}
	}
	if err != nil {
		return &UnavailableError{"limiter", err}
	}
	return nil
}

// spendRefusal takes one from the refusals of the client's network. The answer is refusal,
// unless they are used up.
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

// record keeps the audit entry of r when it is the use of a key, or was to be one. What was
// refused before it was known whose it is costs nobody else an answer: it is recorded up to
// a rate and counted beyond it, and refused also when the trail takes no entries.
func (f *Front) record(ctx context.Context, r *Request, status int) (err error) {
	defer Recovered(&err)
	if !r.wants() {
		return nil
	}
	d := within(context.WithoutCancel(ctx), auditTimeout)
	defer d.cancel()
	ctx = d
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

// recordCounted records the refusals that were counted for long enough.
func (f *Front) recordCounted(ctx context.Context, now time.Time) error {
	var faults []error
	for _, due := range f.refusals.due(now) {
		faults = append(faults, f.cfg.Audit.Record(ctx, due))
	}
	return errors.Join(faults...)
}

// recordRefused records e, or counts it.
func (f *Front) recordRefused(ctx context.Context, r *Request, e auth.Entry) error {
	if !r.Credentialed() && (r.counted || errors.Is(r.refused, auth.ErrMissing)) {
		return nil // nobody's
	}
	if r.counted || !f.refusals.roomForEntry(r.Now) {
		f.refusals.count(r.Network(), e)
		return nil
	}
	return f.cfg.Audit.Record(ctx, e)
}
