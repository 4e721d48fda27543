package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/store"
)

// reach is how far outside a range data may lie that its answer depends on: sessions that
// cross its edges are looked at whole. Under mandatory filters it is twice that, since
// sessions are formed of all events and then of those that the key may see.
const reach = 48 * time.Hour

// tagOf is the strong entity tag of bytes.
func tagOf(b []byte) string {
	sum := sha256.Sum256(b)
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
}

// matches reports whether If-None-Match of r names tag, or anything.
func matches(r *http.Request, tag string) bool {
	for _, line := range r.Header.Values("If-None-Match") {
		for part := range strings.SplitSeq(line, ",") {
			part = strings.TrimSpace(part)
			if part == "*" || strings.TrimPrefix(part, "W/") == tag {
				return true
			}
		}
	}
	return false
}

// dataTag is the entity tag of the answer to req before it is computed, from the
// version of the data, who asks, and what would run. It is empty when no tag holds: for
// answers that the clock changes, and without versions. extra is what else the answer shows.
func (a *api) dataTag(ctx context.Context, c *call, req query.Request, extra any) string {
	if a.cfg.Versions == nil {
		return ""
	}
	from, to, ok := extent(req, a.cfg.Now())
	if !ok || to.After(a.cfg.Now()) {
		return ""
	}
	access, around := c.access(), reach
	if len(access.Filters) > 0 {
		around *= 2
	}
	if access.Subject.Kind == store.KindSchedule {
		from = time.UnixMilli(0).UTC() // an outage goes on however long ago it began
	} else {
		from = from.Add(-around)
	}
	version, err := a.cfg.Versions.Version(ctx, access.Subject, from, to.Add(around))
	if err != nil {
		a.cfg.Logger.WarnContext(ctx, "no data version", "requestId", c.id, "error", err)
		return ""
	}
	// What would run covers the resolved range, and the clock where a type reads it.
	explained, err := a.cfg.Engine.Explain(access, req)
	if err != nil {
		return ""
	}
	b, err := json.Marshal([]any{c.route.path, version, access.Subject, access.Owner, access.Filters, access.Types,
		c.values.Encode(), extra, explained})
	if err != nil {
		return ""
	}
	return tagOf(b)
}

// extent is the span of all days that req asks for. It reports false when they cannot
// be told; the engine will say why.
func extent(req query.Request, now time.Time) (from, to time.Time, ok bool) {
	whole, err := days(req, now)
	if err != nil {
		return from, to, false
	}
	from, to = whole.From, whole.To
	for _, p := range req.Parameters {
		own := req
		if p.StartDate != "" || p.EndDate != "" {
			own.Preset, own.StartDate, own.EndDate = "", whole.StartDate.String(), whole.EndDate.String()
			if p.StartDate != "" {
				own.StartDate = p.StartDate
			}
			if p.EndDate != "" {
				own.EndDate = p.EndDate
			}
		}
		r, err := days(own, now)
		if err != nil {
			return from, to, false
		}
		if r.From.Before(from) {
			from = r.From
		}
		if r.To.After(to) {
			to = r.To
		}
	}
	return from, to, true
}

var errDays = errors.New("httpapi: no such days")

// days are the local days of req without those of its parameters.
func days(req query.Request, now time.Time) (calendar.Range, error) {
	zone, err := time.LoadLocation(req.TimeZone)
	if err != nil || req.TimeZone == "Local" {
		return calendar.Range{}, errDays
	}
	if req.Preset != "" {
		start, end, ok := calendar.PresetDays(req.Preset, calendar.Today(now, zone))
		if !ok {
			return calendar.Range{}, errDays
		}
		return calendar.Days(start, end, zone), nil
	}
	start, err := calendar.ParseDate(req.StartDate)
	if err != nil {
		return calendar.Range{}, err
	}
	end, err := calendar.ParseDate(req.EndDate)
	if err != nil || end < start {
		return calendar.Range{}, errDays
	}
	return calendar.Days(start, end, zone), nil
}
