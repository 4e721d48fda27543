package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"
)

// A NewKey describes a key to create. What it leaves out is as in the key of the client.
type NewKey struct {
	Name      string     `json:"name"`
	Scopes    []Scope    `json:"scopes"`
	All       bool       `json:"all,omitempty"` // everything that the owner has, in place of Resources
	Resources []Resource `json:"resources,omitempty"`
	Filters   []Filter   `json:"filters,omitempty"` // for every answer
	Types     []Type     `json:"types,omitempty"`
	PerMinute int        `json:"perMinute,omitempty"` // requests; 0: the default limits
	Expires   *time.Time `json:"expires,omitempty"`
}

// A Resource is a website, a link or a monitor, with Kind website, link or schedule.
type Resource struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
}

// A Key is one that the client may manage, without its secret.
type Key struct {
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	Start     string     `json:"start"` // of the secret
	State     string     `json:"state"` // active, disabled, expired or revoked
	Scopes    []Scope    `json:"scopes"`
	All       bool       `json:"all"`
	Resources []Resource `json:"resources"`
	Types     []Type     `json:"types"`     // nil: all
	PerMinute *int       `json:"perMinute"` // nil: the default limits
	CreatedAt time.Time  `json:"createdAt"`
	Expires   *time.Time `json:"expires"` // nil: never
	Revoked   *time.Time `json:"revoked"`
	LastUsed  *time.Time `json:"lastUsed"`
}

// Keys lists the keys that the client may manage. This and the other calls about keys need the scope manage:keys.
func (c *Client) Keys(ctx context.Context) ([]Key, error) {
	var body struct{ Keys []Key }
	_, err := c.get(ctx, "/v1/keys", nil, &body)
	return body.Keys, err
}

// CreateKey creates a key, which never grants more than the key of the client, and returns it with its secret. The secret cannot be read
// again. If the connection fails, the key may exist: CreateKey does not try again.
func (c *Client) CreateKey(ctx context.Context, k NewKey) (Key, string, error) {
	var body keyAnswer
	err := c.write(ctx, http.MethodPost, "/v1/keys", k, &body)
	return body.Key, body.Secret, err
}

// RotateKey gives a key a new secret and returns it. The replaced secret stays valid for grace; 0 ends it at once.
func (c *Client) RotateKey(ctx context.Context, id string, grace time.Duration) (Key, string, error) {
	sent := struct {
		Grace int64 `json:"grace,omitempty"` // seconds
	}{int64(grace / time.Second)}
	var body keyAnswer
	err := c.write(ctx, http.MethodPost, "/v1/keys/"+url.PathEscape(id)+"/rotate", sent, &body)
	return body.Key, body.Secret, err
}

// RevokeKey ends a key for good.
func (c *Client) RevokeKey(ctx context.Context, id string) error {
	return c.write(ctx, http.MethodDelete, "/v1/keys/"+url.PathEscape(id), nil, &keyAnswer{})
}

type keyAnswer struct {
	Key    Key    `json:"key"`
	Secret string `json:"secret"`
}

// A Definition is a goal, a funnel or a segment that is saved for a website. Questions use it by its name.
type Definition struct {
	Kind      string          `json:"kind"` // goal, funnel or segment
	Name      string          `json:"name"`
	Body      json.RawMessage `json:"body"`
	CreatedAt time.Time       `json:"createdAt"`
	UpdatedAt time.Time       `json:"updatedAt"`
}

// A FunnelBody is the body of a saved funnel.
type FunnelBody struct {
	Steps  []Step `json:"steps"`
	Window string `json:"window,omitempty"`
	Within Within `json:"within,omitempty"`
}

// Definitions lists what is saved for a website.
func (c *Client) Definitions(ctx context.Context, website WebsiteID) ([]Definition, error) {
	var body struct{ Definitions []Definition }
	_, err := c.get(ctx, definitionsOf(website), nil, &body)
	return body.Definitions, err
}

// SaveGoal saves a goal under its name. This and the other changes of definitions replace one of the same kind and name, and need the
// scope manage:definitions.
func (c *Client) SaveGoal(ctx context.Context, website WebsiteID, g Goal) error {
	return c.save(ctx, website, "goal", g.Name, struct {
		Action
		Value string `json:"value,omitempty"`
	}{g.Action, g.Value})
}

// SaveFunnel saves a funnel.
func (c *Client) SaveFunnel(ctx context.Context, website WebsiteID, name string, f FunnelBody) error {
	return c.save(ctx, website, "funnel", name, f)
}

// SaveSegment saves filters, which [Segment] then names.
func (c *Client) SaveSegment(ctx context.Context, website WebsiteID, name string, filters ...Filter) error {
	return c.save(ctx, website, "segment", name, map[string][]Filter{"filters": filters})
}

func (c *Client) save(ctx context.Context, website WebsiteID, kind, name string, definition any) error {
	body := map[string]any{"kind": kind, "name": name, "body": definition}
	return c.write(ctx, http.MethodPost, definitionsOf(website), body, &struct{}{})
}

// RemoveDefinition removes a goal, a funnel or a segment.
func (c *Client) RemoveDefinition(ctx context.Context, website WebsiteID, kind, name string) error {
	values := url.Values{"kind": {kind}, "name": {name}}
	return c.write(ctx, http.MethodDelete, definitionsOf(website)+"?"+values.Encode(), nil, &struct{}{})
}

func definitionsOf(website WebsiteID) string {
	return "/v1/websites/" + url.PathEscape(string(website)) + "/definitions"
}
