package meta

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/store"
)

func TestOwners(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s, err := Open(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		ctx := t.Context()
		if none, err := s.Owners(ctx); err != nil || none == nil || len(none) != 0 {
			t.Errorf("owners of a new store: %v, %v", none, err)
		}
		for _, o := range []Owner{
			{ID: "late", CreatedAt: noon.Add(time.Hour)}, {ID: "b", Name: ` B "ü" 🙂 `}, {ID: "B"},
		} {
			if _, err := s.CreateOwner(ctx, o); err != nil {
				t.Fatal(err)
			}
		}
		got, err := s.Owners(ctx)
		want := []Owner{
			{ID: "B", Name: "B", CreatedAt: noonKept},
			{ID: "b", Name: `B "ü" 🙂`, CreatedAt: noonKept},
			{ID: "late", Name: "late", CreatedAt: noonKept.Add(time.Hour)},
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("Owners, by creation, then id (-want +got):\n%s%v", diff, err)
		}
		if got, err := s.OwnerByID(ctx, "b"); err != nil || got != want[1] {
			t.Errorf("OwnerByID = %+v, %v", got, err)
		}
		if made, err := s.CreateOwner(ctx, Owner{Name: "Acme"}); err != nil || !strings.HasPrefix(made.ID, "org_") || made.Name != "Acme" {
			t.Errorf("CreateOwner without id = %+v, %v", made, err)
		}
		if _, err := s.CreateOwner(ctx, Owner{ID: "b"}); !errors.Is(err, ErrExists) {
			t.Errorf("CreateOwner of a known id: %v", err)
		}
		if got, err := s.EnsureOwner(ctx, Owner{ID: "b", Name: "another"}); err != nil || got != want[1] {
			t.Errorf("EnsureOwner of a known id = %+v, %v", got, err)
		}
		for _, id := range []string{"", "none", "LATE", "nul\x00"} {
			if got, err := s.OwnerByID(ctx, id); !errors.Is(err, store.ErrNotFound) || got != (Owner{}) {
				t.Errorf("OwnerByID(%q) = %+v, %v", id, got, err)
			}
		}
		for says, o := range map[string]Owner{
			"blanks": {ID: "a b"}, "a line break": {ID: "a", Name: "a\nb"}, "no end": {ID: strings.Repeat("x", 256)},
		} {
			if _, err := s.CreateOwner(ctx, o); !errors.Is(err, store.ErrInvalid) {
				t.Errorf("CreateOwner with %s: %v", says, err)
			}
		}
		if _, err := s.EnsureOwner(ctx, Owner{Name: "x"}); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("EnsureOwner without id: %v", err)
		}
	})
}

func TestNothingIsMadeForStrangers(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		ctx := t.Context()
		_, err1 := s.CreateWebsite(ctx, store.Website{Owner: "nobody", Domain: "a.example"})
		_, err2 := s.CreateLink(ctx, Link{Owner: "nobody", TargetURL: "https://a.example"})
		_, err3 := s.CreateMonitor(ctx, Monitor{Owner: "nobody", URL: "https://a.example"})
		_, secret, err4 := s.CreateKey(ctx, auth.Key{Owner: "nobody", All: true})
		for what, err := range map[string]error{"website": err1, "link": err2, "monitor": err3, "key": err4} {
			if !errors.Is(err, ErrNoOwner) || !errors.Is(err, store.ErrNotFound) {
				t.Errorf("a %s of nobody: %v", what, err)
			}
		}
		if secret.Reveal() != "" {
			t.Error("there is a secret without a key")
		}
		sites, err1 := s.Websites(ctx, "nobody")
		links, err2 := s.Links(ctx, "nobody")
		monitors, err3 := s.Monitors(ctx, "nobody")
		keys, err4 := s.Keys(ctx, "nobody")
		if n := len(sites) + len(links) + len(monitors) + len(keys); n > 0 || errors.Join(err1, err2, err3, err4) != nil {
			t.Errorf("nobody has %d records, %v", n, errors.Join(err1, err2, err3, err4))
		}
	})
}

func TestOwnersOfOlderRecords(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		oldFile(t, cfg, "0001_directory.sql",
			`INSERT INTO websites VALUES ('w1', 'of-site', 'A', 'a.example', TRUE, 7), ('w2', 'of-site', 'A', 'a.example', TRUE, 5)`,
			`INSERT INTO links VALUES ('l', 'of-link', NULL, 'https://a.example', 'L', 3), ('l2', 'of-site', NULL, 'https://a.example', 'L', 9)`,
			`INSERT INTO monitors VALUES ('m', 'of-monitor', 'M', 'https://a.example', NULL, 4)`)
		s, err := Open(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		got, err := s.Owners(t.Context())
		want := []Owner{
			{"of-link", "of-link", instant(3)}, {"of-monitor", "of-monitor", instant(4)}, {"of-site", "of-site", instant(5)},
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("owners of what was there before (-want +got):\n%s%v", diff, err)
		}
		if _, err := s.CreateWebsite(t.Context(), store.Website{Owner: "of-link", Domain: "a.example"}); err != nil {
			t.Errorf("a website more: %v", err)
		}
	})
}

func TestOwnerIsEnsuredTogether(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		stores := [2]*Store{mustOpen(t, cfg), mustOpen(t, cfg)}
		const together = 8
		var wg sync.WaitGroup
		var errs [together]error
		for i := range together {
			wg.Go(func() { _, errs[i] = stores[i%2].EnsureOwner(t.Context(), Owner{ID: "fresh"}) })
		}
		wg.Wait()
		if err := errors.Join(errs[:]...); err != nil {
			t.Error(err)
		}
	})
}
