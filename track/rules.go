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
func (g *gate) admit(ctx context.Context, w store.Website) error {
	origins := g.request.Header.Values("Origin")
	switch {
	case w.Rules.Paused:
		return g.turnAway(ctx, codePaused, w.ID)
	case !originAllowed(w, origins):
		return g.turnAway(ctx, codeOrigin, w.ID)
	case !addressAllowed(w.Rules, g.request.IP):
		return g.turnAway(ctx, codeAddress, w.ID)
	case w.Rules.KeyedEvents && g.route.kind == kindCustom:
		return g.turnAway(ctx, codeKeyedEvents, w.ID)
	}
	return g.withinQuota(ctx, w)
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
