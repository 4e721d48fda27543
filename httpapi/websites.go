package httpapi

import (
	"context"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/health"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/store"
)

// websitesBody is the response with websites.
type websitesBody struct {
	Success  bool            `json:"success"`
	Websites []websiteRecord `json:"websites"`
	Total    int             `json:"total"`          // on all pages
	Next     *string         `json:"next,omitempty"` // absent on the last page
}

// websiteRecord is a website in responses.
type websiteRecord struct {
	ID        string      `json:"id"`
	Name      string      `json:"name"`
	Domain    string      `json:"domain"`
	IsPublic  bool        `json:"isPublic"`
	CreatedAt health.Time `json:"createdAt"`
}

func recordOf(w store.Website) websiteRecord {
	return websiteRecord{w.ID, w.Name, w.Domain, w.IsPublic, health.Time{Time: w.CreatedAt}}
}

// listWebsites answers with a page of the websites that the key can read.
func (a *api) listWebsites(ctx context.Context, r *front.Request, q *question) (*front.Answer, error) {
	all, err := a.cfg.Directory.Websites(ctx, r.Principal.Key.Owner)
	if err != nil {
		return nil, err
	}
	found, total, next := pageOfAll(q.page, all, store.Website.Position, func(w store.Website) bool {
		return reaches(r, auth.Resource{Kind: auth.KindWebsite, ID: w.ID, Owner: w.Owner})
	})
	body := websitesBody{Success: true, Websites: []websiteRecord{}, Total: total, Next: next}
	for _, w := range found {
		body.Websites = append(body.Websites, recordOf(w))
	}
	return tagged(body)
}
