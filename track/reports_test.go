package track

import (
	"database/sql"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
)

func TestVisits(t *testing.T) {
	w := world{geo: map[string]Location{"198.51.100.1": {Country: "US", City: "Austin"},
		"203.0.113.7": {Country: "DE"}}}
	a := w.post(t, "/link-visits", `[
		{"eventId":"v1","linkId":"l1","timestamp":"2026-03-04T11:00:00Z","referrer":"https://t.co/x?token=1","userAgent":"`+chrome+`","country":"germany","region":"Bavaria","city":"Munich","ip":"198.51.100.1"},
		{"event_id":"v2","link_id":"l2","user_agent":"`+googlebot+`"},
		{"eventId":"v3","linkId":"l2","ip":"198.51.100.1"},
		{"eventId":"v4","linkId":"l9"},
		{"eventId":"v5","linkId":"nowhere"},
		{"eventId":"v6"},
		{"eventId":"v7","linkId":"l1","ip":"localhost"},
		{"eventId":"v8","linkId":"l1","country":"Atlantis","city":"Poseidonis"}]`, keyed("all")...)
	if want := []string{"", "", "", "FORBIDDEN", "FORBIDDEN", "INVALID_EVENT_SCHEMA", "", ""}; a.code != 200 ||
		!slices.Equal(a.codes(), want) || a.body["status"] != "partial" {
		t.Errorf("%d %s", a.code, a.raw)
	}
	if d := cmp.Diff(map[string]any{"link_visit": 4.0}, a.body["batched"]); d != "" {
		t.Error(d)
	}
	second, _ := a.body["results"].([]any)[1].(map[string]any)
	if d := cmp.Diff(map[string]any{"status": "ignored", "type": "link_visit", "eventId": "v2", "reason": "bot"},
		second); d != "" {
		t.Error(d)
	}
	munich := fromChrome
	munich.Country, munich.Region, munich.City = "DE", "Bavaria", "Munich"
	want := []store.Visit{
		{Link: "l1", ID: "v1", Time: time.Date(2026, 3, 4, 11, 0, 0, 0, time.UTC), Referrer: "https://t.co/x",
			ReferrerDomain: "x.com", Agent: munich},
		{Link: "l2", ID: "v3", Time: noon, Agent: store.Agent{Country: "US", City: "Austin"}},
		{Link: "l1", ID: "v7", Time: noon},
		{Link: "l1", ID: "v8", Time: noon},
	}
	if d := cmp.Diff(want, w.rows().Visits); d != "" {
		t.Error(d)
	}
	if a := (&world{}).post(t, "/link-visits", `[{"linkId":"l2"}]`, keyed("one")...); !slices.Equal(a.codes(),
		[]string{"FORBIDDEN"}) || a.body["status"] != "error" || a.code != 200 {
		t.Errorf("a link that is not in the key's list: %d %s", a.code, a.raw)
	}
}

func TestChecks(t *testing.T) {
	var w world
	a := w.post(t, "/uptime-checks", `[
		{"eventId":"c1","scheduleId":"s1","timestamp":1772625600000,"url":"https://shop.com/","status":1,"httpCode":200,"ttfbMs":12.5,"totalMs":"30","probeRegion":"eu","sslExpiry":"2027-01-01","sslValid":true},
		{"event_id":"c2","schedule_id":"s1","timestamp":"2026-03-04T11:00:00Z","status":"down","http_code":503,"ttfb_ms":null,"ssl_valid":0,"ssl_expiry":1798761600000,"error":"timeout"},
		{"eventId":"c3","scheduleId":"s1","status":1},
		{"eventId":"c4","scheduleId":"s1","timestamp":1772625600000},
		{"eventId":"c5","scheduleId":"s1","timestamp":1772625600000,"status":4},
		{"eventId":"c6","scheduleId":"s9","timestamp":1772625600000,"status":2},
		{"eventId":"c7","scheduleId":"s1","timestamp":1772625600000,"status":3},
		7]`, keyed("all")...)
	schema := "INVALID_EVENT_SCHEMA"
	if want := []string{"", "", schema, schema, schema, "FORBIDDEN", "", schema}; a.code != 200 ||
		!slices.Equal(a.codes(), want) || a.body["processed"] != 8.0 {
		t.Errorf("%d %s", a.code, a.raw)
	}
	newYear := sql.Null[time.Time]{V: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), Valid: true}
	at := time.UnixMilli(1772625600000).UTC()
	want := []store.Check{
		{Schedule: "s1", ID: "c1", Time: at, URL: "https://shop.com/", Status: store.Up, HTTPCode: 200,
			TTFB: store.Known(13), Total: store.Known(30), Region: "eu", SSLExpiry: newYear,
			SSLValid: sql.Null[bool]{V: true, Valid: true}},
		{Schedule: "s1", ID: "c2", Time: time.Date(2026, 3, 4, 11, 0, 0, 0, time.UTC), Status: store.Down,
			HTTPCode: 503, SSLExpiry: newYear, SSLValid: sql.Null[bool]{Valid: true}, Error: "timeout"},
		{Schedule: "s1", ID: "c7", Time: at, Status: store.Maintenance},
	}
	if d := cmp.Diff(want, w.rows().Checks); d != "" {
		t.Error(d)
	}
}
