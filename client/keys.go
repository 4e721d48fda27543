package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"
)

// A NewKey describes a key to create. Fields left out are as in the client's key.
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

// A Resource is a website, a link or a monitor, with Kind website, link or schedule. It is also a [Subject].
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

	// an array of the filters for every answer, as KeyFilter in the OpenAPI document
	Filters    json.RawMessage `json:"filters"`
	Types      []Type          `json:"types"`     // nil: all
	PerMinute  *int            `json:"perMinute"` // nil: the default limits
	CreatedAt  time.Time       `json:"createdAt"`
	Expires    *time.Time      `json:"expires"` // nil: never
	Revoked    *time.Time      `json:"revoked"`
	OldSecrets []OldSecret     `json:"oldSecrets"` // replaced ones that are still valid
	LastUsed   *time.Time      `json:"lastUsed"`
}

// A Self is the key or panel token of a client, as it may be used now.
type Self struct {
	Kind      string     `json:"kind"` // key or token
	ID        string     `json:"id"`
	Name      string     `json:"name"` // empty for a panel token
	Scopes    []Scope    `json:"scopes"`
	All       bool       `json:"all"` // whether it reaches everything that the owner has, and not only Resources
	Resources []Resource `json:"resources"`
	Filtered  bool       `json:"filtered"`  // whether mandatory filters limit every answer
	Types     []Type     `json:"types"`     // nil: all
	PerMinute *int       `json:"perMinute"` // nil: the default limits
	Expires   *time.Time `json:"expires"`   // nil: never
}

// Self returns what the key or panel token of the client may do. Every valid one may ask.
func (c *Client) Self(ctx context.Context) (Self, error) {
	var body struct{ Self Self }
	_, err := c.get(ctx, "/v1/self", nil, &body)
	return body.Self, err
}

// An OldSecret is a replaced secret of a key.
type OldSecret struct {
	Start string    `json:"start"`
	Until time.Time `json:"until"`
}

// A KeyChange has new values for fields of a key. Fields that are nil do not change.
type KeyChange struct {
	Name      *string
	Scopes    []Scope
	All       *bool      // true ends Resources
	Resources []Resource // end All
	Filters   []Filter   // empty but not nil: none
	Types     []Type     // empty but not nil: all
	PerMinute *int       // 0: the default limits
	Expires   *time.Time // the zero time: never
	Disabled  *bool      // a disabled key is refused until it is enabled again
}

// MarshalJSON writes the fields that change. null removes the list of types, the limit and the expiry.
func (k KeyChange) MarshalJSON() ([]byte, error) {
	sent := map[string]any{}
	set(sent, "name", k.Name)
	set(sent, "all", k.All)
	set(sent, "disabled", k.Disabled)
	if k.Scopes != nil {
		sent["scopes"] = k.Scopes
	}
	if k.Resources != nil {
		sent["resources"] = k.Resources
	}
	if k.Filters != nil {
		sent["filters"] = k.Filters
	}
	if k.Types != nil {
		sent["types"] = k.Types
		if len(k.Types) == 0 {
			sent["types"] = nil
		}
	}
	if k.PerMinute != nil {
		sent["perMinute"] = k.PerMinute
		if *k.PerMinute == 0 {
			sent["perMinute"] = nil
		}
	}
	if k.Expires != nil {
		sent["expires"] = k.Expires
		if k.Expires.IsZero() {
			sent["expires"] = nil
		}
	}
	return json.Marshal(sent)
}

// set adds a member unless it is nil.
func set[T any](sent map[string]any, name string, value *T) {
	if value != nil {
		sent[name] = *value
	}
}

// Keys lists the keys that the client may manage. This and the other calls about keys need the scope manage:keys.
func (c *Client) Keys(ctx context.Context) ([]Key, error) {
	return pages(ctx, c, "/v1/keys", func(body *keysAnswer) ([]Key, *string) { return body.Keys, body.Next })
}

type keysAnswer struct {
	Keys []Key
	Next *string
}

// pages returns the records of all pages of a list. of returns the records of a page, and the position of the next one.
func pages[B, T any](ctx context.Context, c *Client, path string, of func(*B) ([]T, *string)) (all []T, err error) {
	values := url.Values{}
	for {
		var body B
		if _, err := c.get(ctx, path, values, &body); err != nil {
			return nil, err
		}
		found, next := of(&body)
		if all = append(all, found...); next == nil {
			return all, nil
		}
		values.Set("after", *next)
	}
}

// Key returns one key that the client may manage.
func (c *Client) Key(ctx context.Context, id string) (Key, error) {
	var body keyAnswer
	_, err := c.get(ctx, keyPath(id), nil, &body)
	return body.Key, err
}

// ChangeKey changes some fields of a key and returns it. The key never grants more than the key of the client. Its
// secret stays the same.
func (c *Client) ChangeKey(ctx context.Context, id string, change KeyChange) (Key, error) {
	var body keyAnswer
	err := c.write(ctx, http.MethodPatch, keyPath(id), change, &body)
	return body.Key, err
}

// CreateKey creates a key, which never grants more than the key of the client, and returns it with its secret. The
// secret cannot be read again. If the connection fails, the key may exist: CreateKey does not try again.
func (c *Client) CreateKey(ctx context.Context, k NewKey) (Key, string, error) {
	var body keyAnswer
	err := c.write(ctx, http.MethodPost, "/v1/keys", k, &body)
	return body.Key, body.Secret, err
}

// RotateKey gives a key a new secret and returns it. The replaced secret stays valid for grace, which is at least a
// second; 0 ends it at once.
func (c *Client) RotateKey(ctx context.Context, id string, grace time.Duration) (Key, string, error) {
	sent := struct {
		Grace string `json:"grace,omitempty"`
	}{duration(grace)}
	var body keyAnswer
	err := c.write(ctx, http.MethodPost, keyPath(id)+"/rotate", sent, &body)
	return body.Key, body.Secret, err
}

// RevokeKey ends a key for good.
func (c *Client) RevokeKey(ctx context.Context, id string) error {
	return c.write(ctx, http.MethodDelete, keyPath(id), nil, &keyAnswer{})
}

type keyAnswer struct {
	Key    Key    `json:"key"`
	Secret string `json:"secret"`
}

func keyPath(id string) string { return "/v1/keys/" + url.PathEscape(id) }
