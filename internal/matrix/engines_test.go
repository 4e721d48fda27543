package matrix

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/internal/pgtest"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/meta"
)

// noon is the time of all tests, except tests that measure time.
var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func noonClock() time.Time { return noon }

const pepperText = "a pepper for tests, and for no others"

var pepper, _ = auth.NewPepper([]byte(pepperText))

// A trail stores and finds audit entries.
type trail interface {
	audit.Log
	audit.Trail
	audit.Finder
}

// A keyStore finds and manages keys.
type keyStore interface {
	auth.KeyStore
	auth.KeyManager
}

// An engine has keys, a directory and an audit trail.
type engine struct {
	keys  keyStore
	dir   store.Directory
	trail trail

	websites    store.WebsiteManager
	definitions store.DefinitionStore
	notify      func(inv auth.Invalidator)
	site        func(w store.Website) error
	link        func(id, owner string) error
	watch       func(id, owner string) error // creates a monitor
	close       func() error                 // after it all calls fail; nil in memory
}

// onEach runs a test on every engine.
func onEach(t *testing.T, test func(t *testing.T, e engine)) {
	t.Run("memory", func(t *testing.T) { test(t, inMemory(t)) })
	t.Run("sqlite", func(t *testing.T) { test(t, onSQLite(t)) })
	t.Run("postgres", func(t *testing.T) { test(t, onPostgres(t)) })
}

func inMemory(t testing.TB) engine {
	t.Helper()
	keys, err := auth.NewMemory(auth.MemoryConfig{Pepper: pepper, Issuer: auth.Issuer{Now: noonClock}})
	if err != nil {
		t.Fatal(err)
	}
	dir := &store.MemoryDirectory{}
	return engine{
		keys: keys, dir: dir, trail: &audit.Memory{}, websites: dir, definitions: dir,
		notify: keys.Notify,
		site:   dir.AddWebsite,
		link: func(id, owner string) error {
			return dir.AddSubject(store.Subject{Kind: store.KindLink, ID: id}, owner)
		},
		watch: func(id, owner string) error {
			return dir.AddSubject(store.Subject{Kind: store.KindSchedule, ID: id}, owner)
		},
	}
}

func onSQLite(t testing.TB) engine {
	t.Helper()
	return inMeta(t, meta.Config{Path: filepath.Join(t.TempDir(), "meta.sqlite")})
}

// onPostgres returns a new schema, which is dropped when the test ends.
func onPostgres(t testing.TB) engine {
	t.Helper()
	return inMeta(t, meta.Config{DSN: pgtest.Schema(t)})
}

func inMeta(t testing.TB, cfg meta.Config) engine {
	t.Helper()
	// no slow machine reaches them
	cfg.Pepper, cfg.Now, cfg.Wait, cfg.Timeout = pepper, noonClock, 2*time.Minute, 4*time.Minute
	s, err := meta.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	ctx := context.Background()
	for _, id := range []string{acme, other} {
		if _, err := s.EnsureOwner(ctx, meta.Owner{ID: id}); err != nil {
			t.Fatal(err)
		}
	}
	return engine{
		keys: s, dir: s, trail: s.Audit(), websites: s, definitions: s, notify: s.Notify,
		close: func() error { return s.Close(ctx) },
		site: func(w store.Website) error {
			_, err := s.CreateWebsite(ctx, w)
			return err
		},
		link: func(id, owner string) error {
			_, err := s.CreateLink(ctx,
				meta.Link{ID: id, Owner: owner, Slug: id, TargetURL: "https://example.org/" + id})
			return err
		},
		watch: func(id, owner string) error {
			_, err := s.CreateMonitor(ctx, meta.Monitor{ID: id, Owner: owner, URL: "https://example.org/" + id})
			return err
		},
	}
}
