package meta

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

const day = 24 * time.Hour

func TestSaltOfADay(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
		shown := newClock(now)
		cfg.Now = shown.now
		s := mustOpen(t, cfg)
		salt := func(at time.Time) string {
			t.Helper()
			got, err := s.Salt(t.Context(), at)
			if err != nil {
				t.Fatal(err)
			}
			return string(got)
		}
		today := salt(now)
		if len(today) != 32 || today == string(make([]byte, 32)) {
			t.Errorf("the salt is %x, want 32 random bytes", today)
		}
		if today != salt(now) || today != salt(now.Add(day-1)) || today != salt(now.In(time.FixedZone("", -9*3600))) {
			t.Error("a UTC day has several salts")
		}
		yesterday, tomorrow := salt(now.Add(-1)), salt(now.Add(day))
		if yesterday == today || tomorrow == today || yesterday == tomorrow {
			t.Error("two UTC days have the same salt")
		}
		for at, want := range map[time.Time]error{
			now.Add(-day - 1):    store.ErrNotFound,
			now.Add(-1000 * day): store.ErrNotFound,
			now.Add(2 * day):     store.ErrInvalid,
		} {
			if got, err := s.Salt(t.Context(), at); !errors.Is(err, want) || got != nil {
				t.Errorf("salt of %v = %x, %v", at, got, err)
			}
		}
		now = now.Add(day)
		shown.set(now)
		if salt(now) != tomorrow || salt(now.Add(-1)) != today {
			t.Error("a salt changed overnight")
		}
		if got, err := s.Salt(t.Context(), now.Add(-day-1)); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the salt of the day before yesterday = %x, %v", got, err)
		}
	})
}

// TestSaltIsCached reads a salt after the database was closed. Old salts are removed from the cache.
func TestSaltIsCached(t *testing.T) {
	cfg, shown := config(t), newClock(noon)
	cfg.Now = shown.now
	s := mustOpen(t, cfg)
	first, err := s.Salt(t.Context(), noon)
	if err != nil {
		t.Fatal(err)
	}
	want := bytes.Clone(first)
	clear(first) // callers may change the result
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if again, err := s.Salt(t.Context(), noon); err != nil || !bytes.Equal(again, want) {
		t.Errorf("without the database: %x, %v; want %x", again, err, want)
	}
	shown.set(noon.Add(2 * day))
	if late, err := s.Salt(t.Context(), noon); !errors.Is(err, store.ErrNotFound) || late != nil {
		t.Errorf("after its day: %x, %v", late, err)
	}
	_ = s.Maintain(t.Context()) // the database is closed
	if len(s.salts.of) > 0 {
		t.Errorf("%d destroyed salts are cached", len(s.salts.of))
	}
}

func BenchmarkSalt(b *testing.B) {
	for name, config := range map[string]func(testing.TB) Config{"sqlite": config, "postgres": configPostgres} {
		b.Run(name, func(b *testing.B) {
			s := mustOpen(b, config(b))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Salt(b.Context(), noon); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestOldSaltsAreDestroyed searches the files for the bytes of old salts. It is not enough that the rows are
// deleted.
func TestOldSaltsAreDestroyed(t *testing.T) {
	onEachEngine(t, func(t *testing.T, config func(testing.TB) Config) {
		for says, wake := range map[string]func(t *testing.T, s *Store, cfg Config, now time.Time) *Store{
			"by the first salt of a later day": func(t *testing.T, s *Store, _ Config, now time.Time) *Store {
				if _, err := s.Salt(t.Context(), now); err != nil {
					t.Fatal(err)
				}
				return s
			},
			"by maintenance": func(t *testing.T, s *Store, _ Config, _ time.Time) *Store {
				if err := s.Maintain(t.Context()); err != nil {
					t.Fatal(err)
				}
				return s
			},
			"by a restart": func(t *testing.T, s *Store, cfg Config, _ time.Time) *Store {
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				return mustOpen(t, cfg)
			},
			"by a start, after a process died before the log was emptied": func(t *testing.T, s *Store, cfg Config, now time.Time) *Store {
				err := s.update(t.Context(), "destroy", func(ctx context.Context, db querier) error {
					return s.deleteSaltsBefore(ctx, db, dayNumber(now)-1)
				})
				if err != nil {
					t.Fatal(err)
				}
				return mustOpen(t, cfg)
			},
		} {
			t.Run(says, func(t *testing.T) {
				cfg, now := config(t), noon
				shown := newClock(now)
				cfg.Now = shown.now
				s := mustOpen(t, cfg)
				old, err := s.Salt(t.Context(), now)
				if err != nil {
					t.Fatal(err)
				}
				now = now.Add(day)
				shown.set(now)
				recent, err := s.Salt(t.Context(), now)
				if err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(filesOf(t, s), hex.EncodeToString(old)) {
					t.Fatal("yesterday's salt is not in the files, so this test searches the wrong files")
				}
				now = now.Add(day)
				shown.set(now)
				files := filesOf(t, wake(t, s, cfg, now))
				if n := strings.Count(files, hex.EncodeToString(old)); n != 0 {
					t.Errorf("the old salt is in the files %d times", n)
				}
				if !strings.Contains(files, hex.EncodeToString(recent)) {
					t.Error("yesterday's salt was destroyed, too")
				}
			})
		}
	})
}

func TestSaltIsCreatedOnce(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		const stores, workers = 2, 8
		opened := make([]*Store, stores)
		for i := range opened {
			opened[i] = mustOpen(t, cfg)
		}
		var wg sync.WaitGroup
		var salts [workers][]byte
		var errs [workers]error
		for w := range workers {
			wg.Go(func() { salts[w], errs[w] = opened[w%stores].Salt(t.Context(), noon) })
		}
		wg.Wait()
		if err := errors.Join(errs[:]...); err != nil {
			t.Fatal(err)
		}
		for _, s := range salts {
			if !bytes.Equal(s, salts[0]) || len(s) != 32 {
				t.Fatalf("the salts of one day differ: %x", salts)
			}
		}
	})
}
