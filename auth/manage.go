package auth

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// A KeyManager creates and changes the keys of a service. store/meta.Store is one.
type KeyManager interface {
	// Key returns the key with an id. Its error wraps [ErrNotFound].
	Key(ctx context.Context, id string) (Key, error)
	// KeyPage lists keys of owner, also revoked, disabled and expired ones, by creation time, then id.
	KeyPage(ctx context.Context, owner string, page Page) ([]Key, error)
	// CreateKey stores k, with its Shares, and a new secret, which no other call returns. Its error wraps [ErrBadKey],
	// [ErrExists] or [ErrBound].
	CreateKey(ctx context.Context, k Key) (Key, Secret, error)
	// ChangeKey changes a key as [Issuer.Amend] does. It may call amend more than once. Its error comes from amend, or
	// wraps [ErrNotFound], [ErrBadKey], [ErrRevoked], [ErrConflict] or [ErrBound].
	ChangeKey(ctx context.Context, id string, amend func(*Key) error) (Key, error)
	// RotateKey gives a key a new secret, see [Issuer.Reissue]. Its error comes from allow, or wraps [ErrNotFound],
	// [ErrBadKey], [ErrRevoked], [ErrExpired] or [ErrConflict].
	RotateKey(ctx context.Context, id string, grace time.Duration, allow Allow) (Key, Secret, error)
	// RevokeKey revokes a key permanently. Revoking it again changes nothing. Its error comes from allow, or wraps
	// [ErrNotFound].
	RevokeKey(ctx context.Context, id string, allow Allow) error
}

// Allow decides about a change of a key as it is stored at that moment: nobody else can change the key between the
// decision and the change. An error prevents the change. nil allows it.
type Allow func(Key) error

// Decide returns the decision about k.
func (a Allow) Decide(k Key) error {
	if a == nil {
		return nil
	}
	return a(k)
}

// Narrow makes k a key that holder makes. It gives k the limits of holder where k leaves them open: the owner, all
// mandatory filters, the list of query types, the expiry and the rate limit. What k states itself stays: see
// [Key.Exceeds]. k shares the rate of holder ([Key.Shares]).
func (k *Key) Narrow(holder *Key) {
	k.Owner = holder.Owner
	var missing []Filter
	for _, f := range holder.Filters {
		if !slices.ContainsFunc(k.Filters, f.same) {
			missing = append(missing, f.clone())
		}
	}
	k.Filters = append(missing, k.Filters...)
	if k.Types == nil {
		k.Types = slices.Clone(holder.Types)
	}
	if k.Expires.IsZero() {
		k.Expires = holder.Expires
	}
	if k.Limits == nil {
		k.Limits = holder.Limits.clone()
	}
	k.Shares = holder.shares()
}

// Exceeds returns everything that k grants and holder does not, as [FieldErrors], or nil. A key with [ManageKeys] may
// manage only keys that do not exceed it: otherwise it could give itself more.
func (k *Key) Exceeds(holder *Key) error {
	var faults FieldErrors
	if k.Owner != holder.Owner {
		faults.add("owner", "must be the owner of your key")
	}
	for i, s := range k.Scopes {
		if !holder.Has(s) {
			faults.add(fmt.Sprintf("scopes[%d]", i), fmt.Sprintf("your key does not have the scope %s", s))
		}
	}
	if k.ReachesEverything() && !holder.ReachesEverything() {
		faults.add("all", "your key does not reach everything")
	}
	for i, r := range k.Resources {
		if !holder.reaches(Resource{Kind: r.Kind, ID: r.ID, Owner: holder.Owner}) {
			faults.add(fmt.Sprintf("resources[%d]", i), "your key does not reach this resource")
		}
	}
	for _, f := range holder.Filters {
		if !slices.ContainsFunc(k.Filters, f.same) {
			faults.add("filters", "must have all filters of your key")
			break
		}
	}
	if holder.Types != nil {
		if k.Types == nil {
			faults.add("types", "must be a list, because your key may not use all query types")
		}
		for i, name := range k.Types {
			if !slices.Contains(holder.Types, name) {
				faults.add(fmt.Sprintf("types[%d]", i), "your key may not use this query type")
			}
		}
	}
	if !holder.Expires.IsZero() && (k.Expires.IsZero() || k.Expires.After(holder.Expires)) {
		faults.add("expires", "must not be after the expiry of your key, "+holder.Expires.Format(time.RFC3339))
	}
	for _, class := range k.classes() {
		if most := holder.perMinute(class); k.perMinute(class) > most {
			faults.add("perMinute", fmt.Sprintf("must be at most %d, the limit of your key for requests of class %s",
				most, class))
			break
		}
	}
	return faults.err()
}

// classes returns the classes of the requests that k may send, those with the lowest defaults first.
func (k *Key) classes() (all []Class) {
	if k.Has(ExportData) || k.Has(EraseData) {
		all = append(all, ClassExport)
	}
	if k.Has(ReadData) || k.Has(ReadLinks) || k.Has(ReadMonitors) {
		all = append(all, ClassQuery)
	}
	all = append(all, ClassOther)
	if k.Has(TrackEvents) {
		all = append(all, ClassTrack)
	}
	return append(all, ClassEvaluate) // needs no scope
}

// perMinute returns the limit of k for a class of requests, as far as keys know it: a Limiter may have other defaults.
func (k *Key) perMinute(class Class) int {
	if k.Limits == nil {
		return class.Default()
	}
	return k.Limits.PerMinute
}

// same reports whether f and o are equal. Absent and empty lists are.
func (f Filter) same(o Filter) bool {
	one, _ := json.Marshal(f) // filters have only texts
	two, _ := json.Marshal(o)
	return string(one) == string(two)
}
