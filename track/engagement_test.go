package track

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
)

func TestSpansInFull(t *testing.T) {
	var w world
	a := w.post(t, "/engagement?client_id=w1", `[
		{"eventId":"s1","timestamp":1772625600000,"path":"https://shop.com/a/?q=1","anonymousId":"a","sessionId":"s","profileId":"me",
		 "pageIndex":2,"exitType":"unload","timeOnPage":61.5,"activeTime":40,"timeToFirstInteraction":1234.5,"maxScrollDepth":87.4,
		 "scrollCount":1,"clickCount":2,"keyCount":3,"interactionCount":4,"copyCount":5,"rageClickCount":6,"deadClickCount":7,
		 "formFieldCount":8,"formSubmitCount":9,"errorCount":10,"rageClickTarget":"button.buy","deadClickTarget":"div","lastFormField":"email"},
		{"event_id":"s2","path":"/b","exit_type":"SPA","page_index":0,"time_on_page":"1.0005","rage_click_count":"3"},
		{"eventId":"s3","path":"/c","exitType":null,"activeTime":0,"clickCount":null}]`, "Content-Type", "text/plain")
	if a.code != 200 || a.body["status"] != "success" || a.body["type"] != "engagement" || a.body["count"] != 3.0 ||
		a.body["processed"] != 3.0 {
		t.Errorf("%d %s", a.code, a.raw)
	}
	want := []store.Span{
		{
			Website: "w1", ID: "s1", Time: time.UnixMilli(1772625600000).UTC(), Agent: fromChrome, Path: "/a",
			Identity: store.Identity{AnonymousID: hashed("a"), SessionID: "s", ProfileID: "me"},
			ExitType: "unload", PageIndex: store.Known(2), TimeOnPage: store.Known(61_500),
			ActiveTime:       store.Known(40_000),
			FirstInteraction: store.Known(1235), MaxScrollDepth: store.Known(87),
			Scrolls: 1, Clicks: 2, Keys: 3, Interactions: 4, Copies: 5, RageClicks: 6, DeadClicks: 7, FormFields: 8,
			FormSubmits: 9, Errors: 10,
		},
		{
			Website: "w1", ID: "s2", Time: noon, Agent: fromChrome, Path: "/b", ExitType: "spa",
			PageIndex: store.Known(0), TimeOnPage: store.Known(1001), RageClicks: 3,
		},
		{Website: "w1", ID: "s3", Time: noon, Agent: fromChrome, Path: "/c", ActiveTime: store.Known(0)},
	}
	if d := cmp.Diff(want, w.rows().Spans); d != "" {
		t.Error(d)
	}
	if len(w.written) != 1 {
		t.Errorf("%d writes for one request", len(w.written))
	}
}

// TestSpanLimits sends each field at its limit and just beyond it. A field beyond its limit is left out and named in
// the response, and the item is stored.
func TestSpanLimits(t *testing.T) {
	rows := []struct{ field, good, bad string }{
		{"exitType", `"hidden"`, `"crash"`},
		{"exitType", `"navigation"`, `7`},
		{"exitType", `""`, `["spa"]`},
		{"timeOnPage", "604800", "604800.1"},
		{"activeTime", "604800", "604801"},
		{"timeToFirstInteraction", "86400000", "86400001"},
		{"maxScrollDepth", "100", "100.5"},
		{"maxScrollDepth", `"50"`, `"half"`},
		{"timestamp", "1772625600000", `"yesterday"`},
	}
	for _, counter := range []string{
		"pageIndex", "scrollCount", "clickCount", "keyCount", "interactionCount", "copyCount",
		"rageClickCount", "deadClickCount", "formFieldCount", "formSubmitCount", "errorCount",
	} {
		rows = append(rows, struct{ field, good, bad string }{counter, "65535", "65536"},
			struct{ field, good, bad string }{counter, "0", "{}"})
	}
	for _, r := range rows {
		var w world
		a := w.post(t, "/engagement?client_id=w1", fmt.Sprintf(`{"path":"/","%s":%s}`, r.field, r.good))
		if a.code != 200 || a.body["count"] != 1.0 || len(w.rows().Spans) != 1 || a.dropped() != "" {
			t.Errorf("%s %s: %d %s", r.field, r.good, a.code, a.raw)
		}
		a = w.post(t, "/engagement?client_id=w1", fmt.Sprintf(`{"path":"/","%s":%s}`, r.field, r.bad))
		if a.code != 200 || a.dropped() != r.field || len(w.rows().Spans) != 2 {
			t.Errorf("%s %s: %d %s", r.field, r.bad, a.code, a.raw)
		}
	}
}

func TestSpansFailAlone(t *testing.T) {
	var w world
	a := w.post(t, "/engagement?client_id=w1", `[
		{"eventId":"s1","path":"/a","rageClickCount":-1,"timeOnPage":-5},
		{"eventId":"s2","timeOnPage":5},
		{"eventId":"s3","path":[],"exitType":"crash","clickCount":70000},
		"span"]`)
	if a.code != 200 || a.body["status"] != "partial" || a.body["count"] != 1.0 || a.body["processed"] != 4.0 {
		t.Errorf("%d %s", a.code, a.raw)
	}
	schema := "INVALID_EVENT_SCHEMA"
	if want := []string{"", schema, schema, schema}; !slices.Equal(a.codes(), want) {
		t.Errorf("codes %q, want %q", a.codes(), want)
	}
	results, _ := a.body["results"].([]any)
	first, _ := results[0].(map[string]any)
	if d := cmp.Diff(map[string]any{"status": "success", "type": "engagement", "eventId": "s1",
		"dropped": []any{"timeOnPage", "rageClickCount"}}, first); d != "" {
		t.Error(d)
	}
	want := []store.Span{{Website: "w1", ID: "s1", Time: noon, Agent: fromChrome, Path: "/a"}}
	if d := cmp.Diff(want, w.rows().Spans); d != "" {
		t.Error(d)
	}
	if a := w.post(t, "/engagement?client_id=w1", `[{"path":""},{}]`); a.code != 400 || a.body["success"] != false ||
		len(a.codes()) != 2 {
		t.Errorf("no item accepted: %d %s", a.code, a.raw)
	}
	if a := w.post(t, "/engagement?client_id=w1", "["+strings.Repeat(`{"path":"/"},`, 20)+
		`{"path":"/"}]`); a.code != 400 || a.body["code"] != "INGEST_BATCH_TOO_LARGE" {
		t.Errorf("21 items: %d %s", a.code, a.raw)
	}
}
