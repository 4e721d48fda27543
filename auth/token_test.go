package auth_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/auth"
)

// bearer authenticates with an Authorization header.
func bearer(a auth.Authenticator, text string) (*auth.Principal, error) {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("Authorization", "Bearer "+text)
	return a.Authenticate(r.Context(), r)
}

func (s *stand) mint(t *testing.T, secret auth.Secret, c auth.Claims, ttl time.Duration) auth.Secret {
	t.Helper()
	token, err := tokens(t, auth.TokensConfig{Pepper: pepper,
		Now: func() time.Time { return s.now }}).Mint(secret.Digest(pepper), c, ttl)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func tokens(t *testing.T, cfg auth.TokensConfig) *auth.Tokens {
	t.Helper()
	made, err := auth.NewTokens(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestATokenGetsWhatKeyAndClaimsShare(t *testing.T) {
	site := func(id string) auth.Resource { return auth.Resource{Kind: auth.KindWebsite, ID: id} }
	filter := func(v string) auth.Filter { return auth.Filter{Field: "path", Op: "eq", Values: []string{v}} }
	for _, c := range []struct {
		says   string
		key    auth.Key
		claims auth.Claims
		want   auth.Key // only the fields that claims can narrow
	}{
		{"without claims a token may read everything that its key may",
			auth.Key{Scopes: []auth.Scope{auth.ManageFlags, auth.ReadData, auth.TrackEvents}, All: true},
			auth.Claims{},
			auth.Key{Scopes: []auth.Scope{auth.ReadData}, All: true}},
		{"claims do not add scopes",
			auth.Key{Scopes: []auth.Scope{auth.ReadLinks}, All: true},
			auth.Claims{Scopes: []auth.Scope{auth.ReadData, auth.ReadLinks}},
			auth.Key{Scopes: []auth.Scope{auth.ReadLinks}, All: true}},
		{"one website of a key for all",
			auth.Key{Scopes: []auth.Scope{auth.ReadData}, All: true},
			auth.Claims{Resources: []auth.Resource{site("a")}},
			auth.Key{Scopes: []auth.Scope{auth.ReadData}, Resources: []auth.Resource{site("a")}}},
		{"claims do not add websites",
			auth.Key{Scopes: []auth.Scope{auth.ReadData}, Resources: []auth.Resource{site("a"), site("b")}},
			auth.Claims{Resources: []auth.Resource{site("b"), site("c")}},
			auth.Key{Scopes: []auth.Scope{auth.ReadData}, Resources: []auth.Resource{site("b")}}},
		{"without common resources a token grants nothing",
			auth.Key{Scopes: []auth.Scope{auth.ReadData}, Resources: []auth.Resource{site("a")}},
			auth.Claims{Resources: []auth.Resource{site("c")}},
			auth.Key{Scopes: []auth.Scope{auth.ReadData}}},
		{"the filters of key and claims apply",
			auth.Key{Scopes: []auth.Scope{auth.ReadData}, All: true, Filters: []auth.Filter{filter("/k")}},
			auth.Claims{Filters: []auth.Filter{filter("/c")}},
			auth.Key{Scopes: []auth.Scope{auth.ReadData}, All: true,
				Filters: []auth.Filter{filter("/k"), filter("/c")}}},
		{"groups of filters",
			auth.Key{Scopes: []auth.Scope{auth.ReadData}, All: true,
				Filters: []auth.Filter{{Or: []auth.Filter{filter("/a"), {Not: new(filter("/b"))}}}}},
			auth.Claims{Filters: []auth.Filter{{And: []auth.Filter{filter("/c"), filter("/d")}}}},
			auth.Key{Scopes: []auth.Scope{auth.ReadData}, All: true,
				Filters: []auth.Filter{{Or: []auth.Filter{filter("/a"), {Not: new(filter("/b"))}}},
					{And: []auth.Filter{filter("/c"), filter("/d")}}}}},
		{"types in both lists",
			auth.Key{Scopes: []auth.Scope{auth.ReadData}, All: true, Types: []string{"pages", "summary"}},
			auth.Claims{Types: []string{"summary", "traffic"}},
			auth.Key{Scopes: []auth.Scope{auth.ReadData}, All: true, Types: []string{"summary"}}},
		{"without common types a token grants no type",
			auth.Key{Scopes: []auth.Scope{auth.ReadData}, All: true, Types: []string{"pages"}},
			auth.Claims{Types: []string{"traffic"}},
			auth.Key{Scopes: []auth.Scope{auth.ReadData}, All: true, Types: []string{}}},
	} {
		t.Run(c.says, func(t *testing.T) {
			s := newStand(t)
			c.key.Owner = "org"
			_, secret := s.create(t, c.key)
			p, err := bearer(s, s.mint(t, secret, c.claims, time.Hour).Reveal())
			if err != nil {
				t.Fatal(err)
			}
			got := auth.Key{Scopes: p.Key.Scopes, All: p.Key.All, Resources: p.Key.Resources, Filters: p.Key.Filters,
				Types: p.Key.Types}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if !strings.HasPrefix(p.Token, "tok_") {
				t.Errorf("the token has the id %q", p.Token)
			}
		})
	}
}

func TestATokenFollowsItsKey(t *testing.T) {
	for _, c := range []struct {
		says   string
		change func(s *stand, id string) error
		wait   time.Duration
		works  bool
	}{
		{"nothing changed", func(*stand, string) error { return nil }, 59 * time.Minute, true},
		{"the token expired", func(*stand, string) error { return nil }, time.Hour, false},
		{"the key was revoked", func(s *stand, id string) error { return s.RevokeKey(t.Context(), id, nil) }, 0, false},
		{"the key was disabled", func(s *stand, id string) error { return s.SetKeyDisabled(t.Context(), id, true) }, 0,
			false},
		{"the key was rotated", func(s *stand, id string) error {
			_, _, err := s.RotateKey(t.Context(), id, 0, nil)
			return err
		}, 0, false},
		{"the key was rotated with a grace period", func(s *stand, id string) error {
			_, _, err := s.RotateKey(t.Context(), id, time.Minute, nil)
			return err
		}, 59 * time.Second, true},
		{"the grace period has ended", func(s *stand, id string) error {
			_, _, err := s.RotateKey(t.Context(), id, time.Minute, nil)
			return err
		}, time.Minute, false},
		{"the clock was set back by minutes", func(*stand, string) error { return nil }, -4 * time.Minute, true},
		{"the clock was set back by an hour", func(*stand, string) error { return nil }, -time.Hour, false},
	} {
		t.Run(c.says, func(t *testing.T) {
			s := newStand(t)
			made, secret := s.create(t, over(auth.ReadData))
			token := s.mint(t, secret, auth.Claims{}, time.Hour)
			if err := c.change(s, made.ID); err != nil {
				t.Fatal(err)
			}
			s.now = s.now.Add(c.wait)
			if _, err := bearer(s, token.Reveal()); (err == nil) != c.works || err != nil &&
				!errors.Is(err, auth.ErrInvalid) {
				t.Errorf("Authenticate: %v, want it to work: %t", err, c.works)
			}
		})
	}
}

func TestAChangedTokenIsRefused(t *testing.T) {
	s := newStand(t)
	_, secret := s.create(t, over(auth.ReadData))
	token := s.mint(t, secret, auth.Claims{}, time.Hour).Reveal()
	body := strings.TrimPrefix(token, "slt_")
	raw, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil {
		t.Fatal(err)
	}
	for i := range raw {
		raw[i] ^= 1
		if _, err := bearer(s, "slt_"+base64.RawURLEncoding.EncodeToString(raw)); !errors.Is(err, auth.ErrInvalid) {
			t.Fatalf("with byte %d changed: %v", i, err)
		}
		raw[i] ^= 1
	}
	another, _ := auth.NewPepper([]byte("another pepper, as long"))
	foreign, err := tokens(t,
		auth.TokensConfig{Pepper: another, Now: func() time.Time { return s.now }}).Mint(secret.Digest(pepper),
		auth.Claims{}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	for says, text := range map[string]string{
		"cut": token[:len(token)-1], "empty": "slt_", "of another pepper": foreign.Reveal(), "longer": token + "AAAA",
		"of another form": "slt_!", "huge": "slt_" + strings.Repeat("A", 1<<16),
	} {
		if _, err := bearer(s, text); !errors.Is(err, auth.ErrInvalid) {
			t.Errorf("%s: %v", says, err)
		}
	}
	if _, err := ask(s, token); !errors.Is(err, auth.ErrInvalid) {
		t.Errorf("as x-api-key: %v", err)
	}
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("X-Api-Key", secret.Reveal())
	r.Header.Set("Authorization", "Bearer "+token)
	if p, err := s.Authenticate(r.Context(), r); err != nil || p.Token != "" {
		t.Errorf("beside a good x-api-key: %+v, %v", p, err)
	}
}

func TestMintRefuses(t *testing.T) {
	tokens := tokens(t, auth.TokensConfig{Pepper: pepper})
	for _, c := range []struct {
		says   string
		claims auth.Claims
		ttl    time.Duration
		want   string
	}{
		{"a ttl of more than a day", auth.Claims{}, 24*time.Hour + 1, "ttl must be between 1 and 86400 seconds, not "},
		{"a ttl of 0", auth.Claims{}, 0, "ttl must be between 1 and 86400 seconds, not "},
		{"a write scope", auth.Claims{Scopes: []auth.Scope{auth.TrackEvents}}, time.Hour, "scopes[0]"},
		{"a resource without kind", auth.Claims{Resources: []auth.Resource{{ID: "x"}}}, time.Hour, "resources[0]"},
		{"a filter without values", auth.Claims{Filters: []auth.Filter{{Field: "path", Op: "eq"}}}, time.Hour,
			"filters[0]"},
		{"an empty group", auth.Claims{Filters: []auth.Filter{{Or: []auth.Filter{}}}}, time.Hour, "filters[0]"},
		{"a group that is a leaf, too",
			auth.Claims{Filters: []auth.Filter{{Field: "path", Op: "eq", Values: []string{"/"},
				Not: &auth.Filter{Field: "path", Op: "eq", Values: []string{"/a"}}}}}, time.Hour, "filters[0]"},
		{"a group with a filter without values",
			auth.Claims{Filters: []auth.Filter{{And: []auth.Filter{{Field: "path", Op: "eq"}}}}}, time.Hour,
			"filters[0]"},
		{"an empty type", auth.Claims{Types: []string{""}}, time.Hour, "types"},
		{"claims that are too large for a header", auth.Claims{Types: []string{strings.Repeat("x", 4096)}}, time.Hour,
			"characters"},
	} {
		if _, err := tokens.Mint(auth.Digest{}, c.claims, c.ttl); !errors.Is(err, auth.ErrBadKey) ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.says, err)
		}
	}
}

func TestATokenPrintsRedacted(t *testing.T) {
	s := newStand(t)
	_, secret := s.create(t, over(auth.ReadData))
	token := s.mint(t, secret, auth.Claims{}, time.Hour)
	if text := fmt.Sprintf("%v %+v %#v %s %q %x", token, token, token, token, token, token); strings.Contains(text,
		token.Reveal()[8:]) {
		t.Errorf("printed as %s", text)
	}
}
