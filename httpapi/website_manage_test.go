package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/store"
)

// siteWorld returns a world whose websites are in memory, with keys that manage them.
func siteWorld(t *testing.T) (*world, *store.MemoryDirectory) {
	t.Helper()
	sites := &store.MemoryDirectory{Now: func() time.Time { return now }}
	for _, w := range newDirectory().sites {
		if err := sites.AddWebsite(w); err != nil {
			t.Fatal(err)
		}
	}
	w := newWorld(t, func(cfg *Config) { cfg.Directory, cfg.Websites = sites, sites })
	manage := []auth.Scope{auth.ManageWebsites}
	for name, k := range map[string]auth.Key{
		"manager": {Scopes: manage, All: true},
		"limited": {Scopes: manage,
			Resources: []auth.Resource{{Kind: "website", ID: "site_a"}, {Kind: "website", ID: "site_x"}}},
		"both":  {Scopes: manage, All: true, Resources: []auth.Resource{{Kind: "website", ID: "site_a"}}},
		"typed": {Scopes: manage, All: true, Types: []string{"pages"}},
		"germany": {Scopes: manage, All: true,
			Filters: []auth.Filter{{Field: "country", Op: "eq", Values: []string{"DE"}}}},
	} {
		k.ID, k.Owner, k.Start = "key_"+name, "org_a", "sl_"+name
		w.keys[name] = &k
	}
	return w, sites
}

// TestWebsitesAreManaged sends requests of keys that reach everything, some websites, or a part of the rows.
func TestWebsitesAreManaged(t *testing.T) {
	for _, tc := range []struct {
		by, method, path, body string
		status                 int
		want                   string // a part of the answer
	}{
		{"manager", "GET", "/v1/websites", "", 200, `"id":"site_b"`},
		{"manager", "POST", "/v1/websites",
			`{"domain":"https://Shop.example/x","retentionDays":400,"blockedAddresses":["203.0.113.7","2001:db8::/32"],"allowedOrigins":[]}`, 200,
			`"name":"shop.example","domain":"shop.example","isPublic":false,"allowedOrigins":[],"allowedAddresses":[],"blockedAddresses":["203.0.113.7/32","2001:db8::/32"],` +
				`"keyedEvents":false,"monthlyEvents":0,"paused":false,"retentionDays":400,"keepTotals":false,"createdAt":"2026-03-29T12:00:00.000Z"`},
		{"manager", "GET", "/v1/websites/site_a", "", 200, `"domain":"site_a.example.com"`},
		{"manager", "PATCH", "/v1/websites/site_a", `{"paused":true,"name":""}`, 200,
			`"name":"site_a.example.com","domain":"site_a.example.com"`},
		{"manager", "PATCH", "/v1/websites/site_a", `{}`, 200, `"id":"site_a"`},
		{"manager", "PATCH", "/v1/websites/site_a",
			`{"allowedOrigins":["https://Shop.example/x","*.shop.example","shop.example"]}`, 400,
			`allowedOrigins[2]: shop.example must not be given twice: allowedOrigins[0] has it`},
		{"manager", "PATCH", "/v1/websites/site_a", `{"blockedAddresses":["203.0.113.7/24","203.0.113.9/24"]}`, 400,
			`blockedAddresses[1]: 203.0.113.0/24 must not be given twice: blockedAddresses[0] has it`},
		{"manager", "GET", "/v1/websites?page=2", "", 400, `"field":"page"`},
		{"manager", "DELETE", "/v1/websites/site_a", "", 200, `{"success":true}`},
		{"limited", "GET", "/v1/websites/site_a", "", 200, `"id":"site_a"`},
		{"limited", "PATCH", "/v1/websites/site_a", `{"keyedEvents":true}`, 200, `"keyedEvents":true`},
		{"limited", "DELETE", "/v1/websites/site_a", "", 200, `{"success":true}`},

		{"limited", "POST", "/v1/websites", `{"domain":"shop.example"}`, 403, "reaches everything of its owner"},
		{"both", "POST", "/v1/websites", `{"domain":"shop.example"}`, 403, "reaches everything of its owner"},
		{"limited", "PATCH", "/v1/websites/site_b", `{"paused":true}`, 403,
			"is not the id of a website that the key reaches"},
		{"limited", "DELETE", "/v1/websites/site_x", "", 403, "is not the id of a website that the key reaches"},
		{"manager", "DELETE", "/v1/websites/site_x", "", 403, "is not the id of a website that the key reaches"},
		{"manager", "GET", "/v1/websites/none", "", 403, "is not the id of a website that the key reaches"},
		{"typed", "GET", "/v1/websites", "", 403, "without a list of query types"},
		{"germany", "PATCH", "/v1/websites/site_a", `{"paused":true}`, 403, "without filters"},
		{"all", "GET", "/v1/websites", "", 403, "needs a key with the scope manage:websites"},

		{"manager", "POST", "/v1/websites", `{}`, 400, `"field":"domain","message":"is required"`},
		{"manager", "POST", "/v1/websites", `{"domain":"two words","retentionDays":3,"monthlyEvents":-1}`, 400,
			`"field":"retentionDays","message":"must be 0 or between 7 and 36500 days, not 3"`},
		{"manager", "POST", "/v1/websites", `{"domain":"shop.example","id":"mine"}`, 400, `"field":"id"`},
		{"manager", "PATCH", "/v1/websites/site_a", `{"paused":"yes","retention":30}`, 400,
			`"suggestion":"retentionDays"`},
		{"manager", "PATCH", "/v1/websites/site_a",
			`{"allowedOrigins":["ok.example","not a host"],"allowedAddresses":["::ffff:1.2.3.4/100"]}`, 400,
			`"field":"allowedOrigins[1]"`},
		{"manager", "PATCH", "/v1/websites/site_a", `{"blockedAddresses":["203.0.113.0/24","nobody"]}`, 400,
			`"field":"blockedAddresses[1]","message":"must be an address or a network such as 203.0.113.0/24, not \"nobody\""`},
		{"manager", "PATCH", "/v1/websites/site_a", `{"domain":""}`, 400, `"field":"domain","message":"is required"`},
	} {
		w, sites := siteWorld(t)
		before := heldSites(t, sites)
		rec := w.send(tc.method, tc.path, tc.by, tc.body)
		if rec.Code != tc.status || !strings.Contains(rec.Body.String(), tc.want) {
			t.Errorf("%s %s %s by %s: %d %s; want %d with %s", tc.method, tc.path, tc.body, tc.by, rec.Code, rec.Body,
				tc.status, tc.want)
		}
		if changed := heldSites(t, sites) != before; changed != (tc.status == 200 && tc.method != http.MethodGet &&
			tc.body != "{}") {
			t.Errorf("%s %s %s by %s: websites changed: %v", tc.method, tc.path, tc.body, tc.by, changed)
		}
		entries := w.trail.take()
		if len(entries) != 1 || entries[0].Scope != auth.ManageWebsites || entries[0].Status != tc.status {
			t.Errorf("%s %s by %s: audit entries %+v", tc.method, tc.path, tc.by, entries)
		}
		if tc.method == http.MethodPost && tc.status == 200 && !strings.HasPrefix(entries[0].Resource.ID, "web_") {
			t.Errorf("the audit entry does not name the new website: %+v", entries[0])
		}
	}
}

// TestManagedWebsitesAreListed checks that a list has only websites that the key reaches, and that removed websites are
// gone.
func TestManagedWebsitesAreListed(t *testing.T) {
	w, _ := siteWorld(t)
	ids := func(by string) string {
		var body managedBody
		if err := json.Unmarshal(w.send("GET", "/v1/websites", by, "").Body.Bytes(), &body); err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, one := range body.Websites {
			all = append(all, one.ID)
		}
		return strings.Join(all, " ")
	}
	for by, want := range map[string]string{"manager": "site_a site_b", "limited": "site_a", "both": "site_a"} {
		if got := ids(by); got != want {
			t.Errorf("%s lists %q, want %q", by, got, want)
		}
	}
	for _, want := range []int{200, 403} {
		if rec := w.send("DELETE", "/v1/websites/site_a", "manager", ""); rec.Code != want {
			t.Errorf("removing a website: %d %s, want %d", rec.Code, rec.Body, want)
		}
	}
	if got := ids("manager"); got != "site_b" {
		t.Errorf("after one was removed: %q", got)
	}
}

// heldSites returns the websites of both owners as text.
func heldSites(t *testing.T, m *store.MemoryDirectory) string {
	t.Helper()
	var all []store.Website
	for _, owner := range []string{"org_a", "org_b"} {
		of, err := m.Websites(t.Context(), owner)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, of...)
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestPagesOfWebsites follows the pages of a list, also of a key that reaches few of them. A full owner gets no more.
func TestPagesOfWebsites(t *testing.T) {
	w, sites := siteWorld(t)
	w.keys["few"] = &auth.Key{ID: "key_few", Owner: "org_a", Start: "sl_few", Scopes: []auth.Scope{auth.ManageWebsites},
		Resources: []auth.Resource{{Kind: "website", ID: "s0003"}, {Kind: "website", ID: "s0900"}}}
	had, err := sites.Websites(t.Context(), "org_a")
	if err != nil {
		t.Fatal(err)
	}
	for i := len(had); i < store.MaxWebsites; i++ {
		if err := sites.AddWebsite(store.Website{ID: fmt.Sprintf("s%04d", i), Owner: "org_a", Domain: "x.example",
			CreatedAt: now}); err != nil {
			t.Fatal(err)
		}
	}
	for by, want := range map[string][2]int{"manager": {store.MaxWebsites, 1 + (store.MaxWebsites-1)/300}, "few": {2,
		1}} {
		found, pages := map[string]bool{}, 0
		for path := "/v1/websites?limit=300"; path != ""; pages++ {
			var page managedBody
			rec := w.send("GET", path, by, "")
			if err := json.Unmarshal(rec.Body.Bytes(), &page); err != nil || rec.Code != 200 {
				t.Fatalf("%s: %d %s", path, rec.Code, rec.Body)
			}
			for _, one := range page.Websites {
				found[one.ID] = true
			}
			if path = ""; page.Next != nil {
				path = "/v1/websites?limit=300&after=" + url.QueryEscape(*page.Next)
			}
		}
		if len(found) != want[0] || pages != want[1] {
			t.Errorf("%s: %d websites on %d pages, want %v", by, len(found), pages, want)
		}
	}
	rec := w.send("POST", "/v1/websites", "manager", `{"domain":"more.example"}`)
	if expect(t, rec, 409, "CONFLICT"); !strings.Contains(rec.Body.String(),
		"An owner may have at most 1000 websites, and would have 1001") {
		t.Errorf("one more: %s", rec.Body)
	}
}
