package meta

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/store"
)

func TestLinksAndMonitorsChange(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		_, err1 := s.CreateWebsite(t.Context(), store.Website{ID: "w", Owner: "acme", Domain: "a.example"})
		l, err2 := s.CreateLink(t.Context(), Link{ID: "l", Owner: "acme", Slug: "go", TargetURL: "https://a.example"})
		_, err3 := s.CreateLink(t.Context(), Link{Owner: "acme", Slug: "taken", TargetURL: "https://a.example"})
		m, err4 := s.CreateMonitor(t.Context(), Monitor{ID: "m", Owner: "acme", URL: "https://a.example"})
		if err := errors.Join(err1, err2, err3, err4); err != nil {
			t.Fatal(err)
		}
		link, err := s.ChangeLink(t.Context(), "l",
			func(l *Link) { *l = Link{ID: "x", Owner: "other", TargetURL: "https://b.example"} })
		if diff := cmp.Diff(Link{ID: "l", Owner: "acme", TargetURL: "https://b.example", Name: "https://b.example",
			CreatedAt: l.CreatedAt}, link); diff != "" || err != nil {
			t.Errorf("the changed link: %v (-want +got):\n%s", err, diff)
		}
		monitor, err := s.ChangeMonitor(t.Context(), "m",
			func(m *Monitor) { m.Owner, m.Name, m.WebsiteID = "other", "", "w" })
		if diff := cmp.Diff(Monitor{ID: "m", Owner: "acme", Name: "https://a.example", URL: "https://a.example",
			WebsiteID: "w", CreatedAt: m.CreatedAt}, monitor); diff != "" || err != nil {
			t.Errorf("the changed monitor: %v (-want +got):\n%s", err, diff)
		}
		for says, err := range map[string]error{
			"an invalid target":  second(s.ChangeLink(t.Context(), "l", func(l *Link) { l.TargetURL = "x" })),
			"an invalid address": second(s.ChangeMonitor(t.Context(), "m", func(m *Monitor) { m.URL = "x" })),
		} {
			if !errors.Is(err, store.ErrInvalid) {
				t.Errorf("%s: %v", says, err)
			}
		}
		if _, err := s.ChangeLink(t.Context(), "l", func(l *Link) { l.Slug = "taken" }); !errors.Is(err, ErrExists) {
			t.Errorf("a slug that is taken: %v", err)
		}
		if _, err := s.ChangeMonitor(t.Context(), "m", func(m *Monitor) { m.WebsiteID = "none" }); !errors.Is(err,
			store.ErrNotFound) {
			t.Errorf("an unknown website: %v", err)
		}
		storedLink, err1 := s.Link(t.Context(), "l")
		storedMonitor, err2 := s.Monitor(t.Context(), "m")
		if storedLink != link || storedMonitor != monitor || errors.Join(err1, err2) != nil {
			t.Errorf("stored: %+v, %v; %+v, %v", storedLink, err1, storedMonitor, err2)
		}
	})
}

func second[T any](_ T, err error) error { return err }

func TestRemovedIDsStayReserved(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		for says, c := range map[string]struct {
			create func(owner string) error
			remove func(id string) error
		}{
			"link": {func(owner string) error {
				return second(s.CreateLink(t.Context(), Link{ID: "x", Owner: owner, TargetURL: "https://a.example"}))
			}, func(id string) error { return s.RemoveLink(t.Context(), id) }},
			"monitor": {func(owner string) error {
				return second(s.CreateMonitor(t.Context(), Monitor{ID: "x", Owner: owner, URL: "https://a.example"}))
			}, func(id string) error { return s.RemoveMonitor(t.Context(), id) }},
		} {
			if err := errors.Join(c.create("acme"), c.remove("x")); err != nil {
				t.Fatalf("%s: %v", says, err)
			}
			if err := c.create("other"); !errors.Is(err, ErrRemoved) {
				t.Errorf("%s: create with the id, for another owner: %v", says, err)
			}
			if err := errors.Join(c.create("acme"), c.remove("x")); err != nil {
				t.Errorf("%s: create with the id, for the same owner: %v", says, err)
			}
			if err := c.remove("x"); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("%s: removed twice: %v", says, err)
			}
		}
	})
}

func TestRemoveOwner(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		if o, err := s.ChangeOwner(t.Context(), "acme",
			func(o *Owner) { *o = Owner{ID: "x", Name: " Acme "} }); err != nil || o.ID != "acme" || o.Name != "Acme" {
			t.Errorf("ChangeOwner = %+v, %v", o, err)
		}
		_, err1 := s.CreateWebsite(t.Context(), store.Website{ID: "w", Owner: "acme", Domain: "a.example"})
		_, err2 := s.CreateLink(t.Context(), Link{ID: "l", Owner: "acme", TargetURL: "https://a.example"})
		_, err3 := s.CreateMonitor(t.Context(), Monitor{ID: "m", Owner: "acme", URL: "https://a.example"})
		_, _, err4 := s.CreateKey(t.Context(), auth.Key{ID: "k", Owner: "acme", All: true})
		if err := errors.Join(err1, err2, err3, err4); err != nil {
			t.Fatal(err)
		}
		for _, next := range []func() error{
			func() error { return s.RemoveWebsite(t.Context(), "w") },
			func() error { return s.RemoveLink(t.Context(), "l") },
			func() error { return s.RemoveMonitor(t.Context(), "m") },
			func() error { return s.RevokeKey(t.Context(), "k", nil) },
		} {
			if err := s.RemoveOwner(t.Context(), "acme"); !errors.Is(err, ErrInUse) {
				t.Errorf("RemoveOwner of an owner with records: %v", err)
			}
			if err := next(); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.RemoveOwner(t.Context(), "acme"); err != nil {
			t.Error(err)
		}
		if err := s.RemoveOwner(t.Context(), "acme"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("removed twice: %v", err)
		}
		if _, err := s.Key(t.Context(), "k"); !errors.Is(err, auth.ErrNotFound) {
			t.Errorf("the revoked key of a removed owner: %v", err)
		}
	})
}

// TestRemoveOwnerDuringCreate creates a link while its owner is removed. Exactly one of them must succeed.
func TestRemoveOwnerDuringCreate(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		for i := range 20 {
			id := fmt.Sprint("o", i)
			if _, err := s.CreateOwner(t.Context(), Owner{ID: id}); err != nil {
				t.Fatal(err)
			}
			var created, removed error
			var both sync.WaitGroup
			both.Go(func() { _, created = s.CreateLink(t.Context(), Link{Owner: id, TargetURL: "https://a.example"}) })
			both.Go(func() { removed = s.RemoveOwner(t.Context(), id) })
			both.Wait()
			if created == nil && !errors.Is(removed, ErrInUse) || created != nil &&
				(!errors.Is(created, ErrNoOwner) || removed != nil) {
				t.Errorf("CreateLink: %v, RemoveOwner: %v", created, removed)
			}
		}
	})
}
