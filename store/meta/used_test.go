package meta

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

// lastUsed reads what the database holds, not what waits to be kept.
func lastUsed(t *testing.T, s *Store, id string) time.Time {
	t.Helper()
	k, err := s.Key(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return k.LastUsed
}

func mustKey(t *testing.T, s *Store, id string) {
	t.Helper()
	if _, _, err := s.CreateKey(t.Context(), auth.Key{ID: id, Owner: "acme", All: true}); err != nil {
		t.Fatal(err)
	}
}

func TestUsesAreKeptInTheBackground(t *testing.T) {
	cfg := config(t)
	s := mustOpen(t, cfg)
	mustKey(t, s, "k")
	s.KeyUsed("k", noon)
	for deadline := time.Now().Add(time.Minute); lastUsed(t, s, "k").IsZero(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nothing was kept")
		}
	}
	if got := lastUsed(t, s, "k"); !got.Equal(noonKept) {
		t.Errorf("last used %v, want %v", got, noonKept)
	}
}

func TestUsesAreKeptOnClose(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		mustKey(t, s, "k")
		s.KeyUsed("k", noon)
		if err := s.keepUses(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		s.KeyUsed("k", noon.Add(30*time.Second)) // within the minute, so it waits
		if err := s.keepUses(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		if got := lastUsed(t, s, "k"); !got.Equal(noonKept) {
			t.Errorf("last used %v, want %v", got, noonKept)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = mustOpen(t, cfg)
		if got := lastUsed(t, s, "k"); !got.Equal(noonKept.Add(30 * time.Second)) {
			t.Errorf("after Close last used %v", got)
		}
	})
}

func TestUsesWaitForTheDatabase(t *testing.T) {
	cfg := config(t)
	cfg.Wait = 20 * time.Millisecond
	s, other := mustOpen(t, cfg), mustOpen(t, cfg)
	mustKey(t, s, "a")
	mustKey(t, s, "b")
	tx, err := other.write.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	s.KeyUsed("a", noon)
	s.KeyUsed("b", noon)
	if err := s.keepUses(t.Context(), false); err == nil {
		t.Error("uses were kept in a locked database")
	}
	s.KeyUsed("b", noon.Add(time.Second))
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := s.keepUses(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if a, b := lastUsed(t, s, "a"), lastUsed(t, s, "b"); !a.Equal(noonKept) || !b.Equal(noonKept.Add(time.Second)) {
		t.Errorf("last used %v and %v", a, b)
	}
}

// TestUsesOfManyKeys has two processes keep the uses of the same keys, in batches.
func TestUsesOfManyKeys(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		stores := [2]*Store{mustOpen(t, cfg), mustOpen(t, cfg)}
		const keys = usedBatch + 7
		digests := fillKeys(t, stores[0], keys)
		var ids []string
		for _, d := range digests {
			ids = append(ids, idOf(d))
		}
		var wg sync.WaitGroup
		for i, s := range stores {
			wg.Go(func() {
				for _, id := range ids {
					s.KeyUsed(id, noon.Add(time.Duration(i)*time.Second))
				}
				if err := s.keepUses(t.Context(), false); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		at := noonKept.Add(time.Second).UnixMilli()
		kept, err := texts(t.Context(), stores[0].read, fmt.Sprint("SELECT id FROM api_keys WHERE last_used_at = ", at))
		if err != nil || len(kept) != keys {
			t.Errorf("%d of %d keys have the later use, %v", len(kept), keys, err)
		}
	})
}

func TestWhatUsesHoldIsBounded(t *testing.T) {
	cfg := config(t)
	shown := newClock(noon)
	cfg.Now = shown.now
	s := mustOpen(t, cfg)
	for minute := range 5 {
		now := noon.Add(time.Duration(minute) * 2 * time.Minute)
		shown.set(now)
		for n := range 100 {
			s.KeyUsed(fmt.Sprint("k", minute, "-", n), now)
		}
		if err := s.keepUses(t.Context(), false); err != nil {
			t.Fatal(err)
		}
	}
	s.uses.mu.Lock()
	defer s.uses.mu.Unlock()
	if n := len(s.uses.last) + len(s.uses.kept); n > 100 {
		t.Errorf("%d uses are held, of 500 in ten minutes", n)
	}
}

func BenchmarkKeyUsed(b *testing.B) {
	s := mustOpen(b, config(b))
	b.ReportAllocs()
	at := noon
	for b.Loop() {
		at = at.Add(time.Microsecond)
		s.KeyUsed("key_that_is_used", at)
	}
}
