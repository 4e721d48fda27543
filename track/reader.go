package track

import (
	"context"
	"slices"

	"github.com/sightline-analytics/sightline/internal/agent"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/intake"
	"github.com/sightline-analytics/sightline/store"
)

// A reader makes rows from the items of one request. It reports mistakes in their fields. It does not know whether the
// sender may store the rows: the gate checks that.
type reader struct {
	keyed  bool // the request has a key: its sender is a server and not the visitor
	sender sender
	clock  clock
	ids    hasher
}

// A row is one item in the form in which it is stored.
type row struct {
	taken
	subject  store.Subject         // the website, link or monitor that the row belongs to
	add      func(b *store.Batch)  // adds the row to b; nil if there is none
	person   *store.Identification // traits to store instead of a row
	counts   bool                  // the row is an event, which counts in the quota of its website
	needsKey bool                  // a website can refuse the row without a key
}

// taken describes an accepted item.
type taken struct {
	kind    string
	id      string
	ignored string   // why no row was made; empty if one was made
	dropped []string // names of fields that were cut or left out
}

// read makes the row of one item of a website. If its error is a *problem with a status below 500, it is about
// the item, else about the whole request.
type read func(r *reader, ctx context.Context, f *fields, site store.Website) (row, error)

// A sender finds the facts about the sender of a request.
type sender struct {
	request *front.Request
	agents  *intake.Agents
	places  locator
	agent   *store.Agent // set on first use
}

// userAgent returns the facts from the sender's user agent and its client hints. The names of headers are in the
// canonical form of net/http, because other spellings cost an allocation each.
func (s *sender) userAgent() intake.Agent {
	h := s.request.Header
	return s.agents.ReadHinted(s.request.UserAgent(), agent.Hints{
		Brands: h.Get("Sec-Ch-Ua"), Platform: h.Get("Sec-Ch-Ua-Platform"), Mobile: h.Get("Sec-Ch-Ua-Mobile"),
	})
}

// facts returns the facts from the sender's user agent and address.
func (s *sender) facts() store.Agent {
	if s.agent == nil {
		a := s.userAgent().Agent
		if a.DeviceType == "" {
			a.DeviceType = agent.Desktop
		}
		s.places.of(s.request).put(&a)
		s.agent = &a
	}
	return *s.agent
}

// agentOf returns the facts about the visitor's browser. There are none for a server that sends events with a key,
// since it is not the visitor.
func (r *reader) agentOf() store.Agent {
	if r.keyed {
		return store.Agent{}
	}
	return r.sender.facts()
}

// base holds the fields that all rows of a website share.
type base struct {
	store.Identity
	store.Agent
	id string
}

// base reads the common fields of the rows of a website. Its error is about the whole request.
func (r *reader) base(ctx context.Context, f *fields, website string) (base, error) {
	b := base{id: f.eventID(), Agent: r.agentOf()}
	var err error
	b.Identity, err = r.identity(ctx, f, website)
	return b, err
}

// identity returns the visitor, profile and session of an item.
func (r *reader) identity(ctx context.Context, f *fields, website string) (store.Identity, error) {
	i := store.Identity{
		AnonymousID: f.visitorID("anonymousId", "anonymous_id"),
		ProfileID:   f.visitorID("profileId", "profile_id"),
		SessionID:   f.visitorID("sessionId", "session_id"),
		Keyed:       r.keyed,
	}
	raw := f.wantsRaw(func() string { return r.agentOf().Country })
	if i.AnonymousID == "" || raw {
		return i, nil
	}
	var err error
	i.AnonymousID, err = r.ids.hide(ctx, website, i.AnonymousID)
	return i, err
}

// batchOf returns the batch of rows, in their order.
func batchOf(rows []row) store.Batch {
	events := 0
	for i := range rows {
		if rows[i].counts {
			events++
		}
	}
	var b store.Batch
	b.Events = slices.Grow(b.Events, events) // events are large, and most rows are events
	for i := range rows {
		rows[i].add(&b)
	}
	return b
}

// ofWebsite returns the subject of a website's rows.
func ofWebsite(id string) store.Subject { return store.Subject{Kind: store.KindWebsite, ID: id} }

// eventRow returns the row of an event.
func eventRow(kind string, e store.Event) row {
	return row{taken: taken{kind: kind, id: e.ID}, subject: ofWebsite(e.Website), counts: true,
		add: func(b *store.Batch) { b.Events = append(b.Events, e) }}
}
