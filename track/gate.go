package track

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/store"
)

// maxID is the maximum length of a website's id; longer ids are not looked up.
const maxID = 255

// named returns the website that the URL or a header names.
func (c *call) named() string {
	q := c.URL.Query()
	switch header := c.Header.Get("Databuddy-Client-Id"); c.route.access {
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
func (c *call) bucket(ctx context.Context) (id string, err error) {
	site := c.site
	if site != "" {
		_, err := c.website(ctx, site, c.unknown())
		if p, ok := errors.AsType[*problem](err); ok && p.Status < http.StatusInternalServerError {
			site, c.strange = "", p
		} else if err != nil {
			return "", err
		}
	}
	return site + "|" + c.Network(), nil
}

// unknown returns the code for an unknown website in requests without a key.
func (c *call) unknown() code {
	if c.route.access == ByKeyOrWebsite {
		return codeNoWebsite
	}
	return codeBadClient
}

// allow checks the key's scope or the website, as far as possible without the body.
func (c *call) allow(ctx context.Context) error {
	switch {
	case c.key != nil:
		if !c.key.Has(auth.TrackEvents) {
			return codeNoScope.problem()
		}
		return nil
	case c.strange != nil:
		return c.strange
	case c.site == "" && c.route.access == ByKeyOrWebsite:
		return nil // the first event may name the website
	}
	return c.enter(ctx)
}

// enter makes c.site the only allowed website for requests without a key.
func (c *call) enter(ctx context.Context) error {
	if c.site == "" {
		if c.route.access == ByKeyOrWebsite {
			return codeNoCredentials.problem()
		}
		return codeNoClient.problem()
	}
	w, err := c.website(ctx, c.site, c.unknown())
	if err != nil {
		return err
	}
	if err := c.admit(ctx, w); err != nil {
		return err
	}
	c.home = c.site
	return nil
}

// website returns the website with this id if the request may write to it.
func (c *call) website(ctx context.Context, id string, unknown code) (store.Website, error) {
	if w, ok := c.sites[id]; ok {
		return w, nil
	}
	if c.home != "" && id != c.home {
		return store.Website{}, codeWebsiteMismatch.problem()
	}
	if len(id) > maxID || !valid(id) {
		return store.Website{}, unknown.problem()
	}
	w, err := c.h.cfg.Directory.Website(ctx, id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return store.Website{}, unknown.problem()
	case err != nil:
		return store.Website{}, codeLookupDown.withCause(err)
	case c.key != nil && !c.key.Allows(auth.TrackEvents, auth.Resource{Kind: string(store.KindWebsite), ID: w.ID, Owner: w.Owner}):
		return store.Website{}, unknown.problem()
	case c.key != nil && w.Rules.Paused:
		return store.Website{}, c.turnAway(ctx, codePaused, w.ID)
	case c.key != nil:
		if err := c.withinQuota(ctx, w); err != nil {
			return store.Website{}, err
		}
	}
	if c.sites == nil {
		c.sites = map[string]store.Website{}
	}
	c.sites[id] = w
	return w, nil
}

// use records that a row was made for a website, link or monitor.
func (c *call) use(kind store.SubjectKind, id, owner string) {
	if c.used == nil {
		c.used = map[auth.Resource]bool{}
	}
	c.used[auth.Resource{Kind: string(kind), ID: id, Owner: owner}] = true
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
