package meta

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/testenv"
)

// lastUsed returns the last use that is in the database. Pending uses are not included.
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

func TestUsesAreStoredInTheBackground(t *testing.T) {
	cfg := config(t)
	s := mustOpen(t, cfg)
	mustKey(t, s, "k")
	s.KeyUsed("k", noon)
	for deadline := time.Now().Add(time.Minute); lastUsed(t, s, "k").IsZero(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the use was not stored")
		}
	}
	if got := lastUsed(t, s, "k"); !got.Equal(noonStored) {
		t.Errorf("last used %v, want %v", got, noonStored)
	}
}

func TestUsesAreStoredOnClose(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		mustKey(t, s, "k")
		s.KeyUsed("k", noon)
		if err := s.storeUses(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		s.KeyUsed("k", noon.Add(30*time.Second)) // within a minute, so it is stored later
		if err := s.storeUses(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		if got := lastUsed(t, s, "k"); !got.Equal(noonStored) {
			t.Errorf("last used %v, want %v", got, noonStored)
		}
		if err := s.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		s = mustOpen(t, cfg)
		if got := lastUsed(t, s, "k"); !got.Equal(noonStored.Add(30 * time.Second)) {
			t.Errorf("after Close, last used %v", got)
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
	if err := s.storeUses(t.Context(), false); err == nil {
		t.Error("storeUses succeeded in a locked database")
	}
	s.KeyUsed("b", noon.Add(time.Second))
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := s.storeUses(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if a, b := lastUsed(t, s, "a"), lastUsed(t, s, "b"); !a.Equal(noonStored) || !b.Equal(noonStored.Add(time.Second)) {
		t.Errorf("last used %v and %v", a, b)
	}
}

// TestUsesOfManyKeys lets two processes store uses of the same keys, in batches.
func TestUsesOfManyKeys(t *testing.T) {
	testenv.WithoutRace(t)
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
				if err := s.storeUses(t.Context(), false); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		at := noonStored.Add(time.Second).UnixMilli()
		stored, err := texts(t.Context(), stores[0].read,
			fmt.Sprint("SELECT id FROM api_keys WHERE last_used_at = ", at))
		if err != nil || len(stored) != keys {
			t.Errorf("%d of %d keys have the later use, %v", len(stored), keys, err)
		}
	})
}

func TestUsesInMemoryAreBounded(t *testing.T) {
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
		if err := s.storeUses(t.Context(), false); err != nil {
			t.Fatal(err)
		}
	}
	s.uses.mu.Lock()
	defer s.uses.mu.Unlock()
	if n := len(s.uses.last) + len(s.uses.stored); n > 100 {
		t.Errorf("%d uses are in memory, want at most 100", n)
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
