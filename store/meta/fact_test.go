package meta

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/store"
)

func pepperOf(t *testing.T, lines ...string) auth.Pepper {
	t.Helper()
	if len(lines) == 0 {
		return auth.Pepper{}
	}
	var older [][]byte
	for _, line := range lines[1:] {
		older = append(older, []byte("pepper of the test "+line))
	}
	p, err := auth.NewPepper([]byte("pepper of the test "+lines[0]), older...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Records follow a pepper through its replacement, and accept no other one.
func TestRecordsKnowTheirPepper(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		for i, step := range []struct {
			lines   string
			refused bool
		}{
			{"", false},      // a host that makes no secrets
			{"a", false},     // the first one is theirs
			{"a", false},     //
			{"b", true},      // another one
			{"b c", true},    //
			{"", false},      // still nothing to check
			{"b a", false},   // a new line above it
			{"a", false},     // a server that does not have the new line yet
			{"a b", false},   // lines in another order
			{"b", false},     // the old line is removed
			{"a", true},      // and is not theirs any more
			{"c b a", false}, // the next replacement, with a line that is none of theirs
			{"b", false},     //
			{"d", true},
			{"c", false},
		} {
			cfg.Pepper = pepperOf(t, strings.Fields(step.lines)...)
			s, err := Open(t.Context(), cfg)
			if step.refused != errors.Is(err, ErrOtherPepper) || err != nil && !step.refused {
				t.Fatalf("step %d, opened with %q: %v", i, step.lines, err)
			}
			if s == nil {
				if cfg.DSN == "" {
					if _, err := Check(t.Context(), cfg); !errors.Is(err, ErrOtherPepper) {
						t.Errorf("step %d: Check: %v", i, err)
					}
				}
				continue
			}
			if err := s.CheckPepper(t.Context(), pepperOf(t, "z")); (i > 0) != errors.Is(err, ErrOtherPepper) {
				t.Errorf("step %d: CheckPepper of another one: %v", i, err)
			}
			if needs, err := s.NeedsPepper(t.Context()); needs != (i > 0) || err != nil {
				t.Errorf("step %d: NeedsPepper: %v, %v", i, needs, err)
			}
			if _, err := Check(t.Context(), cfg); err != nil {
				t.Errorf("step %d: Check: %v", i, err)
			}
			if err := s.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// Of two processes that start at once with different peppers, one wins.
func TestOneOfTwoPeppersWins(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		cfg.Pepper = auth.Pepper{}
		first, err := Open(t.Context(), cfg) // creates the tables
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = first.Close(context.Background()) }()
		names := []string{"a", "b", "c", "d", "e", "f"}
		errs := make([]error, len(names))
		var all sync.WaitGroup
		for i, name := range names {
			mine := cfg
			mine.Pepper = pepperOf(t, name)
			all.Go(func() {
				s, err := Open(t.Context(), mine)
				if err == nil {
					err = s.Close(context.Background())
				}
				errs[i] = err
			})
		}
		all.Wait()
		won := 0
		for i, err := range errs {
			if err == nil {
				won++
			} else if !errors.Is(err, ErrOtherPepper) {
				t.Errorf("%s: %v", names[i], err)
			}
		}
		if won != 1 {
			t.Errorf("%d of %d peppers were accepted: %v", won, len(names), errs)
		}
	})
}

// The pepper, and keys derived from it, do not stand in the records. Without a fingerprint, keys and an audit trail
// show that a pepper belongs to them.
func TestForgetPepper(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		cfg.Pepper = pepperOf(t, "a")
		s := mustOpen(t, cfg)
		mark, err := s.Fact(t.Context(), factPepper)
		if err != nil || len(mark) != 64 || strings.Contains(mark, "pepper") {
			t.Errorf("the fingerprint is %q, %v", mark, err)
		}
		key, secret, err := s.CreateKey(t.Context(), auth.Key{Owner: owner(t, s), All: true,
			Scopes: []auth.Scope{auth.ReadData}})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.SetFact(t.Context(), factPepper, ""); err != nil {
			t.Fatal(err)
		}
		if _, err := change(t.Context(), s.write, s.sql.Delete("facts")); err != nil {
			t.Fatal(err)
		}
		if needs, err := s.NeedsPepper(t.Context()); !needs || err != nil {
			t.Errorf("records with a key: %v, %v", needs, err)
		}
		if err := s.ForgetPepper(t.Context()); err != nil {
			t.Fatal(err)
		}
		cfg.Pepper = pepperOf(t, "b")
		other := mustOpen(t, cfg)
		if _, fresh, err := other.RotateKey(t.Context(), key.ID, 0, nil); err != nil ||
			fresh.Reveal() == secret.Reveal() {
			t.Errorf("a key under the new pepper: %v", err)
		}
	})
}

func owner(t *testing.T, s *Store) string {
	t.Helper()
	o, err := s.CreateOwner(t.Context(), Owner{ID: "facts"})
	if err != nil {
		t.Fatal(err)
	}
	return o.ID
}

func TestFactsAndKnownSubjects(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		ctx := t.Context()
		if got, err := s.Fact(ctx, "x"); got != "" || err != nil {
			t.Errorf("no fact: %q, %v", got, err)
		}
		for _, want := range []string{"one", "", "two"} {
			if err := s.SetFact(ctx, "x", want); err != nil {
				t.Fatal(err)
			}
			if got, err := s.Fact(ctx, "x"); got != want || err != nil {
				t.Errorf("the fact is %q, %v; want %q", got, err, want)
			}
		}
		if _, err := s.CreateWebsite(ctx, store.Website{ID: "here", Owner: owner(t, s),
			Domain: "x.example"}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.CreateLink(ctx, Link{ID: "gone", Owner: "facts", TargetURL: "https://x.example"}); err != nil {
			t.Fatal(err)
		}
		if err := s.RemoveLink(ctx, "gone"); err != nil {
			t.Fatal(err)
		}
		website, link := store.Subject{Kind: store.KindWebsite, ID: "here"}, store.Subject{Kind: store.KindLink,
			ID: "gone"}
		unknown := store.Subject{Kind: store.KindWebsite, ID: "gone"}
		for _, row := range []struct {
			of   []store.Subject
			want bool
		}{{nil, false}, {[]store.Subject{unknown}, false}, {[]store.Subject{unknown, link}, true},
			{[]store.Subject{unknown, website}, true}} {
			if got, err := s.KnowsAny(ctx, row.of); got != row.want || err != nil {
				t.Errorf("KnowsAny(%v): %v, %v", row.of, got, err)
			}
		}
	})
}

// A website of an earlier version, with an id that is refused today, can still be changed.
func TestOldIDsStay(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		if _, err := s.CreateWebsite(t.Context(), store.Website{ID: "old", Owner: owner(t, s),
			Domain: "x.example"}); err != nil {
			t.Fatal(err)
		}
		if _, err := change(t.Context(), s.write, s.sql.Update("websites").Set("id",
			"a/b").Where("id = 'old'")); err != nil {
			t.Fatal(err)
		}
		changed, err := s.ChangeWebsite(t.Context(), "a/b", func(w *store.Website) { w.Name = "new" })
		if err != nil || changed.ID != "a/b" || changed.Name != "new" {
			t.Errorf("changed to %+v, %v", changed, err)
		}
	})
}
