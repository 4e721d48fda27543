package client

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// A ManagedWebsite is a website with its rules for senders.
type ManagedWebsite struct {
	ID               WebsiteID `json:"id"`
	Name             string    `json:"name"`
	Domain           string    `json:"domain"`
	IsPublic         bool      `json:"isPublic"`
	AllowedOrigins   []string  `json:"allowedOrigins"`
	AllowedAddresses []string  `json:"allowedAddresses"`
	BlockedAddresses []string  `json:"blockedAddresses"`
	KeyedEvents      bool      `json:"keyedEvents"`
	MonthlyEvents    int64     `json:"monthlyEvents"` // 0: no limit
	Paused           bool      `json:"paused"`
	RetentionDays    int       `json:"retentionDays"` // 0: all rows are kept
	KeepTotals       bool      `json:"keepTotals"`
	CreatedAt        time.Time `json:"createdAt"`
}

// A WebsiteChange has the fields of a website to set. Nil fields do not change; an empty list empties the list.
type WebsiteChange struct {
	Name             *string   `json:"name,omitempty"` // empty: the domain
	Domain           *string   `json:"domain,omitempty"`
	IsPublic         *bool     `json:"isPublic,omitempty"`
	AllowedOrigins   *[]string `json:"allowedOrigins,omitempty"`
	AllowedAddresses *[]string `json:"allowedAddresses,omitempty"` // addresses or networks
	BlockedAddresses *[]string `json:"blockedAddresses,omitempty"`
	KeyedEvents      *bool     `json:"keyedEvents,omitempty"`
	MonthlyEvents    *int64    `json:"monthlyEvents,omitempty"`
	Paused           *bool     `json:"paused,omitempty"`
	RetentionDays    *int      `json:"retentionDays,omitempty"`
	KeepTotals       *bool     `json:"keepTotals,omitempty"`
}

// ManagedWebsites lists the websites that the client may manage. This and the other calls about websites need the scope
// manage:websites.
func (c *Client) ManagedWebsites(ctx context.Context) ([]ManagedWebsite, error) {
	return pages(ctx, c, "/v1/websites", func(body *managedAnswer) ([]ManagedWebsite, *string) {
		return body.Websites, body.Next
	})
}

type managedAnswer struct {
	Websites []ManagedWebsite
	Next     *string
}

// AddWebsite adds a website with a domain and the fields of w, and returns it with its id. If the connection fails, the
// website may exist: AddWebsite does not try again.
func (c *Client) AddWebsite(ctx context.Context, domain string, w WebsiteChange) (ManagedWebsite, error) {
	w.Domain = &domain
	var body struct{ Website ManagedWebsite }
	err := c.write(ctx, http.MethodPost, "/v1/websites", w, &body)
	return body.Website, err
}

// ChangeWebsite changes a website and returns it as it is now.
func (c *Client) ChangeWebsite(ctx context.Context, id WebsiteID, change WebsiteChange) (ManagedWebsite, error) {
	var body struct{ Website ManagedWebsite }
	err := c.write(ctx, http.MethodPatch, "/v1/websites/"+url.PathEscape(string(id)), change, &body)
	return body.Website, err
}

// RemoveWebsite removes a website. Its rows stay stored.
func (c *Client) RemoveWebsite(ctx context.Context, id WebsiteID) error {
	return c.write(ctx, http.MethodDelete, "/v1/websites/"+url.PathEscape(string(id)), nil, &struct{}{})
}
