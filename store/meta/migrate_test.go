package meta

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/sightline-analytics/sightline/store"
)

// TestOlderFileIsMigrated opens a file of this program with a program that knows two more migrations.
func TestOlderFileIsMigrated(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		filled(t, cfg)
		files, ok := later(t).(fstest.MapFS)
		if !ok {
			t.Fatal("the migrations are not a MapFS")
		}
		files["9001_shade.sql"] = &fstest.MapFile{Data: []byte("-- +goose Up\nALTER TABLE websites ADD COLUMN shade TEXT;\nUPDATE websites SET shade = 'light ' || color;\n")}
		var log bytes.Buffer
		cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
		s, err := open(t.Context(), cfg, files)
		if err != nil {
			t.Fatal(err)
		}
		for _, version := range []string{"9000", "9001"} {
			if where := "at=" + langOf(cfg).name(cfg) + " version=" + version +
				"\n"; !strings.Contains(log.String(), where) {
				t.Errorf("the log does not contain %q:\n%s", where, log.String())
			}
		}
		shades, err := texts(t.Context(), s.read, "SELECT DISTINCT shade FROM websites")
		if err != nil || !slices.Equal(shades, []string{"light blue"}) {
			t.Errorf("the websites have the shades %q, %v", shades, err)
		}
		sites, err := s.Websites(t.Context(), "acme")
		if err := errors.Join(err, s.Close(context.Background())); err != nil || len(sites) != 200 {
			t.Errorf("%d websites after the migrations, %v; want 200", len(sites), err)
		}
	})
}

func TestFailedMigrationChangesNothing(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		filled(t, cfg)
		files, ok := later(t).(fstest.MapFS)
		if !ok {
			t.Fatal("the migrations are not a MapFS")
		}
		files["9001_bad.sql"] = &fstest.MapFile{Data: []byte("-- +goose Up\nDELETE FROM websites;\nSELECT nothing FROM nowhere;\n")}
		if s, err := open(t.Context(), cfg, files); err == nil {
			t.Errorf("open = %v with a bad migration", s)
		}
		delete(files, "9001_bad.sql")
		s, err := open(t.Context(), cfg, files)
		if err != nil {
			t.Fatal(err)
		}
		sites, err := s.Websites(t.Context(), "acme")
		if err := errors.Join(err, s.Close(context.Background())); err != nil || len(sites) != 200 {
			t.Errorf("%d websites after a migration that failed, %v; want 200", len(sites), err)
		}
	})
}

func TestConcurrentOpen(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		const openers = 8
		var wg sync.WaitGroup
		var stores [openers]*Store
		var errs [openers]error
		for i := range openers {
			wg.Go(func() {
				if stores[i], errs[i] = Open(t.Context(), cfg); errs[i] != nil {
					return
				}
				if _, errs[i] = stores[i].EnsureOwner(t.Context(), Owner{ID: "acme"}); errs[i] == nil {
					_, errs[i] = stores[i].CreateWebsite(t.Context(), store.Website{Owner: "acme", Domain: "a.example"})
				}
			})
		}
		wg.Wait()
		if err := errors.Join(errs[:]...); err != nil {
			t.Error(err)
		}
		for _, s := range stores {
			if s == nil {
				continue
			}
			if sites, err := s.Websites(t.Context(), "acme"); err != nil || len(sites) != openers {
				t.Errorf("%d websites, %v; want %d", len(sites), err, openers)
			}
		}
		for _, s := range stores {
			if s != nil {
				if err := s.Close(context.Background()); err != nil {
					t.Error(err)
				}
			}
		}
	})
}
