package track

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/internal/address"
	"github.com/sightline-analytics/sightline/internal/country"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/track/agent"
)

// agentOf returns the facts from the sender's user agent and address. It returns none for a server that sends events
// with a key, since it is not the visitor.
func (c *call) agentOf() store.Agent {
	if c.key != nil {
		return store.Agent{}
	}
	if c.sender == nil {
		a := c.h.userAgents.of(c).agent
		if a.DeviceType == "" {
			a.DeviceType = agent.Desktop
		}
		c.h.location(c).put(&a)
		c.sender = &a
	}
	return *c.sender
}

// location returns the location of the sender of c. The header of a trusted proxy determines the country. Region and
// city of the address are used if its country is the same.
func (h *handler) location(c *call) Location {
	p := h.locate(c.IP)
	if h.cfg.CountryHeader == "" || !h.cfg.Trusted(c.Request.Request) {
		return p
	}
	code, ok := alpha2(c.Header.Get(h.cfg.CountryHeader))
	if ok && code != p.Country {
		return Location{Country: code}
	}
	return p
}

// locate returns the location of an address. Without a country there is no location.
func (h *handler) locate(ip netip.Addr) Location {
	if h.cfg.Geo == nil || !ip.IsValid() {
		return Location{}
	}
	p := h.cfg.Geo.Locate(ip)
	code, ok := alpha2(p.Country)
	if !ok {
		return Location{}
	}
	return Location{Country: code, Region: address.Clean(p.Region), City: address.Clean(p.City)}
}

// put stores p in a.
func (p Location) put(a *store.Agent) { a.Country, a.Region, a.City = p.Country, p.Region, p.City }

// alpha2 returns a country code in upper case, and whether s is a code.
func alpha2(s string) (string, bool) {
	s = strings.TrimSpace(s)
	if len(s) != 2 {
		return "", false
	}
	code, ok := country.Code(s)
	return code, ok && strings.EqualFold(code, s)
}

// maxVisitorID is the maximum length of ids of visitors, profiles and sessions; longer ids are cut.
const maxVisitorID = 128

// identity returns the visitor, profile and session of an item.
func (c *call) identity(f *fields, website string) (store.Identity, error) {
	i := store.Identity{
		AnonymousID: f.visitorID("anonymousId", "anonymous_id"),
		ProfileID:   f.visitorID("profileId", "profile_id"),
		SessionID:   f.visitorID("sessionId", "session_id"),
		Keyed:       c.key != nil,
	}
	raw := c.raw(f)
	if i.AnonymousID == "" || raw {
		return i, nil
	}
	var err error
	i.AnonymousID, err = c.hide(f.ctx, website, i.AnonymousID)
	return i, err
}

// visitorID returns an optional id of a visitor, profile or session. It leaves out placeholders that programs send by
// mistake, since they would merge all visitors into one.
func (f *fields) visitorID(names ...string) string {
	id := f.text(maxVisitorID, names...)
	if isPlaceholder(id) {
		_, name := f.get(names...)
		f.drop(name)
		return ""
	}
	return id
}

// needID returns a required id of a person.
func (f *fields) needID(names ...string) string {
	id := f.need(maxVisitorID, names...)
	if isPlaceholder(id) {
		_, name := f.get(names...)
		f.fail(name, "invalid_value", "must be the id of a person, not %q", id)
	}
	return id
}

// isPlaceholder reports whether programs typically send id if they have no id.
func isPlaceholder(id string) bool {
	if len(id) > len("[object object]") {
		return false
	}
	switch strings.ToLower(id) {
	case "undefined", "null", "nan", "none", "nil", "0", "-1", "true", "false", "[object object]", "anonymous", "guest", "unknown":
		return true
	}
	return false
}

// raw reports whether the visitor id is stored as sent. By default it is not. The item can set anonymizeVisitorIds
// to false, or to "auto", which stores ids as sent for senders in the United States.
func (c *call) raw(f *fields) bool {
	v, name := f.get("anonymizeVisitorIds", "anonymize_visitor_ids")
	switch v {
	case nil, true, "true", "":
		return false
	case false, "false":
		return true
	case "auto":
		return c.agentOf().Country == "US"
	}
	f.drop(name)
	return false
}

// hide returns an HMAC of a visitor id and its website. The key is the salt of the UTC day on which the request
// arrived.
func (c *call) hide(ctx context.Context, website, id string) (string, error) {
	if c.salted == nil {
		salt, err := c.h.cfg.Salts.Salt(ctx, c.now.Truncate(24*time.Hour))
		if err == nil && len(salt) == 0 {
			err = fmt.Errorf("the salt of %s is empty", c.now.Format(time.DateOnly))
		}
		if err != nil {
			return "", codeUnavailable.withCause(fmt.Errorf("salt: %w", err))
		}
		c.salted = hmac.New(sha256.New, salt)
	}
	c.salted.Reset()
	c.salted.Write([]byte(website + "\x00" + id)) // neither contains control characters
	return hex.EncodeToString(c.salted.Sum(nil)), nil
}
