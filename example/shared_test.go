//go:build cgo

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestProcessesShare starts two servers on one PostgreSQL and one Redis: they share
// limits and a trail, and tell health of their parts.
func TestProcessesShare(t *testing.T) {
	redis := required(t, "REDIS_DSN")
	one := install{t.TempDir(), postgresSchema(t)}
	two := install{t.TempDir(), one.dsn}
	pepper := filepath.Join(t.TempDir(), "pepper")
	if err := os.WriteFile(pepper, []byte("a pepper for both folders"), 0o600); err != nil {
		t.Fatal(err)
	}
	flags := []string{"--pepper-file", pepper, "--redis", redis}
	p, q := one.serve(t, flags...), two.serve(t, flags...)
	key := one.secret(t, "keys", "create", "--id", "k", "--all", "--limit", "6", "--pepper-file", pepper)
	began := time.Now()
	passed := 0
	for i := range 20 {
		status, body := []*process{p, q}[i%2].get(t, "/v1/query/websites", key)
		switch status {
		case 200:
			passed++
		case 429:
		default:
			t.Fatalf("status %d: %s", status, body)
		}
	}
	refilled := int(time.Since(began)/(10*time.Second)) + 1
	if passed < 6 || passed > 6+refilled {
		t.Errorf("%d requests passed two servers with a limit of 6", passed)
	}
	for _, server := range []*process{p, q} {
		if status, body := server.get(t, "/health", ""); status != 200 || strings.Contains(body, "false") {
			t.Errorf("health: status %d, %s", status, body)
		}
		server.stop(t)
	}
	for _, in := range []install{one, two} {
		if v, code := in.verify(t, "--pepper-file", pepper); code != 0 || v.Entries != 20 || len(v.Chains) != 2 || v.Heads != 1 {
			t.Errorf("the trail of both: %d, %+v", code, v)
		}
	}
}

// A Redis that is away is told by health, and needed by nothing.
func TestRedisIsAway(t *testing.T) {
	in := install{dir: t.TempDir()}
	p := in.serve(t, "--redis", "redis://127.0.0.1:1/0")
	for range 3 {
		if status, body := p.get(t, "/v1/query/websites", p.Key); status != 200 {
			t.Errorf("status %d: %s", status, body)
		}
	}
	if status, body := p.get(t, "/health", ""); status != 503 || !strings.Contains(body, `"redis":false`) || !strings.Contains(body, `"database":true`) {
		t.Errorf("health: status %d, %s", status, body)
	}
	p.stop(t)
	if _, errs, code := in.try(t, "serve", "--redis", "http://127.0.0.1"); code == 0 || !strings.Contains(errs, "--redis") {
		t.Errorf("an address of something else: exit code %d, %s", code, errs)
	}
}
