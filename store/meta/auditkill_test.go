package meta

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth/audit"
)

const auditCrash = "SIGHTLINE_AUDIT_CRASH"

// TestAuditUntilKilled is the program of TestAuditKill: it says each head that is kept.
func TestAuditUntilKilled(t *testing.T) {
	at := os.Getenv(auditCrash)
	if at == "" {
		t.Skip("this is the other process of TestAuditKill")
	}
	w, err := audit.New(t.Context(), audit.Config{
		Log: mustOpen(t, configAt(at)).Audit(), Pepper: pepper, Every: 20 * time.Millisecond,
		OnHead: func(m audit.Checkpoint) { fmt.Println(m.Writer, m.Seq, m.MAC) },
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for i := 0; ctx.Err() == nil; i++ {
		if err := w.Record(ctx, use1(i)); err != nil {
			t.Fatal(err)
		}
		if i%100 == 0 {
			time.Sleep(time.Millisecond)
		}
	}
}

// TestAuditKill kills processes that write: every head that was told is there afterwards,
// and the log is whole.
func TestAuditKill(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		mustOpen(t, cfg)
		var known []audit.Checkpoint
		for round := range 3 {
			known = append(known, untilKilled(t, cfg, 5+3*round)...)
		}
		s := mustOpen(t, cfg)
		r, err := audit.Verify(t.Context(), s.Audit(), pepper, known...)
		if err != nil || r.Err() != nil || len(r.Chains) != 3 {
			t.Errorf("after three kills: %d chains, %v, %v", len(r.Chains), err, r.Problems)
		}
	})
}

// untilKilled has a process tell n heads, kills it, and returns all that it told.
func untilKilled(t *testing.T, cfg Config, n int) (told []audit.Checkpoint) {
	t.Helper()
	cmd, lines := another(t, "TestAuditUntilKilled", auditCrash+"="+cfg.Path+cfg.DSN)
	for lines.Scan() {
		var m audit.Checkpoint
		var mac string
		if _, err := fmt.Sscan(lines.Text(), &m.Writer, &m.Seq, &mac); err != nil || m.MAC.UnmarshalText([]byte(mac)) != nil {
			continue // cut by the kill
		}
		if told = append(told, m); len(told) == n {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err == nil || len(told) < n {
		t.Fatalf("the writer ended by itself, with %d heads: %v", len(told), err)
	}
	return told
}
