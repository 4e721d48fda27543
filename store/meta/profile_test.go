package meta

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
)

func TestProfiles(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		identify := func(keyed bool, traits map[string]any) error {
			return s.Identify(t.Context(),
				store.Identification{Website: "w", Profile: "u1", Traits: traits, Keyed: keyed})
		}
		many := map[string]any{}
		for i := range store.MaxTraits {
			many[fmt.Sprint("trait", i)] = true
		}
		for _, row := range []struct {
			says   string
			keyed  bool
			traits map[string]any
			err    error
			name   string
			want   map[string]any
		}{
			{"only the id", false, nil, nil, "", map[string]any{}},
			{"traits of every kind", false,
				map[string]any{"name": "Ada L.", "seats": json.Number("1.50"), "paid": true}, nil, "Ada L.",
				map[string]any{"name": "Ada L.", "seats": json.Number("1.50"), "paid": true}},
			{"a trait added, a trait removed; username takes precedence over name", false,
				map[string]any{"username": "ada", "paid": nil, "email": "Ada@X.example"}, nil, "ada",
				map[string]any{"name": "Ada L.", "seats": json.Number("1.50"), "username": "ada",
					"email": "ada@x.example"}},
			{"too many traits", false, many, store.ErrManyTraits, "ada",
				map[string]any{"name": "Ada L.", "seats": json.Number("1.50"), "username": "ada",
					"email": "ada@x.example"}},
			{"too long a text", false, map[string]any{"about": strings.Repeat("x", store.MaxTraitsText)},
				store.ErrManyTraits, "ada",
				map[string]any{"name": "Ada L.", "seats": json.Number("1.50"), "username": "ada",
					"email": "ada@x.example"}},
			{"from a sender with a key", true, map[string]any{"username": nil, "seats": nil, "email": nil}, nil,
				"Ada L.", map[string]any{"name": "Ada L."}},
			{"from a sender without a key after that", false, map[string]any{"name": "Eve"}, nil, "Ada L.",
				map[string]any{"name": "Ada L."}},
		} {
			if err := identify(row.keyed, row.traits); !errors.Is(err, row.err) {
				t.Errorf("%s: %v", row.says, err)
			}
			got, err := s.Profile(t.Context(), "w", "u1")
			if diff := cmp.Diff(row.want, got.Traits); diff != "" || err != nil || got.Name != row.name ||
				!got.ChangedAt.Equal(noon.Truncate(time.Millisecond)) {
				t.Errorf("%s: %+v, %v (-want +got):\n%s", row.says, got, err, diff)
			}
		}
		if _, err := s.Profile(t.Context(), "other", "u1"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a profile of another website: %v", err)
		}
		ids := []string{"u1", "nobody"}
		for i := range namesAtOnce {
			ids = append(ids, fmt.Sprint("u", i+2))
		}
		last := ids[len(ids)-1]
		for _, i := range []store.Identification{
			{Website: "w", Profile: last, Traits: map[string]any{"name": "Zoe"}}, {Website: "w", Profile: "u2"},
			{Website: "other", Profile: "u3", Traits: map[string]any{"name": "Eve"}},
		} {
			if err := s.Identify(t.Context(), i); err != nil {
				t.Fatal(err)
			}
		}
		names, err := s.ProfileNames(t.Context(), "w", ids)
		if diff := cmp.Diff(map[string]string{"u1": "Ada L.", last: "Zoe"}, names); diff != "" || err != nil {
			t.Errorf("names: %v (-want +got):\n%s", err, diff)
		}
		for _, want := range []error{nil, store.ErrNotFound} {
			if err := s.RemoveProfile(t.Context(), "w", "u1"); !errors.Is(err, want) {
				t.Errorf("RemoveProfile: %v, want %v", err, want)
			}
		}
	})
}

func TestProfilesOfAWebsite(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		if _, err := s.CreateWebsite(t.Context(),
			store.Website{ID: "w", Owner: "acme", Domain: "a.example"}); err != nil {
			t.Fatal(err)
		}
		identify := func(id string) error {
			return s.identify(t.Context(), store.Identification{Website: "w", Profile: id}, limitsOf(2, 2))
		}
		if err := errors.Join(identify("a"), identify("b"), identify("a")); err != nil {
			t.Fatal(err)
		}
		if err := identify("c"); !errors.Is(err, store.ErrManyProfiles) {
			t.Errorf("a profile beyond the limit: %v", err)
		}
		if err := s.RemoveWebsite(t.Context(), "w"); err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"a", "b", "c"} {
			if _, err := s.Profile(t.Context(), "w", id); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("profile %s, whose website was removed or which was rejected: %v", id, err)
			}
		}
	})
}

// TestShareOfSendersWithoutKey checks that senders without a key cannot use up the profiles of a website.
func TestShareOfSendersWithoutKey(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		for _, row := range []struct {
			id    string
			keyed bool
			err   error
		}{
			{"a", false, nil}, {"b", false, nil}, {"c", false, store.ErrManyProfiles}, {"a", false, nil},
			{"c", true, nil}, {"d", false, store.ErrManyProfiles},
			{"a", true, nil}, {"d", false, nil}, // a has a key now, so there is a place for d
			{"e", true, store.ErrManyProfiles}, {"e", false, store.ErrManyProfiles}, {"b", true, nil},
		} {
			err := s.identify(t.Context(), store.Identification{Website: "w", Profile: row.id, Keyed: row.keyed},
				limitsOf(4, 2))
			if !errors.Is(err, row.err) {
				t.Errorf("%+v: %v", row, err)
			}
		}
	})
}

// TestProfileCounts compares the counts with the profiles after random concurrent changes.
func TestProfileCounts(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		website := store.Website{ID: "w", Owner: "acme", Domain: "a.example"}
		if _, err := s.CreateWebsite(t.Context(), website); err != nil {
			t.Fatal(err)
		}
		count := func() (counted, rows []string) {
			counted, err := texts(t.Context(), s.read,
				"SELECT website || ' ' || anonymous || ' ' || keyed FROM profile_counts WHERE anonymous + keyed <> 0 ORDER BY website")
			if err == nil {
				rows, err = texts(t.Context(), s.read,
					`SELECT website || ' ' || COUNT(CASE WHEN keyed THEN NULL ELSE 1 END) || ' ' || COUNT(CASE WHEN keyed THEN 1 END)
					FROM profiles GROUP BY website ORDER BY website`)
			}
			if err != nil {
				t.Fatal(err)
			}
			return counted, rows
		}
		seed := rand.Uint64()
		for round := range 6 {
			var all sync.WaitGroup
			for worker := range uint64(4) {
				all.Go(func() {
					r := rand.New(rand.NewPCG(seed, uint64(round)<<8|worker))
					for range 25 {
						site, id := []string{"v", "w"}[r.IntN(2)], fmt.Sprint("p", r.IntN(12))
						var err error
						switch n := r.IntN(20); {
						case n == 0:
							err = s.RemoveWebsite(t.Context(), "w")
						case n == 1:
							_, err = s.CreateWebsite(t.Context(), website)
						case n < 6:
							err = s.RemoveProfile(t.Context(), site, id)
						default:
							err = s.identify(t.Context(),
								store.Identification{Website: site, Profile: id, Keyed: n < 10}, limitsOf(8, 5))
						}
						if err != nil && !errors.Is(err, store.ErrNotFound) && !errors.Is(err, ErrExists) &&
							!errors.Is(err, store.ErrManyProfiles) {
							t.Errorf("seed %d: %v", seed, err)
						}
					}
				})
			}
			all.Wait()
			if counted, rows := count(); !slices.Equal(counted, rows) || len(rows) == 0 {
				t.Fatalf("seed %d, round %d: the counts are %q, want %q", seed, round, counted, rows)
			}
		}
	})
}

// TestRestoreProfiles restores profiles of exports: later ones replace earlier ones, a sender without a key replaces
// none with a key, limits refuse, and the counts stay right.
func TestRestoreProfiles(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
		cfg.Now = func() time.Time { return now }
		s := mustOpen(t, cfg)
		many := map[string]any{"about": strings.Repeat("x", store.MaxTraitsText)}
		for _, row := range []struct {
			says    string
			id      string
			keyed   bool
			age     time.Duration
			traits  map[string]any
			refused int
			want    string // the traits and the age
		}{
			{"new", "a", false, time.Hour, map[string]any{"name": "A"}, 0, "map[name:A] A 1h0m0s"},
			{"the same again", "a", false, time.Hour, map[string]any{"name": "B"}, 0, "map[name:A] A 1h0m0s"},
			{"older", "a", true, 2 * time.Hour, map[string]any{"name": "B"}, 0, "map[name:A] A 1h0m0s"},
			{"newer, and with a key", "a", true, time.Minute, map[string]any{"seats": json.Number("2")}, 0,
				"map[seats:2]  1m0s"},
			{"newer without a key", "a", false, 0, map[string]any{"name": "B"}, 0, "map[seats:2]  1m0s"},
			{"in the future", "b", false, -time.Hour, nil, 0, "map[]  0s"},
			{"too many traits", "c", true, 0, many, 1, "none"},
			{"the last without a key", "c", false, 0, nil, 0, "map[]  0s"},
			{"too many without a key", "d", false, 0, nil, 1, "none"},
			{"the last", "d", true, 0, nil, 0, "map[]  0s"},
			{"too many", "e", true, 0, nil, 1, "none"},
			{"a known one", "b", true, -time.Hour, map[string]any{"vip": true}, 0, "map[]  0s"},
		} {
			refused, err := s.restoreProfiles(t.Context(), []store.Profile{{Website: "w", ID: row.id, Name: "ignored",
				Traits: row.traits, Keyed: row.keyed, ChangedAt: now.Add(-row.age)}}, limitsOf(4, 2))
			if err != nil || refused != row.refused {
				t.Errorf("%s: refused %d, %v", row.says, refused, err)
			}
			got := "none"
			if p, err := s.Profile(t.Context(), "w", row.id); err == nil {
				got = fmt.Sprint(p.Traits, " ", p.Name, " ", now.Sub(p.ChangedAt))
			} else if !errors.Is(err, store.ErrNotFound) {
				t.Fatal(err)
			}
			if got != row.want {
				t.Errorf("%s: %s, want %s", row.says, got, row.want)
			}
		}
		counted, err := texts(t.Context(), s.read, "SELECT anonymous || ' ' || keyed FROM profile_counts")
		if err != nil || len(counted) != 1 || counted[0] != "2 2" {
			t.Errorf("counts %v, %v", counted, err)
		}
		var ids []string
		for after := ""; ; after = ids[len(ids)-1] {
			some, err := s.ProfilesAfter(t.Context(), "w", after, 3)
			if err != nil {
				t.Fatal(err)
			}
			if len(some) == 0 {
				break
			}
			for _, p := range some {
				ids = append(ids, p.ID)
			}
		}
		if strings.Join(ids, " ") != "a b c d" {
			t.Errorf("read in pieces: %v", ids)
		}
		if other, err := s.ProfilesAfter(t.Context(), "v", "", 3); err != nil || len(other) != 0 {
			t.Errorf("of another website: %v, %v", other, err)
		}
	})
}

// limitsOf returns limits of a website whose owner may have many profiles.
func limitsOf(all, anonymous int) profileLimits { return profileLimits{all, anonymous, 1000, 1000} }

// TestOwnersHaveRoomForProfiles counts the profiles of all websites of an owner together.
func TestOwnersHaveRoomForProfiles(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		for id, owner := range map[string]string{"a": "acme", "b": "acme", "x": "other"} {
			if _, err := s.CreateWebsite(t.Context(),
				store.Website{ID: id, Owner: owner, Domain: "a.example"}); err != nil {
				t.Fatal(err)
			}
		}
		for i, row := range []struct {
			website string
			keyed   bool
			fails   bool
		}{
			{"a", false, false}, {"b", false, false}, {"a", false, true}, {"b", true, false}, {"b", true, false},
			{"a", true, true}, {"x", false, false}, {"unknown", false, false},
		} {
			err := s.identify(t.Context(), store.Identification{Website: row.website, Profile: fmt.Sprint("p", i),
				Keyed: row.keyed}, profileLimits{10, 10, 4, 2})
			if errors.Is(err, store.ErrManyProfiles) != row.fails || !row.fails && err != nil {
				t.Errorf("profile %d of %s: %v", i, row.website, err)
			}
		}
		if _, err := s.RemoveProfiles(t.Context(), "b"); err != nil {
			t.Fatal(err)
		}
		if err := s.identify(t.Context(), store.Identification{Website: "a", Profile: "p9"},
			profileLimits{10, 10, 4, 2}); err != nil {
			t.Errorf("in the room of removed ones: %v", err)
		}
	})
}
