package store_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

func TestDomains(t *testing.T) {
	for given, want := range map[string]string{
		"example.com":                         "example.com",
		" Example.COM ":                       "example.com",
		"https://www.Example.com:8443/a?b#c":  "www.example.com",
		"http://user:pass@example.com":        "example.com",
		"//example.com/":                      "example.com",
		"example.com/path://x":                "example.com",
		"example.com.":                        "example.com",
		"localhost:3000":                      "localhost",
		"[2001:DB8::1]:80":                    "2001:db8::1",
		"https://[::1]/":                      "::1",
		"2001:db8::1":                         "2001:db8::1",
		"MÜLLER.example":                      "müller.example",
		"under_score.example":                 "under_score.example",
		"":                                    "",
		"  ":                                  "",
		"https://":                            "",
		"https:///path":                       "",
		":80":                                 "",
		"two words.example":                   "",
		"a,b.example":                         "",
		"nul\x00.example":                     "",
		"bad\xff.example":                     "",
		strings.Repeat("a", 254):              "",
		"<script>alert(1)</script>.example":   "",
		"example.com\\@evil.example":          "example.com",
		"https://example.com@evil.example/x@": "evil.example",
	} {
		w := store.Website{Domain: given, Name: "Shop"}
		err := store.CleanWebsite(&w)
		if faults, _ := errors.AsType[store.FieldErrors](err); want == "" &&
			(len(faults) != 1 || faults[0].Field != "domain" || !errors.Is(err, store.ErrInvalid)) {
			t.Errorf("the domain of %q is %q, %v; want a mistake of the domain", given, w.Domain, err)
		}
		if want != "" && (w.Domain != want || err != nil) {
			t.Errorf("the domain of %q is %q, %v; want %q", given, w.Domain, err, want)
		}
	}
}

func TestMemoryDirectoryManagesWebsites(t *testing.T) {
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	m, ctx := &store.MemoryDirectory{Now: func() time.Time { return now }}, t.Context()
	made, err := m.CreateWebsite(ctx, store.Website{Owner: "acme", Domain: "https://Shop.example/"})
	if err != nil || !strings.HasPrefix(made.ID, "web_") || made.Name != "shop.example" ||
		made.Domain != "shop.example" || !made.CreatedAt.Equal(now) {
		t.Fatalf("created %+v, %v", made, err)
	}
	changed, err := m.ChangeWebsite(ctx, made.ID, func(w *store.Website) {
		w.ID, w.Owner, w.Rules.Paused = "other", "other", true
	})
	if err != nil || changed.ID != made.ID || changed.Owner != "acme" || !changed.Rules.Paused {
		t.Errorf("changed %+v, %v", changed, err)
	}
	_, err = m.ChangeWebsite(ctx, made.ID, func(w *store.Website) { w.Domain, w.Rules.Paused = "", false })
	if kept, _ := m.Website(ctx, made.ID); !errors.Is(err, store.ErrInvalid) || !kept.Rules.Paused {
		t.Errorf("a change to no domain: %v, and the website is %+v", err, kept)
	}
	for range 2 {
		if err = m.RemoveWebsite(ctx, made.ID); err == nil {
			_, err = m.Owner(ctx, store.Subject{Kind: store.KindWebsite, ID: made.ID})
		}
		if !errors.Is(err, store.ErrNotFound) {
			t.Errorf("after the website was removed: %v", err)
		}
	}
	if _, err := m.CreateWebsite(ctx, store.Website{ID: made.ID, Owner: "other", Domain: "x.example"}); !errors.Is(err,
		store.ErrInvalid) {
		t.Errorf("another owner gets the id of a removed website: %v", err)
	}
	if _, err := m.CreateWebsite(ctx, store.Website{ID: made.ID, Owner: "acme", Domain: "x.example"}); err != nil {
		t.Errorf("the owner does not get the id back: %v", err)
	}
}
