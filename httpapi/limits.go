package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/clientip"
)

// limited is the no of a limiter.
type limited struct {
	auth.RateStatus
	message string
}

func (l *limited) Error() string { return "httpapi: " + l.message }

// limit asks the limiter for cost more of the caller's bucket.
func (a *api) limit(ctx context.Context, c *call, cost int) error {
	d, err := a.charge(ctx, c, cost)
	if err != nil {
		// Health must not depend on the limiter, and has nothing to protect.
		if c.route.class == auth.ClassHealth {
			a.cfg.Logger.WarnContext(ctx, "limiter failed", "requestId", c.id, "error", err)
			return nil
		}
		if as[CodedError](err) {
			return err
		}
		return &unavailable{"limiter", err}
	}
	c.decision = d
	switch {
	case d.OK:
		return nil
	case d.Limit > 0 && len(c.queries) > d.Limit: // waiting would not help
		return a.over(d, fmt.Sprintf("Rate limit exceeded: a batch of %d queries is more than the limit of %d ever allows", len(c.queries), d.Limit))
	}
	return a.over(d, "Rate limit exceeded")
}

func (a *api) charge(ctx context.Context, c *call, cost int) (auth.Decision, error) {
	if c.principal != nil {
		return c.principal.Charge(ctx, a.cfg.Limiter, c.route.class, cost)
	}
	return a.cfg.Limiter.Allow(ctx, c.route.class, clientip.Network(c.ip), cost, nil)
}

// acquire takes one of the key's slots for the requests that run. It comes after the
// limit, so that who is refused for want of a slot does not ask again for nothing.
func (a *api) acquire(c *call) error {
	if a.concurrency == nil || c.principal == nil {
		return nil
	}
	d := a.concurrency.Acquire(c.principal.ConcurrencyKey())
	if !d.OK {
		c.decision = d
		return a.over(d, fmt.Sprintf("Too many requests at the same time; the key may have %d", d.Limit))
	}
	c.acquired = true
	return nil
}

// release gives the slot back when c took one.
func (a *api) release(c *call) {
	if c.acquired {
		a.concurrency.Release(c.principal.ConcurrencyKey())
	}
}

func (a *api) over(d auth.Decision, message string) error {
	return &limited{d.RateStatus(a.cfg.Now()), message}
}

// limitHeaders tells the caller where they stand, on every answer that a limit was asked for.
func (c *call) limitHeaders(h http.Header, now time.Time) {
	if c.decision != (auth.Decision{}) {
		c.decision.SetHeaders(h, c.route.class, now)
	}
}
