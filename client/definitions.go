package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"
)

// A Definition is a goal, a funnel, a segment or an annotation that is saved for a website. Questions use the first
// three by name.
type Definition struct {
	Kind DefinitionKind `json:"kind"`
	Name string         `json:"name"`
	// a Goal without its name, a FunnelBody, an AnnotationBody, or an object with the filters of a segment
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

// An AnnotationBody says what happened when. Charts show it.
type AnnotationBody struct {
	At   string `json:"at"`   // YYYY-MM-DD, a day in the time zone of the reader, or an instant in RFC 3339
	Text string `json:"text"` // 1 to 200 characters
}

// Definitions lists what is saved for a website.
func (c *Client) Definitions(ctx context.Context, website WebsiteID) ([]Definition, error) {
	return pages(ctx, c, definitionsOf(website), func(body *definitionsAnswer) ([]Definition, *string) {
		return body.Definitions, body.Next
	})
}

type definitionsAnswer struct {
	Definitions []Definition
	Next        *string
}

// SaveGoal saves a goal under its name. This and the other changes of definitions replace one of the same kind and
// name, and need the scope manage:definitions.
func (c *Client) SaveGoal(ctx context.Context, website WebsiteID, g Goal) error {
	return c.save(ctx, website, DefinitionKindGoal, g.Name, struct {
		Action
		Value string `json:"value,omitempty"`
	}{g.Action, g.Value})
}

// SaveFunnel saves a funnel.
func (c *Client) SaveFunnel(ctx context.Context, website WebsiteID, name string, f FunnelBody) error {
	return c.save(ctx, website, DefinitionKindFunnel, name, f)
}

// SaveSegment saves filters, which [Segment] then names.
func (c *Client) SaveSegment(ctx context.Context, website WebsiteID, name string, filters ...Filter) error {
	return c.save(ctx, website, DefinitionKindSegment, name, map[string][]Filter{"filters": filters})
}

// SaveAnnotation saves an annotation. Its name only identifies it: charts show its text.
func (c *Client) SaveAnnotation(ctx context.Context, website WebsiteID, name string, a AnnotationBody) error {
	return c.save(ctx, website, DefinitionKindAnnotation, name, a)
}

func (c *Client) save(ctx context.Context, website WebsiteID, kind DefinitionKind, name string, definition any) error {
	body := map[string]any{"kind": kind, "name": name, "body": definition}
	return c.write(ctx, http.MethodPost, definitionsOf(website), body, &struct{}{})
}

// RemoveDefinition removes a goal, a funnel, a segment or an annotation.
func (c *Client) RemoveDefinition(ctx context.Context, website WebsiteID, kind DefinitionKind, name string) error {
	values := url.Values{"kind": {string(kind)}, "name": {name}}
	return c.write(ctx, http.MethodDelete, definitionsOf(website)+"?"+values.Encode(), nil, &struct{}{})
}

func definitionsOf(website WebsiteID) string {
	return "/v1/websites/" + url.PathEscape(string(website)) + "/definitions"
}
