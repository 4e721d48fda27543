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

	"github.com/sightline-analytics/sightline/example/install"
)

// TestKeysBesideAServer runs the commands of an operator while a server runs.
func TestKeysBesideAServer(t *testing.T) {
	onEachStore(t, func(t *testing.T, in installed) {
		p := in.serve(t)
		in.do(t, "owners", "add", "--id", "north", "--name", "North")
		in.do(t, "websites", "add", "--id", "w1", "--owner", "north", "--domain", "one.example")
		in.do(t, "websites", "add", "--id", "w2", "--owner", "north", "--domain", "two.example")
		first := in.secret(t, "keys", "create", "--id", "k", "--owner", "north", "--resource", "website:w1")
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
			t.Errorf("a token for another type of question: %s", other)
		}
		in.do(t, "keys", "revoke", "k")
		p.within(t, "the key, revoked", "w1", third, 401)
		p.within(t, "the token of a revoked key", "w1", token, 401)
		p.stop(t)

		for _, secret := range []string{first, second, third, token} {
			found := grep(t, in.dir, secret)
			if strings.Contains(p.errs.String(), secret) || len(found) > 0 {
				t.Errorf("a secret is in the log, or in %v", found)
			}
		}
		if used := in.keyNamed(t, "k").LastUsed; used == nil {
			t.Error("it is not noted when the key was used")
		}
	})
}

// keyNamed is a key as programs see it.
func (in installed) keyNamed(t *testing.T, id string) (k keyView) {
	t.Helper()
	if err := json.Unmarshal([]byte(in.do(t, "keys", "show", id, "--json")), &k); err != nil {
		t.Fatal(err)
	}
	return k
}

// grep lists the files below dir that hold text.
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

// TestDemoKeyOfFolders starts servers of two folders on one PostgreSQL: each has a demo
// key of its own, and keeps it.
func TestDemoKeyOfFolders(t *testing.T) {
	one := installed{t.TempDir(), pgtest.Schema(t)}
	two := installed{t.TempDir(), one.dsn}
	pepper := filepath.Join(t.TempDir(), "pepper")
	if err := os.WriteFile(pepper, []byte("a pepper for both folders"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, q := one.serve(t, "--pepper-file", pepper), two.serve(t, "--pepper-file", pepper)
	if p.Key == q.Key {
		t.Error("both folders have one key")
	}
	for _, server := range []*process{p, q} {
		for _, key := range []string{p.Key, q.Key} {
			if status, body := server.get(t, "/v1/query/websites", key); status != 200 {
				t.Errorf("status %d: %s", status, body)
			}
		}
	}
	p.stop(t)
	if again := one.serve(t, "--pepper-file", pepper); again.Key != p.Key {
		t.Error("the key changed with a restart")
	}
	t.Run("without the pepper of the keys nothing is made", func(t *testing.T) {
		elsewhere := installed{t.TempDir(), one.dsn}
		for _, command := range []string{"keys create --all", "keys rotate key_demo", "keys token key_demo", "audit verify"} {
			_, errs, code := elsewhere.try(t, strings.Fields(command)...)
			if code != 1 || !strings.Contains(errs, "--pepper-file") {
				t.Errorf("%s: exit code %d, %s", command, code, errs)
			}
		}
		if secret := elsewhere.secret(t, "keys", "create", "--all", "--pepper-file", pepper); secret == "" {
			t.Error("nothing was made with it either")
		}
	})
	t.Run("nor with another pepper", func(t *testing.T) {
		if err := os.WriteFile(pepper+"2", []byte("another pepper than that"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, command := range []string{"keys create --all", "keys rotate key_demo", "keys token key_demo"} {
			out, errs, code := one.try(t, append(strings.Fields(command), "--pepper-file", pepper+"2")...)
			if code != 1 || out != "" || !strings.Contains(errs, "another pepper") {
				t.Errorf("%s: exit code %d, %s", command, code, errs)
			}
		}
		if v, code := one.verify(t, "--pepper-file", pepper+"2"); code != 3 {
			t.Errorf("audit verify: exit code %d, %+v", code, v)
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

// TestDemoKeyIsMadeAgain loses the demo key's secret, and then revokes the key too.
func TestDemoKeyIsMadeAgain(t *testing.T) {
	in := installed{dir: t.TempDir()}
	seen := map[string]bool{}
	for _, revoke := range []bool{false, true, false} {
		p := in.serve(t)
		if status, body := p.get(t, "/v1/query/websites", p.Key); status != 200 || seen[p.Key] {
			t.Errorf("a new key: status %d, %s", status, body)
		}
		seen[p.Key] = true
		if revoke {
			in.do(t, "keys", "revoke", "key_demo")
		}
		p.stop(t)
		if err := os.Remove(filepath.Join(in.dir, install.DemoKeyFile)); err != nil {
			t.Fatal(err)
		}
	}
	if k := in.keyNamed(t, "key_demo"); k.PerMinute == nil || *k.PerMinute != 60_000 || len(k.Scopes) != len(auth.Scopes()) {
		t.Errorf("the demo key: %+v", k)
	}
}
