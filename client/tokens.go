package client

import (
	"context"
	"encoding/json"
	"time"
)

// A NewToken describes a panel token, which grants at most the rights of the client's key. Fields that are left out are
// as in that key.
type NewToken struct {
	TTL       time.Duration // between a second and a day; 0 means an hour
	Scopes    []Scope       // scopes that read
	Resources []Resource
	Filters   []Filter // for every answer, beside those of the key; they cannot name segments
	Types     []Type
	Subject   string // your customer's id, for the audit trail
}

// MarshalJSON writes the body of a request.
func (n NewToken) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		TTL       string     `json:"ttl,omitempty"`
		Scopes    []Scope    `json:"scopes,omitempty"`
		Resources []Resource `json:"resources,omitempty"`
		Filters   []Filter   `json:"filters,omitempty"`
		Types     []Type     `json:"types,omitempty"`
		Subject   string     `json:"subject,omitempty"`
	}{duration(n.TTL), n.Scopes, n.Resources, n.Filters, n.Types, n.Subject})
}

// duration returns d as the service reads it, or "" for its default. The service refuses what it cannot keep to.
func duration(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}

// A Token is a short-lived credential, for browsers for example. It is used in place of a key.
type Token struct {
	Token     string    `json:"token"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// CreateToken returns a panel token. The service stores no tokens, so a request that fails is sent again.
func (c *Client) CreateToken(ctx context.Context, n NewToken) (Token, error) {
	var t Token
	err := c.post(ctx, "/v1/tokens", n, &t)
	return t, err
}
