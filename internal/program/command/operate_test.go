//go:build cgo

package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/pgtest"

	"github.com/sightline-analytics/sightline/internal/program/install"
)

// TestKeysBesideAServer runs commands about keys while a server runs.
func TestKeysBesideAServer(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, in installed) {
		p := in.serve(t, "--limits", "off") // a fast machine would exceed the limit of a key
		in.do(t, "owners", "add", "--id", "north", "--name", "North")
		in.do(t, "websites", "add", "--id", "w1", "--owner", "north", "--domain", "one.example")
		in.do(t, "websites", "add", "--id", "w2", "--owner", "north", "--domain", "two.example")
		first := in.secret(t, "keys", "add", "--id", "k", "--owner", "north", "--resource", "website:w1")
		p.wants(t, "the website that it is for", "w1", first, 200)
		p.wants(t, "another of its owner", "w2", first, 403)
		p.wants(t, "one that is not there", "w9", first, 403)

		second := in.secret(t, "keys", "rotate", "k", "--grace", "1h")
		p.wants(t, "the new secret", "w1", second, 200)
		time.Sleep(time.Second)
		p.wants(t, "the old secret, in its grace", "w1", first, 200)
		third := in.secret(t, "keys", "rotate", "k")
		p.wants(t, "the third secret", "w1", third, 200)
		p.within(t, "the second secret", "w1", second, 401)
		p.within(t, "the first secret", "w1", first, 401)

		in.do(t, "keys", "disable", "k")
		p.within(t, "the key, disabled", "w1", third, 401)
		in.do(t, "keys", "enable", "k")
		p.within(t, "the key, enabled", "w1", third, 200)

		token := in.secret(t, "keys", "token", "k", "--type", "pages", "--ttl", "5m")
		p.wants(t, "a token", "w1", token, 200)
		p.wants(t, "a token for what its key does not open", "w2", token, 403)
		_, other := p.get(t, "/v1/query?parameters=summary&preset=last_7d&website_id=w1", token)
		if !strings.Contains(other, `"success":false`) {
			t.Errorf("a token for another query type: %s", other)
		}
		in.do(t, "keys", "change", "k", "--resource", "website:w2")
		p.within(t, "the website that it was for", "w1", third, 403)
		p.wants(t, "the one that it is for now", "w2", third, 200)
		in.do(t, "keys", "change", "k", "--no-resource", "--all")
		p.within(t, "the first, with a key for all", "w1", third, 200)
		in.do(t, "keys", "revoke", "k")
		p.within(t, "the key, revoked", "w1", third, 401)
		p.within(t, "the token of a revoked key", "w1", token, 401)
		if _, errs, code := in.try(t, "keys", "enable", "k"); code != 1 || !strings.Contains(errs,
			"the key is revoked") {
			t.Errorf("enabling a revoked key: exit code %d, %s", code, errs)
		}
		p.stop(t)

		for _, secret := range []string{first, second, third, token} {
			found := grep(t, in.dir, secret)
			if strings.Contains(p.errs.String(), secret) || len(found) > 0 {
				t.Errorf("a secret is in the log, or in %v", found)
			}
		}
		if used := in.keyNamed(t, "k").LastUsed; used == nil {
			t.Error("the key has no time of last use")
		}
	})
}

// keyNamed returns a key from keys show --json.
func (in installed) keyNamed(t *testing.T, id string) (k keyView) {
	t.Helper()
	if err := json.Unmarshal([]byte(in.do(t, "keys", "show", id, "--json")), &k); err != nil {
		t.Fatal(err)
	}
	return k
}

// grep returns the files below dir that contain text.
func grep(t *testing.T, dir, text string) (found []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) < 3 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, f := range files {
		content, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(content), text) {
			found = append(found, f)
		}
	}
	return found
}

// TestPepperOfFolders uses two folders with one PostgreSQL: the second folder needs the pepper of the first.
func TestPepperOfFolders(t *testing.T) {
	t.Parallel()
	one := installed{t.TempDir(), pgtest.Schema(t)}
	pepper := one.file(t, "a pepper for both folders")
	p := one.serve(t, "--pepper-file", pepper)
	key := one.secret(t, "keys", "add", "--id", "k", "--all", "--pepper-file", pepper)
	two := installed{t.TempDir(), one.dsn}
	for _, server := range []*process{p, two.serve(t, "--pepper-file", pepper)} {
		if status, body := server.get(t, "/v1/query/websites", key); status != 200 {
			t.Errorf("status %d: %s", status, body)
		}
		server.stop(t)
	}
	t.Run("commands without the pepper create nothing", func(t *testing.T) {
		elsewhere := installed{t.TempDir(), one.dsn}
		for _, command := range []string{"keys add --all", "keys rotate k", "keys token k", "audit verify"} {
			_, errs, code := elsewhere.try(t, strings.Fields(command)...)
			if code != 1 || !strings.Contains(errs, "--pepper-file") {
				t.Errorf("%s: exit code %d, %s", command, code, errs)
			}
		}
		if secret := elsewhere.secret(t, "keys", "add", "--all", "--pepper-file", pepper); secret == "" {
			t.Error("the right pepper does not work either")
		}
	})
	t.Run("commands with another pepper create nothing", func(t *testing.T) {
		other := one.file(t, "another pepper than that")
		for _, command := range []string{"keys add --all", "keys rotate k", "keys token k", "audit verify"} {
			out, errs, code := one.try(t, append(strings.Fields(command), "--pepper-file", other)...)
			if code != 1 || out != "" || !strings.Contains(errs, "not the pepper of these records") {
				t.Errorf("%s: exit code %d, %s", command, code, errs)
			}
		}
	})
	t.Run("a server with another pepper does not start", func(t *testing.T) {
		stop := installed{t.TempDir(), one.dsn}
		_, errs, code := stop.try(t, "serve", "--addr", "127.0.0.1:0", "--demo=false")
		if code != 1 || !strings.Contains(errs, "--pepper-file") {
			t.Errorf("exit code %d, %s", code, errs)
		}
	})
}

// demo starts a server with a demo.
func (in installed) demo(t *testing.T, flags ...string) *process {
	t.Helper()
	return in.serve(t, append(flags, "--demo=true", "--demo-days", "1")...)
}

// TestDemoKey deletes the file with the secret of the demo key: the next server creates a new key. Then it revokes
// the key: the next server does not create another one.
func TestDemoKey(t *testing.T) {
	t.Parallel()
	in := installed{dir: t.TempDir()}
	file := filepath.Join(in.dir, install.DemoKeyFile)
	p := in.demo(t)
	p.stop(t)
	again := in.demo(t)
	if again.Key != p.Key {
		t.Error("the key changed with a restart")
	}
	again.stop(t)
	if k := in.keyNamed(t, "key_demo"); k.PerMinute == nil || *k.PerMinute != 60_000 ||
		len(k.Scopes) != len(auth.Scopes()) {
		t.Errorf("the demo key: %+v", k)
	}

	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	renewed := in.demo(t)
	if status, body := renewed.get(t, "/v1/query/websites", renewed.Key); status != 200 || renewed.Key == p.Key {
		t.Errorf("a new secret: status %d, %s", status, body)
	}
	in.do(t, "keys", "revoke", "key_demo")
	renewed.stop(t)
	for _, lost := range []bool{false, true} {
		if lost {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}
		revoked := in.demo(t)
		if revoked.Key != "" {
			t.Errorf("a revoked key has a secret (its file was lost: %v)", lost)
		}
		revoked.stop(t)
	}
	if n := strings.Count(in.do(t, "keys", "list", "--json"), `"state"`); n != 1 {
		t.Errorf("%d keys, want only the revoked key", n)
	}
}

// TestDemoKeyOfFolders uses two folders with one PostgreSQL: the second must not end the key of the first.
func TestDemoKeyOfFolders(t *testing.T) {
	t.Parallel()
	one := installed{t.TempDir(), pgtest.Schema(t)}
	two := installed{t.TempDir(), one.dsn}
	pepper := one.file(t, "a pepper for both folders")
	p, q := one.demo(t, "--pepper-file", pepper), two.demo(t, "--pepper-file", pepper, "--new-events")
	if status, body := q.get(t, "/v1/query/websites", p.Key); status != 200 || q.Key != "" {
		t.Errorf("status %d: %s; the second folder has a key: %v", status, body, q.Key != "")
	}
}
