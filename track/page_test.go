package track

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
)

// fromChrome is the expected agent for the browser of the tests.
var fromChrome = store.Agent{BrowserName: "Chrome", BrowserVersion: "120.0.0.0", OSName: "Windows", OSVersion: "10",
	DeviceType: "desktop"}

// hashed returns the stored form of a visitor id of w1 on the day of the tests.
func hashed(id string) string { return hashedOf("w1", id) }

func hashedOf(website, id string) string {
	m := hmac.New(sha256.New, []byte("salt of 2026-03-04"))
	m.Write([]byte(website + "\x00" + id))
	return hex.EncodeToString(m.Sum(nil))
}

var uuidForm = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

func TestAPageviewInFull(t *testing.T) {
	w := world{geo: map[string]Location{"203.0.113.7": {Country: "DE", Region: "Land Berlin", City: "Berlin"}}}
	a := w.post(t, "/?client_id=w1", `{
		"type": "track", "eventId": "evt-1", "name": "screen_view", "path": "https://www.shop.com:443/pricing/?utm=1#top",
		"anonymousId": "anon_1", "sessionId": "sess_1", "profileId": "user-7", "timestamp": 1772625600056, "sessionStartTime": 5,
		"referrer": "https://me@www.google.co.uk/?q=secret#x", "title": " Preise\u0000 ", "screen_resolution": "1920x1080", "viewport_size": "1200x800",
		"language": "de-DE", "timezone": "Europe/Berlin", "connection_type": "wifi", "rtt": 50, "page_count": 2,
		"utm_source": "s", "utm_medium": "m", "utm_campaign": "c", "utm_term": "t", "utm_content": "k", "gclid": "g", "fbclid": "f",
		"load_time": 1234.5, "dom_ready_time": "800", "ttfb": 0.4, "time_on_page": 9, "scroll_depth": 50, "interaction_count": 3,
		"properties": {"plan": "pro", "a": 1.50}, "somethingElse": {"x": 1}}`)
	if want := `{"status":"success","type":"track","eventId":"evt-1"}` + "\n"; a.code != 200 || a.raw != want {
		t.Errorf("%d %s", a.code, a.raw)
	}
	agent := fromChrome
	agent.Country, agent.Region, agent.City = "DE", "Land Berlin", "Berlin"
	want := store.Batch{Events: []store.Event{{
		Website: "w1", ID: "evt-1", Kind: store.Pageview, Name: "screen_view",
		Time:     time.UnixMilli(1772625600056).UTC(),
		Identity: store.Identity{AnonymousID: hashed("anon_1"), ProfileID: "user-7", SessionID: "sess_1"}, Agent: agent,
		Path: "/pricing", Title: "Preise", Referrer: "https://www.google.co.uk/", ReferrerDomain: "google.com",
		UTMSource: "s", UTMMedium: "m", UTMCampaign: "c", UTMTerm: "t", UTMContent: "k", GCLID: "g",
		Language: "de-DE", Timezone: "Europe/Berlin", Screen: "1920x1080", Viewport: "1200x800",
		LoadTime: store.Known(1235), DOMReadyTime: store.Known(800), TTFB: store.Known(0),
		Properties: `{"a":1.5,"plan":"pro"}`,
	}}}
	if d := cmp.Diff(want, w.rows()); d != "" {
		t.Error(d)
	}
}

func TestKindsOfPageItems(t *testing.T) {
	kindOf := func(b store.Batch) string {
		switch {
		case len(b.Errors) == 1:
			return fmt.Sprintf("error %s %q %s", b.Errors[0].Path, b.Errors[0].Message, b.Errors[0].ErrorType)
		case len(b.Vitals) == 1:
			return fmt.Sprintf("vitals %s %v", b.Vitals[0].Path, b.Vitals[0].Samples)
		case len(b.Events) == 1 && b.Events[0].Kind == store.Click:
			return fmt.Sprintf("click %s %s %q%s", b.Events[0].Path, b.Events[0].Href, b.Events[0].Text,
				b.Events[0].Name)
		case len(b.Events) == 1:
			return fmt.Sprintf("%d %s %s", b.Events[0].Kind, b.Events[0].Name, b.Events[0].Path)
		}
		return "nothing"
	}
	for _, c := range []struct{ why, body, kind, want string }{
		{"a pageview", `{"name":"screen_view","path":"/a"}`, "track", "0 screen_view /a"},
		{"the older name of a pageview", `{"type":"track","name":"page_view","path":"/a"}`, "track", "0 page_view /a"},
		{"an exit", `{"name":"page_exit","path":"/a"}`, "track", "1 page_exit /a"},
		{"any other name", `{"name":"button_click","path":"/a"}`, "track", "2 button_click /a"},
		{"names are case-sensitive", `{"name":"Screen_View","path":"/a"}`, "track", "2 Screen_View /a"},
		{"wrapped", `{"type":"track","payload":{"name":"page_exit","path":"/a"}}`, "track", "1 page_exit /a"},
		{"wrapped, the rest outside", `{"type":"track","path":"/a","payload":{"name":"page_exit"}}`, "track",
			"1 page_exit /a"},
		{"an outgoing link", `{"type":"outgoing_link","href":"https://x.org/","text":"X","path":"https://shop.com/a/"}`,
			"outgoing_link", `click /a https://x.org/ "X"`},
		{"an outgoing link without path", `{"type":"outgoing_link","href":"https://x.org/"}`, "outgoing_link",
			`click  https://x.org/ ""`},
		{"a page event that is a click", `{"name":"link_out","href":"https://x.org/","path":"/a"}`, "track",
			`click /a https://x.org/ ""`},
		{"a page event that is an error", `{"name":"error","message":"m","path":"/a"}`, "track", `error /a "m" Error`},
		{"an error of the older form", `{"type":"error","payload":{"message":"m","errorType":"T","path":"/a"}}`,
			"error", `error /a "m" T`},
		{"page event vitals", `{"name":"web_vitals","path":"/a","fcp":1.5,"cls":0.12345,"lcp":null}`, "track",
			"vitals /a [{FCP 2} {CLS 1235}]"},
		{"vitals of the older form", `{"type":"web_vitals","payload":{"path":"/a","lcp":10,"fid":3,"inp":7,"ttfb":8}}`,
			"web_vitals", "vitals /a [{LCP 10} {INP 7} {TTFB 8}]"},
		{"a custom event of the older form", `{"type":"custom","name":"screen_view"}`, "custom", "3 screen_view "},
	} {
		var w world
		a := w.post(t, "/?client_id=w1", c.body)
		if a.code != 200 || a.body["type"] != c.kind || kindOf(w.rows()) != c.want {
			t.Errorf("%s: %d %s\n got %s\nwant %s", c.why, a.code, a.raw, kindOf(w.rows()), c.want)
		}
		if id, _ := a.body["eventId"].(string); !uuidForm.MatchString(id) {
			t.Errorf("%s: the generated id is %q", c.why, id)
		}
	}
}

func TestRefusedPageItems(t *testing.T) {
	for _, c := range []struct {
		why, body, code string
		fields          []string
	}{
		{"an empty object", `{}`, "INVALID_EVENT_SCHEMA", []string{"name", "path"}},
		{"an unknown type", `{"type":"magic","name":"x","path":"/"}`, "INGEST_UNKNOWN_EVENT_TYPE", nil},
		{"a type that is not a text", `{"type":[],"name":"x","path":"/"}`, "INVALID_EVENT_SCHEMA", []string{"type"}},
		{"an array", `[{"name":"x","path":"/"}]`, "INVALID_EVENT_SCHEMA", []string{""}},
		{"many mistakes", `{"name":["x"],"path":true,"title":true,"timestamp":946684799999}`, "INVALID_EVENT_SCHEMA",
			[]string{"timestamp", "name", "path"}},
		{"before 2000", `{"name":"x","path":"/","timestamp":946684799999}`, "INVALID_EVENT_SCHEMA",
			[]string{"timestamp"}},
		{"a click without href", `{"type":"outgoing_link"}`, "INVALID_EVENT_SCHEMA", []string{"href"}},
		{"an error without message", `{"type":"error","payload":{"path":"/"}}`, "INVALID_EVENT_SCHEMA",
			[]string{"message"}},
		{"vitals without a value", `{"type":"web_vitals","payload":{"path":"/"}}`, "INVALID_EVENT_SCHEMA",
			[]string{"metricName"}},
		{"vitals without a valid value", `{"type":"web_vitals","payload":{"path":"/","cls":11}}`,
			"INVALID_EVENT_SCHEMA", []string{"metricName"}},
	} {
		var w world
		a := w.post(t, "/?client_id=w1", c.body)
		if a.code != 400 || a.body["code"] != c.code || !slices.Equal(a.wrongFields(), c.fields) ||
			len(w.written) != 0 {
			t.Errorf("%s: %d %s", c.why, a.code, a.raw)
		}
	}
}

// Ids that the server makes rise with the items of a body, so that rows of one time keep their order.
func TestMadeIDsKeepTheOrderOfItems(t *testing.T) {
	var items []string
	for i := range 50 {
		items = append(items, fmt.Sprintf(`{"name":"screen_view","path":"/%d","sessionId":"s","timestamp":%d}`, i,
			noon.UnixMilli()))
	}
	var w world
	if a := w.post(t, "/batch?client_id=w1", "["+strings.Join(items, ",")+"]"); a.code != 200 {
		t.Fatalf("%d %s", a.code, a.raw)
	}
	events := w.rows().Events
	slices.SortFunc(events, func(a, b store.Event) int { return strings.Compare(a.ID, b.ID) })
	for i, e := range events {
		if want := fmt.Sprintf("/%d", i); e.Path != want {
			t.Errorf("event %d by id has the path %s, want %s", i, e.Path, want)
		}
	}
	if len(events) != len(items) {
		t.Errorf("%d events, want %d", len(events), len(items))
	}
}
