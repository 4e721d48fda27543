package command

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

// keyView shows a key.
type keyView struct {
	ID        string          `json:"id"`
	Owner     string          `json:"owner"`
	Name      string          `json:"name"`
	Prefix    string          `json:"prefix"` // of its secret, before the first _
	Start     string          `json:"start"`  // of its secret: the first characters
	State     auth.KeyState   `json:"state"`
	Scopes    []auth.Scope    `json:"scopes"`
	All       bool            `json:"all"` // every resource of the owner
	Resources []auth.Resource `json:"resources"`
	Filters   []auth.Filter   `json:"filters"`
	Types     []string        `json:"types"`     // null: all
	PerMinute *int            `json:"perMinute"` // null: the defaults
	CreatedAt time.Time       `json:"createdAt"`
	Expires   *time.Time      `json:"expires"`    // null: never
	Revoked   *time.Time      `json:"revoked"`    // null: not revoked
	Grace     *time.Time      `json:"grace"`      // end of the last valid old secret; null: no valid old secret
	Old       []oldSecretView `json:"oldSecrets"` // valid ones, the newest first
	LastUsed  *time.Time      `json:"lastUsed"`   // null: never
}

func viewKey(k auth.Key, now time.Time) keyView {
	v := keyView{
		ID: k.ID, Owner: k.Owner, Name: k.Name, Prefix: k.Prefix, Start: k.Start, State: k.State(now),
		Scopes: k.Scopes, All: k.All, Resources: k.Resources, Filters: k.Filters, Types: k.Types,
		CreatedAt: k.CreatedAt, Expires: maybe(k.Expires), Revoked: maybe(k.Revoked), LastUsed: maybe(k.LastUsed),
	}
	// Absent lists are empty lists in JSON. For types, null means all and an empty list means none.
	v.Scopes, v.Resources, v.Filters = notNil(v.Scopes), notNil(v.Resources), notNil(v.Filters)
	v.Old = []oldSecretView{}
	for _, old := range k.OldSecrets(now) {
		v.Old = append(v.Old, oldSecretView{old.Start, old.Until})
		if v.Grace == nil || old.Until.After(*v.Grace) {
			v.Grace = maybe(old.Until)
		}
	}
	if k.Limits != nil {
		v.PerMinute = &k.Limits.PerMinute
	}
	return v
}

// oldSecretView shows a secret that a rotation replaced.
type oldSecretView struct {
	Start string    `json:"start"`
	Until time.Time `json:"until"`
}

func (o oldSecretView) String() string { return o.Start + "… until " + at(o.Until) }

func notNil[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}

// cells returns the columns of lists.
func (k keyView) cells() []cell {
	return []cell{
		{"KEY", k.ID}, {"NAME", k.Name}, {"SECRET", k.Start + "…"}, {"OLD SECRET UNTIL", or(k.Grace, "-")},
		{"STATE", string(k.State)}, {"SCOPES", joined(k.Scopes)},
		{"OPENS", k.opens()}, {"EXPIRES", or(k.Expires, "never")}, {"LAST USED", or(k.LastUsed, "never")},
	}
}

// details returns all fields of the key.
func (k keyView) details() []cell {
	return append(k.cells(), []cell{
		{"OLD SECRETS", strings.Join(mapped(k.Old, oldSecretView.String), ", ")}, {"FILTERS", filterTexts(k.Filters)},
		{"TYPES", k.asks()}, {"PER MINUTE", k.limit()},
		{"OWNER", k.Owner}, {"CREATED", at(k.CreatedAt)}, {"REVOKED", or(k.Revoked, "no")},
	}...)
}

// opens names the resources that the key may use.
func (k keyView) opens() string {
	switch {
	case len(k.Resources) > 0:
		return strings.Join(mapped(k.Resources, resourceText), ", ")
	case k.All:
		return "everything"
	}
	return "nothing"
}

func resourceText(r auth.Resource) string { return r.Kind + ":" + r.ID }

func (k keyView) asks() string {
	switch {
	case k.Types == nil:
		return "all"
	case len(k.Types) == 0:
		return "none"
	}
	return strings.Join(k.Types, ", ")
}

func (k keyView) limit() string {
	if k.PerMinute == nil {
		return "the defaults"
	}
	return strconv.Itoa(*k.PerMinute)
}

func filterTexts(all []auth.Filter) string {
	return strings.Join(mapped(all, func(f auth.Filter) string {
		if len(f.Parts()) > 0 || f.Did != nil {
			text, _ := json.Marshal(f) // it has only texts
			return string(text)
		}
		return fmt.Sprintf("%s %s %s", f.Field, f.Op, strings.Join(f.Values, ","))
	}), "; ")
}
