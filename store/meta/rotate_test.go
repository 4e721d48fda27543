package meta

import (
	"crypto/rand"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

// meanwhile is a source of random bytes that does something before it gives the first.
type meanwhile struct {
	once sync.Once
	do   func()
}

func (m *meanwhile) Read(p []byte) (int, error) {
	m.once.Do(m.do)
	return rand.Read(p)
}

// TestRotationIsOvertaken has another process change the key while a rotation makes the
// new secret.
func TestRotationIsOvertaken(t *testing.T) {
	onEachEngine(t, func(t *testing.T, config func(testing.TB) Config) {
		for _, c := range []struct {
			says   string
			change func(other *Store, id string) (auth.Secret, error)
			want   error
		}{
			{"by a rotation", func(other *Store, id string) (auth.Secret, error) {
				_, s, err := other.RotateKey(t.Context(), id, 0)
				return s, err
			}, auth.ErrConflict},
			{"by a rotation with grace", func(other *Store, id string) (auth.Secret, error) {
				_, s, err := other.RotateKey(t.Context(), id, time.Hour)
				return s, err
			}, auth.ErrConflict},
			{"by a revocation", func(other *Store, id string) (auth.Secret, error) {
				return auth.Secret{}, other.RevokeKey(t.Context(), id)
			}, auth.ErrConflict},
			{"by nothing that matters", func(other *Store, id string) (auth.Secret, error) {
				return auth.Secret{}, other.SetKeyDisabled(t.Context(), id, true)
			}, nil},
		} {
			cfg := config(t)
			s, other := mustOpen(t, cfg), mustOpen(t, cfg)
			k, old, err := s.CreateKey(t.Context(), auth.Key{Owner: "acme", All: true})
			if err != nil {
				t.Fatal(err)
			}
			var won auth.Secret
			var failed error
			s.issuer.Rand = &meanwhile{do: func() { won, failed = c.change(other, k.ID) }}
			_, mine, err := s.RotateKey(t.Context(), k.ID, 0)
			if failed != nil || !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
				t.Errorf("%s: %v, and the other %v", c.says, err, failed)
				continue
			}
			working := old // after a revocation the old secret finds the key still
			for _, s := range []auth.Secret{won, mine} {
				if s.Reveal() != "" {
					working = s
				}
			}
			if found, err := s.KeyByDigest(t.Context(), working.Digest(pepper)); err != nil || found.ID != k.ID {
				t.Errorf("%s: the key has no working secret: %v", c.says, err)
			}
		}
	})
}
