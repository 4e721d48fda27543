package meta

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

// meanwhile is a source of random bytes that runs do before it returns the first bytes.
type meanwhile struct {
	once sync.Once
	do   func()
}

func (m *meanwhile) Read(p []byte) (int, error) {
	m.once.Do(m.do)
	return rand.Read(p)
}

func rotate(grace time.Duration) func(*Store, string) (auth.Secret, error) {
	return func(s *Store, id string) (auth.Secret, error) {
		_, secret, err := s.RotateKey(context.Background(), id, grace, nil)
		return secret, err
	}
}

// TestRotationIsOvertaken lets another process change the key while a rotation generates the new secret.
func TestRotationIsOvertaken(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s, other := mustOpen(t, cfg), mustOpen(t, cfg)
		for says, c := range map[string]struct {
			change func(other *Store, id string) (auth.Secret, error)
			want   error
		}{
			"a rotation":            {rotate(0), auth.ErrConflict},
			"a rotation with grace": {rotate(time.Hour), auth.ErrConflict},
			"a revocation": {func(other *Store, id string) (auth.Secret, error) {
				return auth.Secret{}, other.RevokeKey(context.Background(), id, nil)
			}, auth.ErrConflict},
			"a change of another field": {func(other *Store, id string) (auth.Secret, error) {
				return auth.Secret{}, other.SetKeyDisabled(context.Background(), id, true)
			}, nil},
		} {
			k, old, err := s.CreateKey(t.Context(), auth.Key{Owner: "acme", All: true})
			if err != nil {
				t.Fatal(err)
			}
			var won auth.Secret
			var failed error
			s.issuer.Rand = &meanwhile{do: func() { won, failed = c.change(other, k.ID) }}
			_, mine, err := s.RotateKey(t.Context(), k.ID, 0, nil)
			if failed != nil || !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
				t.Errorf("overtaken by %s: %v; the other change: %v", says, err, failed)
				continue
			}
			working := old // after a revocation the old secret still finds the key
			for _, s := range []auth.Secret{won, mine} {
				if s.Reveal() != "" {
					working = s
				}
			}
			if found, err := s.KeyByDigest(t.Context(), working.Digest(pepper)); err != nil || found.ID != k.ID {
				t.Errorf("overtaken by %s: the key has no working secret: %v", says, err)
			}
		}
	})
}

func TestMintToken(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		k, _, err := s.CreateKey(t.Context(), auth.Key{Owner: "acme", Scopes: auth.Scopes(), All: true})
		if err != nil {
			t.Fatal(err)
		}
		authenticator, err := auth.New(auth.Config{Store: s, Pepper: cfg.Pepper, Now: cfg.Now})
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
		p, err := authenticator.Authenticate(t.Context(), sent)
		if err != nil || p.Key.ID != k.ID || p.Token == "" || p.Key.All || p.Key.Has(auth.TrackEvents) {
			t.Errorf("a narrowed token of the key authenticates as %+v, %v", p, err)
		}
		if _, err := s.MintToken(t.Context(), "key_none", auth.Claims{}, time.Hour); !errors.Is(err, auth.ErrNotFound) {
			t.Errorf("a token of an unknown key: %v", err)
		}
		if err := s.SetKeyDisabled(t.Context(), k.ID, true); err != nil {
			t.Fatal(err)
		}
		if _, err := s.MintToken(t.Context(), k.ID, auth.Claims{}, time.Hour); !errors.Is(err, auth.ErrBadKey) {
			t.Errorf("a token of a disabled key: %v", err)
		}
	})
}

func TestWithoutPepper(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		with := mustOpen(t, cfg)
		k, _, err := with.CreateKey(t.Context(), auth.Key{Owner: "acme", All: true})
		if err != nil {
			t.Fatal(err)
		}
		cfg.Pepper = auth.Pepper{}
		s := mustOpen(t, cfg)
		if _, _, err := s.CreateKey(t.Context(), auth.Key{Owner: "acme", All: true}); err == nil ||
			!strings.Contains(err.Error(), "Pepper") {
			t.Errorf("CreateKey: %v", err)
		}
		if _, _, err := s.RotateKey(t.Context(), k.ID, 0, nil); err == nil || !strings.Contains(err.Error(), "Pepper") {
			t.Errorf("RotateKey: %v", err)
		}
		if keys, err := s.Keys(t.Context(), "acme"); err != nil || len(keys) != 1 {
			t.Errorf("Keys = %v, %v", keys, err)
		}
	})
}
