package meta

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

func TestMintToken(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		k, _, err := s.CreateKey(t.Context(), auth.Key{Owner: "acme", Scopes: auth.Scopes(), All: true})
		if err != nil {
			t.Fatal(err)
		}
		keys, err := auth.New(auth.Config{Store: s, Pepper: cfg.Pepper, Now: cfg.Now})
		if err != nil {
			t.Fatal(err)
		}
		only := []auth.Resource{{Kind: auth.KindWebsite, ID: "w"}}
		token, err := s.MintToken(t.Context(), k.ID, auth.Claims{Resources: only}, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		sent, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		if err != nil {
			t.Fatal(err)
		}
		sent.Header.Set("Authorization", "Bearer "+token.Reveal())
		p, err := keys.Authenticate(t.Context(), sent)
		if err != nil || p.Key.ID != k.ID || p.Token == "" || p.Key.All || p.Key.Has(auth.TrackEvents) {
			t.Errorf("a token of the key, narrowed: %+v, %v", p, err)
		}
		for says, mint := range map[string]func() (auth.Secret, error){
			"a token for two days": func() (auth.Secret, error) {
				return s.MintToken(t.Context(), k.ID, auth.Claims{}, 48*time.Hour)
			},
			"a token of a disabled key": func() (auth.Secret, error) {
				if err := s.SetKeyDisabled(t.Context(), k.ID, true); err != nil {
					return auth.Secret{}, err
				}
				return s.MintToken(t.Context(), k.ID, auth.Claims{}, time.Hour)
			},
		} {
			if _, err := mint(); !errors.Is(err, auth.ErrBadKey) {
				t.Errorf("%s: %v", says, err)
			}
		}
		if _, err := s.MintToken(t.Context(), "key_none", auth.Claims{}, time.Hour); !errors.Is(err, auth.ErrNotFound) {
			t.Errorf("a token of no key: %v", err)
		}
		if _, err := keys.Authenticate(t.Context(), sent); !errors.Is(err, auth.ErrInvalid) {
			t.Errorf("the token of a disabled key: %v", err)
		}
	})
}
