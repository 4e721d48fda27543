package httpapi

import (
	"context"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/health"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/listing"
	"github.com/sightline-analytics/sightline/store"
)

// linksBody is the response with short links.
type linksBody struct {
	Success bool         `json:"success"`
	Links   []linkRecord `json:"links"`
	Total   int          `json:"total"`          // on all pages
	Next    *string      `json:"next,omitempty"` // absent on the last page
}

// linkRecord is a short link in responses.
type linkRecord struct {
	ID        string      `json:"id"`
	Name      string      `json:"name"`
	Slug      string      `json:"slug"`
	TargetURL string      `json:"targetUrl"`
	CreatedAt health.Time `json:"createdAt"`
}

// listLinks answers with a page of the short links that the key can read.
func (a *api) listLinks(ctx context.Context, r *front.Request, q *question) (*front.Answer, error) {
	all, err := a.cfg.Subjects.Links(ctx, r.Principal.Key.Owner)
	if err != nil {
		return nil, err
	}
	found, total, next := pageOfAll(q.page, all, store.Link.Position, func(l store.Link) bool {
		return reaches(r, auth.Resource{Kind: auth.KindLink, ID: l.ID, Owner: l.Owner})
	})
	body := linksBody{Success: true, Links: []linkRecord{}, Total: total, Next: next}
	for _, l := range found {
		body.Links = append(body.Links, linkRecord{l.ID, l.Name, l.Slug, l.TargetURL, health.Time{Time: l.CreatedAt}})
	}
	return tagged(body)
}

// monitorsBody is the response with uptime monitors.
type monitorsBody struct {
	Success  bool            `json:"success"`
	Monitors []monitorRecord `json:"monitors"`
	Total    int             `json:"total"`          // on all pages
	Next     *string         `json:"next,omitempty"` // absent on the last page
}

// monitorRecord is an uptime monitor in responses.
type monitorRecord struct {
	ID        string      `json:"id"` // the schedule_id in queries
	Name      string      `json:"name"`
	URL       string      `json:"url"`
	WebsiteID string      `json:"websiteId,omitempty"`
	CreatedAt health.Time `json:"createdAt"`
}

// listMonitors answers with a page of the uptime monitors that the key can read.
func (a *api) listMonitors(ctx context.Context, r *front.Request, q *question) (*front.Answer, error) {
	all, err := a.cfg.Subjects.Monitors(ctx, r.Principal.Key.Owner)
	if err != nil {
		return nil, err
	}
	found, total, next := pageOfAll(q.page, all, store.Monitor.Position, func(m store.Monitor) bool {
		return reaches(r, auth.Resource{Kind: auth.KindSchedule, ID: m.ID, Owner: m.Owner})
	})
	body := monitorsBody{Success: true, Monitors: []monitorRecord{}, Total: total, Next: next}
	for _, m := range found {
		body.Monitors = append(body.Monitors,
			monitorRecord{m.ID, m.Name, m.URL, m.WebsiteID, health.Time{Time: m.CreatedAt}})
	}
	return tagged(body)
}

// readListPage decodes the URL of a list that has all records without parameters, up to the largest page.
func (a *api) readListPage(_ context.Context, r *front.Request, q *question) (err error) {
	q.page, err = readPage(r, listing.MaxLimit)
	return err
}

// reaches reports whether the caller has the permission of the route for a resource.
func reaches(r *front.Request, of auth.Resource) bool { return r.Principal.Allows(r.Route.May, of) }
