package httpapi

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

// auditTimeout bounds the recording of one entry, which must go on when the caller leaves.
const auditTimeout = 5 * time.Second

// guard answers c, and records it when it is the use of a key. An answer that cannot be
// recorded is not given.
func (a *api) guard(ctx context.Context, c *call) *reply {
	rep, err := a.attempt(ctx, c)
	if err != nil {
		rep = a.refusal(c, err)
	}
	if c.route.public() {
		return rep
	}
	if err := a.record(ctx, c, rep.sent(c.r)); err != nil {
		return a.refusal(c, &unavailable{"audit", err})
	}
	return rep
}

// attempt takes c through the steps. What panics on the way is an error like any other.
func (a *api) attempt(ctx context.Context, c *call) (rep *reply, err error) {
	defer caught(&err)
	c.ip = a.cfg.ClientIP(c.r)
	if err := a.authenticate(ctx, c); err != nil {
		return nil, err
	}
	if err := a.limit(ctx, c, 1); err != nil {
		return nil, err
	}
	if err := a.acquire(c); err != nil {
		return nil, err
	}
	var unread error
	if c.route.read != nil {
		unread = c.route.read(a, c)
	}
	// A batch costs as many as it has queries; how many shows only after reading.
	if more := len(c.queries) - 1; more > 0 {
		if err := a.limit(ctx, c, more); err != nil {
			return nil, err
		}
	}
	if !c.route.public() {
		if err := c.route.access.rule()(a, ctx, c); err != nil {
			return nil, err
		}
	}
	if unread != nil { // only who may ask is told what is wrong with the question
		return nil, unread
	}
	return c.route.run(a, ctx, c)
}

func (a *api) authenticate(ctx context.Context, c *call) error {
	if c.route.public() {
		return nil
	}
	p, err := a.cfg.Auth.Authenticate(ctx, c.r)
	switch {
	case errors.Is(err, auth.ErrRequired):
		c.refused = err
		return err
	case as[CodedError](err):
		return err
	case err != nil:
		return &unavailable{"authentication", err}
	case p == nil || p.Key == nil:
		return errors.New("httpapi: the Authenticator returned neither a key nor an error")
	}
	c.principal = p
	return nil
}

// record keeps the audit entry of c.
func (a *api) record(ctx context.Context, c *call, status int) (err error) {
	defer caught(&err)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditTimeout)
	defer cancel()
	e := auth.Entry{
		Time:      a.cfg.Now().UTC(),
		RequestID: c.id,
		Method:    c.r.Method,
		Route:     c.route.path,
		Resource:  c.resource,
		Scope:     c.scope,
		Outcome:   auth.OutcomeOf(status),
		Status:    status,
		UserAgent: c.r.UserAgent(),
	}
	if c.ip.IsValid() {
		e.IP = c.ip.String()
	}
	e.Identify(c.key(), c.refused)
	return a.cfg.Audit.Record(ctx, e)
}

// caught turns a panic into an error, with the stack for the log.
func caught(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
	}
}
