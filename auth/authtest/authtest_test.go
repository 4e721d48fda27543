package authtest_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/authtest"
)

const flawVariable = "AUTHTEST_FLAW"

var pepper = []byte("a pepper for stores with a flaw")

// flaws are mistakes that a store of keys may have, and the case that must catch each.
func flaws() map[string]struct {
	caught string
	spoil  func(*authtest.Store)
} {
	type flaw = struct {
		caught string
		spoil  func(*authtest.Store)
	}
	return map[string]flaw{
		"forgets the filters": {"round trip", answer(func(k *auth.Key) { k.Filters = nil })},
		"empty types are nil": {"bare key", answer(func(k *auth.Key) {
			if len(k.Types) == 0 {
				k.Types = nil
			}
		})},
		"hides what is revoked": {"revoked and disabled", refuse(func(k *auth.Key) bool { return !k.Revoked.IsZero() })},
		"ignores the context": {"cancelled", func(s *authtest.Store) {
			inner := s.KeyStore
			s.KeyStore = storeFunc(func(_ context.Context, d auth.Digest) (*auth.Key, error) {
				return inner.KeyByDigest(context.Background(), d)
			})
		}},
		"calls every trouble unknown": {"cancelled", func(s *authtest.Store) {
			inner := s.KeyStore
			s.KeyStore = storeFunc(func(ctx context.Context, d auth.Digest) (*auth.Key, error) {
				k, err := inner.KeyByDigest(ctx, d)
				if err != nil {
					err = auth.ErrNotFound
				}
				return k, err
			})
		}},
		"gives no grace": {"rotation with grace", func(s *authtest.Store) {
			inner := s.Rotate
			s.Rotate = func(ctx context.Context, id string, grace time.Duration) (auth.Key, auth.Secret, error) {
				return inner(ctx, id, min(grace, 0))
			}
		}},
		"always gives grace": {"rotation without grace", func(s *authtest.Store) {
			inner := s.Rotate
			s.Rotate = func(ctx context.Context, id string, grace time.Duration) (auth.Key, auth.Secret, error) {
				return inner(ctx, id, grace+time.Second)
			}
		}},
		"remembers what it found": {"change seen at once", func(s *authtest.Store) {
			inner, found := s.KeyStore, sync.Map{}
			s.KeyStore = storeFunc(func(ctx context.Context, d auth.Digest) (*auth.Key, error) {
				if k, ok := found.Load(d); ok {
					k := k.(auth.Key).Clone()
					return &k, nil
				}
				k, err := inner.KeyByDigest(ctx, d)
				if err == nil {
					found.Store(d, k.Clone())
				}
				return k, err
			})
		}},
		"hands out secrets that it does not keep": {"rotations at once", func(s *authtest.Store) {
			inner := s.Rotate
			s.Rotate = func(ctx context.Context, id string, grace time.Duration) (auth.Key, auth.Secret, error) {
				k, _, err := inner(ctx, id, grace)
				if err != nil {
					return auth.Key{}, auth.Secret{}, err
				}
				other, err := auth.NewSecret(nil, "")
				return k, other, err
			}
		}},
		"does not know of expiry": {"grace past expiry", answer(func(k *auth.Key) { k.Expires = time.Time{} })},
		"counts every use": {"last use", func(s *authtest.Store) {
			var last time.Time
			show := s.Key
			s.Used = func(_ context.Context, _ string, at time.Time) error { last = at; return nil }
			s.Key = func(ctx context.Context, id string) (auth.Key, error) {
				k, err := show(ctx, id)
				k.LastUsed = last
				return k, err
			}
		}},
		"changes the owner too": {"changed key", func(s *authtest.Store) {
			inner := s.Change
			s.Change = func(ctx context.Context, id string, change func(*auth.Key)) (auth.Key, error) {
				k, err := inner(ctx, id, change)
				if err == nil {
					change(&k)
				}
				return k, err
			}
		}},
		"takes any key": {"refused keys", func(s *authtest.Store) {
			inner := s.Create
			s.Create = func(ctx context.Context, k auth.Key) (auth.Key, auth.Secret, error) {
				if k.Check() != nil {
					k = auth.Key{Owner: "x"}
				}
				return inner(ctx, k)
			}
		}},
	}
}

type storeFunc func(context.Context, auth.Digest) (*auth.Key, error)

func (f storeFunc) KeyByDigest(ctx context.Context, d auth.Digest) (*auth.Key, error) {
	return f(ctx, d)
}

// answer spoils the keys that a store finds.
func answer(spoil func(*auth.Key)) func(*authtest.Store) {
	return refuse(func(k *auth.Key) bool { spoil(k); return false })
}

// refuse makes a store not find some keys.
func refuse(hide func(*auth.Key) bool) func(*authtest.Store) {
	return func(s *authtest.Store) {
		inner := s.KeyStore
		s.KeyStore = storeFunc(func(ctx context.Context, d auth.Digest) (*auth.Key, error) {
			k, err := inner.KeyByDigest(ctx, d)
			if err == nil && hide(k) {
				return nil, auth.ErrNotFound
			}
			return k, err
		})
	}
}

// TestFlawed runs the suite on a store with the flaw that the environment names. Only
// TestSuiteCatches asks for one; without a flaw the suite must pass.
func TestFlawed(t *testing.T) {
	authtest.Run(t, authtest.Harness{Pepper: pepper, Open: func(_ *testing.T, now func() time.Time) authtest.Store {
		m := &auth.Memory{Pepper: pepper, Issuer: auth.Issuer{Now: now}}
		s := authtest.Store{
			KeyStore: m,
			Create:   func(_ context.Context, k auth.Key) (auth.Key, auth.Secret, error) { return m.Create(k) },
			Rotate: func(_ context.Context, id string, grace time.Duration) (auth.Key, auth.Secret, error) {
				return m.Rotate(id, grace)
			},
			Revoke:      func(_ context.Context, id string) error { return m.Revoke(id) },
			SetDisabled: func(_ context.Context, id string, disabled bool) error { return m.SetDisabled(id, disabled) },
			Change: func(_ context.Context, id string, change func(*auth.Key)) (auth.Key, error) {
				return m.Change(id, change)
			},
			Used: func(_ context.Context, id string, at time.Time) error { m.KeyUsed(id, at); return nil },
			Key:  func(_ context.Context, id string) (auth.Key, error) { return m.Key(id) },
		}
		if f, ok := flaws()[os.Getenv(flawVariable)]; ok {
			f.spoil(&s)
		}
		return s
	}})
}

func TestSuiteCatches(t *testing.T) {
	for name, f := range flaws() {
		t.Run(name, func(t *testing.T) { mustCatch(t, "TestFlawed", name, f.caught) })
	}
	for name, f := range directoryFlaws() {
		t.Run(name, func(t *testing.T) { mustCatch(t, "TestFlawedDirectory", name, f.caught) })
	}
}

// mustCatch runs a test with a flaw in a process of its own, since it has to fail.
func mustCatch(t *testing.T, test, flaw, caught string) {
	t.Helper()
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, "-test.run=^"+test+"$", "-test.v")
	cmd.Env = append(os.Environ(), flawVariable+"="+flaw)
	out, err := cmd.CombinedOutput()
	if _, failed := errors.AsType[*exec.ExitError](err); !failed {
		t.Fatalf("the suite passed a store that %s: %v", flaw, err)
	}
	where := "--- FAIL: " + test + "/" + strings.ReplaceAll(caught, " ", "_")
	if !strings.Contains(string(out), where) || !strings.Contains(string(out), "the rule: ") {
		t.Errorf("no %q in the output:\n%s", where, out)
	}
}
