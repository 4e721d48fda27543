package meta

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/store"
)

// Imports are listed the newest first, with the sums of their parts, and a website has a bounded number.
func TestImports(t *testing.T) {
	testenv.WithoutRace(t)
	onEach(t, func(t *testing.T, cfg Config) {
		begin := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
		var seconds atomic.Int64
		cfg.Now = func() time.Time { return begin.Add(time.Duration(seconds.Load()) * time.Second) }
		s := mustOpen(t, cfg)
		for _, id := range []string{"a", "b"} {
			if _, err := s.CreateWebsite(t.Context(),
				store.Website{ID: id, Owner: "acme", Domain: id + ".example"}); err != nil {
				t.Fatal(err)
			}
		}
		note := func(i store.Import) {
			t.Helper()
			seconds.Add(1)
			if err := s.NoteImport(t.Context(), i); err != nil {
				t.Fatal(err)
			}
		}
		list := func(website string) []store.Import {
			t.Helper()
			all, err := s.Imports(t.Context(), website)
			if err != nil {
				t.Fatal(err)
			}
			return all
		}
		var many []string
		for n := range store.MaxImportFiles + 3 {
			many = append(many, fmt.Sprint(n, ".csv"))
		}
		note(store.Import{ID: "one", Website: "a", Files: many[:2]})
		note(store.Import{ID: "two", Website: "a"})
		note(store.Import{ID: "other", Website: "b"})
		link := store.Subject{Kind: store.KindLink, ID: "l"}
		note(store.Import{ID: "one", Website: "a", Stored: 3, Others: []store.Subject{link}})
		note(store.Import{ID: "one", Website: "a", Stored: 4, Repeated: 2, Files: many, Others: []store.Subject{link}})
		want := []store.Import{
			{ID: "two", Website: "a", Files: []string{}, Others: []store.Subject{}, Started: begin.Add(2 * time.Second),
				Changed: begin.Add(2 * time.Second)},
			{ID: "one", Website: "a", Files: many[:store.MaxImportFiles], More: 3, Others: []store.Subject{link},
				Stored: 7, Repeated: 2, Started: begin.Add(time.Second), Changed: begin.Add(5 * time.Second)},
		}
		if diff := cmp.Diff(want, list("a")); diff != "" {
			t.Errorf("imports of a (-want +got):\n%s", diff)
		}
		if err := s.NoteImport(t.Context(), store.Import{ID: "x", Website: "nowhere"}); !errors.Is(err,
			store.ErrNotFound) {
			t.Errorf("of an unknown website: %v", err)
		}
		for n, want := range []error{nil, store.ErrNotFound} {
			if err := s.ForgetImport(t.Context(), "a", "two"); !errors.Is(err, want) {
				t.Errorf("call %d of ForgetImport: %v, want %v", n, err, want)
			}
		}
		if err := s.ForgetImport(t.Context(), "a", "other"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("an import of another website: %v", err)
		}
		if err := s.RemoveWebsite(t.Context(), "a"); err != nil || len(list("a")) > 0 || len(list("b")) != 1 {
			t.Errorf("after a website was removed (%v): %d and %d imports, want 0 and 1", err, len(list("a")),
				len(list("b")))
		}
	})
}

// Digests of erased persons belong to a website, and are noted once.
func TestErased(t *testing.T) {
	testenv.WithoutRace(t)
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		for range 2 {
			if err := s.NoteErased(t.Context(), "a", []string{"d1", "d2"}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.NoteErased(t.Context(), "b", nil); err != nil {
			t.Fatal(err)
		}
		for website, want := range map[string]int{"a": 2, "b": 0} {
			if all, err := s.Erased(t.Context(), website); err != nil || len(all) != want {
				t.Errorf("website %s has the digests %q, %v; want %d", website, all, err, want)
			}
		}
	})
}
