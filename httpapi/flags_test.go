package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/store"
)

// weakStore holds flags in memory and can be made unavailable.
type weakStore struct {
	flags.Memory
	away    atomic.Bool
	forgets atomic.Bool // drops later commits
}

func (s *weakStore) Commit(ctx context.Context, c flags.Commit) error {
	if s.forgets.Load() {
		return nil
	}
	return s.Memory.Commit(ctx, c)
}

func (s *weakStore) Load(ctx context.Context, client flags.Client) (flags.Set, error) {
	if s.away.Load() {
		return flags.Set{}, errSecret
	}
	return s.Memory.Load(ctx, client)
}

func (s *weakStore) Revisions(ctx context.Context, clients []flags.Client) (map[flags.Client]int64, error) {
	if s.away.Load() {
		return nil, errSecret
	}
	return s.Memory.Revisions(ctx, clients)
}

// newFlags returns the flags of s.
func newFlags(t testing.TB, s flags.Store) *flags.Service {
	t.Helper()
	service, err := flags.New(flags.Config{Store: s, Now: func() time.Time { return now },
		Every: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = service.Close(context.Background()) })
	return service
}

// newFlagWorld returns a world with flags. Its key "sites" manages only the flags of site_a, and its key "org_b"
// belongs to another owner.
func newFlagWorld(t testing.TB) (*world, *weakStore) {
	t.Helper()
	s := &weakStore{}
	w := newWorld(t, func(cfg *Config) {
		cfg.Flags, cfg.Minter, cfg.CORSOrigins = newFlags(t, s), &fakeMinter{}, []string{"https://Panel.example:443"}
	})
	w.keys["sites"] = &auth.Key{ID: "key_sites", Owner: "org_a", Scopes: []auth.Scope{auth.ManageFlags},
		Resources: []auth.Resource{{Kind: "website", ID: "site_a"}}}
	w.keys["org_b"] = &auth.Key{ID: "key_b", Owner: "org_b", Scopes: []auth.Scope{auth.ManageFlags}, All: true}
	return w, s
}

// create creates a flag with a key, and returns its id.
func (w *world) create(t testing.TB, body string) string {
	t.Helper()
	rec := w.send("POST", "/public/v1/flags", "flags", body)
	expect(t, rec, 200, "")
	id, _ := object(t, rec)["flag"].(map[string]any)["id"].(string)
	return id
}

const newFlag = `{"clientId":"site_a","key":"new-ui","type":"boolean","defaultValue":true,"payload":{"a":"<1>"}}`

func TestAFlagsLife(t *testing.T) {
	w, _ := newFlagWorld(t)
	const evaluate = "/public/v1/flags/evaluate?clientId=site_a&key=new-ui&userId=u1"
	const list = "/public/v1/flags/definitions?clientId=site_a"
	reason := func() any { return object(t, w.send("GET", evaluate, "", ""))["reason"] }
	if got := reason(); got != "FLAG_NOT_FOUND" {
		t.Fatalf("before creation: %v", got)
	}
	rec := w.send("POST", "/public/v1/flags", "flags", newFlag)
	expect(t, rec, 200, "")
	made := object(t, rec)["flag"].(map[string]any)
	if made["createdAt"] != "2026-03-29T12:00:00.000Z" || made["status"] != "active" || made["revision"] != 1.0 ||
		rec.Header().Get("ETag") != `"1"` {
		t.Errorf("created %v, ETag %s", made, rec.Header().Get("ETag"))
	}
	want := `{"success":true,"enabled":true,"value":true,"payload":{"a":"<1>"},"reason":"BOOLEAN_DEFAULT"}` + "\n"
	if got := w.send("GET", evaluate, "", "").Body.String(); got != want {
		t.Errorf("evaluated %s, want %s", got, want)
	}
	expect(t, w.send("POST", "/public/v1/flags", "flags", newFlag), 409, "CONFLICT")

	id := made["id"].(string)
	rec = w.send("PATCH", "/public/v1/flags/"+id, "flags",
		`{"clientId":"site_a","defaultValue":false,"description":"x"}`)
	expect(t, rec, 200, "")
	if f := object(t, rec)["flag"].(map[string]any); f["defaultValue"] != false || f["revision"] != 2.0 ||
		f["description"] != "x" || rec.Header().Get("ETag") != `"2"` {
		t.Errorf("changed %v, ETag %s", f, rec.Header().Get("ETag"))
	}
	again := w.send("PATCH", "/public/v1/flags/"+id, "flags", `{"clientId":"site_a"}`)
	if expect(t, again, 200, ""); again.Body.String() != rec.Body.String() || again.Header().Get("ETag") != `"2"` {
		t.Errorf("a change without fields: %s, ETag %s", again.Body, again.Header().Get("ETag"))
	}
	if got := object(t, w.send("GET", evaluate, "", ""))["enabled"]; got != false {
		t.Errorf("a change has no effect at once: %v", got)
	}
	expect(t, w.send("DELETE", "/public/v1/flags/"+id+"?clientId=site_a", "flags", ""), 200, "")
	if body := object(t, w.send("GET", list, "flags", "")); body["count"] != 0.0 || reason() != "FLAG_NOT_FOUND" {
		t.Errorf("after removal: %v", body)
	}
	expect(t, w.send("DELETE", "/public/v1/flags/"+id+"?clientId=site_a", "flags", ""), 404, "NOT_FOUND")
	if again := w.create(t, newFlag); again != id || reason() != "BOOLEAN_DEFAULT" {
		t.Errorf("restored as %s, was %s", again, id)
	}
	changes, err := w.cfg.Flags.Editor().History(t.Context(), flags.Target{Client: flags.OfWebsite("site_a"), ID: id},
		0, 10)
	if err != nil || len(changes) != 4 || changes[0].Event != flags.Restored ||
		changes[0].Actor != (flags.Actor{Kind: "key", ID: "key_flags"}) {
		t.Errorf("history %+v, %v", changes, err)
	}
}

func TestPermissionsForManagingFlags(t *testing.T) {
	w, _ := newFlagWorld(t)
	w.dir.err = nil
	id := w.create(t, newFlag)
	body := func(client string) string { return strings.Replace(newFlag, "site_a", client, 1) }
	for _, tc := range []struct {
		name, method, target, key, body string
		status                          int
		code                            string
		resource                        auth.Resource
	}{
		{"a website of the key's", "GET", "/definitions?clientId=site_a", "sites", "", 200, "",
			auth.Resource{Kind: "website", ID: "site_a", Owner: "org_a"}},
		{"a website outside its list", "GET", "/definitions?clientId=site_b", "sites", "", 403, "FORBIDDEN",
			auth.Resource{Kind: "website", ID: "site_b", Owner: "org_a"}},
		{"its organisation", "GET", "/definitions?clientId=org_a", "flags", "", 200, "",
			auth.Resource{Kind: "organization", ID: "org_a", Owner: "org_a"}},
		{"its organisation, with a list of websites", "GET", "/definitions?clientId=org_a", "sites", "", 403,
			"FORBIDDEN", auth.Resource{Kind: "organization", ID: "org_a", Owner: "org_a"}},
		{"another organisation", "GET", "/definitions?clientId=org_b", "flags", "", 403, "FORBIDDEN",
			auth.Resource{Kind: "website", ID: "org_b"}},
		{"another owner's website", "POST", "", "flags", body("site_x"), 403, "FORBIDDEN",
			auth.Resource{Kind: "website", ID: "site_x", Owner: "org_b"}},
		{"another owner's website, with a body that is wrong", "POST", "", "flags", `{"clientId":"site_x","x":1}`, 403,
			"FORBIDDEN", auth.Resource{Kind: "website", ID: "site_x", Owner: "org_b"}},
		{"another owner's flag", "PATCH", "/" + id, "org_b", `{"clientId":"site_x","description":"y"}`, 404,
			"NOT_FOUND", auth.Resource{Kind: "website", ID: "site_x", Owner: "org_b"}},
		{"another owner's flag, removed", "DELETE", "/" + id + "?clientId=site_x", "org_b", "", 404, "NOT_FOUND",
			auth.Resource{Kind: "website", ID: "site_x", Owner: "org_b"}},
		{"a key that reads", "GET", "/definitions?clientId=site_a", "all", "", 403, "FORBIDDEN", auth.Resource{}},
		{"no client", "GET", "/definitions", "flags", "", 400, "VALIDATION_ERROR", auth.Resource{}},
		{"no client in a body", "POST", "", "flags", `{"key":"x"}`, 400, "VALIDATION_ERROR", auth.Resource{}},
		{"two clients", "GET", "/definitions?clientId=site_a&clientId=site_b", "flags", "", 400, "VALIDATION_ERROR",
			auth.Resource{}},
		{"an impossible client", "GET", "/definitions?clientId=%00", "flags", "", 403, "FORBIDDEN",
			auth.Resource{Kind: "website"}},
		{"an unknown parameter", "GET", "/definitions?clientId=site_a&client=x", "flags", "", 400, "VALIDATION_ERROR",
			auth.Resource{}},
	} {
		w.trail.take()
		rec := w.send(tc.method, "/public/v1/flags"+tc.target, tc.key, tc.body)
		expect(t, rec, tc.status, tc.code)
		e := w.trail.take()
		if len(e) != 1 || e[0].Scope != auth.ManageFlags || e[0].Resource != tc.resource || e[0].Status != tc.status {
			t.Errorf("%s: audit %+v", tc.name, e)
		}
		if tc.status == 403 && rec.Header().Get("WWW-Authenticate") != `Bearer error="insufficient_scope", scope="manage:flags"` {
			t.Errorf("%s: %s", tc.name, rec.Header())
		}
	}
	w.dir.err = errSecret
	expect(t, w.send("GET", "/public/v1/flags/definitions?clientId=site_a", "flags", ""), 500, "INTERNAL_SERVER_ERROR")
}

func TestEveryMistakeOfAFlagIsReported(t *testing.T) {
	w, _ := newFlagWorld(t)
	rec := w.send("POST", "/public/v1/flags", "flags",
		`{"clientId":"site_a","key":"a b","type":"odd","rolloutPercentage":101}`)
	expect(t, rec, 400, "VALIDATION_ERROR")
	if n := len(object(t, rec)["details"].([]any)); n != 4 {
		t.Errorf("%d: %s", n, rec.Body)
	}
	rec = w.send("POST", "/public/v1/flags", "flags",
		`{"clientId":"site_a","key":"a b","type":"odd","defaultValue":true,"rolloutPercentage":101}`)
	expect(t, rec, 400, "VALIDATION_ERROR")
	if n := len(object(t, rec)["details"].([]any)); n != 3 {
		t.Errorf("%d: %s", n, rec.Body)
	}
	for _, body := range []string{"", "{", "[]", "null", `"x"`} {
		expect(t, w.send("POST", "/public/v1/flags", "flags", body), 400, "INVALID_JSON")
	}
}

func TestIfMatch(t *testing.T) {
	w, _ := newFlagWorld(t)
	id := w.create(t, newFlag)
	patch := func(tag string) int {
		return w.send("PATCH", "/public/v1/flags/"+id, "flags", `{"clientId":"site_a","name":"n"}`, "If-Match",
			tag).Code
	}
	for i, tc := range []struct {
		tag    string
		status int
	}{
		{`"1"`, 200}, {`"1"`, 412}, {`W/"2"`, 412}, {`2`, 412}, {`"1", "2"`, 200}, {`*`, 200}, {``, 200}, {`"0"`, 412},
		{`"x"`, 412},
	} {
		if got := patch(tc.tag); got != tc.status {
			t.Errorf("%d: If-Match %s: %d, want %d", i, tc.tag, got, tc.status)
		}
	}
	target := "/public/v1/flags/" + id + "?clientId=site_a"
	expect(t, w.send("DELETE", target, "flags", "", "If-Match", `"1"`), 412, "PRECONDITION_FAILED")
	expect(t, w.send("DELETE", target, "flags", "", "If-Match", `"5"`), 200, "")
}

// TestConcurrentPatches changes different fields concurrently: all succeed, but with If-Match only one.
func TestConcurrentPatches(t *testing.T) {
	w, _ := newFlagWorld(t)
	id := w.create(t, newFlag)
	var all sync.WaitGroup
	var won atomic.Int64
	for i, body := range []string{`"name":"n"`, `"description":"d"`, `"rolloutPercentage":7`, `"rules":[]`,
		`"payload":{"b":2}`, `"defaultValue":false`} {
		all.Go(func() {
			expect(t, w.send("PATCH", "/public/v1/flags/"+id, "flags", `{"clientId":"site_a",`+body+`}`), 200, "")
		})
		all.Go(func() {
			if w.send("PATCH", "/public/v1/flags/"+id, "flags",
				fmt.Sprintf(`{"clientId":"site_a","status":"active","targetGroupIds":[],"name":"n%d"}`, i), "If-Match",
				`"7"`).Code == 200 {
				won.Add(1)
			}
		})
	}
	all.Wait()
	f, err := w.cfg.Flags.Editor().Flag(t.Context(), flags.OfWebsite("site_a"), id)
	if err != nil || f.Description != "d" || f.Percentage != 7 || string(f.Payload) != `{"b":2}` || f.Default ||
		f.Revision != 7+won.Load() || won.Load() > 1 {
		t.Errorf("%+v, %v; %d with If-Match", f, err, won.Load())
	}
}

func TestBulk(t *testing.T) {
	w, _ := newFlagWorld(t)
	w.create(t, newFlag)
	w.create(t, `{"clientId":"site_a","key":"beta","type":"boolean","defaultValue":false,"rules":[
		{"type":"property","field":"plan","operator":"equals","value":"pro","enabled":true}]}`)
	w.create(t, `{"clientId":"site_a","key":"beta","environment":"prod","type":"boolean","defaultValue":true}`)
	w.create(t, `{"clientId":"org_a","key":"ours","type":"boolean","defaultValue":true}`)
	long := strings.Repeat("x", flags.MaxKey+1)
	for _, tc := range []struct {
		name, method, query, body string
		want                      string // keys and whether they are enabled; or a status
	}{
		{"all", "GET", "clientId=site_a", "", "beta=false new-ui=true"},
		{"all of an environment", "GET", "clientId=site_a&environment=prod", "", "beta=true"},
		{"an organisation's without its key", "GET", "clientId=org_a&keys=ours", "", ""},
		{"some", "GET", "clientId=site_a&keys=+beta+,none", "", "beta=false"},
		{"none, by an empty list", "GET", "clientId=site_a&keys=", "", ""},
		{"none, by spaces", "GET", "clientId=site_a&keys=+,+", "", ""},
		{"by a property", "GET", `clientId=site_a&keys=beta&properties={"plan":"pro"}`, "", "beta=true"},
		{"properties that are not JSON", "GET", `clientId=site_a&keys=beta&properties={`, "", "beta=false"},
		{"an unknown client", "GET", "clientId=nobody", "", ""},
		{"a parameter of a future client library", "GET", "clientId=site_a&keys=beta&new=1", "", "beta=false"},
		{"no client", "GET", "keys=beta", "", "400"},
		{"a long key", "GET", "clientId=site_a&keys=" + long, "", "400"},
		{"101 keys", "GET", "clientId=site_a&keys=" + strings.Repeat("k,", 101), "", "400"},
		{"a long id", "GET", "clientId=site_a&userId=" + strings.Repeat("x", 513), "", "400"},
		{"a body", "POST", "", `{"clientId":"site_a","keys":["beta","new-ui"],"properties":{"plan":"pro"},"userId":"u","new":1}`, "beta=true new-ui=true"},
		{"a body without keys", "POST", "clientId=site_a", `{"environment":"prod"}`, "beta=true"},
		{"a body with no keys", "POST", "", `{"clientId":"site_a","keys":[]}`, ""},
		{"a body with keys of another type", "POST", "", `{"clientId":"site_a","keys":"beta"}`, "400"},
		{"a body with 101 keys", "POST", "", `{"clientId":"site_a","keys":[` + strings.Repeat(`"k",`, 100) + `"k"]}`,
			"400"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rec := w.send(tc.method, "/public/v1/flags/bulk?"+
				strings.NewReplacer("{", "%7B", "}", "%7D", `"`, "%22").Replace(tc.query), "", tc.body)
			if rec.Code != 200 {
				if fmt.Sprint(rec.Code) != tc.want {
					t.Errorf("%d %s", rec.Code, rec.Body)
				}
				return
			}
			var body resultsText
			if err := json.Unmarshal(rec.Body.Bytes(), &body); err != nil || body.Count != len(body.Flags) ||
				body.text() != tc.want {
				t.Errorf("%s, %v, want %s", rec.Body, err, tc.want)
			}
			again := w.send(tc.method, "/public/v1/flags/bulk?"+
				strings.NewReplacer("{", "%7B", "}", "%7D", `"`, "%22").Replace(tc.query), "", tc.body, "If-None-Match",
				rec.Header().Get("ETag"))
			if again.Code != 304 || rec.Header().Get("Cache-Control") != "private, no-cache" {
				t.Errorf("second request: %d; %v", again.Code, rec.Header())
			}
		})
	}
}

func TestBulkReportsMistakesInTermsOfJSON(t *testing.T) {
	w, _ := newFlagWorld(t)
	rec := w.send("POST", "/public/v1/flags/bulk", "",
		`{"clientId":"site_a","keys":"beta","properties":[],"userId":"u"}`)
	want := `[{"field":"keys","message":"must be an array, not a string"},{"field":"properties","message":"must be an object, not an array"}]`
	if expect(t, rec, 400, "VALIDATION_ERROR"); !strings.Contains(rec.Body.String(), want) {
		t.Errorf("%s\nwant %s", rec.Body, want)
	}
}

type resultsText struct {
	Flags map[string]struct{ Enabled bool }
	Count int
}

func (r resultsText) text() string {
	text := strings.Trim(fmt.Sprint(r.Flags), "map[]")
	return strings.NewReplacer(":{", "=", "}", "").Replace(text)
}

func TestEvaluationContinuesWithoutTheStore(t *testing.T) {
	w, s := newFlagWorld(t)
	w.create(t, newFlag)
	const target = "/public/v1/flags/evaluate?clientId=site_a&key=new-ui"
	expect(t, w.send("GET", target, "", ""), 200, "")
	s.away.Store(true)
	w.dir.err = errSecret
	status := func() any { return object(t, w.send("GET", "/public/v1/flags/health", "", ""))["status"] }
	for end := time.Now().Add(10 * time.Second); status() != "stale"; {
		if time.Now().After(end) {
			t.Fatal("health does not report that the store is unavailable")
		}
		time.Sleep(time.Millisecond)
	}
	if got := object(t, w.send("GET", target, "", ""))["enabled"]; got != true {
		t.Errorf("while the store is unavailable: %v", got)
	}
	expect(t, w.send("GET", strings.Replace(target, "site_a", "site_b", 1), "", ""), 503, "SERVICE_UNAVAILABLE")
	s.away.Store(false)
	for end := time.Now().Add(10 * time.Second); status() != "ok"; {
		if time.Now().After(end) {
			t.Fatal("health does not report that the store is available again")
		}
		time.Sleep(time.Millisecond)
	}
}

// TestBucketsOfEvaluation checks that made-up clients share the bucket of the network, so that they do not bypass
// limits.
func TestBucketsOfEvaluation(t *testing.T) {
	w, _ := newFlagWorld(t)
	w.create(t, newFlag)
	asked := func(method, target, key, body string, headers ...string) string {
		w.limiter.asked = nil
		w.send(method, target, key, body, headers...)
		return strings.Join(w.limiter.asked, ", ")
	}
	asked("GET", "/public/v1/flags/bulk?clientId=site_a", "slow", "") // the client and the key are known from now on
	for _, tc := range []struct{ got, want string }{
		{asked("GET", "/public/v1/flags/bulk?clientId=site_a", "", ""), "flags site_a|192.0.2.1 1"},
		{asked("GET", "/public/v1/flags/bulk", "", "", "X-Client-Id", "site_a"), "flags site_a|192.0.2.1 1"},
		{asked("GET", "/public/v1/flags/bulk?clientId=made-up", "", ""), "flags 192.0.2.1 1"},
		{asked("GET", "/public/v1/flags/bulk?clientId=made-up", "", ""), "flags 192.0.2.1 1"},
		{asked("GET", "/public/v1/flags/bulk?clientId=site_a", "flags", ""), "evaluate key_flags 1"},
		{asked("POST", "/public/v1/flags/bulk", "", `{"clientId":"site_a"}`), "flags 192.0.2.1 1"},
		{asked("POST", ofrepPrefix, "", `{}`, "Databuddy-Client-Id", "site_a"), "flags site_a|192.0.2.1 1"},
		{asked("POST", ofrepPrefix+"/new-checkout", "slow", `{}`), "evaluate key_slow 1 of 5"},
		{asked("OPTIONS", ofrepPrefix, "", ""), "flags 192.0.2.1 1"},
		{asked("GET", "/public/v1/flags/health", "", ""), "health 192.0.2.1 1"},
	} {
		if diff := cmp.Diff(tc.want, tc.got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestWithoutFlags(t *testing.T) {
	w := newWorld(t)
	for _, rt := range (*api)(nil).flagRoutes() {
		expect(t, w.send(rt.Method, strings.NewReplacer("{id}", "x", "{key}", "x").Replace(rt.Path), "flags", ""), 404,
			"NOT_FOUND")
	}
}

// conflicting makes every commit fail with ErrConflict.
type conflicting struct{ flags.Memory }

func (*conflicting) Commit(context.Context, flags.Commit) error { return flags.ErrConflict }

func TestAFlagWithConstantConflicts(t *testing.T) {
	w := newWorld(t, func(cfg *Config) { cfg.Flags = newFlags(t, &conflicting{}) })
	rec := w.send("POST", "/public/v1/flags", "flags", newFlag)
	expect(t, rec, 503, "SERVICE_UNAVAILABLE")
	if rec.Header().Get("Retry-After") == "" || !strings.Contains(w.log.String(), flags.ErrConflict.Error()) {
		t.Errorf("%v; log %s", rec.Header(), w.log)
	}
}

// TestFlagsOfAnOrganizationNeedItsKey requests an organisation's flags on every route that evaluates flags.
func TestFlagsOfAnOrganizationNeedItsKey(t *testing.T) {
	w, s := newFlagWorld(t)
	w.create(t, `{"clientId":"org_a","key":"ours","type":"boolean","defaultValue":true,"payload":{"secret":1}}`)
	w.dir.err = nil
	ways := map[string]func(key string) *httptest.ResponseRecorder{
		"evaluate": func(key string) *httptest.ResponseRecorder {
			return w.send("GET", "/public/v1/flags/evaluate?clientId=org_a&key=ours", key, "")
		},
		"bulk": func(key string) *httptest.ResponseRecorder {
			return w.send("GET", "/public/v1/flags/bulk?clientId=org_a", key, "")
		},
		"bulk body": func(key string) *httptest.ResponseRecorder {
			return w.send("POST", "/public/v1/flags/bulk", key, `{"clientId":"org_a"}`)
		},
		"OFREP": func(key string) *httptest.ResponseRecorder {
			return w.send("POST", ofrepPrefix+"/ours", key, `{}`, "X-Client-Id", "org_a")
		},
		"OFREP all": func(key string) *httptest.ResponseRecorder {
			return w.send("POST", ofrepPrefix, key, `{}`, "X-Client-Id", "org_a")
		},
	}
	for name, ask := range ways {
		for key, want := range map[string]bool{"": false, "sites": false, "org_b": false, "flags": true, "all": true} {
			rec := ask(key)
			if got := strings.Contains(rec.Body.String(), "secret"); got != want || rec.Code != 200 && rec.Code != 404 {
				t.Errorf("%s with the key %q: %d %s", name, key, rec.Code, rec.Body)
			}
		}
	}
	// Evaluation continues while both databases are unavailable.
	s.away.Store(true)
	w.dir.err = errSecret
	if rec := ways["bulk"]("flags"); !strings.Contains(rec.Body.String(), "secret") {
		t.Errorf("without databases: %d %s", rec.Code, rec.Body)
	}
}

// TestAWebsiteWithTheIDOfAnOrganization uses a website of another owner: neither owner gets the other's flags.
func TestAWebsiteWithTheIDOfAnOrganization(t *testing.T) {
	w, s := newFlagWorld(t)
	ours := flags.Flag{Client: flags.OfOrganization("org_a"), Key: "ours", Type: flags.Boolean, Default: true}
	f, err := w.cfg.Flags.Editor().Create(t.Context(), flags.Actor{Kind: "test"}, ours)
	if err != nil {
		t.Fatal(err)
	}
	w.dir.owners[store.Subject{Kind: store.KindWebsite, ID: "org_a"}] = "org_b"
	const definitions = "/public/v1/flags/definitions?clientId=org_a"
	if rec := w.send("GET", definitions, "org_b", ""); rec.Code != 200 || object(t, rec)["count"] != 0.0 {
		t.Errorf("the website's owner lists %d %s", rec.Code, rec.Body)
	}
	expect(t, w.send("PATCH", "/public/v1/flags/"+f.ID, "org_b", `{"clientId":"org_a","defaultValue":false}`), 404,
		"NOT_FOUND")
	expect(t, w.send("DELETE", "/public/v1/flags/"+f.ID+"?clientId=org_a", "org_b", ""), 404, "NOT_FOUND")
	expect(t, w.send("GET", definitions, "flags", ""), 403, "FORBIDDEN")
	expect(t, w.send("POST", "/public/v1/flags", "org_b",
		`{"clientId":"org_a","key":"theirs","type":"boolean","defaultValue":true}`), 200, "")
	for client, want := range map[flags.Client]string{flags.OfOrganization("org_a"): "ours",
		flags.OfWebsite("org_a"): "theirs"} {
		if set, err := s.Load(t.Context(), client); err != nil || len(set.Flags) != 1 || set.Flags[0].Key != want {
			t.Errorf("%s has %+v, %v", client, set, err)
		}
	}
}
