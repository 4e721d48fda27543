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

// writeTimeout limits the write of a request's rows. The write continues if the sender hangs up: browsers do that
// when a page is left, and the last events of a page count, too.
const writeTimeout = 30 * time.Second

// A call is the state of one request.
type call struct {
	*front.Request
	h     *handler
	route *route
	key   *auth.Key // nil without a key
	now   time.Time // time of arrival, in UTC

	site    string   // the website that the request's URL or header names
	strange *problem // site does not exist; the sender is told after the rate limit was checked
	home    string   // without a key, the only website that the items may belong to
	body    body
	many    bool // the body is an array
	items   []item
	sender  *store.Agent             // set on first use
	salted  hash.Hash                // set on first use: an HMAC with the salt of the day
	sites   map[string]store.Website // websites that were looked up and may be written to
	owners  map[store.Subject]string // owners of links and monitors that were looked up
	only    *string                  // set on first use: the only website of the key
	used    map[auth.Resource]bool   // resources of the rows
	quotas  map[string]*quota        // quotas of websites
	sent    *sql.Null[int64]         // set on first use: when the request was sent, by the sender's clock
	excused bool                     // an error was hidden from the sender
}

// answer stores the items in the body.
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
	if len(c.used) == 1 { // an audit entry holds one resource
		for c.Resource = range c.used {
			break
		}
	}
	if err := c.write(ctx, &b); err != nil {
		return nil, err
	}
	return c.route.reply(c)
}

// take adds the rows of one item to b, or records the item's mistake. A returned error is about the whole
// request.
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
