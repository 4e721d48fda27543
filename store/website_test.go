package store_test

import (
	"errors"
	"fmt"
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

// Ids and names never look like something else in an address, a list or a terminal. An id of an earlier version stays.
func TestIDsAndNames(t *testing.T) {
	long := strings.Repeat("a", 255)
	for id, want := range map[string]string{
		"": "", "w": "", "web_1-2.3:4": "", "a..b": "", ".a": "", "shop.example": "", "auth0|1": "", "a@b.example": "",
		"日本": "", "münchen": "", "a\u0301": "", long: "",
		".": "dots", "..": "dots", "...": "dots",
		"a/b": "any of /", "/": "any of /", `a\b`: "any of /", "a?b": "any of /", "a#b": "any of /",
		"a%2fb": "any of /",
		"a,b":   "any of /",
		"a b":   "spaces", " a": "spaces", "a\u00a0b": "spaces", "a\u3000": "spaces", "a\u200bb": "invisible",
		"\ufeffa":  "invisible",
		"a\u00adb": "invisible", "a\u200db": "invisible", "a\ue000": "invisible",
		"\u202eabc": "direction", "a\u2066": "direction", "a\u2028b": "line",
		"a\nb": "control", "a\x00": "control", "a\x7f": "control", "a\x1b[31m": "control", "\xff": "UTF-8", long +
			"a": "255",
	} {
		err := store.CleanWebsite(&store.Website{ID: id, Domain: "x.example"})
		faults, _ := errors.AsType[store.FieldErrors](err)
		if want == "" && err != nil || want != "" && (len(faults) != 1 || faults[0].Field != "id" ||
			!strings.Contains(faults[0].Message, want)) {
			t.Errorf("the id %q: %v; want %q", id, err, want)
		}
	}
	for name, ok := range map[string]bool{"Shop & Café": true, "a/b ?": true, "👩\u200d🚀": true, "می\u200cخواهم": true,
		"\u202egpj.exe": false, "a\u2067b": false, "a\u2028b": false, "\x1b[2J": false} {
		err := store.CleanWebsite(&store.Website{ID: "w", Domain: "x.example", Name: name})
		if (err == nil) != ok {
			t.Errorf("the name %q: %v", name, err)
		}
	}
	m := &store.MemoryDirectory{}
	for _, id := range []string{"a/b", "..", "\u202ex"} {
		_, created := m.CreateWebsite(t.Context(), store.Website{ID: id, Owner: "o", Domain: "x.example"})
		for _, err := range []error{created, m.AddWebsite(store.Website{ID: id, Owner: "o"}),
			m.AddSubject(store.Subject{Kind: store.KindLink, ID: id}, "o")} {
			if !errors.Is(err, store.ErrInvalid) {
				t.Errorf("%q in a directory: %v", id, err)
			}
		}
	}
}

// TestOwnersHaveRoomForDefinitionsInMemory counts the definitions of all websites of an owner.
func TestOwnersHaveRoomForDefinitionsInMemory(t *testing.T) {
	dir := &store.MemoryDirectory{}
	const sites = store.MaxOwnerDefinitions / store.MaxAnnotations
	put := func(website int, name string) error {
		_, err := dir.PutDefinition(t.Context(), fmt.Sprint("w", website),
			store.Definition{Kind: store.AnnotationDefinition, Name: name, Body: []byte("{}")})
		return err
	}
	for site := range sites + 2 {
		owner := "acme"
		if site > sites {
			owner = "other"
		}
		if err := dir.AddWebsite(store.Website{ID: fmt.Sprint("w", site), Owner: owner}); err != nil {
			t.Fatal(err)
		}
		for i := range store.MaxAnnotations {
			if err := put(site, fmt.Sprint(i)); (err != nil) != (site == sites) {
				t.Fatalf("annotation %d of website %d: %v", i, site, err)
			}
		}
	}
	if err := put(0, "0"); err != nil {
		t.Errorf("in its own place: %v", err)
	}
}
