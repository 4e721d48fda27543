package track

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/sightline-analytics/sightline/internal/front"
)

// A call is one request on its way through the layers: its wire format gives elements, its reader makes rows of
// them, its gate accepts the rows, and its delivery stores them.
type call struct {
	route    *route
	body     body
	reader   reader
	gate     gate
	delivery delivery
	outcome  outcome
	excused  bool // an error was hidden from the sender
}

// begin prepares c for r, unless an earlier step did.
func (h *handler) begin(rt *route, r *front.Request, c *call) {
	if c.gate.request == r {
		return
	}
	key := r.Key()
	keyed := key != nil
	c.route, c.body.format, c.outcome = rt, rt.body, outcome{kind: rt.kind, kinds: rt.kinds}
	c.reader = reader{
		keyed:  keyed,
		sender: sender{request: r, agents: h.userAgents, places: h.places},
		clock:  h.clock(r, rt.access, keyed),
		ids:    hasher{salts: h.cfg.Salts, day: r.Now.UTC().Truncate(24 * time.Hour)},
	}
	c.gate = gate{
		request: r, route: rt, site: namedSite(r, rt.access),
		finder: finder{directory: h.cfg.Directory, key: key}, quotas: quotas{usage: h.usage}, blocked: h.blocked,
		names: h.names,
	}
	c.delivery = delivery{writer: h.cfg.Writer, profiles: h.cfg.Profiles, now: h.cfg.Now}
}

// answer stores the items in the body.
func (c *call) answer(ctx context.Context, r *front.Request) (*front.Answer, error) {
	if err := c.gate.enterBy(ctx, c.body.first()); err != nil {
		return nil, err
	}
	if !c.reader.keyed && c.gate.isBot(c.reader.sender.userAgent()) {
		return front.JSON(answer{Status: ignored, Reason: botReason})
	}
	elements, err := c.body.elements()
	if err != nil {
		return nil, err
	}
	rows := make([]row, 0, len(elements))
	for _, e := range elements {
		one, err := c.take(ctx, e)
		if err != nil {
			return nil, err
		}
		if one.add != nil {
			rows = append(rows, one)
		}
	}
	b := batchOf(rows)
	if one, ok := c.gate.resource(); ok {
		r.Resource = one
	}
	if b.Len() > 0 {
		b.Owner, b.Sender = c.gate.sender()
		if err := c.delivery.write(ctx, &b); err != nil {
			return nil, err
		}
		c.gate.quotas.charge(&b)
	}
	c.outcome.many = c.body.many()
	return c.route.reply(&c.outcome)
}

// take returns the row of one element, and records the result of the element. The row has no add if the element has a
// mistake or stores no row. A returned error is about the whole request.
func (c *call) take(ctx context.Context, e element) (row, error) {
	if e.err != nil {
		c.outcome.items = append(c.outcome.items, item{taken: taken{kind: c.route.kind}, err: e.err})
		return row{}, nil //nolint:nilerr // the outcome has the mistake
	}
	f := newFields(e.fields)
	f.arrived, f.place = c.reader.clock.now, len(c.outcome.items)
	got, err := c.accepted(ctx, f)
	if err == nil && got.person != nil {
		err = c.delivery.identify(ctx, *got.person)
	}
	one := item{taken: got.taken}
	one.dropped = f.dropped
	if err != nil {
		p, ok := errors.AsType[*problem](err)
		if !ok || p.Status >= http.StatusInternalServerError {
			return row{}, err
		}
		got.add = nil
		if one.kind == "" {
			one.kind = c.route.kind
		}
		one.id, one.ignored, one.err = f.peek("eventId", "event_id"), "", p
	}
	c.outcome.items = append(c.outcome.items, one)
	return got, nil
}

// accepted returns the row of one item, if it may be stored.
func (c *call) accepted(ctx context.Context, f *fields) (row, error) {
	site, err := c.route.target(&c.gate, ctx, f)
	if err != nil {
		return row{}, err
	}
	f.keptFrom, f.keptDays = site.Rules.KeepsFrom(c.reader.clock.now), site.Rules.RetentionDays
	f.mayName = func(names []string) []string { return c.gate.names.known(site.ID, c.reader.clock.now, names) }
	one, err := c.route.read(&c.reader, ctx, f, site)
	if f.old {
		_ = c.gate.turnAway(ctx, codeTooOld, site.ID) // only counts: the item has its own error
	}
	if err != nil {
		return one, err
	}
	if err := c.gate.accept(ctx, one, site); err != nil {
		return one, err
	}
	if f.crowded {
		c.gate.blocked.add(blockedKind{website: site.ID, reason: propertiesReason})
	}
	c.gate.names.add(site.ID, c.reader.clock.now, f.names)
	return one, nil
}
