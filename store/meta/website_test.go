package meta

import (
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/sightline-analytics/sightline/store"
)

func TestWebsitesChange(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		created, err := s.CreateWebsite(t.Context(), store.Website{ID: "w", Owner: "acme", Domain: "a.example"})
		if err != nil {
			t.Fatal(err)
		}
		want := store.Website{ID: "w", Owner: "acme", Name: "b.example", Domain: "b.example", IsPublic: true,
			CreatedAt: created.CreatedAt, Rules: store.Rules{
				AllowedOrigins:   []string{"*", "localhost", "*.x.example", "www.y.example"},
				AllowedAddresses: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")},
				Paused:           true,
			}}
		got, err := s.ChangeWebsite(t.Context(), "w", func(w *store.Website) {
			*w = store.Website{ID: "other", Owner: "other", Domain: "https://B.example/", IsPublic: true,
				Rules: store.Rules{
					AllowedOrigins: []string{" * ", "http://localhost:*", "*.X.example",
						"https://www.y.example:8443"},
					AllowedAddresses: []netip.Prefix{netip.MustParsePrefix("10.1.2.3/8")},
					Paused:           true,
				}}
		})
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("changed to %+v, %v\nwant: %+v", got, err, want)
		}
		if got, err := s.Website(t.Context(), "w"); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("stored: %+v, %v\nwant: %+v", got, err, want)
		}
		_, err = s.ChangeWebsite(t.Context(), "w", func(w *store.Website) {
			w.Domain = "no host"
			w.Rules = store.Rules{
				AllowedOrigins:   []string{"a b", "*x", ""},
				AllowedAddresses: []netip.Prefix{{}},
				BlockedAddresses: append(make([]netip.Prefix, 200), netip.MustParsePrefix("::ffff:10.0.0.0/104")),
			}
		})
		for _, fault := range []string{`domain must be a host, not "no host"`, `"a b"`, `"*x"`, `""`,
			"allowed address: ", "blocked address: ::ffff:10.0.0.0/104",
			"blocked addresses may have at most 200 entries, not 201"} {
			if !errors.Is(err, store.ErrInvalid) || !strings.Contains(err.Error(), fault) {
				t.Fatalf("the error does not contain %s: %v", fault, err)
			}
		}
		if got, err := s.Website(t.Context(), "w"); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("after a rejected change: %+v, %v", got, err)
		}
	})
}

func TestRemovedWebsiteIDStaysReserved(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		site := store.Website{ID: "w", Owner: "acme", Domain: "a.example"}
		_, err1 := s.CreateWebsite(t.Context(), site)
		_, err2 := s.CreateMonitor(t.Context(),
			Monitor{ID: "m", Owner: "acme", URL: "https://a.example", WebsiteID: "w"})
		if err := errors.Join(err1, err2, s.RemoveWebsite(t.Context(), "w")); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Website(t.Context(), "w"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the removed website: %v", err)
		}
		if all, err := s.Monitors(t.Context(), "acme"); err != nil || len(all) != 1 || all[0].WebsiteID != "" {
			t.Errorf("the monitors of the removed website: %+v, %v", all, err)
		}
		theirs := site
		theirs.Owner = "other"
		if _, err := s.CreateWebsite(t.Context(), theirs); !errors.Is(err, ErrRemoved) || !errors.Is(err, ErrExists) {
			t.Errorf("the id for another owner: %v", err)
		}
		if _, err := s.Website(t.Context(), "w"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the rejected website: %v", err)
		}
		for range 2 { // the second time, the id is already reserved
			if _, err := s.CreateWebsite(t.Context(), site); err != nil {
				t.Errorf("the id for the same owner: %v", err)
			}
			if err := s.RemoveWebsite(t.Context(), "w"); err != nil {
				t.Error(err)
			}
		}
		for _, id := range []string{"w", "none", "nul\x00"} {
			_, err := s.ChangeWebsite(t.Context(), id, func(*store.Website) { t.Errorf("amend is called for %q", id) })
			if !errors.Is(err, store.ErrNotFound) || !errors.Is(s.RemoveWebsite(t.Context(), id), store.ErrNotFound) {
				t.Errorf("unknown website %q: %v", id, err)
			}
		}
	})
}

// TestWebsitesAndOwnersShareNoID creates a website and an owner with one id, in both orders and at the same time.
func TestWebsitesAndOwnersShareNoID(t *testing.T) {
	onEachEngine(t, func(t *testing.T, config func(testing.TB) Config) {
		cfg := config(t)
		one, other := mustOpen(t, cfg), mustOpen(t, cfg)
		_, err1 := one.CreateOwner(t.Context(), Owner{ID: "globex"})
		_, err2 := one.CreateWebsite(t.Context(), store.Website{ID: "shop", Owner: "acme", Domain: "shop.example"})
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		for _, owner := range []string{"globex", "acme"} {
			if _, err := one.CreateWebsite(t.Context(),
				store.Website{ID: "acme", Owner: owner, Domain: "a.example"}); !errors.Is(err, ErrClientID) ||
				!errors.Is(err, ErrExists) {
				t.Errorf("a website of %s with the id of an owner: %v", owner, err)
			}
		}
		_, err1 = one.CreateOwner(t.Context(), Owner{ID: "shop"})
		_, err2 = one.EnsureOwner(t.Context(), Owner{ID: "shop"})
		if !errors.Is(err1, ErrClientID) || !errors.Is(err2, ErrClientID) {
			t.Errorf("an owner with the id of a website: %v, %v", err1, err2)
		}
		for n := range 20 {
			id := fmt.Sprint("both-", n)
			var errs [2]error
			var wg sync.WaitGroup
			wg.Go(func() {
				_, errs[0] = one.CreateWebsite(t.Context(), store.Website{ID: id, Owner: "acme", Domain: "a.example"})
			})
			wg.Go(func() { _, errs[1] = other.CreateOwner(t.Context(), Owner{ID: id}) })
			wg.Wait()
			if (errs[0] == nil) == (errs[1] == nil) || !errors.Is(errors.Join(errs[:]...), ErrClientID) {
				t.Errorf("at the same time: %v", errs)
			}
		}
	})
}
