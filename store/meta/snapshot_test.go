package meta

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/sightline-analytics/sightline/store"
)

// A saved snapshot has the records and salts of its moment, and none of later changes. PostgreSQL has no snapshots.
func TestSnapshot(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		if cfg.DSN != "" {
			if _, err := s.Snapshot(t.Context()); !errors.Is(err, ErrNoSnapshot) {
				t.Errorf("Snapshot: %v, want ErrNoSnapshot", err)
			}
			return
		}
		if _, err := s.EnsureOwner(t.Context(), Owner{ID: "acme"}); err != nil {
			t.Fatal(err)
		}
		add := func(id string) {
			if _, err := s.CreateWebsite(t.Context(),
				store.Website{ID: id, Owner: "acme", Domain: id + ".example"}); err != nil {
				t.Fatal(err)
			}
		}
		add("before")
		salt, err := s.Salt(t.Context(), noon)
		if err != nil {
			t.Fatal(err)
		}
		n, err := s.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		add("also")
		if err := n.Take(t.Context()); err != nil {
			t.Fatal(err)
		}
		add("after")
		path := filepath.Join(t.TempDir(), "copy.sqlite")
		if err := n.Save(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		if err := n.Save(t.Context(), path); err == nil {
			t.Error("Save replaces a file")
		}
		if err := n.Close(); err != nil {
			t.Fatal(err)
		}
		cfg.Path = path
		copied := mustOpen(t, cfg)
		for _, id := range []string{"before", "also"} {
			if _, err := copied.Website(t.Context(), id); err != nil {
				t.Errorf("the website %s: %v", id, err)
			}
		}
		if _, err := copied.Website(t.Context(), "after"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a later website: %v", err)
		}
		if got, err := copied.Salt(t.Context(), noon); string(got) != string(salt) || err != nil {
			t.Errorf("the copy has another salt, %v", err)
		}
	})
}
