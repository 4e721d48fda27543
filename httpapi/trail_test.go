package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/sightline-analytics/sightline/auth"
)

// refusing is an Authenticator that knows a key and does not accept it.
type refusing auth.RefusedError

func (r refusing) Authenticate(context.Context, *http.Request) (*auth.Principal, error) {
	refused := auth.RefusedError(r)
	return nil, fmt.Errorf("no: %w", &refused)
}

// TestTheTrailNamesRefusedKeys: the trail learns which key was tried, the caller does not.
func TestTheTrailNamesRefusedKeys(t *testing.T) {
	plain := newWorld(t, func(cfg *Config) { cfg.Auth = refusing{} })
	want := plain.send(http.MethodGet, "/v1/query/websites", "all", "")
	for _, refused := range []auth.RefusedError{
		{Start: "sl_unkno"},
		{KeyID: "key_revoked", Owner: "org_a", Start: "sl_revok"},
	} {
		w := newWorld(t, func(cfg *Config) { cfg.Auth = refusing(refused) })
		rec := w.send(http.MethodGet, "/v1/query/websites", "all", "")
		expect(t, rec, http.StatusUnauthorized, "AUTH_REQUIRED")
		if len(rec.Body.String()) != len(want.Body.String()) { // equal but for the request's id
			t.Errorf("the body tells: %s", rec.Body)
		}
		entries := w.trail.take()
		if len(entries) != 1 {
			t.Fatalf("%d entries", len(entries))
		}
		e := entries[0]
		if got := (auth.RefusedError{KeyID: e.KeyID, Owner: e.Owner, Start: e.Start}); got != refused || e.Outcome != "refused" {
			t.Errorf("the trail has %+v of %+v", e, refused)
		}
	}
}
