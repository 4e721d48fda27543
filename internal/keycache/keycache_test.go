package keycache_test

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/authtest"
	"github.com/sightline-analytics/sightline/internal/keycache"
)

// The tests of internal/recent cover age, eviction, shared look-ups and cancellation. These cover what keys add.

var (
	pepper, _ = auth.NewPepper([]byte("a pepper for caches of keys"))
	noon      = time.Date(2026, 3, 29, 12, 0, 0, 0, time.UTC)
)

func newKeys(t testing.TB, now func() time.Time) *auth.Memory {
	t.Helper()
	m, err := auth.NewMemory(auth.MemoryConfig{Pepper: pepper, Issuer: auth.Issuer{Now: now}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestConforms(t *testing.T) {
	authtest.Run(t, authtest.Harness{
		Pepper: pepper, Lag: keycache.DefaultTTL,
		Open: func(t *testing.T, now func() time.Time) authtest.Store {
			m := newKeys(t, now)
			c, err := keycache.New(keycache.Config{Store: m, Now: now})
			if err != nil {
				t.Fatal(err)
			}
			m.Notify(c)
			return authtest.Store{
				KeyStore: c, Create: m.CreateKey, Rotate: m.RotateKey,
				Revoke: m.RevokeKey, SetDisabled: m.SetKeyDisabled,
			}
		},
	})
}

// counted is a store with a key for every digest below 1 << 32. It counts look-ups.
type counted struct {
	asked   int
	err     error // instead of every answer
	nothing bool  // neither a key nor an error, against the contract
}

func (c *counted) KeyByDigest(_ context.Context, d auth.Digest) (*auth.Key, error) {
	c.asked++
	switch n := binary.LittleEndian.Uint64(d[:]); {
	case c.err != nil:
		return nil, c.err
	case c.nothing:
		return nil, nil
	case n >= 1<<32:
		return nil, auth.ErrNotFound
	default:
		return &auth.Key{ID: string(rune('a' + n%26)), Scopes: auth.Scopes()}, nil
	}
}

func known(n int) auth.Digest   { return digest(uint64(n)) }
func unknown(n int) auth.Digest { return digest(1<<32 + uint64(n)) }

func digest(n uint64) (d auth.Digest) {
	binary.LittleEndian.PutUint64(d[:], n)
	return d
}

// newCache returns a cache whose clock stands still, unless cfg has one.
func newCache(t testing.TB, cfg keycache.Config) *keycache.Cache {
	t.Helper()
	if cfg.Now == nil {
		cfg.Now = func() time.Time { return noon }
	}
	c, err := keycache.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTTL(t *testing.T) {
	for _, row := range []struct{ set, want time.Duration }{
		{0, keycache.DefaultTTL}, {time.Millisecond, time.Millisecond}, {keycache.MaxTTL, time.Second},
	} {
		now := noon
		s := &counted{}
		c := newCache(t, keycache.Config{Store: s, TTL: row.set, Now: func() time.Time { return now }})
		for _, step := range []struct {
			wait  time.Duration
			asked int
		}{{0, 1}, {row.want - 1, 1}, {1, 2}} {
			now = now.Add(step.wait)
			if k, err := c.KeyByDigest(t.Context(), known(0)); err != nil || k.ID != "a" || s.asked != step.asked {
				t.Errorf("TTL %v: %+v, %v after %d look-ups, want %d", row.set, k, err, s.asked, step.asked)
			}
		}
	}
}

// TestSizes fills the caches of keys and of unknown digests, and asks for the first of each again. Each has room for
// its number.
func TestSizes(t *testing.T) {
	for _, row := range []struct {
		cfg           keycache.Config
		keys, unknown int
	}{
		{keycache.Config{}, 10_000, 10_000},
		{keycache.Config{Keys: 2, Unknown: 3}, 2, 3},
	} {
		for _, kind := range []struct {
			name   string
			digest func(int) auth.Digest
			room   int
		}{{"keys", known, row.keys}, {"unknown digests", unknown, row.unknown}} {
			s := &counted{}
			row.cfg.Store = s
			c := newCache(t, row.cfg)
			ask := func(n int) { _, _ = c.KeyByDigest(t.Context(), kind.digest(n)) }
			for n := range kind.room {
				ask(n)
			}
			ask(0)
			if s.asked != kind.room {
				t.Errorf("%+v has no room for %d %s", row.cfg, kind.room, kind.name)
			}
			ask(kind.room) // drops 1
			ask(1)
			if s.asked != kind.room+2 {
				t.Errorf("%+v has room for more than %d %s", row.cfg, kind.room, kind.name)
			}
		}
	}
}

// TestChangesElsewhere revokes a key in another process, which this one learns when the cache is notified.
func TestChangesElsewhere(t *testing.T) {
	for _, row := range []struct {
		says  string
		told  func(k auth.Key) string
		asked int // look-ups after the change: of the changed key, of another, of an unknown digest
	}{
		{"a change of one key keeps the other in the cache", func(k auth.Key) string { return k.ID }, 2},
		{"a change of unknown keys empties the cache", func(auth.Key) string { return "" }, 3},
	} {
		m := newKeys(t, nil)
		s := &passing{KeyStore: m}
		c := newCache(t, keycache.Config{Store: s})
		var digests []auth.Digest
		var keys []auth.Key
		for range 2 {
			k, secret, err := m.CreateKey(t.Context(), auth.Key{Owner: "acme", All: true, Scopes: auth.Scopes()})
			if err != nil {
				t.Fatal(err)
			}
			keys, digests = append(keys, k), append(digests, secret.Digest(pepper))
		}
		ask := func(says string, revoked bool) {
			t.Helper()
			k, err := c.KeyByDigest(t.Context(), digests[0])
			if err != nil || k.Revoked.IsZero() == revoked {
				t.Errorf("%s, %s: %+v, %v", row.says, says, k, err)
			}
			if k, err := c.KeyByDigest(t.Context(), digests[1]); err != nil || !k.Revoked.IsZero() {
				t.Errorf("%s, %s: the other key is %+v, %v", row.says, says, k, err)
			}
			if _, err := c.KeyByDigest(t.Context(), unknown(0)); !errors.Is(err, auth.ErrNotFound) {
				t.Errorf("%s, %s: %v", row.says, says, err)
			}
		}
		ask("before", false)
		if err := m.RevokeKey(t.Context(), keys[0].ID, nil); err != nil {
			t.Fatal(err)
		}
		ask("before the notification", false)
		before := s.asked
		c.KeyChanged(t.Context(), row.told(keys[0]))
		ask("after the notification", true)
		if asked := s.asked - before; asked != row.asked {
			t.Errorf("%s: %d look-ups, want %d", row.says, asked, row.asked)
		}
	}
}

// passing counts the look-ups of a store.
type passing struct {
	auth.KeyStore
	asked int
}

func (p *passing) KeyByDigest(ctx context.Context, d auth.Digest) (*auth.Key, error) {
	p.asked++
	return p.KeyStore.KeyByDigest(ctx, d)
}

// TestFailures checks that a store that fails accepts nobody, says why, and leaves nothing in the cache.
func TestFailures(t *testing.T) {
	away := errors.New("the database is away")
	for name, s := range map[string]*counted{"away": {err: away}, "neither a key nor an error": {nothing: true}} {
		c := newCache(t, keycache.Config{Store: s})
		for range 2 {
			k, err := c.KeyByDigest(t.Context(), known(0))
			if k != nil || err == nil || errors.Is(err, auth.ErrNotFound) || s.err != nil && !errors.Is(err, away) {
				t.Errorf("%s: %+v, %v", name, k, err)
			}
		}
		s.err, s.nothing = nil, false
		if k, err := c.KeyByDigest(t.Context(), known(0)); err != nil || k.ID != "a" {
			t.Errorf("after %s: %+v, %v", name, k, err)
		}
	}
}

func TestCallersHaveTheirOwnCopy(t *testing.T) {
	c := newCache(t, keycache.Config{Store: &counted{}})
	for range 3 {
		k, err := c.KeyByDigest(t.Context(), known(0))
		if err != nil || k.ID != "a" || k.Scopes[0] == "spoiled" {
			t.Fatalf("%+v, %v", k, err)
		}
		k.ID, k.Scopes[0] = "spoiled", "spoiled"
	}
}

func BenchmarkKeyByDigest(b *testing.B) {
	c := newCache(b, keycache.Config{Store: &counted{}})
	find := func() {
		if _, err := c.KeyByDigest(b.Context(), known(0)); err != nil {
			b.Error(err)
		}
	}
	b.Run("remembered", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			find()
		}
	})
	b.Run("parallel", func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				find()
			}
		})
	})
}
