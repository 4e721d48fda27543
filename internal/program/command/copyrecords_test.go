//go:build cgo

package command

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/internal/pgtest"
	"github.com/sightline-analytics/sightline/internal/program/install"
	"github.com/sightline-analytics/sightline/store/meta"
)

// TestCopyRecords copies the records of a folder to PostgreSQL. Servers on it accept the keys, tokens and flags of the
// folder, and continue its audit trail.
func TestCopyRecords(t *testing.T) {
	t.Parallel()
	in, p, _ := demoWebsite(t)
	key := in.secret(t, "keys", "add", "--id", "k", "--all", "--scope", "read:data,track:events")
	in.do(t, "flags", "add", "dark-mode", "--client", "web_demo")
	in.do(t, "definitions", "save", "goal", "Signup", "--website", "web_demo", "--body", "@testdata/goal.json")
	if status, answer := p.post(t, "/ingest/identify?client_id=web_demo", key,
		`{"profileId":"cus_1","traits":{"plan":"pro"}}`); status != 200 {
		t.Fatalf("status %d: %s", status, answer)
	}
	token := in.secret(t, "keys", "token", "k", "--ttl", "1h")
	dsn := pgtest.Schema(t)
	if _, errs, code := in.try(t, "copy", "--meta", dsn); code != 1 || !strings.Contains(errs, "a server runs on") {
		t.Errorf("beside a server: exit code %d, %s", code, errs)
	}
	p.stop(t)

	stopped, stop := context.WithCancel(t.Context())
	_, err := meta.Copy(stopped, meta.CopyConfig{
		From: meta.Config{Path: filepath.Join(in.dir, install.RecordsFile)}, To: meta.Config{DSN: dsn},
		Progress: func(string, int64) { stop() },
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("a copy that is stopped: %v", err)
	}
	moved := installed{in.dir, dsn}
	if _, errs, code := moved.try(t, "keys", "list"); code != 1 || !strings.Contains(errs, "copy --meta again") {
		t.Errorf("keys of an unfinished copy: exit code %d, %s", code, errs)
	}
	if out := in.do(t, "copy", "--meta", dsn); !strings.Contains(out, "verified: ") {
		t.Errorf("the copy says %s", out)
	}
	if out := in.do(t, "copy", "--meta", dsn, "--verify"); !strings.HasPrefix(out, "verified: ") {
		t.Errorf("the comparison says %s", out)
	}
	for _, command := range []string{
		"keys list --json", "websites list --json", "definitions list --website web_demo --json",
		"flags list --client web_demo --json", "audit list --json", "profiles show cus_1 --website web_demo --json",
	} {
		before, after := in.do(t, strings.Fields(command)...), moved.do(t, strings.Fields(command)...)
		if before != after || len(before) < 30 {
			t.Errorf("%s: before %s, after %s", command, before, after)
		}
	}
	p = moved.serve(t)
	for _, credential := range []string{key, token} {
		if status, answer := p.get(t, "/v1/query/websites", credential); status != 200 {
			t.Errorf("status %d: %s", status, answer)
		}
	}
	p.stop(t)
	if out := moved.do(t, "audit", "verify"); !strings.Contains(out, "CHAIN") {
		t.Errorf("the trail: %s", out)
	}
	if _, errs, code := in.try(t, "copy", "--meta", dsn); code != 1 || !strings.Contains(errs, "has other records already") {
		t.Errorf("into a database that a server has used: exit code %d, %s", code, errs)
	}
	if out, _, code := in.try(t, "copy", "--meta", dsn, "--verify"); code != 1 || !strings.Contains(out, "differs: audit_") {
		t.Errorf("the comparison with such a database: exit code %d, %s", code, out)
	}
	if _, errs, code := in.try(t, "copy"); code != 2 || !strings.Contains(errs, "--to is empty") {
		t.Errorf("without a target: exit code %d, %s", code, errs)
	}
}
