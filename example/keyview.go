//go:build cgo

package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

// keyView is a key as the commands show it.
type keyView struct {
	ID        string          `json:"id"`
	Owner     string          `json:"owner"`
	Name      string          `json:"name"`
	Start     string          `json:"start"` // of its secret
	State     string          `json:"state"` // active, disabled, revoked or expired
	Scopes    []auth.Scope    `json:"scopes"`
	All       bool            `json:"all"` // every resource of the owner
	Resources []auth.Resource `json:"resources"`
	Filters   []auth.Filter   `json:"filters"`
	Types     []string        `json:"types"`     // null: all
	PerMinute *int            `json:"perMinute"` // null: the defaults
	CreatedAt time.Time       `json:"createdAt"`
	Expires   *time.Time      `json:"expires"`  // null: never
	Revoked   *time.Time      `json:"revoked"`  // null: it is not
	LastUsed  *time.Time      `json:"lastUsed"` // null: never
}

func viewKey(k auth.Key, now time.Time) keyView {
	v := keyView{
		ID: k.ID, Owner: k.Owner, Name: k.Name, Start: k.Start, State: state(k, now),
		Scopes: k.Scopes, All: k.All, Resources: k.Resources, Filters: k.Filters, Types: k.Types,
		CreatedAt: k.CreatedAt, Expires: maybe(k.Expires), Revoked: maybe(k.Revoked), LastUsed: maybe(k.LastUsed),
	}
	// Lists that say nothing are empty in JSON; of types, none and all differ.
	v.Scopes, v.Resources, v.Filters = notNil(v.Scopes), notNil(v.Resources), notNil(v.Filters)
	if k.Limits != nil {
		v.PerMinute = &k.Limits.PerMinute
	}
	return v
}

func notNil[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}

func state(k auth.Key, now time.Time) string {
	switch {
	case !k.Revoked.IsZero():
		return "revoked"
	case !k.Expires.IsZero() && !now.Before(k.Expires):
		return "expired"
	case k.Disabled:
		return "disabled"
	}
	return "active"
}

// keyColumns are those of lists.
func keyColumns() []column[keyView] {
	return []column[keyView]{
		{"KEY", func(k keyView) string { return k.ID }},
		{"NAME", func(k keyView) string { return k.Name }},
		{"SECRET", func(k keyView) string { return k.Start + "…" }},
		{"STATE", func(k keyView) string { return k.State }},
		{"SCOPES", func(k keyView) string { return joined(k.Scopes) }},
		{"OPENS", keyView.opens},
		{"EXPIRES", func(k keyView) string { return or(k.Expires, "never") }},
		{"LAST USED", func(k keyView) string { return or(k.LastUsed, "never") }},
	}
}

// keyDetails are all that there is to say.
func keyDetails() []column[keyView] {
	return append(keyColumns(), []column[keyView]{
		{"FILTERS", func(k keyView) string { return filterTexts(k.Filters) }},
		{"TYPES", keyView.asks},
		{"PER MINUTE", keyView.limit},
		{"OWNER", func(k keyView) string { return k.Owner }},
		{"CREATED", func(k keyView) string { return at(k.CreatedAt) }},
		{"REVOKED", func(k keyView) string { return or(k.Revoked, "no") }},
	}...)
}

// opens says what of its owner's a key opens.
func (k keyView) opens() string {
	switch {
	case len(k.Resources) > 0:
		return strings.Join(views(k.Resources, resourceText), ", ")
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
	return strings.Join(views(all, func(f auth.Filter) string {
		return fmt.Sprintf("%s %s %s", f.Field, f.Op, strings.Join(f.Values, ","))
	}), "; ")
}

// or is t for people, or what no instant means.
func or(t *time.Time, none string) string {
	if t == nil {
		return none
	}
	return at(*t)
}
