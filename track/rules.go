package track

import (
	"context"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/idna"

	"github.com/sightline-analytics/sightline/internal/address"
	"github.com/sightline-analytics/sightline/store"
)

// admit refuses a sender without a key whom w's rules turn away.
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

// turnAway refuses by a rule, and counts it.
func (c *call) turnAway(ctx context.Context, reason code, website string) *problem {
	c.h.blocked.add(blockedKind{website: website, reason: reasons[reason]})
	c.h.cfg.Logger.DebugContext(ctx, "turned away", "requestId", c.ID, "code", codes[reason].Code, "website", website)
	return reason.problem()
}

// originAllowed reports whether pages of the origins, of which browsers send one or none, may
// send events of w.
func originAllowed(w store.Website, origins []string) bool {
	if len(origins) == 0 {
		return len(w.Rules.AllowedOrigins) == 0
	}
	u, err := url.Parse(origins[0])
	if err != nil || len(origins) > 1 || u.User != nil || strings.Contains(origins[0], "*") {
		return false
	}
	host := hostOf(u.Host) // none in null
	return host != "" && (below(host, hostOf(w.Domain)) ||
		slices.ContainsFunc(w.Rules.AllowedOrigins, func(allowed string) bool { return matches(host, allowed) }))
}

// matches reports whether host is one of those that an entry of the allowed origins means.
func matches(host, allowed string) bool {
	allowed = hostOf(allowed)
	if domain, ok := strings.CutPrefix(allowed, "*."); ok {
		return below(host, hostOf(domain))
	}
	return allowed == "*" || host == allowed
}

// hostOf is the host that s names, as browsers send it: xn--… for what is outside ASCII.
func hostOf(s string) string {
	host := address.Host(s)
	if ascii, err := idna.ToASCII(host); err == nil {
		return ascii
	}
	return host
}

// below reports whether host is domain or a subdomain.
func below(host, domain string) bool {
	rest, ok := strings.CutSuffix(host, domain)
	return ok && domain != "" && (rest == "" || strings.HasSuffix(rest, "."))
}

// addressAllowed reports whether events may come from ip, which may be unknown.
func addressAllowed(r store.Rules, ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	holds := func(network netip.Prefix) bool { return network.Contains(ip) }
	return !slices.ContainsFunc(r.BlockedAddresses, holds) &&
		(len(r.AllowedAddresses) == 0 || slices.ContainsFunc(r.AllowedAddresses, holds))
}
