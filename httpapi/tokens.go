package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/health"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/query"
)

// defaultTTL is how long a panel token lives when the request does not say.
const defaultTTL = time.Hour

// tokenRequest is the body of POST /v1/tokens. What is left out stays as the key has it.
type tokenRequest struct {
	TTL       *int            `json:"ttl"` // seconds
	Scopes    []auth.Scope    `json:"scopes"`
	Resources []auth.Resource `json:"resources"`
	Filters   []auth.Filter   `json:"filters"`
	Types     []string        `json:"types"`
	Subject   string          `json:"subject"`
}

// tokenBody answers it.
type tokenBody struct {
	Success   bool        `json:"success"`
	Token     string      `json:"token"`
	ExpiresAt health.Time `json:"expiresAt"`
}

// allowMint lets API keys mint, and panel tokens not.
func (a *api) allowMint(_ context.Context, r *front.Request, _ *question) error {
	r.Scope = auth.ReadData
	k := r.Key()
	if r.Principal.Token == "" && (k.Has(auth.ReadData) || k.Has(auth.ReadLinks) || k.Has(auth.ReadMonitors)) {
		return nil
	}
	return &denied{auth.ReadData}
}

// readToken takes the claims of the token from the body.
func (a *api) readToken(_ context.Context, r *front.Request, q *question) error {
	if err := checkMediaType(r.Header); err != nil {
		return err
	}
	body, err := r.ReadBody(a.cfg.MaxBody)
	if err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&q.token); err != nil {
		text := strings.TrimPrefix(err.Error(), "json: ")
		return query.Errors{{Code: query.InvalidJSON, Field: "body", Message: "is not the description of a token: " + text, Err: err}}
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return query.Errors{{Code: query.InvalidJSON, Field: "body", Message: "has more than one JSON value"}}
	}
	return nil
}

// mintToken makes a panel token of the key that was sent. It reaches what its claims and the
// key share, whatever the claims say.
func (a *api) mintToken(_ context.Context, r *front.Request, q *question) (*front.Answer, error) {
	ttl := defaultTTL
	if q.token.TTL != nil {
		const most = int(auth.MaxTokenTTL / time.Second)
		ttl = time.Duration(max(-1, min(*q.token.TTL, most+1))) * time.Second // beyond, Mint refuses alike
	}
	t := &q.token
	token, err := a.cfg.Minter.Mint(r.Request, auth.Claims{
		Scopes: t.Scopes, Resources: t.Resources, Filters: t.Filters, Types: t.Types, Subject: t.Subject,
	}, ttl)
	if errors.Is(err, auth.ErrBadKey) {
		return nil, query.Errors{{Code: query.Invalid, Field: "body", Message: err.Error(), Err: err}}
	}
	if err != nil {
		return nil, err
	}
	return front.JSON(tokenBody{true, token.Reveal(), health.Time{Time: r.Now.Add(ttl)}})
}
