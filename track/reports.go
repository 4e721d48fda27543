package track

import (
	"database/sql"
	"errors"
	"net/netip"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/address"
	"github.com/sightline-analytics/sightline/internal/country"
	"github.com/sightline-analytics/sightline/store"
)

const (
	maxLocation = 128
	maxRegion   = 64
	maxHTTPCode = 999
	maxResponse = 3_600_000 // ms
)

// takeVisit handles an item of /link-visits.
func takeVisit(c *call, f *fields, b *store.Batch) (taken, error) {
	v := store.Visit{
		Link: f.need(maxID, "linkId", "link_id"), ID: f.eventID(), Time: c.moment(f),
	}
	v.Referrer, v.ReferrerDomain = f.referrer("")
	ua := c.h.userAgents.read(f.text(maxText, "userAgent", "user_agent"))
	location := c.visitLocation(f)
	if p := f.problem(); p != nil {
		return taken{}, p
	}
	owner, err := c.owner(f, store.Subject{Kind: store.KindLink, ID: v.Link})
	if err != nil {
		return taken{}, err
	}
	c.use(store.KindLink, v.Link, owner)
	if ua.bot {
		return taken{kind: kindVisit, id: v.ID, ignored: botReason}, nil
	}
	v.Agent = ua.agent
	location.put(&v.Agent)
	b.Visits = append(b.Visits, v)
	return taken{kind: kindVisit, id: v.ID}, nil
}

// visitLocation returns the location in the item, else the location of its IP address. Without a country there is no
// location.
func (c *call) visitLocation(f *fields) Location {
	p := Location{Region: f.text(maxLocation, "region"), City: f.text(maxLocation, "city")}
	named := f.text(maxLocation, "country")
	code, known := country.Code(named)
	p.Country = code
	if !known && named != "" {
		f.drop("country")
	}
	s, name, ok := f.raw("ip")
	s = address.Clean(s)
	ip, err := netip.ParseAddr(s)
	if !ok || s != "" && err != nil {
		f.drop(name)
	}
	if known {
		return p
	}
	return c.h.locate(ip.Unmap().WithZone(""))
}

// takeCheck handles an item of /uptime-checks.
func takeCheck(c *call, f *fields, b *store.Batch) (taken, error) {
	k := store.Check{
		Schedule: f.need(maxID, "scheduleId", "schedule_id"), ID: f.eventID(), Time: c.moment(f), URL: f.text(maxText, "url"),
		Status: f.status(), HTTPCode: f.measure(maxHTTPCode, 0, "httpCode", "http_code").V,
		TTFB: f.measure(maxResponse, 0, "ttfbMs", "ttfb_ms"), Total: f.measure(maxResponse, 0, "totalMs", "total_ms"),
		Region: f.text(maxRegion, "probeRegion", "probe_region"), SSLValid: f.boolean("sslValid", "ssl_valid"), Error: f.text(maxText, "error"),
	}
	if _, _, ok := f.instant("timestamp"); !ok {
		f.fail("timestamp", "required", "is required, as %s", anInstant)
	}
	if t, _, ok := f.instant("sslExpiry", "ssl_expiry"); ok {
		k.SSLExpiry = sql.Null[time.Time]{V: t, Valid: true}
	}
	if p := f.problem(); p != nil {
		return taken{}, p
	}
	owner, err := c.owner(f, store.Subject{Kind: store.KindSchedule, ID: k.Schedule})
	if err != nil {
		return taken{}, err
	}
	c.use(store.KindSchedule, k.Schedule, owner)
	b.Checks = append(b.Checks, k)
	return taken{kind: kindCheck, id: k.ID}, nil
}

// status returns the required result of a check, given as a number or a name.
func (f *fields) status() store.Status {
	v, name := f.get("status")
	if v == nil {
		f.fail(name, "required", "is required")
		return 0
	}
	s, _, _ := f.raw("status")
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "0", "down":
		return store.Down
	case "1", "up":
		return store.Up
	case "2", "pending":
		return store.Pending
	case "3", "maintenance":
		return store.Maintenance
	}
	f.fail(name, "invalid_value", "must be 0 (down), 1 (up), 2 (pending) or 3 (maintenance)")
	return 0
}

// boolean returns an optional boolean.
func (f *fields) boolean(names ...string) sql.Null[bool] {
	v, name := f.get(names...)
	if b, ok := v.(bool); ok {
		return sql.Null[bool]{V: b, Valid: true}
	}
	s, _, ok := f.raw(names...)
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "true", "1":
		return sql.Null[bool]{V: true, Valid: true}
	case "false", "0":
		return sql.Null[bool]{Valid: true}
	}
	if !ok || s != "" {
		f.drop(name)
	}
	return sql.Null[bool]{}
}

// owner returns the owner of s if the key may write to s. The error is the same for unknown resources and resources of
// other owners.
func (c *call) owner(f *fields, s store.Subject) (string, error) {
	if owner, ok := c.owners[s]; ok {
		return owner, nil
	}
	owner, err := c.h.cfg.Directory.Owner(f.ctx, s)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return "", codeForbidden.problem()
	case err != nil:
		return "", codeLookupDown.withCause(err)
	case !c.key.Allows(auth.TrackEvents, auth.Resource{Kind: string(s.Kind), ID: s.ID, Owner: owner}):
		return "", codeForbidden.problem()
	}
	if c.owners == nil {
		c.owners = map[store.Subject]string{}
	}
	c.owners[s] = owner
	return owner, nil
}
