package track

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/clientip"
)

// limit takes one from the caller's bucket and, with a key, one of the key's places among
// the requests that run.
func (c *call) limit(ctx context.Context) error {
	d, err := c.charge(ctx)
	if err != nil {
		return err
	}
	if err := c.judge(d, limited); err != nil || c.key == nil || c.h.concurrency == nil {
		return err
	}
	if d := c.h.concurrency.Enter(c.principal.ConcurrencyKey()); !d.OK {
		return c.judge(d, crowded)
	}
	c.entered = true
	return nil
}

// leave gives the place back when c took one.
func (c *call) leave() {
	if c.entered {
		c.h.concurrency.Leave(c.principal.ConcurrencyKey())
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
		return d, unavailable.because(fmt.Errorf("limiter: %w", err))
	}
	return d, nil
}

// bucket is that of the website and the sender's network. A website that does not exist
// has none, since senders can make up as many as they like; and one that only the body
// names is not known yet. Those count by network.
func (c *call) bucket(ctx context.Context) (id string, err error) {
	site := c.site
	if site != "" {
		_, err := c.website(ctx, site, badClient)
		if p, ok := errors.AsType[*problem](err); ok && p.status < http.StatusInternalServerError {
			site, c.strange = "", true
		} else if err != nil {
			return "", err
		}
	}
	return site + "|" + clientip.Network(c.h.cfg.ClientIP(c.r)), nil
}

// judge tells the sender where they stand, and makes a no the problem p.
func (c *call) judge(d auth.Decision, p problem) error {
	d.SetHeaders(c.w.Header(), auth.ClassTrack, c.now)
	if d.OK {
		return nil
	}
	s := d.RateStatus(c.now)
	p.rate, p.retry = &s, time.Duration(s.RetryAfter)*time.Second
	return &p
}
