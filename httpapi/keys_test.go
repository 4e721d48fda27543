package httpapi

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
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
		"definer": {Scopes: []auth.Scope{auth.ManageDefinitions}, All: true},
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
	expect(t, w.send("PATCH", path, "manager", `{"name":"again"}`), 400, "VALIDATION_ERROR")
	k, err := memory.Key(t.Context(), made.Key.ID)
	if err != nil || k.Revoked.IsZero() || k.Name != "Reports" {
		t.Errorf("stored: %+v, %v", k, err)
	}
}
