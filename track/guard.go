package track

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/store"
)

const (
	// auditTimeout bounds the recording of one entry, which goes on when the sender leaves.
	auditTimeout = 5 * time.Second
	// maxID is the longest id of a website that is looked up.
	maxID = 255
)

// credentialed reports whether r carries a key in one of the usual places.
func credentialed(r *http.Request) bool {
	return r.Header.Get("X-Api-Key") != "" || r.Header.Get("Authorization") != ""
}

// authenticate finds out who asks, and for which website as far as the address says.
func (c *call) authenticate(ctx context.Context) error {
	q := c.r.URL.Query()
	switch c.route.access {
	case BySite:
		c.site = first(q.Get("client_id"), c.r.Header.Get("Databuddy-Client-Id"), q.Get("website_id"))
		return nil
	case ByKeyOrSite:
		c.site = first(q.Get("website_id"), q.Get("client_id"), c.r.Header.Get("Databuddy-Client-Id"))
		if c.site != "" && !credentialed(c.r) {
			return nil
		}
	case ByKey:
	}
	p, err := c.h.cfg.Auth.Authenticate(ctx, c.r)
	switch {
	case errors.Is(err, auth.ErrRequired) && c.route.access == ByKeyOrSite && !credentialed(c.r):
		return nil // the first event may name a website
	case errors.Is(err, auth.ErrRequired):
		c.refused = err
		return codeAuthRequired.withCause(err)
	case err != nil:
		return codeUnavailable.withCause(fmt.Errorf("authentication: %w", err))
	case p == nil || p.Key == nil:
		return errors.New("track: the Authenticator returned neither a key nor an error")
	}
	c.key, c.principal = p.Key, p
	return nil
}

// enter checks what holds for the request as a whole: the key's scope, or the website.
func (c *call) enter(ctx context.Context) error {
	if c.key != nil {
		if !c.key.Has(auth.TrackEvents) {
			return codeNoScope.problem()
		}
		return nil
	}
	missing, unknown := codeNoClient, codeBadClient
	if c.route.access == ByKeyOrSite {
		missing, unknown = codeNoCredentials, codeNoWebsite
		if c.site == "" {
			c.site = c.body.firstSite()
		}
	}
	switch {
	case c.strange:
		return unknown.problem()
	case c.site == "":
		return missing.problem()
	}
	if _, err := c.website(ctx, c.site, unknown); err != nil {
		return err
	}
	c.home = c.site
	return nil
}

// website returns the website of that id when the request may write to it.
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
	}
	if c.sites == nil {
		c.sites = map[string]store.Website{}
	}
	c.sites[id] = w
	return w, nil
}

// use notes that a row was made for a website, link or monitor.
func (c *call) use(kind store.SubjectKind, id, owner string) {
	if c.used == nil {
		c.used = map[auth.Resource]bool{}
	}
	c.used[auth.Resource{Kind: string(kind), ID: id, Owner: owner}] = true
}

// record keeps the audit entry of c when it is the use of a key, or was to be one.
func (c *call) record(ctx context.Context, status int) (err error) {
	defer caught(&err)
	tried := c.route.access == ByKey || c.route.access == ByKeyOrSite && credentialed(c.r)
	if c.key == nil && !tried {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditTimeout)
	defer cancel()
	e := auth.Entry{
		Time: c.now, RequestID: c.id, Method: c.r.Method, Route: c.route.path, Scope: auth.TrackEvents,
		Outcome: auth.OutcomeOf(status), Status: status, UserAgent: c.r.UserAgent(),
	}
	if ip := c.h.cfg.ClientIP(c.r); ip.IsValid() {
		e.IP = ip.String()
	}
	e.Identify(c.key, c.refused)
	if len(c.used) == 1 { // an entry has room for one
		for e.Resource = range c.used {
			break
		}
	}
	return c.h.cfg.Audit.Record(ctx, e)
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
