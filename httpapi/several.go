package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// websitesParam is the query parameter that names several websites of one question.
const websitesParam = "website_ids"

// everyWebsite is its value for all websites that the key may read.
const everyWebsite = "*"

// asksSeveral reports whether the URL of a query names several websites.
func asksSeveral(values url.Values) bool {
	return slices.ContainsFunc(values[websitesParam], func(text string) bool { return text != "" })
}

// readWebsites reads the ids of several websites from the URL of a query; nil and no mistakes for everyWebsite.
func readWebsites(values url.Values) (ids []string, bad mistake.List) {
	for _, s := range subjects {
		if values.Get(s.param) != "" {
			bad.Add(websitesParam, "cannot be given with "+s.param)
		}
	}
	text, mistakes := single(values, websitesParam)
	if bad = append(bad, mistakes...); len(bad) > 0 || text == everyWebsite {
		return nil, bad
	}
	ids = strings.Split(text, ",")
	if len(ids) > query.MaxWebsites {
		bad.Add(websitesParam, tooManyWebsites(len(ids)))
		return nil, bad
	}
	for i, id := range ids {
		switch {
		case id == "":
			bad.Add(websitesParam, "must be ids joined by commas, without empty ones, or *")
			return nil, bad
		case id == everyWebsite:
			bad.Add(websitesParam, "takes * alone or ids, not both")
		case slices.Contains(ids[:i], id):
			bad.Add(websitesParam, "names "+shortened(id)+" twice")
		}
	}
	return ids, bad
}

func tooManyWebsites(n int) string {
	return fmt.Sprintf("may name at most %d websites, not %d", query.MaxWebsites, n)
}

// permitWebsites checks that the caller has need for each of the websites in the URL of a query, and finds their names.
func (a *api) permitWebsites(ctx context.Context, r *front.Request, q *question, values url.Values,
	need auth.Permission) error {
	ids, bad := readWebsites(values)
	switch {
	case len(bad) > 0:
		return append(bad, mistake.In(a.readQuestion(ctx, r, q))...)
	case ids == nil:
		return a.findWebsites(ctx, r, q, need)
	}
	for _, id := range ids {
		r.Resource = auth.Resource{Kind: auth.KindWebsite, ID: id}
		if err := a.permitOn(ctx, r, need, ""); err != nil {
			return ofSeveral(err)
		}
	}
	for _, id := range ids {
		site, err := a.website(ctx, r, id)
		if err != nil {
			return ofSeveral(err)
		}
		q.websites = append(q.websites, query.Website{ID: id, Name: site.Name})
	}
	r.Resource = auth.Resource{Kind: auth.KindWebsite, ID: strings.Join(ids, ","), Owner: r.Key().Owner}
	return nil
}

// findWebsites finds all websites for which the caller has need, by id.
func (a *api) findWebsites(ctx context.Context, r *front.Request, q *question, need auth.Permission) error {
	if err := permit(r, auth.ToList(auth.KindWebsite), ""); err != nil {
		return err
	}
	all, err := a.cfg.Directory.Websites(ctx, r.Key().Owner)
	if err != nil {
		return err
	}
	for _, w := range all {
		of := auth.Resource{Kind: auth.KindWebsite, ID: w.ID, Owner: w.Owner}
		if r.Principal.Allows(need, of) {
			q.websites = append(q.websites, query.Website{ID: w.ID, Name: w.Name})
		}
	}
	switch n := len(q.websites); {
	case n == 0:
		return &denied{scope: r.Scope, field: websitesParam, why: "the key reads no website"}
	case n > query.MaxWebsites:
		return mistake.One(websitesParam,
			fmt.Sprintf("* stands for %d websites, and at most %d are allowed: name some", n, query.MaxWebsites))
	}
	slices.SortFunc(q.websites, func(a, b query.Website) int { return strings.Compare(a.ID, b.ID) })
	r.Resource = auth.Resource{Kind: auth.KindWebsite, ID: everyWebsite, Owner: r.Key().Owner}
	return nil
}

// website returns a website that the caller reaches. If it was removed just now, the error is that of an unknown one.
func (a *api) website(ctx context.Context, r *front.Request, id string) (store.Website, error) {
	site, err := a.cfg.Directory.Website(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		err = a.unreached(r, auth.KindWebsite, r.Route.May)
	}
	return site, err
}

// ofSeveral returns the error about one website as an error about several.
func ofSeveral(err error) error {
	if d, ok := errors.AsType[*denied](err); ok && d.field == subjects[0].param {
		d.field, d.why = websitesParam, strings.Replace(d.why, "is not the id of", "has an id that is not of", 1)
	}
	return err
}

// resources are what the caller asks about.
func (q *question) resources(r *front.Request) []auth.Resource {
	if q.websites == nil {
		return []auth.Resource{r.Resource}
	}
	all := make([]auth.Resource, len(q.websites))
	for i, w := range q.websites {
		all[i] = auth.Resource{Kind: auth.KindWebsite, ID: w.ID, Owner: r.Resource.Owner}
	}
	return all
}
