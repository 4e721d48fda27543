package track

import (
	"compress/gzip"
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/observe"
	"github.com/sightline-analytics/sightline/store"
)

const (
	pageview = `{"type":"track","eventId":"e1","name":"screen_view","path":"https://shop.com/a/?q=1","anonymousId":"anon_1","sessionId":"sess_1"}`
	custom   = `{"name":"signup"}`
)

// good contains a valid body for each route, and the key it needs.
var good = map[string]struct{ target, body, key string }{
	"/":       {"/?client_id=w1", pageview, ""},
	"/batch":  {"/batch?client_id=w1", "[" + pageview + "]", ""},
	"/track":  {"/track?website_id=w1", custom, "all"},
	"/events": {"/events?client_id=w1", `[{"eventName":"signup","path":"/","timestamp":1772625600000}]`, ""},
	"/errors": {"/errors?client_id=w1", `[{"message":"x","path":"/"}]`, ""},
	"/vitals": {"/vitals?client_id=w1", `[{"metricName":"LCP","metricValue":12,"path":"/"}]`, ""},
	"/engagement": {"/engagement?client_id=w1",
		`[{"path":"/","exitType":"spa","timeOnPage":12.5,"rageClickCount":3}]`, ""},
	"/identify":    {"/identify?website_id=w1", `{"profileId":"u1","traits":{"name":"Ada"}}`, "all"},
	"/link-visits": {"/link-visits", `[{"eventId":"v","linkId":"l1"}]`, "all"},
	"/uptime-checks": {"/uptime-checks", `[{"eventId":"c","scheduleId":"s1","timestamp":1772625600000,"status":1}]`,
		"all"},
}

// zipped returns body compressed with gzip.
func zipped(t testing.TB, body string) string {
	t.Helper()
	var b strings.Builder
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(body)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func keyed(key string) []string {
	if key == "" {
		return nil
	}
	return []string{"Authorization", "Bearer " + key}
}

// TestEveryRoute checks all routes of the table, including new ones.
func TestEveryRoute(t *testing.T) {
	for _, r := range routes() {
		if r.path == pixelPath { // without a body: see TestPixel
			continue
		}
		g, ok := good[r.path]
		if !ok {
			t.Errorf("%s is missing in the variable good", r.path)
			continue
		}
		t.Run(r.path, func(t *testing.T) {
			var w world
			if a := w.post(t, g.target, g.body, keyed(g.key)...); a.code != 200 || a.body["status"] != "success" ||
				len(w.written) != 1 {
				t.Errorf("a good body: %d %s, %d writes", a.code, a.raw, len(w.written))
			}
			if a := w.do(t, "GET", g.target, ""); a.code != 405 || a.header.Get("Allow") != "OPTIONS, POST" ||
				a.body["code"] != "METHOD_NOT_ALLOWED" {
				t.Errorf("GET: %d %s, Allow %q", a.code, a.raw, a.header.Get("Allow"))
			}
			for _, bad := range []string{"", "{", "nonsense", `"text"`, "17", "null", g.body + "x", "\xff", `{"a":"` +
				"\x00" + `"}`, strings.Repeat("[", 10_001), "[" + g.body + ",\x80]"} {
				if a := w.post(t, g.target, bad, keyed(g.key)...); a.code != 400 || a.body["success"] != false {
					t.Errorf("body %.20q: %d %s", bad, a.code, a.raw)
				}
			}
			large := world{maxBody: 100}
			if a := large.post(t, g.target, "["+strings.Repeat(" ", 100)+"]", keyed(g.key)...); a.code != 413 ||
				!strings.HasSuffix(a.body["code"].(string), "TOO_LARGE") {
				t.Errorf("a large body: %d %s", a.code, a.raw)
			}
			many := "[" + strings.Repeat("{},", r.body.items) + "{}]"
			if a := w.post(t, g.target, many, keyed(g.key)...); a.code != 400 || r.body.items > 1 &&
				a.body["code"] != "INGEST_BATCH_TOO_LARGE" {
				t.Errorf("too many items: %d %s", a.code, a.raw)
			}
			if a := w.post(t, g.target, "\x1f\x8b",
				append(keyed(g.key), "Content-Encoding", "gzip")...); a.code != 400 {
				t.Errorf("half a compressed body: %d %s", a.code, a.raw)
			}
			if a := w.post(t, g.target, g.body, append(keyed(g.key), "Content-Encoding", "br")...); a.code != 415 ||
				a.header.Get("Accept-Encoding") != "gzip, identity" {
				t.Errorf("a body of another encoding: %d %s", a.code, a.raw)
			}
			if a := w.post(t, g.target, zipped(t, strings.Repeat(" ", DefaultMaxBody+1)),
				append(keyed(g.key), "Content-Encoding", "gzip")...); a.code != 413 {
				t.Errorf("a body that is too large inside: %d %s", a.code, a.raw)
			}
			var packed world
			if a := packed.post(t, g.target, zipped(t, g.body),
				append(keyed(g.key), "Content-Encoding", "gzip")...); a.code != 200 || len(packed.written) != 1 {
				t.Errorf("a good body, compressed: %d %s", a.code, a.raw)
			}
			if g.key != "" {
				for _, kind := range []string{"", "text/plain"} {
					if a := w.post(t, g.target, g.body, append(keyed(g.key), "Content-Type", kind)...); a.code != 415 {
						t.Errorf("with a key and as %q: %d %s", kind, a.code, a.raw)
					}
				}
			}
			if len(w.written) != 1 {
				t.Errorf("a refused body was written: %+v", w.written)
			}
		})
	}
}

func TestEveryRouteFailsSafely(t *testing.T) {
	for _, c := range []struct {
		why   string
		world func() *world
		code  int
		want  string
		keyed bool // only relevant with a key
	}{
		{"the store is down", func() *world {
			return &world{writeErr: fmt.Errorf("%w: %w", store.ErrUnavailable,
				errDown)}
		}, 503, "DELIVERY_UNAVAILABLE", false},
		{"the disk is full", func() *world { return &world{writeErr: store.ErrFull} }, 503, "STORAGE_FULL", false},
		{"the store rejects the rows", func() *world { return &world{writeErr: store.ErrInvalid} }, 500,
			"INTERNAL_SERVER_ERROR", false},
		{"the store panics", func() *world { return &world{panics: true} }, 500, "INTERNAL_SERVER_ERROR", false},
		{"the directory is down", func() *world { return &world{siteErr: errDown} }, 503, "WEBSITE_LOOKUP_UNAVAILABLE",
			false},
		{"the limiter is down", func() *world { return &world{limitErr: errDown} }, 503, "SERVICE_UNAVAILABLE", false},
		{"the audit trail is down", func() *world { return &world{auditErr: errDown} }, 503, "SERVICE_UNAVAILABLE",
			true},
		{"keys cannot be looked up", func() *world { return &world{authErr: errDown} }, 503, "SERVICE_UNAVAILABLE",
			true},
	} {
		for path, g := range good {
			if c.keyed && g.key == "" {
				continue
			}
			a := c.world().post(t, g.target, g.body, keyed(g.key)...)
			if a.code != c.code || a.body["code"] != c.want || a.body["retryable"] != true ||
				a.body["status"] != "error" || a.body["success"] != false {
				t.Errorf("%s, %s: %d %s", c.why, path, a.code, a.raw)
			}
			retry := "5"
			if c.want == "STORAGE_FULL" {
				retry = "30"
			}
			if c.code == 503 && a.header.Get("Retry-After") != retry {
				t.Errorf("%s, %s: Retry-After %q", c.why, path, a.header.Get("Retry-After"))
			}
			if strings.Contains(a.raw, "fire") || strings.Contains(a.raw, "broke") {
				t.Errorf("%s, %s: the response contains the cause: %s", c.why, path, a.raw)
			}
		}
	}
	w := world{saltErr: errDown}
	if a := w.post(t, "/?client_id=w1", pageview); a.code != 503 || len(w.written) != 0 {
		t.Errorf("no salt: %d %s", a.code, a.raw)
	}
}

func TestFailedWritesAreRecordedAsFailed(t *testing.T) {
	w := world{writeErr: errDown}
	w.post(t, "/track?website_id=w1", custom, keyed("all")...)
	if len(w.entries) != 1 || w.entries[0].Outcome != "failed" || w.entries[0].Status != 503 {
		t.Errorf("entries %+v", w.entries)
	}
}

// TestEventsAreStoredIfTheSenderHangsUp checks that the last events of a page are stored although the page was left.
func TestEventsAreStoredIfTheSenderHangsUp(t *testing.T) {
	var w world
	ctx, hangUp := context.WithCancel(t.Context())
	hangUp()
	r := httptest.NewRequest("POST", "/?client_id=w1", strings.NewReader(pageview)).WithContext(ctx)
	r.Header.Set("User-Agent", chrome)
	w.handler(t).ServeHTTP(httptest.NewRecorder(), r)
	if len(w.written) != 1 {
		t.Errorf("%d writes, want 1", len(w.written))
	}
}

func TestHangingUpIsNotLoggedAsAnError(t *testing.T) {
	gone, leave := context.WithCancel(t.Context())
	leave()
	for _, c := range []struct {
		why   string
		ctx   context.Context // part of a test case
		err   error
		level string
	}{
		{"the sender hung up", gone, context.Canceled, "level=INFO"},
		{"the directory was stopped", t.Context(), context.Canceled, "level=ERROR"},
		{"the directory is down, and the sender hung up", gone, errDown, "level=ERROR"},
	} {
		w := world{siteErr: fmt.Errorf("looking: %w", c.err)}
		rec := httptest.NewRecorder()
		w.handler(t).ServeHTTP(rec,
			httptest.NewRequestWithContext(c.ctx, "POST", "/?client_id=w1", strings.NewReader(pageview)))
		if log := w.log.String(); rec.Code != 503 || !strings.Contains(log, c.level) ||
			!strings.Contains(log, "looking") {
			t.Errorf("%s: %d, log %q", c.why, rec.Code, log)
		}
	}
}

func TestObserve(t *testing.T) {
	var w world
	w.post(t, "/batch?client_id=w1", "["+pageview+","+pageview+"]")
	w.post(t, "/track?website_id=w1", custom, "X-Api-Key", "reader")
	want := []observe.Request{
		{Route: "POST /batch", Class: auth.ClassTrack, Status: 200, Rows: 2},
		{Route: "POST /track", Class: auth.ClassTrack, Status: 403, Code: "TRACK_MISSING_SCOPE"},
	}
	if diff := cmp.Diff(want, w.told); diff != "" {
		t.Error(diff)
	}
}

// TestOwnersTakeTurnsBeforeSenders checks by which names the writes of senders wait for the store.
func TestOwnersTakeTurnsBeforeSenders(t *testing.T) {
	for _, row := range []struct{ target, key, body, owner, sender string }{
		{"/track", "all", `{"name":"x","websiteId":"w1"}`, "org", "key k-all"},
		{"/track", "solo", `{"name":"x","websiteId":"w5"}`, "solo", "key k-solo"},
		{"/track?website_id=w1", "", `{"name":"x"}`, "org", "w1|203.0.113.7"},
		{"/track?website_id=w9", "", `{"name":"x"}`, "others", "w9|203.0.113.7"},
	} {
		w := &world{}
		var headers []string
		if row.key != "" {
			headers = keyed(row.key)
		}
		got := w.post(t, row.target, row.body, headers...)
		if len(w.written) != 1 || w.written[0].Owner != row.owner || w.written[0].Sender != row.sender {
			t.Errorf("%s with %q: %d %v, written %+v; want %s, %s", row.target, row.key, got.code, got.body, w.written,
				row.owner, row.sender)
		}
	}
}
