package track

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/clientip"
)

// limit takes one from the caller's bucket and, with a key, one of the key's slots for
// the requests that run.
func (c *call) limit(ctx context.Context) error {
	d, err := c.charge(ctx)
	if err != nil {
		return err
	}
	if err := c.judge(d); err != nil || c.key == nil || c.h.concurrency == nil {
		return err
	}
	if d := c.h.concurrency.Acquire(c.principal.ConcurrencyKey()); !d.OK {
		return c.judge(d)
	}
	c.acquired = true
	return nil
}

// release gives the slot back when c took one.
func (c *call) release() {
	if c.acquired {
		c.h.concurrency.Release(c.principal.ConcurrencyKey())
	}
}

// charge takes one from the bucket of the key, or of the website and the sender's network.
func (c *call) charge(ctx context.Context) (d auth.Decision, err error) {
	if c.key != nil {
		d, err = c.principal.Charge(ctx, c.h.cfg.Limiter, auth.ClassTrack, 1)
	} else {
		var id string
		if id, err = c.bucket(ctx); err != nil {
			return d, err
		}
		d, err = c.h.cfg.Limiter.Allow(ctx, auth.ClassTrack, id, 1, nil)
	}
	if err != nil {
		return d, codeUnavailable.withCause(fmt.Errorf("limiter: %w", err))
	}
	return d, nil
}

// bucket is that of the website and the sender's network. A website that does not exist
// has none, since senders can make up as many as they like; and one that only the body
// names is not known yet. Those count by network.
func (c *call) bucket(ctx context.Context) (id string, err error) {
	site := c.site
	if site != "" {
		_, err := c.website(ctx, site, codeBadClient)
		if p, ok := errors.AsType[*problem](err); ok && p.Status < http.StatusInternalServerError {
			site, c.strange = "", true
		} else if err != nil {
			return "", err
		}
	}
	return site + "|" + clientip.Network(c.h.cfg.ClientIP(c.r)), nil
}

// judge tells the sender where they stand, and makes a refusal a problem.
func (c *call) judge(d auth.Decision) error {
	d.SetHeaders(c.w.Header(), auth.ClassTrack, c.now)
	if d.OK {
		return nil
	}
	return limited(d, c.now)
}
