package auth_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

// TestExceedsLaws checks on random pairs of keys that a key which does not exceed its holder allows nothing that the
// holder does not, and that a narrowed key lacks none of the holder's limits.
func TestExceedsLaws(t *testing.T) {
	now := time.Date(2026, 3, 29, 12, 0, 0, 0, time.UTC)
	random := rand.New(rand.NewPCG(1, 2))
	some := func(n int) bool { return random.IntN(n) == 0 }
	key := func() (k auth.Key) {
		k = auth.Key{Owner: "acme", All: some(2)}
		for _, s := range auth.Scopes() {
			if some(2) {
				k.Scopes = append(k.Scopes, s)
			}
		}
		for _, id := range []string{"1", "2"} {
			if some(3) {
				k.All, k.Resources = false, append(k.Resources, auth.Resource{Kind: "website", ID: id})
			}
		}
		if some(2) {
			k.Types = []string{"pages"}
		}
		if some(3) {
			k.Filters = []auth.Filter{{Field: "country", Op: "eq", Values: []string{"DE"}}}
		}
		if some(2) {
			k.Expires = now.Add(time.Duration(random.IntN(3)) * time.Hour)
		}
		if some(2) {
			k.Limits = &auth.Limits{PerMinute: 1 + random.IntN(3)}
		}
		return k
	}
	within := 0
	for range 200_000 {
		k, holder := key(), key()
		k.Narrow(&holder)
		if k.Exceeds(&holder) != nil {
			continue
		}
		within++
		for _, id := range []string{"1", "2", "3"} {
			r := auth.Resource{Kind: "website", ID: id, Owner: "acme"}
			for _, s := range auth.Scopes() {
				if k.Allows(s, r) && !holder.Allows(s, r) {
					t.Fatalf("%+v allows %s on %s, which %+v does not", k, s, id, holder)
				}
			}
		}
		switch {
		case len(k.Filters) < len(holder.Filters), holder.Types != nil && k.Types == nil,
			holder.Valid(now) != k.Valid(now) && !holder.Valid(now),
			holder.Limits != nil && (k.Limits == nil || k.Limits.PerMinute > holder.Limits.PerMinute):
			t.Fatalf("%+v lacks a limit of %+v", k, holder)
		}
	}
	if within < 1000 {
		t.Errorf("only %d keys were within their holder", within)
	}
}
