package track

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"hash"
	"net/http"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/track/agent"
)

// writeTimeout bounds the writing of one request. It goes on when the sender hangs up:
// pages do that when they are left, and their last events count.
const writeTimeout = 30 * time.Second

// A call is what the steps find out about one request.
type call struct {
	*front.Request
	h     *handler
	route *route
	key   *auth.Key // nil without one
	now   time.Time // in UTC

	site    string   // the website that the request as a whole names
	strange *problem // site is no website; the sender is told after the limit
	home    string   // without a key: the only website that may be named
	body    body
	many    bool // the body is an array
	items   []item
	sender  *store.Agent             // lazily
	salted  hash.Hash                // lazily: an HMAC under the salt of the day
	sites   map[string]store.Website // those that were asked for and may be written to
	owners  map[store.Subject]string // the same of links and monitors
	only    *string                  // lazily: the only website of the key
	used    map[auth.Resource]bool   // what rows were made for
	quotas  map[string]*quota        // of the websites that have one
	sent    *sql.Null[int64]         // lazily: when the request was sent, by its sender's clock
	excused bool                     // the sender is not told what is wrong
}

// answer stores what the body holds.
func (c *call) answer(ctx context.Context) (*front.Answer, error) {
	if c.key == nil && c.home == "" {
		c.site = c.body.firstSite()
		if err := c.enter(ctx); err != nil {
			return nil, err
		}
	}
	if c.key == nil {
		if ua := c.h.userAgents.of(c); ua.bot || agent.Cut(c.UserAgent()) == "" {
			c.h.blocked.add(blockedKind{c.home, botReason, botName(ua.name)})
			return front.JSON(answer{Status: ignored, Reason: botReason})
		}
	}
	list, err := c.list()
	if err != nil {
		return nil, err
	}
	var b store.Batch
	for _, one := range list {
		if err := c.take(ctx, one, &b); err != nil {
			return nil, err
		}
	}
	if len(c.used) == 1 { // an audit entry has room for one
		for c.Resource = range c.used {
			break
		}
	}
	if err := c.write(ctx, &b); err != nil {
		return nil, err
	}
	return c.route.reply(c)
}

// take turns one item into rows, or into what is wrong with it. Its own error is one
// of the whole request.
func (c *call) take(ctx context.Context, one any, b *store.Batch) error {
	o, ok := one.(object)
	if !ok {
		c.items = append(c.items, item{taken: taken{kind: c.route.kind}, err: codeBadEvent.wrongType("", "The item must be an object, not "+kindOf(one))})
		return nil
	}
	f, before := newFields(o), len(b.Events)
	got, err := c.route.take(c, f.in(ctx), b)
	if err == nil {
		err = c.spend(ctx, b, before)
	}
	got.dropped = f.dropped
	if err == nil {
		c.items = append(c.items, item{taken: got})
		return nil
	}
	var p *problem
	if !errors.As(err, &p) || p.Status >= http.StatusInternalServerError {
		return err
	}
	if got.kind == "" {
		got.kind = c.route.kind
	}
	got.id, got.ignored = f.peek("eventId", "event_id"), ""
	c.items = append(c.items, item{taken: got, err: p})
	return nil
}

// write stores b and waits until it is durable.
func (c *call) write(ctx context.Context, b *store.Batch) error {
	if b.Len() == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	b.Sender = c.home + "|" + c.Network()
	if c.key != nil {
		b.Sender = "key " + c.key.ID
	}
	began := c.h.cfg.Now()
	_, err := c.h.cfg.Writer.Write(ctx, b)
	store.MeterOf(ctx).Add(b.Len(), c.h.cfg.Now().Sub(began))
	switch {
	case errors.Is(err, store.ErrInvalid):
		return codeInternal.withCause(fmt.Errorf("rows refused: %w", err))
	case err != nil:
		return codeDeliveryDown.withCause(err)
	}
	c.charge(b)
	return nil
}
