package track

import (
	"context"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/internal/address"
	"github.com/sightline-analytics/sightline/store"
)

// admit returns an error if w's rules block a sender without a key.
func (c *call) admit(ctx context.Context, w store.Website) error {
	origins := c.Header.Values("Origin")
	switch {
	case w.Rules.Paused:
		return c.turnAway(ctx, codePaused, w.ID)
	case !originAllowed(w, origins):
		return c.turnAway(ctx, codeOrigin, w.ID)
	case !addressAllowed(w.Rules, c.IP):
		return c.turnAway(ctx, codeAddress, w.ID)
	case w.Rules.KeyedEvents && c.route.kind == kindCustom:
		return c.turnAway(ctx, codeKeyedEvents, w.ID)
	}
	return c.withinQuota(ctx, w)
}

// turnAway counts a blocked request and returns its error.
func (c *call) turnAway(ctx context.Context, reason code, website string) *problem {
	c.h.blocked.add(blockedKind{website: website, reason: reasons[reason]})
	c.h.cfg.Logger.DebugContext(ctx, "request blocked", "requestId", c.ID, "code", codes[reason].Code, "website", website)
	return reason.problem()
}

// originAllowed reports whether pages of these origins may send events of w. Browsers send one origin or none. A page
// in Google Translate counts as the translated page.
func originAllowed(w store.Website, origins []string) bool {
	if len(origins) == 0 {
		return len(w.Rules.AllowedOrigins) == 0
	}
	origin := origins[0]
	u, err := url.Parse(origin)
	if err != nil || len(origins) > 1 || u.User != nil || strings.Contains(origin, "*") {
		return false
	}
	host := address.Untranslated(address.Host(u.Host)) // empty for the origin null
	return host != "" && below(host, address.Host(w.Domain)) ||
		slices.ContainsFunc(w.Rules.AllowedOrigins, func(allowed string) bool { return matches(origin, host, allowed) })
}

// matches reports whether an entry of the allowed origins matches origin and its host. An entry null, or with another
// scheme than http and https, matches only the identical origin.
func matches(origin, host, allowed string) bool {
	scheme, _, ok := strings.Cut(strings.ToLower(allowed), "://")
	if allowed == store.NullOrigin || ok && scheme != "https" && scheme != "http" {
		return strings.EqualFold(strings.TrimSuffix(allowed, "/"), origin)
	}
	allowed = address.Host(allowed)
	if domain, ok := strings.CutPrefix(allowed, "*."); ok {
		return below(host, address.Host(domain))
	}
	return host != "" && (allowed == "*" || host == allowed)
}

// below reports whether host is domain or one of its subdomains.
func below(host, domain string) bool {
	rest, ok := strings.CutSuffix(host, domain)
	return ok && domain != "" && (rest == "" || strings.HasSuffix(rest, "."))
}

// addressAllowed reports whether ip may send events. ip may be invalid if it is unknown.
func addressAllowed(r store.Rules, ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	holds := func(network netip.Prefix) bool { return network.Contains(ip) }
	return !slices.ContainsFunc(r.BlockedAddresses, holds) &&
		(len(r.AllowedAddresses) == 0 || slices.ContainsFunc(r.AllowedAddresses, holds))
}
