package track

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
)

func TestACustomEventFromAServer(t *testing.T) {
	w := world{geo: map[string]Location{"203.0.113.7": {Country: "US"}}}
	a := w.post(t, "/track",
		`{"name":"order","namespace":"shop","source":"server","timestamp":"2026-03-04T11:59:00Z","websiteId":"w2",
		"properties":{"total":9.90},"anonymousId":"anon_1","sessionId":"sess_1","profileId":"p","path":"https://blog.org/x/","anonymizeVisitorIds":"auto"}`,
		"Authorization", "Bearer all", "User-Agent", "node", "Content-Type", "application/json")
	if a.code != 200 || a.body["status"] != "success" || a.body["type"] != "custom_event" || a.body["count"] != 1.0 {
		t.Errorf("%d %s", a.code, a.raw)
	}
	id, _ := a.body["eventId"].(string)
	if !uuidForm.MatchString(id) {
		t.Errorf("the generated id is %q", id)
	}
	want := []store.Event{{
		Website: "w2", ID: id, Kind: store.Custom, Name: "order", Time: time.Date(2026, 3, 4, 11, 59, 0, 0, time.UTC),
		Identity: store.Identity{AnonymousID: hashedOf("w2", "anon_1"), ProfileID: "p", SessionID: "sess_1",
			Keyed: true},
		Path: "/x", Namespace: "shop", Source: "server", Properties: `{"total":9.9}`,
	}}
	if d := cmp.Diff(want, w.rows().Events); d != "" {
		t.Error(d)
	}
}

func TestACustomEventFromABrowser(t *testing.T) {
	w := world{geo: map[string]Location{"203.0.113.7": {Country: "US"}}}
	a := w.post(t, "/track?website_id=w1", `[{"name":"screen_view","eventId":"c1"}]`)
	if a.code != 200 {
		t.Fatalf("%d %s", a.code, a.raw)
	}
	agent := fromChrome
	agent.Country = "US"
	want := []store.Event{{Website: "w1", ID: "c1", Kind: store.Custom, Name: "screen_view", Time: noon, Agent: agent}}
	if d := cmp.Diff(want, w.rows().Events); d != "" {
		t.Error(d)
	}
}

func TestWebsitesOfCustomEvents(t *testing.T) {
	const (
		mismatch = "TRACK_WEBSITE_SCOPE_MISMATCH"
		missing  = "TRACK_MISSING_WEBSITE_ID"
	)
	for _, c := range []struct {
		why, key, target, body string
		code                   int
		want                   string   // code of the answer
		codes                  []string // of the results
		sites                  []string // of the rows
	}{
		{"a key and the event's website", "all", "/track", `{"name":"x","websiteId":"w2"}`, 200, "", nil,
			[]string{"w2"}},
		{"a key and the request's website", "all", "/track?website_id=w2", `{"name":"x"}`, 200, "", nil,
			[]string{"w2"}},
		{"the event's wins", "all", "/track?website_id=w2", `{"name":"x","websiteId":"w1"}`, 200, "", nil,
			[]string{"w1"}},
		{"the key's only website, by its list", "one", "/track", `{"name":"x"}`, 200, "", nil, []string{"w1"}},
		{"the key's only website, by its owner", "solo", "/track", `{"name":"x"}`, 200, "", nil, []string{"w5"}},
		{"several websites and none named", "all", "/track", `{"name":"x"}`, 400, missing, nil, nil},
		{"only such an event fails", "all", "/track", `[{"name":"x"},{"name":"y","websiteId":"w1"}]`, 200, "",
			[]string{missing, ""}, []string{"w1"}},
		{"outside the key's list", "one", "/track", `{"name":"x","websiteId":"w2"}`, 403, mismatch, nil, nil},
		{"only the event outside the list fails", "one", "/track", `[{"name":"x","websiteId":"w2"},{"name":"y"}]`, 200,
			"", []string{mismatch, ""}, []string{"w1"}},
		{"another owner's website", "all", "/track", `{"name":"x","websiteId":"w9"}`, 403, mismatch, nil, nil},
		{"another owner's, though the key lists it", "greedy", "/track", `{"name":"x"}`, 403, mismatch, nil, nil},
		{"an unknown website gets the same answer", "all", "/track", `{"name":"x","websiteId":"nobody"}`, 403, mismatch,
			nil, nil},
		{"all fail", "one", "/track", `[{"name":"x","websiteId":"w2"},{}]`, 403, mismatch,
			[]string{mismatch, "INVALID_EVENT_SCHEMA"}, nil},
		{"an invalid key does not count as no key", "stolen", "/track?website_id=w1", `{"name":"x"}`, 401,
			"AUTH_REQUIRED", nil, nil},
		{"no key, website by query", "", "/track?website_id=w1", `{"name":"x"}`, 200, "", nil, []string{"w1"}},
		{"no key, website by the first event", "", "/track", `[{"name":"x","websiteId":"w1"},{"name":"y"}]`, 200, "",
			[]string{"", ""}, []string{"w1", "w1"}},
		{"no key, one event of another website", "", "/track?website_id=w1",
			`[{"name":"x","websiteId":"w2"},{"name":"y","websiteId":"w1"}]`, 200, "", []string{mismatch, ""},
			[]string{"w1"}},
		{"no key, an unknown website", "", "/track?website_id=nobody", `{"name":"x"}`, 404, "TRACK_WEBSITE_NOT_FOUND",
			nil, nil},
		{"neither", "", "/track", `{"name":"x"}`, 401, "TRACK_MISSING_CREDENTIALS", nil, nil},
	} {
		var w world
		a := w.post(t, c.target, c.body, keyed(c.key)...)
		code, _ := a.body["code"].(string)
		if a.code != c.code || code != c.want || !slices.Equal(a.codes(), c.codes) {
			t.Errorf("%s: %d %s", c.why, a.code, a.raw)
		}
		var got []string
		for _, e := range w.rows().Events {
			got = append(got, e.Website)
		}
		if !slices.Equal(got, c.sites) {
			t.Errorf("%s: rows of %q, want %q", c.why, got, c.sites)
		}
	}
}

// TestTheNodeClientsBatches sends what the Node client sends: one event or an array, with a Bearer key and without
// event ids. The client reads status, and for an array processed and results.
func TestTheNodeClientsBatches(t *testing.T) {
	var w world
	one := `{"name":"x","websiteId":"w1","timestamp":1772625600000}`
	a := w.post(t, "/track", "["+one+","+one+","+one+"]", keyed("all")...)
	if a.code != 200 || a.body["status"] != "success" || a.body["processed"] != 3.0 || a.body["count"] != 3.0 ||
		len(a.codes()) != 3 {
		t.Errorf("%d %s", a.code, a.raw)
	}
	ids := map[string]bool{}
	for _, e := range w.rows().Events {
		ids[e.ID] = true
	}
	if len(ids) != 3 || len(w.written) != 1 {
		t.Errorf("%d ids in %d writes: events without an id must not count as repeats", len(ids), len(w.written))
	}
	a = w.post(t, "/track", "["+one+`,{"websiteId":"w1"}]`, keyed("all")...)
	if a.code != 200 || a.body["status"] != "partial" || a.body["message"] == nil || a.body["count"] != 1.0 {
		t.Errorf("one of two: %d %s", a.code, a.raw)
	}
}

func TestNamesOfCustomEvents(t *testing.T) {
	for _, c := range []struct {
		why, name string
		code      int
		want      string
	}{
		{"256 are cut to 255", strings.Repeat("x", 256), 200, strings.Repeat("x", 255)},
		{"1 000 are cut, too", strings.Repeat("x", 1000), 200, strings.Repeat("x", 255)},
		{"half an emoji is not stored", strings.Repeat("x", 254) + "😀", 200, strings.Repeat("x", 254)},
		{"spaces are no name", "  ", 400, ""},
		{"a dollar name", "$flag_evaluated", 200, "$flag_evaluated"},
	} {
		var w world
		a := w.post(t, "/track?website_id=w1", `{"name":"`+c.name+`","sessionId":null}`)
		got := ""
		for _, e := range w.rows().Events {
			got = e.Name
		}
		if a.code != c.code || got != c.want {
			t.Errorf("%s: %d %s, stored %q", c.why, a.code, a.raw, got)
		}
	}
}

func TestBatchAnswers(t *testing.T) {
	ok := `{"type":"track","eventId":"a","name":"x","path":"/"}`
	link := `{"type":"outgoing_link","eventId":"b","href":"https://x.org"}`
	broken := `{"type":"track","eventId":"c","name":"x"}`
	alien := `{"type":"alien","eventId":"d"}`
	results := map[string]any{
		ok:   map[string]any{"status": "success", "type": "track", "eventId": "a"},
		link: map[string]any{"status": "success", "type": "outgoing_link", "eventId": "b"},
		broken: map[string]any{
			"status": "error", "message": "Invalid event schema", "code": "INVALID_EVENT_SCHEMA", "eventType": "track",
			"eventId": "c",
			"errors":  []any{map[string]any{"code": "required", "field": "path", "message": "is required"}},
		},
		alien: map[string]any{"status": "error", "message": "Unknown event type", "code": "INGEST_UNKNOWN_EVENT_TYPE",
			"eventType": "alien", "eventId": "d"},
	}
	for _, c := range []struct {
		why, status  string
		items        []string
		track, links float64
		rows         int
	}{
		{"all valid", "success", []string{ok, link}, 1, 1, 2},
		{"some valid", "partial", []string{broken, ok, alien, link}, 1, 1, 2},
		{"none valid", "error", []string{broken, alien}, 0, 0, 0},
	} {
		var w world
		a := w.post(t, "/batch?client_id=w1", "["+strings.Join(c.items, ",")+"]")
		list := []any{}
		for _, i := range c.items {
			list = append(list, results[i])
		}
		want := map[string]any{
			"status": c.status, "batch": true, "processed": float64(len(c.items)), "results": list,
			"batched": map[string]any{"track": c.track, "outgoing_link": c.links},
		}
		if d := cmp.Diff(want, a.body); a.code != 200 || d != "" {
			t.Errorf("%s: %d %s", c.why, a.code, d)
		}
		if rows := w.rows(); rows.Len() != c.rows || len(w.written) > 1 {
			t.Errorf("%s: %d rows in %d writes", c.why, rows.Len(), len(w.written))
		}
	}
	var w world
	if a := w.post(t, "/batch?client_id=w1", ok); a.code != 400 || a.body["code"] != "INGEST_BATCH_NOT_ARRAY" {
		t.Errorf("an object: %d %s", a.code, a.raw)
	}
}
