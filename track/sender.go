package track

import (
	"context"
	"fmt"
	"net/netip"
	"strconv"
	"time"

	"github.com/sightline-analytics/sightline/clientip"
	"github.com/sightline-analytics/sightline/internal/address"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/intake"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/internal/visitorid"
	"github.com/sightline-analytics/sightline/store"
)

// A locator finds the locations of senders.
type locator struct {
	geo     Geo              // nil means that no addresses are looked up
	header  string           // header of a proxy with the country; empty means none
	proxies clientip.Proxies // may send header
}

// of returns the location of the sender of r. The header of a trusted proxy determines the country. Region and city of
// the address are used if its country is the same.
func (l locator) of(r *front.Request) Location {
	p := l.at(r.IP)
	if l.header == "" || !l.proxies.Trusts(r.Request) {
		return p
	}
	code, ok := intake.Country(r.Header.Get(l.header))
	if ok && code != p.Country {
		return Location{Country: code}
	}
	return p
}

// at returns the location of an address. Without a country there is no location.
func (l locator) at(ip netip.Addr) Location {
	if l.geo == nil || !ip.IsValid() {
		return Location{}
	}
	p := l.geo.Locate(ip)
	code, ok := intake.Country(p.Country)
	if !ok {
		return Location{}
	}
	return Location{Country: code, Region: address.Clean(p.Region), City: address.Clean(p.City)}
}

// put stores p in a.
func (p Location) put(a *store.Agent) { a.Country, a.Region, a.City = p.Country, p.Region, p.City }

// visitorID returns an optional id of a visitor, profile or session. It leaves out placeholders that programs send by
// mistake, since they would merge all visitors into one.
func (f *fields) visitorID(names ...string) string {
	id := f.text(intake.MaxID, names...)
	if intake.Placeholder(id) {
		_, name := f.get(names...)
		f.drop(name)
		return ""
	}
	return id
}

// needID returns a required id of a person.
func (f *fields) needID(names ...string) string {
	id := f.need(intake.MaxID, names...)
	if intake.Placeholder(id) {
		_, name := f.get(names...)
		f.fail(name, "invalid_value", mistake.Want("the id of a person", strconv.Quote(id)))
	}
	return id
}

// wantsRaw reports whether the visitor id is stored as sent. By default it is not. The item can set anonymizeVisitorIds
// to false, or to "auto", which stores ids as sent for senders in the United States.
func (f *fields) wantsRaw(country func() string) bool {
	v, name := f.get("anonymizeVisitorIds", "anonymize_visitor_ids")
	switch v {
	case nil, true, "true", "":
		return false
	case false, "false":
		return true
	case "auto":
		return country() == "US"
	}
	f.drop(name)
	return false
}

// A hasher hides the visitor ids of one request.
type hasher struct {
	salts  Salts
	day    time.Time         // UTC day of the request
	salted *visitorid.Hasher // set on first use: with the salt of the day
}

// hide returns an HMAC of a visitor id and its website.
func (h *hasher) hide(ctx context.Context, website, id string) (string, error) {
	if h.salted == nil {
		salt, err := h.salts.Salt(ctx, h.day)
		if err == nil && len(salt) == 0 {
			err = fmt.Errorf("the salt of %s is empty", h.day.Format(time.DateOnly))
		}
		if err != nil {
			return "", codeUnavailable.withCause(fmt.Errorf("salt: %w", err))
		}
		h.salted = visitorid.NewHasher(salt)
	}
	return h.salted.Hash(website, id), nil // fields have no control characters
}
