package meta

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/keycache"
	"github.com/sightline-analytics/sightline/internal/pgtest"
	"github.com/sightline-analytics/sightline/store"
)

// with returns cfg with a changed DSN.
func with(t *testing.T, cfg Config, change func(*url.URL)) Config {
	t.Helper()
	u, err := url.Parse(cfg.DSN)
	if err != nil {
		t.Fatal(err)
	}
	change(u)
	cfg.DSN = u.String()
	return cfg
}

func param(name, value string) func(*url.URL) {
	return func(u *url.URL) {
		q := u.Query()
		q.Set(name, value)
		u.RawQuery = q.Encode()
	}
}

func TestPostgresCannotBeOpened(t *testing.T) {
	cfg := configPostgres(t)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		says   string
		change func(*url.URL)
	}{
		{"nobody listens", func(u *url.URL) { u.Host = free.Addr().String() }},
		{"there is no such database", func(u *url.URL) { u.Path = "/no_such_database" }},
		{"there is no such user", func(u *url.URL) { u.User = url.UserPassword("no_such_user", "hunter2hunter2") }},
		{"there is no such schema", param("search_path", "no_such_schema")},
		{"the database is read-only", param("default_transaction_read_only", "on")},
	} {
		var log bytes.Buffer
		cfg := with(t, cfg, c.change)
		cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
		s, err := Open(t.Context(), cfg)
		if !errors.Is(err, store.ErrUnavailable) || s != nil {
			t.Errorf("%s: %v, %v", c.says, s, err)
		}
		if text := fmt.Sprint(err, log.String()); strings.Contains(text, "hunter2hunter2") {
			t.Errorf("%s: the text contains the password: %s", c.says, text)
		}
	}
}

func TestPostgresSchemaWithOtherTables(t *testing.T) {
	for _, c := range []struct {
		says  string
		spoil string
		want  error
	}{
		{"tables of the host", "CREATE TABLE cookies (id INTEGER)", nil},
		{"a table of another program with a name of this package", "CREATE TABLE links (id INTEGER)", store.ErrCorrupt},
	} {
		cfg := configPostgres(t)
		raw(t, cfg, c.spoil)
		s, err := Open(t.Context(), cfg)
		if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%s: %v", c.says, err)
		}
		if s != nil {
			if err := s.Close(context.Background()); err != nil {
				t.Error(err)
			}
		}
	}
	cfg := configPostgres(t)
	newer, err := open(t.Context(), cfg, later(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := newer.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if s, err := Open(t.Context(), cfg); !errors.Is(err, store.ErrNewerSchema) || s != nil {
		t.Errorf("tables of a newer program: %v, %v", s, err)
	}
}

// TestPostgresEndsConnections makes the server end all connections of the pools.
func TestPostgresEndsConnections(t *testing.T) {
	cfg := with(t, configPostgres(t), param("application_name", t.Name()))
	s := mustOpen(t, cfg)
	k, secret, err := s.CreateKey(t.Context(), auth.Key{Owner: "acme", All: true})
	if err != nil {
		t.Fatal(err)
	}
	db := pgtest.Open(t)
	for _, noticed := range []bool{false, true} {
		var wg sync.WaitGroup
		for range 8 { // until the pools are full
			wg.Go(func() {
				_, _ = s.Key(t.Context(), k.ID)
				_ = s.SetKeyDisabled(t.Context(), k.ID, false)
			})
		}
		wg.Wait()
		killed, err := texts(t.Context(), db,
			"SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity WHERE application_name = '"+t.Name()+"'")
		if err != nil || len(killed) < 2 {
			t.Fatalf("killed %v, %v", killed, err)
		}
		if len(killed) > 12 {
			t.Errorf("the pools hold %d connections", len(killed))
		}
		if noticed {
			time.Sleep(100 * time.Millisecond) // until the pools have noticed
		}
		if _, err := s.KeyByDigest(t.Context(), secret.Digest(pepper)); err != nil {
			t.Errorf("a read after the connections ended: %v", err)
		}
		if err := s.SetKeyDisabled(t.Context(), k.ID, true); err != nil {
			t.Errorf("a write after the connections ended: %v", err)
		}
	}
}

func TestPostgresIsAwayForAWhile(t *testing.T) {
	s, p := throughProxyWithin(t, configPostgres(t), 5*time.Second)
	clock := noon
	cache, err := keycache.New(keycache.Config{Store: s, Now: func() time.Time { return clock }})
	if err != nil {
		t.Fatal(err)
	}
	k, secret, err := s.CreateKey(t.Context(), auth.Key{Owner: "acme", All: true})
	if err != nil {
		t.Fatal(err)
	}
	d := secret.Digest(pepper)
	for _, c := range []struct {
		says      string
		cut, hang bool
	}{
		{"connections are refused", true, false},
		{"nobody answers", false, true},
	} {
		if _, err := cache.KeyByDigest(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		p.set(c.cut, c.hang)
		if _, err := cache.KeyByDigest(t.Context(), d); err != nil {
			t.Errorf("%s: a key that is in the cache: %v", c.says, err)
		}
		clock = clock.Add(time.Second)
		var errs [4]error
		var together sync.WaitGroup // each operation may take the whole timeout; one that never ends fails the test
		together.Go(func() { _, errs[0] = cache.KeyByDigest(t.Context(), d) })
		together.Go(func() { _, errs[1] = s.Owner(t.Context(), store.Subject{Kind: store.KindWebsite, ID: "w"}) })
		together.Go(func() {
			_, errs[2] = s.CreateWebsite(t.Context(),
				store.Website{Owner: "acme", Domain: "a.example"})
		})
		together.Go(func() { errs[3] = s.RevokeKey(t.Context(), k.ID, nil) })
		together.Wait()
		for i, err := range errs {
			if !errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrNotFound) ||
				errors.Is(err, auth.ErrNotFound) {
				t.Errorf("%s: operation %d: %v", c.says, i+1, err)
			}
		}
		p.set(true, false) // close the connections that hang
		p.set(false, false)
		if found, err := cache.KeyByDigest(t.Context(), d); err != nil || !found.Revoked.IsZero() {
			t.Errorf("after %s: KeyByDigest = %+v, %v", c.says, found, err)
		}
		if err := s.SetKeyDisabled(t.Context(), k.ID, false); err != nil {
			t.Errorf("after %s: SetKeyDisabled: %v", c.says, err)
		}
	}
}
