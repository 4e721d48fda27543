package meta

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/store"
)

const killVariable = "META_TEST_WRITE_UNTIL_KILLED"

// TestWriteUntilKilled is the process that TestKill kills. It prints every key that it created, and every head of
// the audit trail that was stored.
func TestWriteUntilKilled(t *testing.T) {
	at := os.Getenv(killVariable)
	if at == "" {
		t.Skip("run by TestKill")
	}
	s := mustOpen(t, configAt(at))
	w, err := audit.New(t.Context(), audit.Config{
		Log: s.Audit(), Pepper: pepper,
		Options: audit.Options{Every: 20 * time.Millisecond,
			OnHead: func(m audit.Checkpoint) { fmt.Println("head", m.Writer, m.Seq, m.MAC) }},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	for i := 0; ctx.Err() == nil; i++ {
		if err := w.Record(ctx, use1(i)); err != nil {
			t.Fatal(err)
		}
		if i%100 > 0 {
			continue
		}
		k, _, err := s.CreateKey(ctx, auth.Key{Owner: "acme", All: true})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println("key", k.ID)
	}
}

// TestKill kills processes that write. Afterwards every printed key and head must be stored, and the audit trail
// must be valid.
func TestKill(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		mustOpen(t, cfg)
		var heads []audit.Checkpoint
		var created []string
		for round := range 3 {
			h, ids := untilKilled(t, cfg, 2+2*round)
			heads, created = append(heads, h...), append(created, ids...)
		}
		s := mustOpen(t, cfg)
		r, err := audit.Verify(t.Context(), s.Audit(), pepper, heads...)
		if err != nil || r.Err() != nil || len(r.Chains) != 3 {
			t.Errorf("after three kills: %d chains, %v, %v", len(r.Chains), err, r.Problems)
		}
		for _, id := range created {
			if _, err := s.Key(t.Context(), id); err != nil {
				t.Errorf("a printed key is missing: %v", err)
			}
		}
	})
}

// untilKilled waits until a process has printed n heads and n keys, and kills it. It returns everything that the
// process printed.
func untilKilled(t *testing.T, cfg Config, n int) (heads []audit.Checkpoint, created []string) {
	t.Helper()
	cmd, lines := startProcess(t, "TestWriteUntilKilled", killVariable+"="+cfg.Path+cfg.DSN)
	for killed := false; lines.Scan(); {
		var m audit.Checkpoint
		var mac string
		if id, ok := strings.CutPrefix(lines.Text(), "key "); ok {
			created = append(created, id)
		} else if _, err := fmt.Sscan(lines.Text(), new(string), &m.Writer, &m.Seq, &mac); err == nil &&
			m.MAC.UnmarshalText([]byte(mac)) == nil {
			heads = append(heads, m) // the kill can cut the last line
		}
		if !killed && len(heads) >= n && len(created) >= n {
			killed = true
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err == nil || len(heads) < n || len(created) < n {
		t.Fatalf("the writer ended too early, with %d heads and %d keys: %v", len(heads), len(created), err)
	}
	return heads, created
}

// TestDiskFull limits the pages of the database. SQLite reports the limit as a full disk.
func TestDiskFull(t *testing.T) {
	s := mustOpen(t, config(t))
	k, secret, err := s.CreateKey(t.Context(), auth.Key{Owner: "acme", All: true})
	if err != nil {
		t.Fatal(err)
	}
	// SQLite raises it to the current size
	if _, err := s.write.ExecContext(t.Context(), "PRAGMA max_page_count = 1"); err != nil {
		t.Fatal(err)
	}
	created := 0
	for ; created < 1000; created++ {
		if _, err = s.CreateWebsite(t.Context(), store.Website{Owner: "acme", Domain: "a.example"}); err != nil {
			break
		}
	}
	if !errors.Is(err, store.ErrFull) {
		t.Errorf("after %d websites the error is %v, want ErrFull", created, err)
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
		t.Errorf("after the limit was raised: %v", err)
	}
}
