package httpapi

import (
	"context"
	"errors"
	"unicode"
	"unicode/utf8"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// subjects are the query parameters that name what is asked about.
var subjects = []struct {
	param string
	kind  store.SubjectKind
}{
	{"website_id", store.KindWebsite},
	{"link_id", store.KindLink},
	{"schedule_id", store.KindSchedule},
}

// allowSubject lets the key ask about the one website, link or monitor that the address names.
func allowSubject(a *api, ctx context.Context, c *call) error {
	if c.valuesErr != nil {
		return errMalformed
	}
	var several query.Errors
	for _, s := range subjects {
		for _, id := range c.values[s.param] {
			if id == "" {
				continue
			}
			several = append(several, &query.Error{Code: query.Invalid, Field: s.param,
				Message: "exactly one of website_id, link_id and schedule_id is allowed"})
			c.resource = auth.Resource{Kind: string(s.kind), ID: id}
		}
	}
	switch len(several) {
	case 0:
		return errNoSubject
	case 1:
		return a.allowResource(ctx, c)
	}
	c.resource = auth.Resource{}
	return several
}

// allowPath lets the key ask about the website in the path.
func allowPath(a *api, ctx context.Context, c *call) error {
	c.resource = auth.Resource{Kind: string(store.KindWebsite), ID: c.pathID}
	return a.allowResource(ctx, c)
}

// allowCompile lets those see the statements of a subject that may read it and see statements.
func allowCompile(a *api, ctx context.Context, c *call) error {
	if err := allowSubject(a, ctx, c); err != nil {
		return err
	}
	c.scope = auth.ReadData
	if !c.principal.MayExplain() {
		return &denied{auth.ReadData}
	}
	return nil
}

// allowList lets the key list websites; which ones, listWebsites decides.
func allowList(_ *api, _ context.Context, c *call) error {
	c.scope = auth.ReadData
	if !c.principal.Key.Has(auth.ReadData) {
		return &denied{auth.ReadData}
	}
	return nil
}

// allowResource lets the key read c.resource. A resource that does not exist and one of
// somebody else are refused alike, after the same look-up.
func (a *api) allowResource(ctx context.Context, c *call) error {
	c.scope, _ = c.principal.Key.ReadScope(c.resource) // nobody's yet, so the one that is needed
	if !plausible(c.resource.ID) {
		c.resource.ID = ""
		return &denied{c.scope}
	}
	owner, err := a.cfg.Directory.Owner(ctx, c.subject())
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	c.resource.Owner = owner
	var ok bool
	if c.scope, ok = c.principal.Key.ReadScope(c.resource); !ok || err != nil {
		return &denied{c.scope}
	}
	return nil
}

// plausible reports whether id could be an id at all. What could not is never looked
// up: a database may choke on it.
func plausible(id string) bool {
	if len(id) > 256 || !utf8.ValidString(id) {
		return false
	}
	for _, r := range id {
		if unicode.IsControl(r) {
			return false
		}
	}
	return true
}

// access is what the key may ask of the engine.
func (c *call) access() query.Access {
	key := c.principal.Key
	a := query.Access{Subject: c.subject(), Types: key.Types}
	for _, f := range key.Filters {
		a.Filters = append(a.Filters, query.Filter{Field: f.Field, Op: query.Op(f.Op), Values: f.Values})
	}
	return a
}
