package track

import (
	"context"
	"database/sql"
	"net/netip"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/internal/address"
	"github.com/sightline-analytics/sightline/internal/country"
	"github.com/sightline-analytics/sightline/internal/intake"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/store"
)

const (
	maxLocation = 128
	maxRegion   = 64
	maxHTTPCode = 999
	maxResponse = 3_600_000 // ms
)

// visit reads an item of /link-visits.
func (r *reader) visit(_ context.Context, f *fields, _ store.Website) (row, error) {
	v := store.Visit{
		Link: f.need(maxID, "linkId", "link_id"), ID: f.eventID(), Time: r.clock.moment(f),
	}
	v.Referrer, v.ReferrerDomain = f.referrer("")
	ua := r.sender.agents.Read(f.text(intake.MaxText, "userAgent", "user_agent"))
	location := r.visitLocation(f)
	if p := f.problem(); p != nil {
		return row{}, p
	}
	one := row{taken: taken{kind: kindVisit, id: v.ID}, subject: store.Subject{Kind: store.KindLink, ID: v.Link}}
	if ua.Bot {
		one.ignored = botReason
		return one, nil
	}
	v.Agent = ua.Agent
	location.put(&v.Agent)
	one.add = func(b *store.Batch) { b.Visits = append(b.Visits, v) }
	return one, nil
}

// visitLocation returns the location in the item, else the location of its IP address. Without a country there is no
// location.
func (r *reader) visitLocation(f *fields) Location {
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
	return r.sender.places.at(ip.Unmap().WithZone(""))
}

// check reads an item of /uptime-checks.
func (r *reader) check(_ context.Context, f *fields, _ store.Website) (row, error) {
	k := store.Check{
		Schedule: f.need(maxID, "scheduleId", "schedule_id"), ID: f.eventID(), Time: r.clock.moment(f),
		URL:    f.text(intake.MaxText, "url"),
		Status: f.status(), HTTPCode: f.measure(maxHTTPCode, 0, "httpCode", "http_code").V,
		TTFB: f.measure(maxResponse, 0, "ttfbMs", "ttfb_ms"), Total: f.measure(maxResponse, 0, "totalMs", "total_ms"),
		Region: f.text(maxRegion, "probeRegion", "probe_region"), SSLValid: f.boolean("sslValid", "ssl_valid"),
		Error: f.text(intake.MaxText, "error"),
	}
	if _, _, ok := f.instant("timestamp"); !ok {
		f.fail("timestamp", "required", mistake.Required+", as "+anInstant)
	}
	if t, _, ok := f.instant("sslExpiry", "ssl_expiry"); ok {
		k.SSLExpiry = sql.Null[time.Time]{V: t, Valid: true}
	}
	if p := f.problem(); p != nil {
		return row{}, p
	}
	return row{
		taken: taken{kind: kindCheck, id: k.ID}, subject: store.Subject{Kind: store.KindSchedule, ID: k.Schedule},
		add: func(b *store.Batch) { b.Checks = append(b.Checks, k) },
	}, nil
}

// status returns the required result of a check, given as a number or a name.
func (f *fields) status() store.Status {
	v, name := f.get("status")
	if v == nil {
		f.fail(name, "required", mistake.Required)
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
