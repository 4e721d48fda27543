package httpapi

import (
	"context"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/health"
	"github.com/sightline-analytics/sightline/internal/front"
)

// linksBody is the response with short links.
type linksBody struct {
	Success bool         `json:"success"`
	Links   []linkRecord `json:"links"`
	Total   int          `json:"total"`
}

// linkRecord is a short link in responses.
type linkRecord struct {
	ID        string      `json:"id"`
	Name      string      `json:"name"`
	Slug      string      `json:"slug"`
	TargetURL string      `json:"targetUrl"`
	CreatedAt health.Time `json:"createdAt"`
}

// listLinks answers with every short link that the key can read.
func (a *api) listLinks(ctx context.Context, r *front.Request, _ *question) (*front.Answer, error) {
	all, err := a.cfg.Subjects.Links(ctx, r.Principal.Key.Owner)
	if err != nil {
		return nil, err
	}
	body := linksBody{Success: true, Links: []linkRecord{}}
	for _, l := range all {
		if reaches(r, auth.Resource{Kind: auth.KindLink, ID: l.ID, Owner: l.Owner}) {
			body.Links = append(body.Links,
				linkRecord{l.ID, l.Name, l.Slug, l.TargetURL, health.Time{Time: l.CreatedAt}})
		}
	}
	body.Total = len(body.Links)
	return tagged(body)
}

// monitorsBody is the response with uptime monitors.
type monitorsBody struct {
	Success  bool            `json:"success"`
	Monitors []monitorRecord `json:"monitors"`
	Total    int             `json:"total"`
}

// monitorRecord is an uptime monitor in responses.
type monitorRecord struct {
	ID        string      `json:"id"` // the schedule_id in queries
	Name      string      `json:"name"`
	URL       string      `json:"url"`
	WebsiteID string      `json:"websiteId,omitempty"`
	CreatedAt health.Time `json:"createdAt"`
}

// listMonitors answers with every uptime monitor that the key can read.
func (a *api) listMonitors(ctx context.Context, r *front.Request, _ *question) (*front.Answer, error) {
	all, err := a.cfg.Subjects.Monitors(ctx, r.Principal.Key.Owner)
	if err != nil {
		return nil, err
	}
	body := monitorsBody{Success: true, Monitors: []monitorRecord{}}
	for _, m := range all {
		if reaches(r, auth.Resource{Kind: auth.KindSchedule, ID: m.ID, Owner: m.Owner}) {
			body.Monitors = append(body.Monitors,
				monitorRecord{m.ID, m.Name, m.URL, m.WebsiteID, health.Time{Time: m.CreatedAt}})
		}
	}
	body.Total = len(body.Monitors)
	return tagged(body)
}

// reaches reports whether the key of r may read a resource.
func reaches(r *front.Request, of auth.Resource) bool {
	_, ok := r.Principal.Key.ReadScope(of)
	return ok
}
