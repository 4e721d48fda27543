package httpapi

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/auth"
)

// TestSelf asks with a key and with a panel token of it what they may do. No answer has a secret, a filter, or the name
// of the token's key.
func TestSelf(t *testing.T) {
	pepper, err := auth.NewPepper([]byte("a pepper of thirty-two characters"))
	if err != nil {
		t.Fatal(err)
	}
	clock := func() time.Time { return now }
	keys, err := auth.NewMemory(auth.MemoryConfig{Pepper: pepper, Issuer: auth.Issuer{Now: clock}})
	if err != nil {
		t.Fatal(err)
	}
	_, secret, err := keys.CreateKey(t.Context(), auth.Key{
		ID: "key_panel", Owner: "org_a", Name: "Panel", Scopes: []auth.Scope{auth.ReadData, auth.ManageKeys}, All: true,
		Filters: []auth.Filter{{Field: "country", Op: "eq", Values: []string{"Atlantis"}}},
		Limits:  &auth.Limits{PerMinute: 50}, Expires: now.Add(48 * time.Hour),
	})
	if err != nil {
		t.Fatal(err)
	}
	authenticator, err := auth.New(auth.Config{Store: keys, Pepper: pepper, Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, func(cfg *Config) { cfg.Auth = authenticator })
	ask := func(credential auth.Secret) (answer map[string]any, text string) {
		t.Helper()
		r := httptest.NewRequest(http.MethodGet, "/v1/self", http.NoBody)
		r.Header.Set("Authorization", "Bearer "+credential.Reveal())
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, r)
		var body struct{ Self map[string]any }
		if err := json.Unmarshal(rec.Body.Bytes(), &body); err != nil || rec.Code != http.StatusOK {
			t.Fatalf("%d %s: %v", rec.Code, rec.Body, err)
		}
		for _, hidden := range []string{credential.Reveal(), secret.Start(), "Atlantis", "org_a"} {
			if strings.Contains(rec.Body.String(), hidden) {
				t.Errorf("the answer has %q: %s", hidden, rec.Body)
			}
		}
		return body.Self, rec.Body.String()
	}
	got, _ := ask(secret)
	want := map[string]any{
		"kind": "key", "id": "key_panel", "name": "Panel", "scopes": []any{"read:data", "manage:keys"}, "all": true,
		"resources": []any{}, "filtered": true,
		"types": nil, "perMinute": 50., "expires": "2026-03-31T12:00:00.000Z",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a key (-want +got): %s", diff)
	}
	tokens, err := auth.NewTokens(auth.TokensConfig{Pepper: pepper, Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	token, err := tokens.Mint(secret.Digest(pepper),
		auth.Claims{Resources: []auth.Resource{{Kind: auth.KindWebsite, ID: "site_a"}}, Types: []string{"pages"}},
		time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	got, text := ask(token)
	if id, _ := got["id"].(string); !strings.HasPrefix(id, "tok_") || strings.Contains(text, "anel") {
		t.Errorf("the answer to a token: %s", text)
	}
	want = map[string]any{
		"kind": "token", "id": got["id"], "name": "", "scopes": []any{"read:data"}, "all": false,
		"resources": []any{map[string]any{"kind": "website", "id": "site_a"}},
		"filtered":  true, "types": []any{"pages"}, "perMinute": 50., "expires": "2026-03-29T13:00:00.000Z",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a token (-want +got): %s", diff)
	}
}
