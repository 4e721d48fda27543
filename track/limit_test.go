package track

import (
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/auth"
)

func TestBuckets(t *testing.T) {
	for _, c := range []struct {
		why, target, body string
		headers           []string
		want              string
	}{
		{"a website and the sender's network", "/?client_id=w1", pageview, nil, "track:w1|203.0.113.7"},
		{"a key with its own limits", "/track?website_id=w1", custom, keyed("one"), "track:k-one own"},
		{"a key", "/track?website_id=w1", custom, []string{"X-Api-Key", "all"}, "track:k-all"},
		{"an unknown website has no bucket", "/?client_id=made_up", pageview, nil, "track:|203.0.113.7"},
		{"an invalid id has no bucket", "/?client_id=" + strings.Repeat("x", 1000), pageview, nil,
			"track:|203.0.113.7"},
		{"a website in the body has no bucket", "/track", `{"name":"x","websiteId":"w1"}`, nil, "track:|203.0.113.7"},
		{"a missing website has no bucket", "/", pageview, nil, "track:|203.0.113.7"},
		{"an identification without a key", "/identify?client_id=w1", `{"profileId":"u1"}`, nil,
			"identify:w1|203.0.113.7"},
		{"an identification with a key", "/identify", `{"profileId":"u1"}`, keyed("one"), "track:k-one own"},
	} {
		var w world
		w.post(t, c.target, c.body, c.headers...)
		if diff := cmp.Diff([]string{c.want}, w.limits); diff != "" {
			t.Errorf("%s: %s", c.why, diff)
		}
	}
}

// TestCost checks that a request with many or large items costs as much as several requests.
func TestCost(t *testing.T) {
	item := func(property string) string {
		return strings.Replace(pageview, "{", `{"properties":{"p":"`+property+`"},`, 1)
	}
	list := func(n int) string { return "[" + strings.Repeat(pageview+",", n-1) + pageview + "]" }
	for _, c := range []struct {
		says, target, body string
		want               int
	}{
		{"one item", "/?client_id=w1", pageview, 1},
		{"ten items", "/batch?client_id=w1", list(10), 1},
		{"eleven items", "/batch?client_id=w1", list(11), 2},
		{"a hundred items", "/batch?client_id=w1", list(100), 10},
		{"one item of more than 64 KiB", "/batch?client_id=w1", "[" + item(strings.Repeat("x", 64<<10)) + "]", 2},
		{"one item of more than 640 KiB", "/batch?client_id=w1", "[" + item(strings.Repeat("x", 640<<10)) + "]", 11},
	} {
		var w world
		if a := w.post(t, c.target, c.body); a.code != 200 || w.paid != c.want {
			t.Errorf("%s: status %d, costs %d, want 200 and %d: %s", c.says, a.code, w.paid, c.want, a.raw)
		}
	}
}

func TestUnknownWebsitesAreReportedAfterTheLimit(t *testing.T) {
	w := world{decision: auth.Decision{Limit: 6000, Reset: noon}}
	if a := w.post(t, "/?client_id=made_up", pageview); a.code != 429 {
		t.Errorf("over the limit: %d %s", a.code, a.raw)
	}
	w = world{}
	if a := w.post(t, "/?client_id=made_up", pageview); a.code != 400 || a.body["code"] != "INGEST_INVALID_CLIENT_ID" {
		t.Errorf("below it: %d %s", a.code, a.raw)
	}
	if a := w.post(t, "/track?website_id=made_up", custom); a.code != 404 ||
		a.body["code"] != "TRACK_WEBSITE_NOT_FOUND" {
		t.Errorf("on /track: %d %s", a.code, a.raw)
	}
}

// TestBodiesAreCountedBeforeTheyAreDecoded uses bodies with many values: decoded, each takes many times its bytes.
func TestBodiesAreCountedBeforeTheyAreDecoded(t *testing.T) {
	for why, c := range map[string]struct {
		target, body string
		code         int
	}{
		"many small items": {"/batch?client_id=w1", "[" + strings.Repeat(`{"":0},`, 100_000) + "0]", 400},
		"many values in one": {"/?client_id=w1", `{"name":"x","properties":{"a":[` +
			strings.Repeat("0,", 300_000) + "0]}}", 400},
		"deep values": {"/?client_id=w1", strings.Repeat(`{"":`, 100_000) + "0" +
			strings.Repeat("}", 100_000), 400},
		"commas and braces in texts": {"/?client_id=w1", `{"name":"screen_view","path":"/","properties":{"a":"` +
			strings.Repeat(`,[{\"`, 1_000) + `"}}`, 200},
	} {
		var w world
		w.handler(t)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		a := w.post(t, c.target, c.body)
		runtime.ReadMemStats(&after)
		if a.code != c.code || strings.Contains(why, "values") &&
			a.body["message"] != "Batch too large: more than 20000 values in all" && c.code == 400 {
			t.Errorf("%s: %d %s", why, a.code, a.raw)
		}
		if grown := int(after.TotalAlloc - before.TotalAlloc); grown > max(1<<20, 10*len(c.body)) {
			t.Errorf("%s: %d bytes were allocated for a body of %d", why, grown, len(c.body))
		}
	}
}

// TestTwentyBodiesOfOneMebibyte checks that large bodies take little more memory than their size.
func TestTwentyBodiesOfOneMebibyte(t *testing.T) {
	var w world
	w.handler(t)
	body := "[" + strings.Repeat(`{"":0},`, (1<<20)/7-1) + "0]"
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 20 {
		if a := w.post(t, "/batch?client_id=w1", body); a.code != 400 || a.body["code"] != "INGEST_BATCH_TOO_LARGE" {
			t.Fatalf("%d %s", a.code, a.raw)
		}
	}
	runtime.ReadMemStats(&after)
	grown := (after.TotalAlloc - before.TotalAlloc) >> 20
	t.Logf("the requests took %d MiB", grown)
	if grown > 150 {
		t.Errorf("the requests took more than 150 MiB")
	}
}
