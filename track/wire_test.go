package track

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEnvelopeOfAFailure(t *testing.T) {
	var w world
	a := w.post(t, "/?client_id=w1", `{"name":"","path":7.5,"title":[1],"timestamp":"x"}`, "X-Request-ID", "abc.1-2_3")
	delete(a.body, "errors")
	want := map[string]any{
		"success": false, "status": "error", "error": "Invalid event schema", "message": "Invalid event schema",
		"code": "INVALID_EVENT_SCHEMA", "retryable": false, "requestId": "abc.1-2_3",
	}
	if d := cmp.Diff(want, a.body); a.code != 400 || d != "" {
		t.Errorf("%d %s", a.code, d)
	}
}

// The tests of internal/front cover ids of requests, CORS and content types. These check that the routes of this
// package use them; TestEveryRoute has the content types.

func TestRequestIDs(t *testing.T) {
	var w world
	for sent, kept := range map[string]bool{"abc-1.2_3": true, "a b": false} {
		a := w.post(t, "/nowhere", "", "X-Request-ID", sent)
		if id := a.header.Get("X-Request-ID"); (id == sent) != kept || a.body["requestId"] != id {
			t.Errorf("%q becomes %q in %s", sent, id, a.raw)
		}
	}
}

// TestCORS checks that beacons, which are sent with cookies, get the origin itself, as browsers require. Routes with
// keys must not allow cookies, since a host's cookie could work like a key.
func TestCORS(t *testing.T) {
	var w world
	for _, c := range []struct {
		method, target, body string
		code                 int
		origin, credentials  string
	}{
		{"POST", "/?client_id=w1", pageview, 200, "https://shop.com", "true"},
		{"OPTIONS", "/batch", "", 204, "https://shop.com", "true"},
		{"OPTIONS", "/vitals", "", 204, "https://shop.com", "true"},
		{"POST", "/unknown", "", 404, "https://shop.com", "true"},
		{"OPTIONS", "/track", "", 204, "*", ""},
		{"POST", "/link-visits", "[]", 401, "*", ""},
	} {
		a := w.do(t, c.method, c.target, c.body, "Origin", "https://shop.com", "Access-Control-Request-Method", "POST",
			"Access-Control-Request-Headers", "traceparent")
		h := a.header
		got := [2]string{h.Get("Access-Control-Allow-Origin"), h.Get("Access-Control-Allow-Credentials")}
		if a.code != c.code || got != [2]string{c.origin, c.credentials} {
			t.Errorf("%s %s: %d, %v", c.method, c.target, a.code, h)
		}
		allowed := h.Get("Access-Control-Allow-Headers") // our own, and those of tracing scripts
		ours := strings.Contains(allowed, "databuddy-client-id") && strings.Contains(allowed, "traceparent")
		if ours != (c.method == "OPTIONS") {
			t.Errorf("%s %s: %v", c.method, c.target, h)
		}
		exposed := strings.Split(h.Get("Access-Control-Expose-Headers"), ", ")
		for _, name := range []string{
			"X-Request-ID", "Retry-After", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset",
			"RateLimit", "RateLimit-Policy",
		} {
			if !slices.Contains(exposed, name) {
				t.Errorf("%s %s: pages cannot read %s", c.method, c.target, name)
			}
		}
	}
}

func TestUnknownPathsAnswerJSON(t *testing.T) {
	var w world
	if a := w.do(t, "GET", "/nothing/here", ""); a.code != 404 || a.body["code"] != "NOT_FOUND" ||
		a.header.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Errorf("%d %s %v", a.code, a.raw, a.header)
	}
}

func TestMountedUnderAPrefix(t *testing.T) {
	var w world
	mux := http.NewServeMux()
	mux.Handle("/ingest/", http.StripPrefix("/ingest", w.handler(t)))
	mux.Handle("/ingest", http.StripPrefix("/ingest", w.handler(t)))
	for _, target := range []string{"/ingest?client_id=w1", "/ingest/?client_id=w1", "/ingest/batch?client_id=w1",
		"/ingest/batch/?client_id=w1"} {
		body := pageview
		if strings.Contains(target, "batch") {
			body = "[" + body + "]"
		}
		if a := serve(t, mux, target, body); a != 200 {
			t.Errorf("%s: %d", target, a)
		}
	}
}

func TestBots(t *testing.T) {
	for _, c := range []struct {
		why, ua string
		bot     bool
	}{
		{"a browser", chrome, false},
		{"a crawler", googlebot, true},
		{"no user agent", "", true},
		{"blanks", "  ", true},
		{"a crawler after a long text", strings.Repeat("x", 300) + " Googlebot/2.1", true},
	} {
		for path, g := range good {
			if g.key != "" {
				continue
			}
			var w world
			a := w.post(t, g.target, g.body, "User-Agent", c.ua)
			if a.code != 200 || (a.body["status"] == "ignored") != c.bot || (len(w.written) == 0) != c.bot {
				t.Errorf("%s, %s: %d %s", path, c.why, a.code, a.raw)
			}
		}
		for path, g := range good {
			if g.key == "" {
				continue
			}
			var w world
			if a := w.post(t, g.target, g.body,
				append(keyed(g.key), "User-Agent", c.ua)...); a.body["status"] != "success" || len(w.written) != 1 {
				t.Errorf("%s with a key, %s: %s", path, c.why, a.raw)
			}
		}
		var w world
		if a := w.post(t, "/track?website_id=w1", custom, "User-Agent",
			c.ua); (a.body["status"] == "ignored") != c.bot {
			t.Errorf("/track without key, %s: %s", c.why, a.raw)
		}
	}
}

func TestWebsiteOfARequest(t *testing.T) {
	for _, c := range []struct {
		why, target string
		headers     []string
		code        int
		want        string
	}{
		{"by query", "/?client_id=w1", nil, 200, ""},
		{"spaces around the id", "/?client_id=%20w1%20", nil, 200, ""},
		{"by header", "/", []string{"databuddy-client-id", "w1"}, 200, ""},
		{"the query takes precedence", "/?client_id=w1", []string{"databuddy-client-id", "nobody"}, 200, ""},
		{"none", "/", nil, 400, "INGEST_MISSING_CLIENT_ID"},
		{"an empty id", "/?client_id=", nil, 400, "INGEST_MISSING_CLIENT_ID"},
		{"an unknown id", "/?client_id=nobody", nil, 400, "INGEST_INVALID_CLIENT_ID"},
		{"a long id", "/?client_id=" + strings.Repeat("w", 256), nil, 400, "INGEST_INVALID_CLIENT_ID"},
		{"an id with a control character", "/?client_id=w1%00", nil, 400, "INGEST_INVALID_CLIENT_ID"},
		{"an id with invalid UTF-8", "/?client_id=%ff", nil, 400, "INGEST_INVALID_CLIENT_ID"},
	} {
		var w world
		a := w.post(t, c.target, pageview, c.headers...)
		code, _ := a.body["code"].(string)
		if a.code != c.code || code != c.want {
			t.Errorf("%s: %d %s", c.why, a.code, a.raw)
		}
	}
}

// TestEmptyListsAreRefused checks every route that accepts a list: an empty one would store nothing.
func TestEmptyListsAreRefused(t *testing.T) {
	for _, r := range Routes() {
		if r.Items < 2 {
			continue
		}
		var w world
		headers := keyed("all")
		if r.Access == ByWebsite {
			headers = nil
		}
		if a := w.post(t, r.Path+"?client_id=w1", "[]", headers...); a.code != 400 || a.body["code"] != "EMPTY_LIST" ||
			len(w.written) != 0 {
			t.Errorf("%s: %d %s", r.Path, a.code, a.raw)
		}
	}
}

// TestSendersLearnTheForm sends bodies whose website or form is elsewhere than on other services. The error says where.
func TestSendersLearnTheForm(t *testing.T) {
	const event = `{"websiteId":"w1","name":"signup"}`
	for _, c := range []struct{ why, target, body, code, want string }{
		{"NDJSON", "/events?client_id=w1", event + "\n" + event, "INVALID_JSON", "NDJSON"},
		{"NDJSON for /track", "/track?website_id=w1", event + "\n" + event, "TRACK_INVALID_BODY", "NDJSON"},
		{"NDJSON for /batch", "/batch?client_id=w1", event + "\n" + event, "INGEST_BATCH_NOT_ARRAY", "NDJSON"},
		{"ids in items alone", "/events", "[" + event + "]", "INGEST_MISSING_CLIENT_ID", "ids in items do not count"},
	} {
		var w world
		if a := w.post(t, c.target, c.body); a.code != 400 || a.body["code"] != c.code ||
			!strings.Contains(a.raw, c.want) || len(w.written) > 0 {
			t.Errorf("%s: %d %s, want %s with %q", c.why, a.code, a.raw, c.code, c.want)
		}
	}
}
