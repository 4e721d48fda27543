package meta

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/track"
	"github.com/sightline-analytics/sightline/track/tracktest"
)

const day = 24 * time.Hour

func TestSalts(t *testing.T) {
	onEachEngine(t, func(t *testing.T, config func(testing.TB) Config) {
		tracktest.RunSalts(t, func(t *testing.T) tracktest.Opener {
			cfg := config(t)
			return func(now func() time.Time) track.Salts {
				cfg := cfg
				cfg.Now = now
				return mustOpen(t, cfg)
			}
		})
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
	if err := s.Close(context.Background()); err != nil {
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
				if err := s.Close(context.Background()); err != nil {
					t.Fatal(err)
				}
				return mustOpen(t, cfg)
			},
			"by a start, after a process died before the log was emptied": func(t *testing.T, s *Store, cfg Config,
				now time.Time) *Store {
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
