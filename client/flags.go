package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// A FlagContext is the person or program that flags are evaluated for. Every field is optional.
type FlagContext struct {
	UserID         string `json:"userId,omitempty"`
	Email          string `json:"email,omitempty"`
	OrganizationID string `json:"organizationId,omitempty"`
	TeamID         string `json:"teamId,omitempty"`
	// only flags of this environment; empty: flags without one
	Environment string         `json:"environment,omitempty"`
	Properties  map[string]any `json:"properties,omitempty"` // at most 100
}

// A FlagResult is the evaluation of a flag for a context.
type FlagResult struct {
	Enabled bool            `json:"enabled"`
	Value   json.RawMessage `json:"value"`   // true or false, or the value of a variant; empty while a flag with variants is off
	Payload json.RawMessage `json:"payload"` // null unless Enabled
	Reason  FlagReason      `json:"reason"`
	Variant string          `json:"variant"` // the key of the variant; empty: none
}

// EvaluateFlags evaluates flags of a client, which is the id of a website, or with a key its organization. Without keys
// it evaluates all flags of the client. Flags that do not exist have no result.
func (c *Client) EvaluateFlags(ctx context.Context, clientID string, of FlagContext,
	keys ...string) (map[string]FlagResult, error) {
	sent := struct {
		FlagContext
		ClientID string   `json:"clientId"`
		Keys     []string `json:"keys,omitempty"`
	}{of, clientID, keys}
	var body struct{ Flags map[string]FlagResult }
	err := c.post(ctx, "/public/v1/flags/bulk", sent, &body)
	return body.Flags, err
}

// A Flag is a feature flag. docs/flags.md explains its fields.
type Flag struct {
	ID       string `json:"id"`
	Revision int64  `json:"revision"` // 1, plus one for every change
	FlagFields
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// FlagFields are the fields of a flag that callers set. A new flag needs ClientID, Key, Type and DefaultValue. A change
// needs ClientID; fields that are nil or empty do not change.
type FlagFields struct {
	ClientID          string          `json:"clientId"` // the id of a website or of the key's organization
	Key               string          `json:"key,omitempty"`
	Type              FlagType        `json:"type,omitempty"`
	DefaultValue      *bool           `json:"defaultValue,omitempty"`
	Name              *string         `json:"name,omitempty"`
	Description       *string         `json:"description,omitempty"`
	Environment       *string         `json:"environment,omitempty"`
	Status            FlagStatus      `json:"status,omitempty"`  // of a new flag: active
	Payload           json.RawMessage `json:"payload,omitempty"` // an object; null removes it
	RolloutPercentage *float64        `json:"rolloutPercentage,omitempty"`
	RolloutBy         string          `json:"rolloutBy,omitempty"` // user (default), organization or team
	Rules             []FlagRule      `json:"rules,omitzero"`      // here and below, empty but not nil: none
	Variants          []FlagVariant   `json:"variants,omitzero"`
	Schedule          []FlagStep      `json:"schedule,omitzero"`
	Dependencies      []string        `json:"dependencies,omitzero"` // keys of flags in the same environment
	TargetGroupIDs    []string        `json:"targetGroupIds,omitzero"`
	PersistAcrossAuth *bool           `json:"persistAcrossAuth,omitempty"`
}

// A FlagRule enables or disables a flag for the contexts that it matches.
type FlagRule struct {
	Type        string   `json:"type"` // user_id, email or property
	Operator    string   `json:"operator,omitempty"`
	Field       string   `json:"field,omitempty"` // the name of a property
	Value       any      `json:"value,omitempty"`
	Values      []any    `json:"values,omitempty"`
	Enabled     bool     `json:"enabled"`
	Batch       bool     `json:"batch,omitempty"`
	BatchValues []string `json:"batchValues,omitempty"`
}

// A FlagVariant is one value of a flag with several.
type FlagVariant struct {
	Key         string          `json:"key"`
	Type        string          `json:"type"` // string, number or json
	Value       json.RawMessage `json:"value"`
	Weight      *float64        `json:"weight,omitempty"` // percent; the weights of a flag sum to 100
	Description string          `json:"description,omitempty"`
}

// A FlagStep is a scheduled change of a flag.
type FlagStep struct {
	At         time.Time `json:"scheduledAt"`
	Action     string    `json:"action"` // enable, disable or update_rollout
	Percentage float64   `json:"value"`  // of update_rollout
}

// Flags lists the flags of a client in an environment; empty: those without one. This and the other calls that manage
// flags need the scope manage:flags.
func (c *Client) Flags(ctx context.Context, clientID, environment string) ([]Flag, error) {
	values := url.Values{"clientId": {clientID}}
	if environment != "" {
		values.Set("environment", environment)
	}
	var body struct{ Flags []Flag }
	_, err := c.get(ctx, "/public/v1/flags/definitions", values, &body)
	return body.Flags, err
}

// CreateFlag creates a flag. Creating one with the key of a removed flag restores that flag with its id and history.
func (c *Client) CreateFlag(ctx context.Context, f FlagFields) (Flag, error) {
	var body struct{ Flag Flag }
	err := c.write(ctx, http.MethodPost, "/public/v1/flags", f, &body)
	return body.Flag, err
}

// ChangeFlag changes a flag. If revision is not 0, it fails with [CodePreconditionFailed] unless the flag has this
// revision.
func (c *Client) ChangeFlag(ctx context.Context, id string, revision int64, change FlagFields) (Flag, error) {
	var body struct{ Flag Flag }
	k := call{method: http.MethodPatch, url: c.api + flagPath(id)}
	if revision != 0 {
		k.match = strconv.Quote(strconv.FormatInt(revision, 10))
	}
	err := c.sendJSON(ctx, k, change, &body)
	return body.Flag, err
}

// RemoveFlag removes a flag. Programs then use their own default.
func (c *Client) RemoveFlag(ctx context.Context, clientID, id string) error {
	values := url.Values{"clientId": {clientID}}
	return c.write(ctx, http.MethodDelete, flagPath(id)+"?"+values.Encode(), nil, &struct{}{})
}

func flagPath(id string) string { return "/public/v1/flags/" + url.PathEscape(id) }
