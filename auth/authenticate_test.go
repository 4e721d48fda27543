package auth_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

var pepper, _ = auth.NewPepper([]byte("0123456789abcdef0123456789abcdef"))

func TestCredential(t *testing.T) {
	a, b := mustSecret(t, "").Reveal(), mustSecret(t, "").Reveal()
	typo := a[:51] + "-"
	for _, c := range []struct {
		says   string
		apiKey string
		header string
		want   string
		err    error
	}{
		{"x-api-key is read", a, "", a, nil},
		{"spaces around x-api-key are ignored", " \t" + a + " ", "", a, nil},
		{"a bearer token is read", "", "Bearer " + a, a, nil},
		{"the scheme is read in any case", "", "bEARER " + a, a, nil},
		{"several spaces after the scheme are allowed", "", "Bearer   " + a + " ", a, nil},
		{"of two valid keys x-api-key is used", a, "Bearer " + b, a, nil},
		{"with a malformed x-api-key, Bearer is used", typo, "Bearer " + b, b, nil},
		{"with an empty x-api-key, Bearer is used", " ", "Bearer " + b, b, nil},
		{"with a valid x-api-key, a malformed Bearer is ignored", a, "Bearer " + typo, a, nil},
		{"no headers", "", "", "", auth.ErrMissing},
		{"spaces only count as no key", "  ", "Bearer  ", "", auth.ErrMissing},
		{"another scheme counts as no key", "", "Basic " + a, "", auth.ErrMissing},
		{"a key without scheme counts as no key", "", a, "", auth.ErrMissing},
		{"only a malformed x-api-key", typo, "", "", auth.ErrInvalid},
		{"only a malformed Bearer", "", "Bearer x", "", auth.ErrInvalid},
		{"two keys in one header are malformed", "", "Bearer " + a + " " + b, "", auth.ErrInvalid},
		{"a key of another service", "", "Bearer dbdy_" + strings.Repeat("A", 48), "", auth.ErrInvalid},
	} {
		t.Run(c.says, func(t *testing.T) {
			h := http.Header{}
			if c.apiKey != "" {
				h.Set("x-api-key", c.apiKey)
			}
			if c.header != "" {
				h.Set("Authorization", c.header)
			}
			s, err := auth.Credential(h, "")
			if s.Reveal() != c.want || !errors.Is(err, c.err) {
				t.Errorf("Credential = %v, %v", s, err)
			}
			if err != nil && !errors.Is(err, auth.ErrRequired) {
				t.Errorf("%v does not wrap ErrRequired", err)
			}
		})
	}
}

// stand is an authenticator with a Memory, a log and a clock.
type stand struct {
	*auth.Memory
	auth.Authenticator
	log *bytes.Buffer
	now time.Time
}

func newStand(t *testing.T) *stand {
	t.Helper()
	s := &stand{log: new(bytes.Buffer), now: time.Date(2026, 2, 28, 23, 59, 0, 0, time.UTC)}
	clock := func() time.Time { return s.now }
	s.Memory = newMemory(t, auth.Issuer{Now: clock})
	var err error
	s.Authenticator, err = auth.New(auth.Config{
		Store: s.Memory, Pepper: pepper, Now: clock,
		Logger: slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *stand) create(t *testing.T, k auth.Key) (auth.Key, auth.Secret) {
	t.Helper()
	k, secret, err := s.CreateKey(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	return k, secret
}

func ask(a auth.Authenticator, secret string) (*auth.Principal, error) {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	if secret != "" {
		r.Header.Set("X-Api-Key", secret)
	}
	return a.Authenticate(r.Context(), r)
}

func TestKeysAccepts(t *testing.T) {
	s := newStand(t)
	made, secret := s.create(t, over(auth.ReadData))
	p, err := ask(s, secret.Reveal())
	if err != nil || p.Key.ID != made.ID || p.Key.Start != secret.Start() {
		t.Fatalf("Authenticate = %+v, %v", p, err)
	}
	_, fresh, err := s.RotateKey(t.Context(), made.ID, time.Minute, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, sent := range []auth.Secret{secret, fresh} {
		if p, err := ask(s, sent.Reveal()); err != nil || p.Key.Start != sent.Start() {
			t.Errorf("in the grace period: %+v, %v; want the start of the sent secret, %s", p, err, sent.Start())
		}
	}
	s.now = s.now.Add(time.Minute)
	if _, err := ask(s, secret.Reveal()); !errors.Is(err, auth.ErrInvalid) {
		t.Errorf("old secret after the grace period: %v", err)
	}
	if _, err := ask(s, fresh.Reveal()); err != nil {
		t.Errorf("new secret after the grace period: %v", err)
	}
}

func TestKeysGivesOneAnswerForAllRefusals(t *testing.T) {
	s := newStand(t)
	secrets := map[string]string{
		"malformed": "sl_letmein",
		"unknown":   mustSecret(t, "").Reveal(),
	}
	for _, reason := range []string{"disabled", "revoked", "expired"} {
		k := over(auth.ReadData)
		k.ID = "key-" + reason
		k.Disabled = reason == "disabled"
		if reason == "expired" {
			k.Expires = s.now
		}
		made, secret := s.create(t, k)
		if reason == "revoked" {
			if err := s.RevokeKey(t.Context(), made.ID, nil); err != nil {
				t.Fatal(err)
			}
		}
		secrets[reason] = secret.Reveal()
	}
	for reason, secret := range secrets {
		s.log.Reset()
		p, err := ask(s, secret)
		if p != nil || !errors.Is(err, auth.ErrInvalid) || err.Error() != auth.ErrInvalid.Error() {
			t.Errorf("%s: %v, %v", reason, p, err)
		}
		var e, want auth.Entry
		e.Identify(nil, fmt.Errorf("refused: %w", err))
		switch reason {
		case "malformed":
		case "unknown":
			want.Start = secret[:8]
		default:
			want.Start, want.KeyID, want.Owner = secret[:8], "key-"+reason, over().Owner
		}
		if e != want {
			t.Errorf("%s: the audit entry is %+v, want %+v", reason, e, want)
		}
		line := s.log.String()
		if !strings.Contains(line, "reason="+reason) {
			t.Errorf("%s: log = %q", reason, line)
		}
		if len(secret) > 20 && strings.Contains(line, secret[8:]) || strings.Contains(line, "letmein") {
			t.Errorf("%s: the log contains the secret: %q", reason, line)
		}
		if known := strings.Contains(line, "key=key-"+reason); known != (reason != "malformed" && reason != "unknown") {
			t.Errorf("%s: the log names the wrong key: %q", reason, line)
		}
	}
	s.log.Reset()
	if _, err := ask(s, ""); !errors.Is(err, auth.ErrMissing) || errors.Is(err, auth.ErrInvalid) || s.log.Len() != 0 {
		t.Errorf("without credentials: %v, log %q", err, s.log)
	}
}

type storeFunc func(context.Context, auth.Digest) (*auth.Key, error)

func (f storeFunc) KeyByDigest(ctx context.Context, d auth.Digest) (*auth.Key, error) {
	return f(ctx, d)
}

func TestKeysStoreTrouble(t *testing.T) {
	down := errors.New("disk on fire")
	for says, f := range map[string]storeFunc{
		"a store that fails is not an unknown key": func(context.Context, auth.Digest) (*auth.Key, error) {
			return nil,
				down
		},
		"a store that returns nothing is no key": func(context.Context, auth.Digest) (*auth.Key, error) {
			return nil,
				nil
		},
		"a key without an id is no key": func(context.Context, auth.Digest) (*auth.Key,
			error) {
			return &auth.Key{Owner: "o", All: true}, nil
		},
	} {
		a, err := auth.New(auth.Config{Store: f, Pepper: pepper})
		if err != nil {
			t.Fatal(err)
		}
		p, err := ask(a, mustSecret(t, "").Reveal())
		if p != nil || err == nil || errors.Is(err, auth.ErrRequired) {
			t.Errorf("%s: %v, %v", says, p, err)
		}
	}
	for _, k := range []auth.Key{{Owner: "acme"}, {ID: "k1"}} {
		a, err := auth.New(auth.Config{Store: storeFunc(func(context.Context, auth.Digest) (*auth.Key,
			error) {
			return &k, nil
		}), Pepper: pepper})
		if err != nil {
			t.Fatal(err)
		}
		if p, err := ask(a, mustSecret(t, "").Reveal()); p != nil || !errors.Is(err, auth.ErrNoID) ||
			errors.Is(err, auth.ErrRequired) {
			t.Errorf("a key with the id %q and the owner %q: %v, %v", k.ID, k.Owner, p, err)
		}
	}
}

func TestKeysDoesNotLookUpMalformedSecrets(t *testing.T) {
	a, err := auth.New(auth.Config{Pepper: pepper,
		Store: storeFunc(func(context.Context, auth.Digest) (*auth.Key, error) {
			t.Error("the store was asked for a malformed secret")
			return nil, auth.ErrNotFound
		})})
	if err != nil {
		t.Fatal(err)
	}
	text := mustSecret(t, "").Reveal()
	if _, err := ask(a, text[:51]+string(base62[(strings.IndexByte(base62, text[51])+1)%62])); !errors.Is(err,
		auth.ErrInvalid) {
		t.Errorf("typo: %v", err)
	}
}

func TestPrefixOfAHost(t *testing.T) {
	m := newMemory(t, auth.Issuer{Prefix: "acme"})
	a, err := auth.New(auth.Config{Store: m, Pepper: pepper, Prefix: "acme"})
	if err != nil {
		t.Fatal(err)
	}
	_, secret, err := m.CreateKey(t.Context(), over())
	if err != nil {
		t.Fatal(err)
	}
	if p, err := ask(a, secret.Reveal()); err != nil || p.Key.Prefix != "acme" {
		t.Errorf("custom prefix: %+v, %v", p, err)
	}
	if _, err := ask(a, mustSecret(t, "").Reveal()); !errors.Is(err, auth.ErrInvalid) {
		t.Errorf("the default prefix with a custom one configured: %v", err)
	}
}

func TestUnlimitedAndDiscard(t *testing.T) {
	if d, err := auth.Unlimited.Allow(t.Context(), auth.ClassQuery, "key", 1<<30,
		&auth.Limits{PerMinute: 1}); err != nil || !d.OK || d.Limit != 0 {
		t.Errorf("Unlimited.Allow = %+v, %v", d, err)
	}
	if err := auth.Discard.Record(t.Context(), auth.Entry{}); err != nil {
		t.Errorf("Discard.Record = %v", err)
	}
}

// TestPepperThatWasChanged checks that a pepper with an older one accepts keys and tokens of both. New keys and
// tokens do not need the older pepper.
func TestPepperThatWasChanged(t *testing.T) {
	changed, err := auth.NewPepper([]byte("the pepper of today"), []byte("0123456789abcdef0123456789abcdef"))
	if err != nil {
		t.Fatal(err)
	}
	alone, _ := auth.NewPepper([]byte("the pepper of today"))
	store, err := auth.NewMemory(auth.MemoryConfig{Pepper: pepper})
	if err != nil {
		t.Fatal(err)
	}
	k, secret, err := store.CreateKey(t.Context(),
		auth.Key{Owner: "acme", All: true, Scopes: []auth.Scope{auth.ReadData}})
	if err != nil {
		t.Fatal(err)
	}
	with := func(p auth.Pepper) *auth.Keys {
		keys, err := auth.New(auth.Config{Store: store, Pepper: p})
		if err != nil {
			t.Fatal(err)
		}
		return keys
	}
	mint := func(keys *auth.Keys) auth.Secret {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Authorization", "Bearer "+secret.Reveal())
		token, err := keys.Mint(r, auth.Claims{}, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	for name, sent := range map[string]auth.Secret{"key": secret, "old token": mint(with(pepper)),
		"new token": mint(with(changed))} {
		if who, err := bearer(with(changed), sent.Reveal()); err != nil || who.Key.ID != k.ID {
			t.Errorf("%s: %v, %v", name, who, err)
		}
		if _, err := bearer(with(alone), sent.Reveal()); name != "new token" && !errors.Is(err, auth.ErrInvalid) {
			t.Errorf("%s without the old pepper: %v", name, err)
		}
	}
	if _, err := auth.NewPepper([]byte("the pepper of today"), []byte("short")); err == nil {
		t.Error("a short old pepper was accepted")
	}
	if secret.Digest(changed) != secret.Digest(alone) {
		t.Error("a digest was not made with the newest pepper")
	}
}

func ExampleKeys() {
	pepper, _ := auth.NewPepper([]byte("32 random bytes from a safe file"))
	store, err := auth.NewMemory(auth.MemoryConfig{Pepper: pepper})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, secret, err := store.CreateKey(context.Background(),
		auth.Key{Owner: "acme", All: true, Scopes: []auth.Scope{auth.ReadData}})
	if err != nil {
		fmt.Println(err)
		return
	}
	keys, err := auth.New(auth.Config{Store: store, Pepper: pepper})
	if err != nil {
		fmt.Println(err)
		return
	}
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	_, err = keys.Authenticate(r.Context(), r)
	fmt.Println(errors.Is(err, auth.ErrMissing))
	r.Header.Set("Authorization", "Bearer "+secret.Reveal())
	who, err := keys.Authenticate(r.Context(), r)
	fmt.Println(who.Key.Owner, err)
	// Output:
	// true
	// acme <nil>
}
