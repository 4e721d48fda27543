//go:build cgo

package command

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sightline-analytics/sightline/internal/pgtest"
	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/redisbus"
)

// TestProcessesShare starts two servers on one PostgreSQL and one Redis. They share limits and an audit trail,
// and /health reports both databases.
func TestProcessesShare(t *testing.T) {
	dsn := testenv.Address(t, "REDIS_DSN")
	one := installed{t.TempDir(), pgtest.Schema(t)}
	two := installed{t.TempDir(), one.dsn}
	pepper := filepath.Join(t.TempDir(), "pepper")
	if err := os.WriteFile(pepper, []byte("a pepper for both folders"), 0o600); err != nil {
		t.Fatal(err)
	}
	flags := []string{"--pepper-file", pepper, "--redis", dsn}
	p, q := one.serve(t, flags...), two.serve(t, flags...)
	asked := 0
	for {
		key := one.secret(t, "keys", "add", "--all", "--limit", "6", "--pepper-file", pepper)
		lost, began := lostRedis(t, p, q), time.Now()
		passed := passing(t, key, p, q)
		asked += 20
		refilled := int(time.Since(began)/(10*time.Second)) + 1
		if lostRedis(t, p, q) > lost && asked < 200 {
			continue // Redis was too slow on a busy machine, so each server counted alone
		}
		if passed < 6 || passed > 6+refilled {
			t.Errorf("%d requests passed two servers with a limit of 6", passed)
		}
		break
	}
	for _, server := range []*process{p, q} {
		if status, body := server.get(t, "/health", ""); status != 200 || strings.Contains(body, "false") {
			t.Errorf("health: status %d, %s", status, body)
		}
		server.stop(t)
	}
	made := asked / 20 // keys, all of them in the first folder
	for heads, in := range map[int]installed{1 + made: one, 1: two} {
		if v, code := in.verify(t, "--pepper-file", pepper); code != 0 || len(v.Chains) != 2+made || v.Heads != heads {
			t.Errorf("the trail of both: %d, %+v", code, v)
		}
		if n := in.audit(t, "--limit", "1000").requests(); n != asked+made {
			t.Errorf("the trail has %d requests and commands, want %d", n, asked+made)
		}
	}
}

// passing sends twenty requests, to the servers in turn, and returns how many were answered.
func passing(t *testing.T, key string, servers ...*process) (passed int) {
	t.Helper()
	for i := range 20 {
		status, body := servers[i%len(servers)].get(t, "/v1/query/websites", key)
		switch status {
		case 200:
			passed++
		case 429:
		default:
			t.Fatalf("status %d: %s", status, body)
		}
	}
	return passed
}

// lostRedis waits until all servers have Redis again, and returns how often they lost it.
func lostRedis(t *testing.T, servers ...*process) int {
	t.Helper()
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(20 * time.Millisecond) {
		lost, back := 0, 0
		for _, s := range servers {
			lost += strings.Count(s.errs.String(), "Redis is unreachable")
			back += strings.Count(s.errs.String(), "Redis is reachable again")
		}
		if lost == back {
			return lost
		}
	}
	t.Fatal("a server does not find Redis again")
	return 0
}

// A command that changes a key notifies servers through Redis. If it cannot, it reports that and still changes
// the key.
func TestCommandsNotifyServers(t *testing.T) {
	o, err := redis.ParseURL(testenv.Address(t, "REDIS_DSN"))
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(o)
	defer client.Close()
	sub := client.Subscribe(t.Context(), redisbus.DefaultPrefix+redisbus.KeyChannel)
	defer sub.Close()
	if _, err := sub.Receive(t.Context()); err != nil { // the subscription is active
		t.Fatal(err)
	}
	in := installed{dir: t.TempDir()}
	id := "key_" + rand.Text()
	in.secret(t, "keys", "add", "--id", id, "--all")
	for _, command := range []string{"rotate", "disable", "enable", "revoke"} {
		in.do(t, "keys", command, id, "--redis", os.Getenv("REDIS_DSN"))
		for notified, late := "", time.After(time.Minute); notified != id; {
			select {
			case m := <-sub.Channel():
				notified = m.Payload // or of another key
			case <-late:
				t.Fatalf("keys %s notified nobody", command)
			}
		}
	}
	in.do(t, "keys", "add", "--id", "k", "--all")
	_, errs, code := in.try(t, "keys", "revoke", "k", "--redis", "redis://127.0.0.1:1/0")
	if code != 0 || !strings.Contains(errs, "late") || in.keyNamed(t, "k").State != "revoked" {
		t.Errorf("Redis is unreachable: exit code %d, %s", code, errs)
	}
	if _, errs, code := in.try(t, "keys", "disable", "k", "--redis", "nowhere"); code != 1 ||
		!strings.Contains(errs, "--redis") {
		t.Errorf("an invalid address: exit code %d, %s", code, errs)
	}
}

// /health and the log say that Redis is not available, and everything works: a balancer drops no server.
func TestRedisIsAway(t *testing.T) {
	t.Parallel()
	in := installed{dir: t.TempDir()}
	p := in.serve(t, "--redis", "redis://127.0.0.1:1/0")
	key := in.secret(t, "keys", "add", "--all")
	for range 3 {
		if status, body := p.get(t, "/v1/query/websites", key); status != 200 {
			t.Errorf("status %d: %s", status, body)
		}
	}
	if status, body := p.get(t, "/health", ""); status != 200 || !strings.Contains(body, `"redis":false`) ||
		!strings.Contains(body, `"database":true`) {
		t.Errorf("health: status %d, %s", status, body)
	}
	if !strings.Contains(p.errs.String(), "Redis does not answer") {
		t.Errorf("the log does not say it: %s", p.errs)
	}
	p.stop(t)
	if _, errs, code := in.try(t, "serve", "--addr", "127.0.0.1:0", "--redis", "http://127.0.0.1"); code == 0 ||
		!strings.Contains(errs, "--redis") {
		t.Errorf("an address with another scheme: exit code %d, %s", code, errs)
	}
}
