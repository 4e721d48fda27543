//go:build cgo

package command

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/internal/pgtest"
	"github.com/sightline-analytics/sightline/internal/testenv"
)

// TestFlagsReachOtherProcesses runs two servers on one PostgreSQL and one Redis. The server that changes a flag
// must use it immediately, the other within a second. After a command both must use it within a second.
func TestFlagsReachOtherProcesses(t *testing.T) {
	redis := testenv.Address(t, "REDIS_DSN")
	one := installed{t.TempDir(), pgtest.Schema(t)}
	two := installed{t.TempDir(), one.dsn}
	pepper := one.file(t, "a pepper for both folders")
	p, q := one.serve(t, "--pepper-file", pepper, "--redis", redis),
		two.serve(t, "--pepper-file", pepper, "--redis", redis)
	one.do(t, "websites", "add", "--id", "w1", "--domain", "one.example")
	one.do(t, "flags", "add", "ui", "--client", "w1", "--default")
	key := one.secret(t, "keys", "add", "--all", "--scope", "manage:flags", "--pepper-file", pepper)
	id := one.flagID(t)
	for n := range 4 {
		p.mustBe(t, n%2 == 0, 0)
		q.mustBe(t, n%2 == 0, time.Second)
		p.patch(t, id, key, fmt.Sprintf(`{"clientId":"w1","defaultValue":%v}`, n%2 == 1))
	}
	two.do(t, "flags", "change", "ui", "--client", "w1", "--no-default")
	p.mustBe(t, false, time.Second)
	q.mustBe(t, false, time.Second)
}

// TestChangeGroup changes one field of a target group and then removes the group. The other fields must stay.
func TestChangeGroup(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, in installed) {
		in.do(t, "websites", "add", "--id", "w1", "--domain", "one.example")
		groups := func(verb string, args ...string) (g groupView) {
			t.Helper()
			out := in.do(t, append([]string{"flags", "groups", verb, "--client", "w1", "--json"}, args...)...)
			if err := json.Unmarshal([]byte(out), &g); err != nil {
				t.Fatalf("%s: %v", out, err)
			}
			return g
		}
		added := groups("add", "--name", "Testers", "--description", "People who test", "--rules",
			"@testdata/rules.json")
		changed := groups("change", added.ID, "--description", "")
		want := added
		want.Description, want.Revision, want.UpdatedAt = "", 2, changed.UpdatedAt
		if diff := cmp.Diff(want, changed); diff != "" || len(added.Rules) == 0 {
			t.Errorf("%d rules; %s", len(added.Rules), diff)
		}
		if removed := groups("remove", added.ID); !cmp.Equal(removed, changed) {
			t.Errorf("removed %v, want %v", removed, changed)
		}
		if _, errs, code := in.try(t, "flags", "groups", "change", added.ID, "--client", "w1", "--name",
			"x"); code != 1 || !strings.Contains(errs, "does not exist") {
			t.Errorf("exit code %d, %s", code, errs)
		}
	})
}

// flagID returns the id of the flag of w1.
func (in installed) flagID(t *testing.T) string {
	t.Helper()
	_, rest, _ := strings.Cut(in.do(t, "flags", "list", "--client", "w1", "--json"), `"id":"`)
	id, _, ok := strings.Cut(rest, `"`)
	if !ok {
		t.Fatal("w1 has no flag")
	}
	return id
}

// mustBe fails unless the flag of w1 is on or off within a time, plus otherWork.
func (p *process) mustBe(t *testing.T, on bool, within time.Duration) {
	t.Helper()
	if within > 0 {
		within += otherWork
	}
	began := time.Now()
	for {
		_, body := p.get(t, "/public/v1/flags/evaluate?clientId=w1&key=ui", "")
		took := time.Since(began)
		if strings.Contains(body, fmt.Sprintf(`"enabled":%v,`, on)) {
			return
		}
		if took >= within {
			t.Errorf("after %v the flag is %s; want on: %v", took, body, on)
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (p *process) patch(t *testing.T, id, key, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPatch, p.Address+"/public/v1/flags/"+id,
		strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Api-Key", key)
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = got.Body.Close()
	if got.StatusCode != http.StatusOK {
		t.Fatalf("status %d", got.StatusCode)
	}
}
