package meta

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/store"
)

// TestDefinitions compares the definitions of a database with a directory in memory, after the same changes.
func TestDefinitions(t *testing.T) {
	testenv.WithoutRace(t)
	onEach(t, func(t *testing.T, cfg Config) {
		var seconds atomic.Int64
		cfg.Now = func() time.Time {
			return time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC).Add(time.Duration(seconds.Add(1)) * time.Second)
		}
		s, memory := mustOpen(t, cfg), &store.MemoryDirectory{Now: cfg.Now}
		for _, id := range []string{"a", "b"} {
			if _, err := s.CreateWebsite(t.Context(),
				store.Website{ID: id, Owner: "acme", Domain: id + ".example"}); err != nil {
				t.Fatal(err)
			}
			if err := memory.AddWebsite(store.Website{ID: id, Owner: "acme"}); err != nil {
				t.Fatal(err)
			}
		}
		put := func(website, kind, name, body string) error {
			d := store.Definition{Kind: store.DefinitionKind(kind), Name: name, Body: json.RawMessage(body)}
			_, err1 := s.PutDefinition(t.Context(), website, d)
			_, err2 := memory.PutDefinition(t.Context(), website, d)
			if errors.Is(err1, store.ErrNotFound) != errors.Is(err2, store.ErrNotFound) ||
				(err1 == nil) != (err2 == nil) {
				t.Errorf("put %s %s: %v and %v", kind, name, err1, err2)
			}
			return err1
		}
		for i, one := range [][4]string{
			{"a", "segment", "Phones", `{"filters":[]}`}, {"a", "goal", "Order", `{"event":"order"}`},
			{"a", "goal", "Anmeldung ✓", `{"event":"signup"}`},
			{"a", "goal", "order", `{"event":"o"}`}, {"a", "goal", "Order", `{"event":"paid"}`},
			{"b", "goal", "Order", `{"page":"/"}`}, {"a", "funnel", "Order", `{}`},
		} {
			if err := put(one[0], one[1], one[2], one[3]); err != nil {
				t.Fatalf("%d: %v", i, err)
			}
		}
		if err := put("nowhere", "goal", "x", `{}`); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("of an unknown website: %v", err)
		}
		for _, kind := range []store.DefinitionKind{"funnel", "funnel"} {
			err1, err2 := s.RemoveDefinition(t.Context(), "a", kind, "Order"),
				memory.RemoveDefinition(t.Context(), "a", kind, "Order")
			if errors.Is(err1, store.ErrNotFound) != errors.Is(err2, store.ErrNotFound) {
				t.Errorf("remove: %v and %v", err1, err2)
			}
		}
		if diff := cmp.Diff(timeless(t, memory, "a"), timeless(t, s, "a")); diff != "" ||
			len(timeless(t, s, "a")) != 4 {
			t.Errorf("definitions (-memory +database): %s", diff)
		}
		for i := 0; i < store.MaxDefinitions; i++ {
			if err := put("b", "goal", fmt.Sprint(i), `{}`); (err == nil) != (i < store.MaxDefinitions-1) ||
				err != nil && !errors.Is(err, store.ErrBound) {
				t.Fatalf("definition %d: %v", i+2, err)
			}
		}
		for i := 0; i <= store.MaxAnnotations; i++ {
			if err := put("b", "annotation", fmt.Sprint(i), `{}`); (err == nil) != (i < store.MaxAnnotations) ||
				err != nil && !errors.Is(err, store.ErrBound) {
				t.Fatalf("annotation %d beside %d definitions: %v", i+1, store.MaxDefinitions, err)
			}
		}
		if err := s.RemoveWebsite(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		if left, err := s.Definitions(t.Context(), "a"); err != nil || len(left) > 0 {
			t.Errorf("of a removed website: %+v, %v", left, err)
		}
	})
}

// timeless returns the definitions of a website without their times, and fails t if a definition was changed before it
// was created.
func timeless(t *testing.T, s store.DefinitionStore, website string) []store.Definition {
	t.Helper()
	all, err := s.Definitions(t.Context(), website)
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		if d := &all[i]; d.Updated.Before(d.Created) || d.Created.IsZero() {
			t.Errorf("%s: created %s, changed %s", d.Name, d.Created, d.Updated)
		}
		all[i].Created, all[i].Updated = time.Time{}, time.Time{}
	}
	return all
}
