package meta

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/authtest"
	"github.com/sightline-analytics/sightline/auth/keycache"
	"github.com/sightline-analytics/sightline/store"
)

const pepperText = "a pepper that is long enough"

var pepper, _ = auth.NewPepper([]byte(pepperText))

// noon has parts that are not kept, and a zone that must not matter.
var noon = time.Date(2026, 3, 29, 12, 0, 0, 123_456_789, time.FixedZone("", 5*3600+45*60))

var noonKept = time.Date(2026, 3, 29, 6, 15, 0, 123_000_000, time.UTC)

func TestKeysConform(t *testing.T) {
	onEachEngine(t, func(t *testing.T, config func(testing.TB) Config) {
		authtest.Run(t, authtest.Harness{Pepper: pepper, Open: func(t *testing.T, now func() time.Time) authtest.Store {
			cfg := config(t)
			cfg.Now = now
			return onTrial(mustOpen(t, cfg))
		}})
	})
}

// TestCachedKeysConform puts the cache around the store, as a server does.
func TestCachedKeysConform(t *testing.T) {
	onEachEngine(t, func(t *testing.T, config func(testing.TB) Config) {
		authtest.Run(t, authtest.Harness{
			Pepper: pepper, Lag: keycache.DefaultTTL,
			Open: func(t *testing.T, now func() time.Time) authtest.Store {
				cfg := config(t)
				cfg.Now = now
				s := mustOpen(t, cfg)
				c, err := keycache.New(keycache.Config{Store: s, Now: now})
				if err != nil {
					t.Fatal(err)
				}
				s.Notify(c)
				trial := onTrial(s)
				trial.KeyStore = c
				return trial
			},
		})
	})
}

func TestDirectoryConforms(t *testing.T) {
	onEachEngine(t, func(t *testing.T, config func(testing.TB) Config) {
		authtest.RunDirectory(t, func(t *testing.T) authtest.Directory {
			s := mustOpen(t, config(t))
			return authtest.Directory{
				Directory: s,
				AddWebsite: func(ctx context.Context, w store.Website) error {
					_, err1 := s.EnsureOwner(ctx, Owner{ID: w.Owner})
					_, err2 := s.CreateWebsite(ctx, w)
					return errors.Join(err1, err2)
				},
				AddSubject: func(ctx context.Context, subject store.Subject, owner string) error {
					_, err1 := s.EnsureOwner(ctx, Owner{ID: owner})
					var err2 error
					if subject.Kind == store.KindLink {
						_, err2 = s.CreateLink(ctx, Link{ID: subject.ID, Owner: owner, TargetURL: "https://a.example"})
					} else {
						_, err2 = s.CreateMonitor(ctx, Monitor{ID: subject.ID, Owner: owner, URL: "https://a.example"})
					}
					return errors.Join(err1, err2)
				},
			}
		})
	})
}

// onTrial is s as the conformance suite drives it.
func onTrial(s *Store) authtest.Store {
	return authtest.Store{
		KeyStore: s, Create: s.CreateKey, Rotate: s.RotateKey, Revoke: s.RevokeKey, SetDisabled: s.SetKeyDisabled,
		AddOwner: func(ctx context.Context, id string) error {
			_, err := s.EnsureOwner(ctx, Owner{ID: id})
			return err
		},
		Used: func(ctx context.Context, id string, at time.Time) error {
			s.KeyUsed(id, at)
			return s.keepUses(ctx, false)
		},
		Key: s.Key, Change: s.ChangeKey,
	}
}

func TestConfigReportsEveryFault(t *testing.T) {
	_, err := Open(t.Context(), Config{Prefix: "a_b", Wait: -1})
	for _, part := range []string{"path", "prefix", "wait"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("no word of the %s in: %v", part, err)
		}
	}
}

func TestWithoutPepper(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		with := mustOpen(t, cfg)
		k, _, err := with.CreateKey(t.Context(), auth.Key{Owner: "acme", All: true})
		if err != nil {
			t.Fatal(err)
		}
		cfg.Pepper = auth.Pepper{}
		s := mustOpen(t, cfg)
		if _, _, err := s.CreateKey(t.Context(), auth.Key{Owner: "acme", All: true}); err == nil || !strings.Contains(err.Error(), "pepper") {
			t.Errorf("CreateKey: %v", err)
		}
		if _, _, err := s.RotateKey(t.Context(), k.ID, 0); err == nil || !strings.Contains(err.Error(), "pepper") {
			t.Errorf("RotateKey: %v", err)
		}
		if keys, err := s.Keys(t.Context(), "acme"); err != nil || len(keys) != 1 {
			t.Errorf("Keys = %v, %v", keys, err)
		}
	})
}

func TestPing(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		if err := s.Ping(t.Context()); err != nil {
			t.Errorf("an open store: %v", err)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := s.Ping(ended); !errors.Is(err, context.Canceled) {
			t.Errorf("with a context that ended: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if err := s.Ping(t.Context()); err == nil {
			t.Error("a closed store answers")
		}
	})
}

func TestFilesAreForTheirOwnerOnly(t *testing.T) {
	cfg := config(t)
	s := mustOpen(t, cfg)
	if _, err := s.CreateWebsite(t.Context(), store.Website{Owner: "acme", Domain: "a.example"}); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(cfg.Path + "*")
	if err != nil || len(files) < 2 {
		t.Fatalf("files %v, %v; want the database and its log", files, err)
	}
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", filepath.Base(f), info.Mode())
		}
	}
}

func TestPathsAreTakenAsTheyAre(t *testing.T) {
	for _, name := range []string{"a b.db", "a?mode=memory&x.db", "a%20b#c.db", "ü'\";.db"} {
		cfg := config(t)
		cfg.Path = filepath.Join(filepath.Dir(cfg.Path), name)
		s := mustOpen(t, cfg)
		if _, err := s.CreateWebsite(t.Context(), store.Website{Owner: "acme", Domain: "a.example"}); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(filepath.Dir(cfg.Path))
		if err != nil || len(entries) != 1 || entries[0].Name() != name {
			t.Errorf("files beside %q: %v, %v", name, entries, err)
		}
	}
}

func TestEverythingOutlivesARestart(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		ctx := t.Context()
		type world struct {
			Sites    []store.Website
			Links    []Link
			Monitors []Monitor
			Keys     []auth.Key
			Salt     []byte
		}
		read := func(s *Store) (w world) {
			var errs [5]error
			w.Sites, errs[0] = s.Websites(ctx, "acme")
			w.Links, errs[1] = s.Links(ctx, "acme")
			w.Monitors, errs[2] = s.Monitors(ctx, "acme")
			w.Keys, errs[3] = s.Keys(ctx, "acme")
			w.Salt, errs[4] = s.Salt(ctx, noon)
			if err := errors.Join(errs[:]...); err != nil {
				t.Fatal(err)
			}
			return w
		}
		s := mustOpen(t, cfg)
		site, err1 := s.CreateWebsite(ctx, store.Website{Owner: "acme", Domain: "a.example", IsPublic: true})
		_, err2 := s.CreateLink(ctx, Link{Owner: "acme", Slug: "go", TargetURL: "https://a.example/x"})
		_, err3 := s.CreateMonitor(ctx, Monitor{Owner: "acme", URL: "https://a.example", WebsiteID: site.ID})
		_, secret, err4 := s.CreateKey(ctx, auth.Key{Owner: "acme", Scopes: auth.Scopes(), All: true})
		if err := errors.Join(err1, err2, err3, err4); err != nil {
			t.Fatal(err)
		}
		before := read(s)
		if len(before.Sites) != 1 || len(before.Links) != 1 || len(before.Monitors) != 1 || len(before.Keys) != 1 {
			t.Fatalf("kept %+v", before)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = mustOpen(t, cfg)
		if diff := cmp.Diff(before, read(s)); diff != "" {
			t.Errorf("after a restart (-before +after):\n%s", diff)
		}
		if k, err := s.KeyByDigest(ctx, secret.Digest(pepper)); err != nil || k.ID != before.Keys[0].ID {
			t.Errorf("KeyByDigest after a restart = %+v, %v", k, err)
		}
	})
}
