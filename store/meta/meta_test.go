package meta

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/auth/authtest"
	"github.com/sightline-analytics/sightline/internal/keycache"
	"github.com/sightline-analytics/sightline/store"
)

const pepperText = "a pepper that is long enough"

var pepper, _ = auth.NewPepper([]byte(pepperText))

// noon has a zone that must not matter, and digits that are not stored.
var noon = time.Date(2026, 3, 29, 12, 0, 0, 123_456_789, time.FixedZone("", 5*3600+45*60))

// noonStored is noon as the store returns it.
var noonStored = time.Date(2026, 3, 29, 6, 15, 0, 123_000_000, time.UTC)

// TestKeysConform writes through one store and reads through another, like two processes.
func TestKeysConform(t *testing.T) {
	onEachEngine(t, func(t *testing.T, config func(testing.TB) Config) {
		authtest.Run(t, authtest.Harness{Pepper: pepper, Open: func(t *testing.T, now func() time.Time) authtest.Store {
			cfg := config(t)
			cfg.Now = now
			one, other := mustOpen(t, cfg), mustOpen(t, cfg)
			tested := underTest(one)
			tested.KeyStore, tested.Key, tested.Rotate = other, other.Key, other.RotateKey
			return tested
		}})
	})
}

// TestCachedKeysConform puts a cache in front of the store, as a server does. It only uses SQLite, because the
// cache does not depend on the database.
func TestCachedKeysConform(t *testing.T) {
	t.Parallel()
	authtest.Run(t, authtest.Harness{Pepper: pepper, Lag: keycache.DefaultTTL,
		Open: func(t *testing.T, now func() time.Time) authtest.Store {
			cfg := config(t)
			cfg.Now = now
			s := mustOpen(t, cfg)
			c, err := keycache.New(keycache.Config{Store: s, Now: now})
			if err != nil {
				t.Fatal(err)
			}
			s.Notify(c)
			tested := underTest(s)
			tested.KeyStore = c
			return tested
		}})
}

// underTest returns s for the conformance suite, which decides when uses are stored.
func underTest(s *Store) authtest.Store {
	s.uses.stop()
	<-s.uses.ended
	return authtest.Store{
		KeyStore: s, Create: s.CreateKey, Rotate: s.RotateKey, Revoke: s.RevokeKey, SetDisabled: s.SetKeyDisabled,
		AddOwner: func(ctx context.Context, id string) error {
			_, err := s.EnsureOwner(ctx, Owner{ID: id})
			return err
		},
		Used: func(ctx context.Context, id string, at time.Time) error {
			s.KeyUsed(id, at)
			return s.storeUses(ctx, false)
		},
		Key: s.Key, Change: s.ChangeKey,
	}
}

// TestDirectoryConforms also writes through one store and reads through another.
func TestDirectoryConforms(t *testing.T) {
	onEachEngine(t, func(t *testing.T, config func(testing.TB) Config) {
		authtest.RunDirectory(t, func(t *testing.T) authtest.Directory {
			cfg := config(t)
			s := mustOpen(t, cfg)
			add := func(ctx context.Context, owner string, record any) error {
				_, err1 := s.EnsureOwner(ctx, Owner{ID: owner})
				_, _, err2 := create(ctx, s, record)
				return errors.Join(err1, err2)
			}
			return authtest.Directory{
				Directory:  mustOpen(t, cfg),
				AddWebsite: func(ctx context.Context, w store.Website) error { return add(ctx, w.Owner, w) },
				AddSubject: func(ctx context.Context, subject store.Subject, owner string) error {
					if subject.Kind == store.KindLink {
						return add(ctx, owner, Link{ID: subject.ID, Owner: owner, TargetURL: "https://a.example"})
					}
					return add(ctx, owner, Monitor{ID: subject.ID, Owner: owner, URL: "https://a.example"})
				},
			}
		})
	})
}

// TestEnded starts operations after their context ended, or after Close.
func TestEnded(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		if err := s.Ping(t.Context()); err != nil {
			t.Errorf("Ping of an open store: %v", err)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		_, err1 := s.CreateWebsite(ended, store.Website{Owner: "acme", Domain: "a.example"})
		_, err2 := Open(ended, cfg)
		for what, err := range map[string]error{"Ping": s.Ping(ended), "CreateWebsite": err1, "Open": err2} {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s with an ended context: %v", what, err)
			}
		}
		if sites, err := s.Websites(t.Context(), "acme"); err != nil || len(sites) != 0 {
			t.Errorf("Websites = %v, %v", sites, err)
		}
		if err := s.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		if err := s.Ping(t.Context()); err == nil {
			t.Error("Ping of a closed store succeeds")
		}
		if _, err := audit.New(t.Context(), audit.Config{Log: s.Audit(), Pepper: pepper}); err == nil ||
			errors.Is(err, store.ErrCorrupt) {
			t.Errorf("the audit log of a closed store: %v", err)
		}
	})
}

func TestFilesAreOnlyReadableForTheirOwner(t *testing.T) {
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

func TestPathsWithSpecialCharacters(t *testing.T) {
	for _, name := range []string{"a b.db", "a?mode=memory&x.db", "a%20b#c.db", "ü'\";.db"} {
		cfg := config(t)
		cfg.Path = filepath.Join(filepath.Dir(cfg.Path), name)
		s := mustOpen(t, cfg)
		if _, err := s.CreateWebsite(t.Context(), store.Website{Owner: "acme", Domain: "a.example"}); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(filepath.Dir(cfg.Path))
		if err != nil || len(entries) != 1 || entries[0].Name() != name {
			t.Errorf("files beside %q: %v, %v", name, entries, err)
		}
	}
}
