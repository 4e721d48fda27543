package httpapi

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/store"
)

// oneQuery is a query that the canned store can answer.
const oneQuery = `{"parameters":["summary_metrics"],"startDate":"2026-03-01","endDate":"2026-03-02"}`

// ask returns a valid request for a row of the route table, about a website.
func ask(rt *route, site string) (target, body string) {
	target = strings.NewReplacer("{website_id}", site, "/keys/{id}", "/keys/key_a").Replace(rt.Path)
	switch {
	case target != rt.Path || rt.Class == auth.ClassExport || len(rt.of) != len(anySubject):
	case rt.Method == http.MethodPost:
		target, body = target+"?website_id="+site, oneQuery
	default:
		target += "?parameters=summary_metrics&startDate=2026-03-01&endDate=2026-03-02&website_id=" + site
	}
	return target, body
}

// TestBodiesThatAreRefused sends bodies that are too large, or not plain JSON, to all routes with a body.
func TestBodiesThatAreRefused(t *testing.T) {
	w, _ := keyWorld(t, func(cfg *Config) {
		cfg.MaxBody, cfg.Minter, cfg.Flags, cfg.Definitions, cfg.Websites = 500, &fakeMinter{},
			newFlags(t, &flags.Memory{}), &store.MemoryDirectory{}, &store.MemoryDirectory{}
	})
	for _, rt := range (*api)(nil).routes() {
		if rt.Method != http.MethodPost || rt.access != ByKey {
			continue
		}
		t.Run(rt.Path, func(t *testing.T) {
			target, _ := ask(rt, "site_a")
			key := keyFor(rt)
			for length, body := range map[int64]io.Reader{501: unread{t},
				-1: strings.NewReader(strings.Repeat(" ", 501))} {
				r := httptest.NewRequest(rt.Method, target, body)
				r.ContentLength = length // announced in Content-Length, or noticed while reading
				if length > 0 {
					r.Header.Set("Expect", "100-continue") // the sender waits for permission and is refused before
				}
				r.Header.Set("X-Api-Key", key)
				rec := httptest.NewRecorder()
				w.handler.ServeHTTP(rec, r)
				expect(t, rec, 413, "PAYLOAD_TOO_LARGE")
				if e := w.trail.take(); len(e) != 1 || e[0].Status != 413 || e[0].Outcome != "failed" ||
					e[0].KeyID != "key_"+key {
					t.Errorf("audit: %+v", e)
				}
			}
			for _, tc := range []struct {
				kind, coding string
				refused      bool
			}{
				{"", "", false},
				{"application/json; charset=UTF-8", "identity", false},
				{"application/json", "gzip", true},
				{"text/plain", "", true},
			} {
				rec := w.send(rt.Method, target, key, "{}", "Content-Type", tc.kind, "Content-Encoding", tc.coding)
				if tc.refused {
					expect(t, rec, 415, "UNSUPPORTED_MEDIA_TYPE")
				} else if rec.Code == 415 {
					t.Errorf("as %q, %q: %s", tc.kind, tc.coding, rec.Body)
				}
			}
			w.trail.take()
		})
	}
}

// unread is a body that must not be read.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("a body with a too large Content-Length was read")
	return 0, io.EOF
}

func TestImpossibleIDsAreNotLookedUp(t *testing.T) {
	w := newWorld(t)
	for _, id := range []string{"%00", "%ff", "a%0ab", strings.Repeat("x", 257)} {
		expect(t, w.send("POST", "/v1/query?website_id="+id, "all", oneQuery), 403, "FORBIDDEN")
		if e := w.trail.take(); len(e) != 1 || e[0].Resource != (auth.Resource{Kind: "website"}) {
			t.Errorf("%.20s: audit %+v", id, e)
		}
	}
	if n := w.dir.asked.Load(); n != 0 {
		t.Errorf("the directory was asked %d times", n)
	}
}

func TestSubjects(t *testing.T) {
	w := newWorld(t)
	link := `{"parameters":["link_total_clicks"],"preset":"last_7d"}`
	monitor := `{"parameters":["uptime_overview"],"preset":"last_7d"}`
	for _, tc := range []struct {
		name, target, key, body string
		status                  int
		code                    string
	}{
		{"a link by read:data", "/v1/query?link_id=link_a", "all", link, 200, ""},
		{"a link by read:links", "/v1/query?link_id=link_a", "links", link, 200, ""},
		{"a link by a key for one website", "/v1/query?link_id=link_a", "site_a", link, 403, "FORBIDDEN"},
		{"a website by read:links", "/v1/query?website_id=site_a", "links", oneQuery, 403, "FORBIDDEN"},
		{"a monitor by read:data", "/v1/query?schedule_id=mon_a", "all", monitor, 200, ""},
		{"a monitor by read:links", "/v1/query?schedule_id=mon_a", "links", monitor, 403, "FORBIDDEN"},
		{"a website's id as a link", "/v1/query?link_id=site_a", "all", link, 403, "FORBIDDEN"},
		{"no subject", "/v1/query", "all", oneQuery, 400, "MISSING_PROJECT_ID"},
		{"an empty subject", "/v1/query?website_id=", "all", oneQuery, 400, "MISSING_PROJECT_ID"},
		{"an empty subject and another one", "/v1/query?website_id=site_a&link_id=", "all", oneQuery, 200, ""},
		{"two kinds of subject", "/v1/query?website_id=site_a&link_id=link_a", "all", oneQuery, 400,
			"VALIDATION_ERROR"},
		{"two websites", "/v1/query?website_id=site_a&website_id=site_b", "all", oneQuery, 400, "VALIDATION_ERROR"},
		{"a malformed query string", "/v1/query?website_id=site_a&x=%zz", "all", oneQuery, 400, "VALIDATION_ERROR"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			expect(t, w.send("POST", tc.target, tc.key, tc.body), tc.status, tc.code)
		})
	}
	for target, scope := range map[string]string{"?website_id=site_a": "read:data", "?link_id=link_a": "read:links",
		"?schedule_id=mon_a": "read:monitors"} {
		want := `Bearer error="insufficient_scope", scope="` + scope + `"`
		if got := w.send("POST", "/v1/query"+target, "flags", link).Header().Get("WWW-Authenticate"); got != want {
			t.Errorf("%s: %s, want %s", target, got, want)
		}
	}
}

func TestUnknownPathsAndMethods(t *testing.T) {
	w := newWorld(t)
	for _, tc := range []struct {
		method, target string
		status         int
		code, allow    string
	}{
		{"GET", "/", 404, "NOT_FOUND", ""},
		{"GET", "/v1/query/", 401, "AUTH_REQUIRED", ""},
		{"GET", "//v1/query", 401, "AUTH_REQUIRED", ""},
		{"OPTIONS", "/v1/nothing", 404, "NOT_FOUND", ""},
		{"GET", "/v1/websites//analytics", 404, "NOT_FOUND", ""},
		{"GET", "/v1/websites/site_a/analytics/x", 404, "NOT_FOUND", ""},
		{"DELETE", "/v1/query", 405, "METHOD_NOT_ALLOWED", "GET, HEAD, OPTIONS, POST"},
		{"GET", "/v1/query/compile", 405, "METHOD_NOT_ALLOWED", "OPTIONS, POST"},
		{"POST", "/v1/query/types", 405, "METHOD_NOT_ALLOWED", "GET, HEAD, OPTIONS"},
		{"POST", "/health", 405, "METHOD_NOT_ALLOWED", "GET, HEAD, OPTIONS"},
		{"OPTIONS", "/v1/query", 204, "", "GET, HEAD, OPTIONS, POST"},
	} {
		t.Run(tc.method+" "+tc.target, func(t *testing.T) {
			rec := w.send(tc.method, tc.target, "", "")
			expect(t, rec, tc.status, tc.code)
			if got := rec.Header().Get("Allow"); got != tc.allow {
				t.Errorf("Allow: %q, want %q", got, tc.allow)
			}
		})
	}
	if entries := w.trail.take(); len(entries) > 0 {
		t.Errorf("audited although no key was used: %+v", entries)
	}
}

func TestHeadIsGetWithoutBody(t *testing.T) {
	w := newWorld(t)
	for _, rt := range (*api)(nil).routes() {
		if rt.Method != http.MethodGet {
			continue
		}
		target, _ := ask(rt, "site_a")
		get := w.send("GET", target, "all", "", "X-Request-ID", "same")
		head := w.send("HEAD", target, "all", "", "X-Request-ID", "same")
		if head.Code != get.Code || head.Body.Len() > 0 {
			t.Errorf("HEAD %s: %d with %d bytes; GET answers %d", target, head.Code, head.Body.Len(), get.Code)
		}
		if diff := cmp.Diff(get.Header(), head.Header()); diff != "" {
			t.Errorf("HEAD %s: %s", target, diff)
		}
	}
}

func TestListsOfLinksAndMonitors(t *testing.T) {
	w := newWorld(t)
	w.keys["link"] = &auth.Key{ID: "k", Owner: "org_a", Scopes: []auth.Scope{auth.ReadLinks},
		Resources: []auth.Resource{{Kind: "link", ID: "link_b"}}}
	for _, tc := range []struct {
		list, key string
		status    int
		ids       []string
	}{
		{"links", "all", 200, []string{"link_a", "link_b"}},
		{"links", "links", 200, []string{"link_a", "link_b"}},
		{"links", "link", 200, []string{"link_b"}},
		{"links", "site_a", 200, nil},
		{"links", "flags", 403, nil},
		{"monitors", "all", 200, []string{"mon_a"}},
		{"monitors", "links", 403, nil},
		{"websites", "links", 403, nil},
		{"websites", "site_a", 200, []string{"site_a"}},
	} {
		rec := w.send("GET", "/v1/query/"+tc.list, tc.key, "")
		if expect(t, rec, tc.status, ""); tc.status != 200 {
			continue
		}
		var got []string
		body := object(t, rec)
		for _, one := range body[tc.list].([]any) {
			got = append(got, one.(map[string]any)["id"].(string))
		}
		if diff := cmp.Diff(tc.ids, got); diff != "" || body["total"] != float64(len(got)) ||
			rec.Header().Get("ETag") == "" {
			t.Errorf("%s of %s: %s (-want +got):\n%s", tc.list, tc.key, rec.Body, diff)
		}
	}
	want := `{"success":true,"monitors":[{"id":"mon_a","name":"a","url":"https://a.example","websiteId":"site_a","createdAt":"2026-03-29T12:00:00.000Z"}],"total":1}` + "\n"
	if diff := cmp.Diff(want, w.send("GET", "/v1/query/monitors", "all", "").Body.String()); diff != "" {
		t.Error(diff)
	}
	expect(t, w.send("GET", "/v1/query/links", "", ""), 401, "AUTH_REQUIRED")
}

func TestSwitchedOff(t *testing.T) {
	w := newWorld(t, func(cfg *Config) { cfg.NoCompile, cfg.Health, cfg.Subjects = true, nil, nil })
	expect(t, w.send("GET", "/v1/query/links", "all", ""), 404, "NOT_FOUND")
	expect(t, w.send("POST", "/v1/query/compile?website_id=site_a", "all", oneQuery), 404, "NOT_FOUND")
	expect(t, w.send("GET", "/health", "", ""), 404, "NOT_FOUND")
	expect(t, w.send("GET", "/health/live", "", ""), 200, "")
}

func TestMountedAnywhere(t *testing.T) {
	w := newWorld(t)
	h := w.handler
	mux := http.NewServeMux()
	mux.Handle("/analytics/", http.StripPrefix("/analytics", h))
	mux.Handle("/slash/", http.StripPrefix("/slash/", h))
	mux.Handle("/v1/", h)
	for _, target := range []string{
		"/analytics/v1/query?website_id=site_a", "/slash/v1/query?website_id=site_a", "/v1/query?website_id=site_a",
	} {
		w.handler = mux
		expect(t, w.send("POST", target, "all", oneQuery), 200, "")
	}
	expect(t, w.send("GET", "/analytics/v1/websites/site_a/analytics", "all", ""), 200, "")
	expect(t, w.send("GET", "/analytics/nothing", "all", ""), 404, "NOT_FOUND")
	w.handler = http.StripPrefix("/bare", h)
	expect(t, w.send("POST", "/bare/v1/query?website_id=site_a", "all", oneQuery), 200, "")
}

func TestIDsMayHoldSlashes(t *testing.T) {
	w := newWorld(t)
	w.dir.sites = append(w.dir.sites, w.dir.sites[0])
	w.dir.sites[len(w.dir.sites)-1].ID = "a/b c"
	w.dir.owners[store.Subject{Kind: store.KindWebsite, ID: "a/b c"}] = "org_a"
	rec := w.send("GET", "/v1/websites/a%2Fb%20c/analytics", "all", "")
	expect(t, rec, 200, "")
	if site := object(t, rec)["website"].(map[string]any); site["id"] != "a/b c" {
		t.Errorf("website %v", site)
	}
}

// TestAByteOrderMark sends bodies that begin with a byte order mark, as programs on Windows do.
func TestAByteOrderMark(t *testing.T) {
	w := definitionWorld(t)
	for _, c := range []struct{ target, key, body string }{
		{"/v1/query?website_id=site_a", "all", oneQuery},
		{"/v1/websites/site_a/definitions", "definer", `{"kind":"goal","name":"Signup","body":{"event":"signup"}}`},
	} {
		r := httptest.NewRequest(http.MethodPost, c.target, strings.NewReader("\ufeff"+c.body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Api-Key", c.key)
		rec := httptest.NewRecorder()
		if w.handler.ServeHTTP(rec, r); rec.Code != http.StatusOK {
			t.Errorf("%s: %d %s", c.target, rec.Code, rec.Body)
		}
	}
}

// TestADefinitionThatCanMatchNothing saves a goal that no event can reach. The answer has a note about it.
func TestADefinitionThatCanMatchNothing(t *testing.T) {
	w := definitionWorld(t)
	for body, note := range map[string]string{
		`{"kind":"goal","name":"Docs","body":{"page":"docs"}}`:  `"meta":{"notes":["no stored path is \"docs\"; did you mean \"/docs\"?"]}`,
		`{"kind":"goal","name":"Docs","body":{"page":"/docs"}}`: "",
	} {
		r := httptest.NewRequest(http.MethodPost, "/v1/websites/site_a/definitions", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Api-Key", "definer")
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, r)
		if text := rec.Body.String(); rec.Code != http.StatusOK || !strings.Contains(text, note) ||
			strings.Contains(text, `"meta"`) != (note != "") {
			t.Errorf("%s: %d %s, want the note %s", body, rec.Code, text, note)
		}
	}
}

// TestListsHavePages reads the lists for queries in pages of every size, and as a whole.
func TestListsHavePages(t *testing.T) {
	dir := &store.MemoryDirectory{}
	const n = 7
	lists := manySubjects{}
	for i := range n {
		id, at := fmt.Sprint("s", (i*3)%n), now.Add(time.Duration(i/3)*time.Millisecond+time.Microsecond)
		if err := dir.AddWebsite(store.Website{ID: id, Owner: "org_a", CreatedAt: at}); err != nil {
			t.Fatal(err)
		}
		lists.links = append(lists.links, store.Link{ID: id, Owner: "org_a", CreatedAt: at})
		lists.monitors = append(lists.monitors, store.Monitor{ID: id, Owner: "org_a", CreatedAt: at})
	}
	w := newWorld(t, func(cfg *Config) { cfg.Directory, cfg.Subjects = dir, lists })
	for _, list := range []string{"websites", "links", "monitors"} {
		page := func(query string) (ids []string, next any) {
			t.Helper()
			body := object(t, w.send("GET", "/v1/query/"+list+query, "all", ""))
			if body["total"] != float64(n) {
				t.Errorf("%s%s: %v", list, query, body)
			}
			for _, one := range body[list].([]any) {
				ids = append(ids, one.(map[string]any)["id"].(string))
			}
			return ids, body["next"]
		}
		all, next := page("")
		if len(all) != n || next != nil {
			t.Fatalf("all %s: %q, next %v", list, all, next)
		}
		for size := 1; size <= n; size++ {
			got, next := page(fmt.Sprint("?limit=", size))
			for next != nil {
				var more []string
				more, next = page(fmt.Sprintf("?limit=%d&after=%s", size, next))
				got = append(got, more...)
			}
			if !slices.Equal(got, all) {
				t.Errorf("%s in pages of %d: %q, want %q", list, size, got, all)
			}
		}
		expect(t, w.send("GET", "/v1/query/"+list+"?limit=1001", "all", ""), 400, "VALIDATION_ERROR")
	}
}

// manySubjects has links and monitors of one owner.
type manySubjects struct {
	links    []store.Link
	monitors []store.Monitor
}

func (m manySubjects) Links(context.Context, string) ([]store.Link, error) { return m.links, nil }

func (m manySubjects) Monitors(context.Context, string) ([]store.Monitor, error) {
	return m.monitors, nil
}
