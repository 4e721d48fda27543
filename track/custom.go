package track

import (
	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/store"
)

const (
	maxName   = 255
	maxSource = 64
)

// takeCustom handles an item of /track or of /events, its older form.
func takeCustom(c *call, f *fields, b *store.Batch) (taken, error) {
	site, err := c.siteOf(f)
	if err != nil {
		return taken{}, err
	}
	id, err := c.addCustom(site, f, b)
	return taken{kind: kindCustom, id: id}, err
}

// addOldCustom handles a custom event of an older form, sent to /.
func addOldCustom(c *call, f *fields, b *store.Batch) (string, error) {
	site := c.sites[c.home]
	if site.Rules.KeyedEvents {
		return "", c.turnAway(f.ctx, codeKeyedEvents, site.ID)
	}
	return c.addCustom(site, f, b)
}

func (c *call) addCustom(site store.Website, f *fields, b *store.Batch) (string, error) {
	s, err := c.baseOf(site, f)
	if err != nil {
		return "", err
	}
	e := store.Event{
		Website: site.ID, ID: s.id, Kind: store.Custom, Time: c.moment(f), Identity: s.Identity, Agent: s.Agent,
		Name: f.need(maxName, "name", "eventName"), Path: f.path(),
		Namespace: f.text(maxSource, "namespace"), Source: f.text(maxSource, "source"), Properties: f.properties(),
	}
	if p := f.problem(); p != nil {
		return "", p
	}
	c.use(store.KindWebsite, site.ID, site.Owner)
	b.Events = append(b.Events, e)
	return e.ID, nil
}

// siteOf returns the website of a custom event: the item's website, else the request's website, else the only
// website that the key reaches.
func (c *call) siteOf(f *fields) (store.Website, error) {
	id := first(f.peek("websiteId", "website_id"), c.site)
	if id == "" {
		only, err := c.onlySite(f)
		if err != nil {
			return store.Website{}, err
		}
		if only == "" {
			return store.Website{}, codeWebsiteMissing.problem()
		}
		id = only
	}
	return c.website(f.ctx, id, codeWebsiteMismatch) // the same error for unknown websites and websites of other owners
}

// onlySite returns the website of a key that reaches exactly one, else an empty text.
func (c *call) onlySite(f *fields) (string, error) {
	if c.only != nil {
		return *c.only, nil
	}
	var ids []string
	for _, r := range c.key.Resources {
		if r.Kind == string(store.KindWebsite) {
			ids = append(ids, r.ID)
		}
	}
	if len(c.key.Resources) == 0 && c.key.All {
		all, err := c.h.cfg.Directory.Websites(f.ctx, c.key.Owner)
		if err != nil {
			return "", codeLookupDown.withCause(err)
		}
		for _, w := range all {
			if c.key.Allows(auth.TrackEvents, auth.Resource{Kind: string(store.KindWebsite), ID: w.ID, Owner: w.Owner}) {
				ids = append(ids, w.ID)
			}
		}
	}
	only := ""
	if len(ids) == 1 {
		only = ids[0]
	}
	c.only = &only
	return only, nil
}

// cut returns the longest prefix of s with at most n UTF-16 units.
func cut(s string, n int) string {
	for i, r := range s {
		if n--; r > 0xffff {
			n--
		}
		if n < 0 {
			return s[:i]
		}
	}
	return s
}
