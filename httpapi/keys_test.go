package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
)

// keyWorld returns a world with keys in memory. The keys of callers are those of newKeys, and of managers.
func keyWorld(t *testing.T, change ...func(*Config)) (*world, *auth.Memory) {
	t.Helper()
	pepper, err := auth.NewPepper([]byte("the pepper of these tests"))
	if err != nil {
		t.Fatal(err)
	}
	memory, err := auth.NewMemory(auth.MemoryConfig{Pepper: pepper,
		Issuer: auth.Issuer{Now: func() time.Time { return now }}})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, append(change, func(cfg *Config) { cfg.Keys, cfg.Trail = memory, &audit.Memory{} })...)
	manage := []auth.Scope{auth.ReadData, auth.ManageKeys}
	for name, k := range map[string]auth.Key{
		"manager": {Scopes: manage, All: true},
		"limited": {Scopes: manage, Resources: []auth.Resource{{Kind: "website", ID: "site_a"}},
			Expires: now.Add(time.Hour), Limits: &auth.Limits{PerMinute: 60}},
		"definer": {Scopes: []auth.Scope{auth.ManageDefinitions, auth.ReadData}, All: true},
		"sites":   {Scopes: []auth.Scope{auth.ManageWebsites}, All: true},
		"narrowed": {Scopes: manage, All: true, Types: []string{"pages", "countries"},
			Filters: []auth.Filter{{Field: "country", Op: "eq", Values: []string{"DE"}}}},
	} {
		k.ID, k.Owner, k.Start = "key_"+name, "org_a", "sl_"+name
		w.keys[name] = &k
	}
	for _, k := range []auth.Key{
		{ID: "key_wide", Owner: "org_a", All: true, Scopes: []auth.Scope{auth.ReadData, auth.ExportData}},
		{ID: "key_a", Owner: "org_a", Resources: []auth.Resource{{Kind: "website", ID: "site_a"}},
			Scopes: []auth.Scope{auth.ReadData}, Expires: now.Add(time.Minute), Limits: &auth.Limits{PerMinute: 5}},
		{ID: "key_x", Owner: "org_b", All: true, Scopes: []auth.Scope{auth.ReadData}},
	} {
		if _, _, err := memory.CreateKey(t.Context(), k); err != nil {
			t.Fatal(err)
		}
	}
	return w, memory
}

// TestKeysAreNeverWider creates and changes keys by keys with limits of every kind.
func TestKeysAreNeverWider(t *testing.T) {
	w, memory := keyWorld(t)
	for _, tc := range []struct {
		by, method, path, body string
		status                 int
		fields                 string // that have mistakes
	}{
		{"manager", "POST", "/v1/keys", `{"scopes":["read:data"],"all":true}`, 200, ""},
		{"manager", "POST", "/v1/keys", `{"scopes":["read:data","export:data"],"all":true}`, 400, "scopes[1]"},
		{"manager", "POST", "/v1/keys", `{"scopes":["read:data"],"all":true,"perMinute":100000}`, 400, "perMinute"},
		{"manager", "POST", "/v1/keys", `{}`, 400, "resources scopes"},
		{"manager", "POST", "/v1/keys",
			`{"scope":["read:data"],"all":1,"types":["pagez"],"expires":"soon","scopes":["read"],"filters":[{"field":"nothing","op":"eq","value":"x"}]}`, 400,
			"all expires filters[0].field scope scopes[0] types[0]"},
		{"manager", "POST", "/v1/keys", `{"scopes":["read:data"],"all":true,"all":false}`, 400, "all"},
		{"limited", "POST", "/v1/keys", `{"scopes":["read:data"],"all":true}`, 400, "all"},
		{"limited", "POST", "/v1/keys",
			`{"scopes":["read:data"],"resources":[{"kind":"website","id":"site_a"},{"kind":"website","id":"site_b"}]}`,
			400, "resources[1]"},
		{"limited", "POST", "/v1/keys",
			`{"scopes":["read:data"],"resources":[{"kind":"website","id":"site_a"}],"perMinute":61}`, 400, "perMinute"},
		{"limited", "POST", "/v1/keys",
			`{"scopes":["read:data"],"resources":[{"kind":"website","id":"site_a"}],"expires":"2026-03-29T13:00:01Z"}`,
			400, "expires"},
		{"limited", "POST", "/v1/keys",
			`{"scopes":["read:data"],"resources":[{"kind":"website","id":"site_a"}],"perMinute":60}`, 200, ""},
		{"narrowed", "POST", "/v1/keys", `{"scopes":["read:data"],"all":true,"types":["pages","sessions"]}`, 400,
			"types[1]"},
		{"narrowed", "POST", "/v1/keys", `{"scopes":["read:data"],"all":true}`, 200, ""},
		{"limited", "PATCH", "/v1/keys/key_a", `{"name":"A","perMinute":null}`, 400, "perMinute"},
		{"limited", "PATCH", "/v1/keys/key_a", `{"expires":null}`, 400, "expires"},
		{"limited", "PATCH", "/v1/keys/key_a", `{"all":true}`, 400, "all"},
		{"limited", "PATCH", "/v1/keys/key_a", `{"scopes":["manage:flags"]}`, 400, "scopes[0]"},
		{"limited", "PATCH", "/v1/keys/key_a", `{"name":"A","disabled":true}`, 200, ""},
		{"manager", "POST", "/v1/keys/key_a/rotate", `{"grace":"forever","now":1}`, 400, "grace now"},
	} {
		before := held(t, memory)
		rec := w.send(tc.method, tc.path, tc.by, tc.body)
		var body struct {
			Details []struct{ Field string }
			Key     keyRecord
			Secret  string
		}
		if err := json.Unmarshal(rec.Body.Bytes(), &body); err != nil {
			t.Fatalf("%s: %v", rec.Body, err)
		}
		var fields []string
		for _, d := range body.Details {
			fields = append(fields, d.Field)
		}
		if rec.Code != tc.status || strings.Join(fields, " ") != tc.fields {
			t.Errorf("%s %s %s by %s: %d %s; want %d, mistakes in %q", tc.method, tc.path, tc.body, tc.by, rec.Code,
				rec.Body, tc.status, tc.fields)
		}
		if tc.status != 200 {
			if after := held(t, memory); after != before {
				t.Errorf("%s %s %s: keys changed:\n%s\n%s", tc.method, tc.path, tc.body, before, after)
			}
			continue
		}
		k, err := memory.Key(t.Context(), body.Key.ID)
		if err != nil || k.Exceeds(w.keys[tc.by]) != nil {
			t.Errorf("%s %s by %s: %v, %v", tc.method, tc.body, tc.by, err, k.Exceeds(w.keys[tc.by]))
		}
		if shares := tc.path == "/v1/keys"; shares != (len(k.Shares) == 1 && k.Shares[0].Key == w.keys[tc.by].ID) {
			t.Errorf("%s %s by %s: shares the rates %+v", tc.method, tc.path, tc.by, k.Shares)
		}
		if (body.Secret != "") != (tc.method == "POST") {
			t.Errorf("%s: secret %q", tc.path, body.Secret)
		}
	}
}

// held returns the keys of org_a as text.
func held(t *testing.T, m *auth.Memory) string {
	t.Helper()
	all, err := m.Keys(t.Context(), "org_a")
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestKeysOutOfReach checks that keys of others, wider keys and unknown ones get the same answer on every route, and
// that none of them is listed.
func TestKeysOutOfReach(t *testing.T) {
	w, memory := keyWorld(t)
	before := held(t, memory)
	for _, by := range []string{"manager", "limited", "narrowed"} {
		for _, route := range [][2]string{{"GET", ""}, {"PATCH", ""}, {"DELETE", ""}, {"POST", "/rotate"}} {
			var bodies []string
			for _, id := range []string{"key_wide", "key_x", "key_nobody", strings.Repeat("k", 300)} {
				rec := w.send(route[0], "/v1/keys/"+id+route[1], by, `{}`)
				if rec.Code != http.StatusForbidden {
					t.Errorf("%s %s by %s: %d %s", route[0], id, by, rec.Code, rec.Body)
				}
				_, details, _ := strings.Cut(rec.Body.String(), `"details"`)
				bodies = append(bodies, details)
			}
			if all := slices.Compact(slices.Clone(bodies)); len(all) != 1 {
				t.Errorf("%s by %s: answers differ: %q", route[0], by, all)
			}
		}
	}
	if after := held(t, memory); after != before {
		t.Errorf("keys changed:\n%s\n%s", before, after)
	}
	for by, want := range map[string]string{"manager": "key_a", "limited": "key_a", "narrowed": ""} {
		var list struct{ Keys []keyRecord }
		rec := w.send("GET", "/v1/keys", by, "")
		if err := json.Unmarshal(rec.Body.Bytes(), &list); err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, k := range list.Keys {
			ids = append(ids, k.ID)
		}
		if strings.Join(ids, " ") != want {
			t.Errorf("%s lists %q, want %q", by, ids, want)
		}
	}
}

// TestKeyLife creates, shows, rotates and revokes a key.
func TestKeyLife(t *testing.T) {
	w, memory := keyWorld(t)
	var made keyBody
	read := func(method, path, body string) keyBody {
		t.Helper()
		rec := w.send(method, path, "manager", body)
		var answer keyBody
		if err := json.Unmarshal(rec.Body.Bytes(), &answer); err != nil || rec.Code != http.StatusOK {
			t.Fatalf("%s %s: %d %s, %v", method, path, rec.Code, rec.Body, err)
		}
		return answer
	}
	made = read("POST", "/v1/keys", `{"name":"Reports","scopes":["read:data"],"all":true,"types":["pages"]}`)
	path := "/v1/keys/" + made.Key.ID
	if shown := read("GET", path, ""); shown.Secret != "" || shown.Key.Name != "Reports" ||
		shown.Key.State != auth.Active {
		t.Errorf("shown: %+v", shown)
	}
	if changed := read("PATCH", path,
		`{"types":null,"resources":[{"kind":"website","id":"site_a"}]}`); changed.Key.Types != nil || changed.Key.All {
		t.Errorf("changed: %+v", changed)
	}
	if rotated := read("POST", path+"/rotate", `{"grace":"1h"}`); rotated.Secret == made.Secret ||
		len(rotated.Key.OldSecrets) != 1 {
		t.Errorf("rotated: %+v", rotated)
	}
	if gone := read("DELETE", path, ""); gone.Key.State != auth.Revoked {
		t.Errorf("revoked: %+v", gone)
	}
	for _, again := range [][3]string{{"PATCH", "", `{"name":"again"}`}, {"POST", "/rotate", `{}`}} {
		rec := w.send(again[0], path+again[1], "manager", again[2])
		if expect(t, rec, 409, "CONFLICT"); !strings.Contains(rec.Body.String(), `"error":"The key is revoked"`) {
			t.Errorf("%s: %s", again[0], rec.Body)
		}
	}
	k, err := memory.Key(t.Context(), made.Key.ID)
	if err != nil || k.Revoked.IsZero() || k.Name != "Reports" {
		t.Errorf("stored: %+v, %v", k, err)
	}
}

// remake makes the handler again, with another configuration.
func (w *world) remake(t *testing.T, change func(*Config)) {
	t.Helper()
	change(&w.cfg)
	handler, err := New(w.cfg)
	if err != nil {
		t.Fatal(err)
	}
	w.handler = handler
}

// waitingKeys are keys of a store where the test decides what happens between a look and a change.
type waitingKeys struct {
	*auth.Memory

	looked func(auth.Key) // runs after each look at one key
}

func (k *waitingKeys) Key(ctx context.Context, id string) (auth.Key, error) {
	found, err := k.Memory.Key(ctx, id)
	if err == nil {
		k.looked(found)
	}
	return found, err
}

// TestRotationsAtOnce sends rotations that have all seen the same secret. One of them is made.
func TestRotationsAtOnce(t *testing.T) {
	const together = 40
	keys := &waitingKeys{}
	w, memory := keyWorld(t)
	var seen sync.WaitGroup
	seen.Add(together)
	keys.Memory, keys.looked = memory, func(auth.Key) {
		seen.Done()
		seen.Wait()
	}
	w.remake(t, func(cfg *Config) { cfg.Keys = keys })
	statuses := make([]int, together)
	var all sync.WaitGroup
	for i := range together {
		all.Go(func() { statuses[i] = w.send("POST", "/v1/keys/key_a/rotate", "manager", `{}`).Code })
	}
	all.Wait()
	slices.Sort(statuses)
	if statuses[0] != 200 || statuses[1] != 409 || statuses[together-1] != 409 {
		t.Errorf("statuses %v, want one 200 and %d of 409", statuses, together-1)
	}
}

// TestKeyWidenedMeanwhile widens a key after the request looked at it. Nothing changes, so its secret stays valid.
func TestKeyWidenedMeanwhile(t *testing.T) {
	for _, route := range [][3]string{{"PATCH", "", `{"name":"mine"}`}, {"DELETE", "", ""}, {"POST", "/rotate", `{}`}} {
		w, memory := keyWorld(t)
		var widened auth.Key
		keys := &waitingKeys{memory, func(k auth.Key) {
			var err error
			if widened, err = memory.ChangeKey(t.Context(), k.ID, func(k *auth.Key) error {
				k.Scopes = append(k.Scopes, auth.ExportData)
				return nil
			}); err != nil {
				t.Error(err)
			}
		}}
		w.remake(t, func(cfg *Config) { cfg.Keys = keys })
		expect(t, w.send(route[0], "/v1/keys/key_a"+route[1], "manager", route[2]), 403, "FORBIDDEN")
		if k, err := memory.Key(t.Context(), "key_a"); err != nil || !reflect.DeepEqual(k, widened) {
			t.Errorf("%s: %+v, %v; want %+v", route[0], k, err, widened)
		}
	}
}

// TestOwnKeyKeepsAnAbility changes the key of the request itself.
func TestOwnKeyKeepsAnAbility(t *testing.T) {
	w, memory := keyWorld(t)
	own, _, err := memory.CreateKey(t.Context(), auth.Key{ID: "key_own", Owner: "org_a",
		Scopes: []auth.Scope{auth.ReadData, auth.ManageKeys}, Resources: []auth.Resource{{Kind: "website",
			ID: "site_a"}}})
	if err != nil {
		t.Fatal(err)
	}
	w.keys["own"] = &own
	for body, want := range map[string]string{
		`{"resources":[]}`:                   "resources",
		`{"scopes":[]}`:                      "scopes",
		`{"types":[]}`:                       "types",
		`{"disabled":true}`:                  "disabled",
		`{"expires":"2026-03-29T12:00:00Z"}`: "expires",
	} {
		rec := w.send("PATCH", "/v1/keys/key_own", "own", body)
		if expect(t, rec, 400, "VALIDATION_ERROR"); !strings.Contains(rec.Body.String(), `"field":"`+want+`"`) {
			t.Errorf("%s: %s", body, rec.Body)
		}
	}
	expect(t, w.send("PATCH", "/v1/keys/key_own", "own", `{"name":"n","scopes":["read:data"]}`), 200, "")
}

// TestLimitsOfMadeKeys creates keys by a key without limits of its own, whose classes have different limits.
func TestLimitsOfMadeKeys(t *testing.T) {
	w, _ := keyWorld(t)
	w.keys["exporter"] = &auth.Key{ID: "key_exporter", Owner: "org_a", All: true, Start: "sl_exporter",
		Scopes: []auth.Scope{auth.ReadData, auth.ExportData, auth.EraseData, auth.TrackEvents, auth.ManageKeys}}
	for _, tc := range []struct {
		scopes    string
		perMinute int
		status    int
	}{
		{`"export:data"`, 10, 200}, {`"export:data"`, 11, 400}, {`"erase:data"`, 120, 400},
		{`"read:data","export:data"`, 120, 400},
		{`"read:data"`, 120, 200}, {`"read:data"`, 121, 400},
		{`"track:events"`, 300, 200}, {`"track:events"`, 301, 400}, // other requests
	} {
		rec := w.send("POST", "/v1/keys", "exporter",
			fmt.Sprintf(`{"scopes":[%s],"all":true,"perMinute":%d}`, tc.scopes, tc.perMinute))
		if rec.Code != tc.status || rec.Code == 400 && !strings.Contains(rec.Body.String(), `"field":"perMinute"`) {
			t.Errorf("%s with %d a minute: %d %s", tc.scopes, tc.perMinute, rec.Code, rec.Body)
		}
	}
}

// TestRepeatedMembers sends lists with a member twice, which would only take room.
func TestRepeatedMembers(t *testing.T) {
	w, _ := keyWorld(t)
	const site = `{"kind":"website","id":"site_a"}`
	for body, want := range map[string]string{
		`{"scopes":["read:data"],"resources":[` + site + `,` + site +
			`]}`: "resources[1] must not repeat website \\\"site_a\\\" of resources[0]",
		`{"scopes":["read:data","read:data"],"all":true}`:                                                         "scopes[1] must not repeat",
		`{"scopes":["read:data"],"all":true,"types":["pages","countries","pages"]}`:                               "types[2] must not repeat",
		`{"scopes":["read:data"],"all":true,"filters":[{"field":"country","op":"in","values":["DE","FR","DE"]}]}`: "filters[0].values[2] must not repeat",
	} {
		rec := w.send("POST", "/v1/keys", "manager", body)
		if expect(t, rec, 400, "VALIDATION_ERROR"); !strings.Contains(rec.Body.String(), want) {
			t.Errorf("%s: %s", body, rec.Body)
		}
	}
	many := make([]string, auth.MaxResources+1)
	for i := range many {
		many[i] = fmt.Sprintf(`{"kind":"website","id":"site_%d"}`, i)
	}
	rec := w.send("POST", "/v1/keys", "manager",
		`{"scopes":["read:data"],"resources":[`+strings.Join(many, ",")+`]}`)
	if expect(t, rec, 400, "VALIDATION_ERROR"); !strings.Contains(rec.Body.String(),
		"may have at most 1000 members, not 1001") {
		t.Errorf("%s", rec.Body)
	}
}

// TestPagesOfKeys follows the pages of a list. Keys out of reach are on no page.
func TestPagesOfKeys(t *testing.T) {
	w, memory := keyWorld(t)
	want := []string{"key_a"}
	for i := range 25 {
		k := auth.Key{ID: fmt.Sprintf("key_n%02d", i), Owner: "org_a", All: true,
			CreatedAt: now.Add(time.Duration(i/3) * time.Second),
			Scopes:    []auth.Scope{[]auth.Scope{auth.ReadData, auth.ExportData}[i%2]}}
		if _, _, err := memory.CreateKey(t.Context(), k); err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			want = append(want, k.ID)
		}
	}
	for _, size := range []string{"", "limit=1", "limit=5", "limit=14", "limit=1000"} {
		var got []string
		for path := "/v1/keys?" + size; ; {
			var page keysBody
			rec := w.send("GET", path, "manager", "")
			if err := json.Unmarshal(rec.Body.Bytes(), &page); err != nil || rec.Code != 200 {
				t.Fatalf("%s: %d %s", path, rec.Code, rec.Body)
			}
			for _, k := range page.Keys {
				got = append(got, k.ID)
			}
			if page.Next == nil {
				break
			}
			path = "/v1/keys?" + size + "&after=" + url.QueryEscape(*page.Next)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", size, got, want)
		}
	}
	for _, bad := range []string{"limit=0", "limit=1001", "limit=x", "after=x", "after=", "page=2", "limit=1&limit=2"} {
		expect(t, w.send("GET", "/v1/keys?"+bad, "manager", ""), 400, "VALIDATION_ERROR")
	}
}

// TestOwnersHaveRoom fills an owner up to its bound of keys.
func TestOwnersHaveRoom(t *testing.T) {
	w, memory := keyWorld(t)
	before, err := memory.Keys(t.Context(), "org_a")
	if err != nil {
		t.Fatal(err)
	}
	var last string
	for i := len(before); i < auth.MaxKeys; i++ {
		k, _, err := memory.CreateKey(t.Context(), auth.Key{Owner: "org_a", All: true,
			Scopes: []auth.Scope{auth.ReadData}})
		if err != nil {
			t.Fatal(err)
		}
		last = k.ID
	}
	const one = `{"scopes":["read:data"],"all":true}`
	rec := w.send("POST", "/v1/keys", "manager", one)
	if expect(t, rec, 409, "CONFLICT"); !strings.Contains(rec.Body.String(),
		"An owner may have at most 1000 keys, and would have 1001") {
		t.Errorf("%s", rec.Body)
	}
	expect(t, w.send("PATCH", "/v1/keys/"+last, "manager", `{"name":"longer"}`), 200, "")
	expect(t, w.send("DELETE", "/v1/keys/"+last, "manager", ""), 200, "")
	expect(t, w.send("POST", "/v1/keys", "manager", one), 200, "")
}
