package auth_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/authtest"
)

func TestMemoryConforms(t *testing.T) {
	authtest.Run(t, authtest.Harness{
		Pepper: pepper,
		Open: func(t *testing.T, now func() time.Time) authtest.Store {
			m := newMemory(t, auth.Issuer{Now: now})
			return authtest.Store{
				KeyStore: m,
				Create: func(_ context.Context, k auth.Key) (auth.Key, auth.Secret, error) {
					return m.CreateKey(t.Context(), k)
				},
				Rotate: func(_ context.Context, id string, grace time.Duration, allow auth.Allow) (auth.Key,
					auth.Secret,
					error) {
					return m.RotateKey(t.Context(), id, grace, allow)
				},
				Revoke: func(_ context.Context, id string, allow auth.Allow) error {
					return m.RevokeKey(t.Context(), id, allow)
				},
				SetDisabled: func(_ context.Context, id string, disabled bool) error {
					return m.SetKeyDisabled(t.Context(), id, disabled)
				},
				Change: func(_ context.Context, id string, change func(*auth.Key) error) (auth.Key, error) {
					return m.ChangeKey(t.Context(), id, change)
				},
				Used: func(_ context.Context, id string, at time.Time) error {
					m.KeyUsed(id, at)
					return nil
				},
				Key: func(_ context.Context, id string) (auth.Key, error) { return m.Key(t.Context(), id) },
			}
		},
	})
}

// newMemory returns a key store with the pepper of the tests.
func newMemory(t testing.TB, issuer auth.Issuer) *auth.Memory {
	t.Helper()
	m, err := auth.NewMemory(auth.MemoryConfig{Pepper: pepper, Issuer: issuer})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestPeppersAreLong(t *testing.T) {
	if p, err := auth.NewPepper([]byte("fifteen bytes..")); err == nil || !p.IsZero() {
		t.Errorf("NewPepper of fifteen bytes: %v, %v", p, err)
	}
}

func TestIssuerRandomSourceFails(t *testing.T) {
	for _, enough := range []int64{0, 60} {
		i := auth.Issuer{Rand: io.LimitReader(zeros{}, enough)}
		if _, s, err := i.Issue(over()); err == nil || errors.Is(err, auth.ErrBadKey) || s.Reveal() != "" {
			t.Errorf("Issue with %d random bytes: %v", enough, err)
		}
	}
	if _, _, _, err := (auth.Issuer{Rand: io.LimitReader(zeros{}, 0)}).Reissue(over(), auth.Digests{}, 0); err == nil {
		t.Error("Reissue without random bytes succeeded")
	}
}
