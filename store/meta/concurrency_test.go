package meta

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/store"
)

// TestConcurrentWriters has goroutines of two stores, which is what two processes are
// to SQLite, write and read one file. Nobody may be told that the file is busy.
func TestConcurrentWriters(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		stores := [2]*Store{mustOpen(t, cfg), mustOpen(t, cfg)}
		const workers, each = 16, 10
		var wg sync.WaitGroup
		var errs [workers]error
		for w := range workers {
			wg.Go(func() { errs[w] = work(t.Context(), stores[w%2], stores[(w+1)%2], w, each) })
		}
		wg.Wait()
		if err := errors.Join(errs[:]...); err != nil {
			t.Fatal(err)
		}
		for _, s := range stores {
			sites, err1 := s.Websites(t.Context(), "acme")
			keys, err2 := s.Keys(t.Context(), "acme")
			if len(sites) != workers*each || len(keys) != workers*each || err1 != nil || err2 != nil {
				t.Errorf("%d websites, %d keys, %v, %v; want %d each", len(sites), len(keys), err1, err2, workers*each)
			}
		}
	})
}

// work writes through one store and reads through the other.
func work(ctx context.Context, write, read *Store, worker, times int) error {
	for n := range times {
		id := fmt.Sprintf("w%d-%d", worker, n)
		if _, err := write.CreateWebsite(ctx, store.Website{ID: id, Owner: "acme", Domain: "a.example"}); err != nil {
			return err
		}
		if owner, err := read.Owner(ctx, store.Subject{Kind: store.KindWebsite, ID: id}); err != nil || owner != "acme" {
			return fmt.Errorf("owner of %s is %q: %w", id, owner, err)
		}
		k, old, err := write.CreateKey(ctx, auth.Key{Owner: "acme", All: true})
		if err != nil {
			return err
		}
		_, fresh, err := read.RotateKey(ctx, k.ID, 0)
		if err != nil {
			return err
		}
		if err := write.RevokeKey(ctx, k.ID); err != nil {
			return err
		}
		found, err := read.KeyByDigest(ctx, fresh.Digest(pepper))
		if err != nil || found.Revoked.IsZero() {
			return fmt.Errorf("revoked key is %+v: %w", found, err)
		}
		if _, err := write.KeyByDigest(ctx, old.Digest(pepper)); !errors.Is(err, auth.ErrNotFound) || !errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("the old secret: %w", err)
		}
	}
	return nil
}

const crashVariable = "META_TEST_WRITE_UNTIL_KILLED"

// TestWriteUntilKilled is the process that TestKill kills.
func TestWriteUntilKilled(t *testing.T) {
	path := os.Getenv(crashVariable)
	if path == "" {
		t.Skip("run by TestKill")
	}
	s := mustOpen(t, configAt(path))
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		k, _, err := s.CreateKey(t.Context(), auth.Key{Owner: "acme", All: true})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stdout.WriteString(k.ID + "\n"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestKill(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		var reported []string
		for range 3 {
			cmd, lines := another(t, "TestWriteUntilKilled", crashVariable+"="+cfg.Path+cfg.DSN)
			for range 25 {
				if !lines.Scan() {
					t.Fatalf("the writer ended by itself: %v", lines.Err())
				}
				reported = append(reported, lines.Text())
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			for lines.Scan() {
				reported = append(reported, lines.Text())
			}
			_ = cmd.Wait() // it was killed
		}
		s := mustOpen(t, cfg)
		for _, id := range reported {
			if _, err := s.Key(t.Context(), id); err != nil {
				t.Errorf("a key that was reported is gone: %v", err)
			}
		}
	})
}

// TestDiskFull has the database hit a limit of pages, which it reports as a full disk.
func TestDiskFull(t *testing.T) {
	s := mustOpen(t, config(t))
	k, secret, err := s.CreateKey(t.Context(), auth.Key{Owner: "acme", All: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.write.ExecContext(t.Context(), "PRAGMA max_page_count = 1"); err != nil { // raised to what there is
		t.Fatal(err)
	}
	created := 0
	for ; created < 1000; created++ {
		if _, err = s.CreateWebsite(t.Context(), store.Website{Owner: "acme", Domain: "a.example"}); err != nil {
			break
		}
	}
	if !errors.Is(err, store.ErrFull) {
		t.Errorf("after %d websites: %v", created, err)
	}
	if sites, err := s.Websites(t.Context(), "acme"); err != nil || len(sites) != created {
		t.Errorf("%d websites, %v; want the %d that were created", len(sites), err, created)
	}
	if found, err := s.KeyByDigest(t.Context(), secret.Digest(pepper)); err != nil || found.ID != k.ID {
		t.Errorf("KeyByDigest on a full disk = %+v, %v", found, err)
	}
	if _, err := s.write.ExecContext(t.Context(), "PRAGMA max_page_count = 100000"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.CreateWebsite(t.Context(), store.Website{Owner: "acme", Domain: "a.example"}); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

func BenchmarkKeyByDigest(b *testing.B) {
	s := mustOpen(b, config(b))
	_, secret, err := s.CreateKey(b.Context(), auth.Key{Owner: "acme", All: true, Scopes: auth.Scopes()})
	if err != nil {
		b.Fatal(err)
	}
	d := secret.Digest(pepper)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.KeyByDigest(b.Context(), d); err != nil {
			b.Fatal(err)
		}
	}
}
