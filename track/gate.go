package track

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/agent"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/intake"
	"github.com/sightline-analytics/sightline/store"
)

// A gate decides what one request may store: in which website, link or monitor, by the rules of the website, and within
// its quota. It counts what it refuses.
type gate struct {
	request *front.Request
	route   *route
	finder  finder
	quotas  quotas
	blocked *blockedCounter
	names   *nameCounter

	site    string                   // the website that the request's URL or header names
	strange *problem                 // site does not exist; the sender is told after the rate limit was checked
	home    string                   // without a key, the only website that the items may belong to
	sites   map[string]store.Website // websites that the request may write to
	used    map[auth.Resource]bool   // what the accepted rows belong to
}

// namedSite returns the website that the URL or a header of r names.
func namedSite(r *front.Request, access Access) string {
	q := r.URL.Query()
	switch header := r.Header.Get("Databuddy-Client-Id"); access {
	case ByWebsite:
		return first(q.Get("client_id"), header, q.Get("website_id"))
	case ByKeyOrWebsite:
		return first(q.Get("website_id"), q.Get("client_id"), header)
	case ByKey:
	}
	return ""
}

// bucket returns the id of the bucket for the website and the sender's network. Requests for unknown websites count by
// network alone, since senders can make up any number of ids. So do requests whose website is only in the
// body, which is not read yet.
func (g *gate) bucket(ctx context.Context) (id string, err error) {
	site := g.site
	if site != "" {
		_, err := g.website(ctx, site, g.unknown())
		if p, ok := errors.AsType[*problem](err); ok && p.Status < http.StatusInternalServerError {
			site, g.strange = "", p
		} else if err != nil {
			return "", err
		}
	}
	return site + "|" + g.request.Network(), nil
}

// unknown returns the code for an unknown website in requests without a key.
func (g *gate) unknown() code {
	if g.route.access == ByKeyOrWebsite {
		return codeNoWebsite
	}
	return codeBadClient
}

// allow checks the key's scope or the website, as far as possible without the body.
func (g *gate) allow(ctx context.Context) error {
	switch {
	case g.finder.key != nil:
		if !g.finder.key.Has(auth.TrackEvents) {
			return codeNoScope.problem()
		}
		return nil
	case g.strange != nil:
		return g.strange
	case g.site == "" && g.route.access == ByKeyOrWebsite:
		return nil // the first event may name the website
	}
	return g.enter(ctx)
}

// enterBy enters the website that the first item names, if a request without a key named none before its body.
func (g *gate) enterBy(ctx context.Context, item object) error {
	if g.finder.key != nil || g.home != "" {
		return nil
	}
	g.site = newFields(item).peek("websiteId", "website_id")
	return g.enter(ctx)
}

// enter makes site the only allowed website for requests without a key.
func (g *gate) enter(ctx context.Context) error {
	if g.site == "" {
		if g.route.access == ByKeyOrWebsite {
			return codeNoCredentials.problem()
		}
		return codeNoClient.mistake("required", "client_id",
			"is required in the query or in the header Databuddy-Client-Id; ids in items do not count")
	}
	w, err := g.website(ctx, g.site, g.unknown())
	if err != nil {
		return err
	}
	if err := g.admit(ctx, w); err != nil {
		return err
	}
	g.home = g.site
	return nil
}

// website returns the website with this id if the request may write to it.
func (g *gate) website(ctx context.Context, id string, unknown code) (store.Website, error) {
	if w, ok := g.sites[id]; ok {
		return w, nil
	}
	if g.home != "" && id != g.home {
		return store.Website{}, codeWebsiteMismatch.problem()
	}
	w, err := g.finder.website(ctx, id, unknown)
	switch {
	case err != nil:
		return store.Website{}, err
	case g.finder.key != nil && w.Rules.Paused:
		return store.Website{}, g.turnAway(ctx, codePaused, w.ID)
	case g.finder.key != nil:
		if err := g.withinQuota(ctx, w); err != nil {
			return store.Website{}, err
		}
	}
	if g.sites == nil {
		g.sites = map[string]store.Website{}
	}
	g.sites[id] = w
	return w, nil
}

// A target returns the website of an item.
type target func(g *gate, ctx context.Context, f *fields) (store.Website, error)

// ofRequest is the target of items that belong to the request's website; a request that needs a key has none.
func (g *gate) ofRequest(context.Context, *fields) (store.Website, error) {
	return g.sites[g.home], nil
}

// ofItem is the target of items that may name their website: it is the item's website, else the request's website, else
// the only website that the key reaches.
func (g *gate) ofItem(ctx context.Context, f *fields) (store.Website, error) {
	id := first(f.peek("websiteId", "website_id"), g.site)
	if id == "" {
		only, err := g.finder.onlySite(ctx)
		if err != nil {
			return store.Website{}, err
		}
		if only == "" && g.route.kind == kindIdentify {
			return store.Website{}, codeIdentifyMissing.problem()
		} else if only == "" {
			return store.Website{}, codeWebsiteMissing.problem()
		}
		id = only
	}
	return g.website(ctx, id, codeWebsiteMismatch) // the same error for unknown websites and websites of other owners
}

// accept returns an error if one, a row of site, may not be stored.
func (g *gate) accept(ctx context.Context, one row, site store.Website) error {
	if one.needsKey && site.Rules.KeyedEvents {
		return g.turnAway(ctx, codeKeyedEvents, site.ID)
	}
	owner := site.Owner
	if one.subject.Kind != store.KindWebsite {
		found, err := g.finder.owner(ctx, one.subject)
		if err != nil {
			return err
		}
		owner = found
	}
	if g.used == nil {
		g.used = map[auth.Resource]bool{}
	}
	g.used[auth.Resource{Kind: string(one.subject.Kind), ID: one.subject.ID, Owner: owner}] = true
	if one.counts && !g.quotas.spend(one.subject.ID) {
		return g.turnAway(ctx, codeQuota, one.subject.ID)
	}
	return nil
}

// resource returns what the accepted rows belong to, if that is one resource. An audit entry holds one.
func (g *gate) resource() (auth.Resource, bool) {
	for r := range g.used {
		return r, len(g.used) == 1
	}
	return auth.Resource{}, false
}

// sender returns the texts that identify the sender to the store.
func (g *gate) sender() (owner, sender string) {
	if key := g.finder.key; key != nil {
		return key.Owner, "key " + key.ID
	}
	return g.sites[g.home].Owner, g.home + "|" + g.request.Network()
}

// isBot reports whether the sender, with the facts ua, is a bot. It counts requests of bots.
func (g *gate) isBot(ua intake.Agent) bool {
	if !ua.Bot && agent.Cut(g.request.UserAgent()) != "" {
		return false
	}
	g.blocked.add(blockedKind{g.home, botReason, botName(ua.Name)})
	return true
}

// withinQuota returns an error if the website has used up its events of the month.
func (g *gate) withinQuota(ctx context.Context, w store.Website) error {
	if g.route.kind == kindIdentify { // identifications are not events
		return nil
	}
	left, err := g.quotas.open(ctx, w, g.request.Now.UTC())
	if err != nil {
		return codeQuotaDown.withCause(err)
	}
	if !left {
		return g.turnAway(ctx, codeQuota, w.ID)
	}
	return nil
}

// turnAway counts a blocked request or item and returns its error.
func (g *gate) turnAway(ctx context.Context, reason code, website string) *problem {
	g.blocked.add(blockedKind{website: website, reason: reasons[reason]})
	g.blocked.logger.DebugContext(ctx, "request blocked", "requestId", g.request.ID, "code", codes[reason].Code,
		"website", website)
	return reason.problem()
}

// first returns the first text that is not blank, trimmed.
func first(texts ...string) string {
	for _, s := range texts {
		if s = strings.TrimSpace(s); s != "" {
			return s
		}
	}
	return ""
}
