//go:build cgo

package e2e

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// testRoutes sends an item to each route of tracking and queries it immediately after the answer: accepted means stored
// and visible.
func testRoutes(t *testing.T, r ready) {
	website, link, monitor := "website_id="+r.WebsiteID, "link_id="+r.LinkID, "schedule_id="+r.ScheduleID
	page := "https://demo.example/e2e"
	person := func(e object) object {
		e["anonymousId"], e["sessionId"], e["anonymizeVisitorIds"] = "anon_e2e", "sess_e2e", false
		return e
	}
	for _, row := range []struct {
		route     string
		body      any
		subject   string
		parameter string
		with      object
		want      object // columns of the only row of the answer
	}{
		{
			"/", person(object{"type": "track", "name": "screen_view", "eventId": "e2e-1", "path": page + "/single",
				"timestamp": now()}),
			website, "pages", filter("path", "eq", "/e2e/single"),
			object{"path": "/e2e/single", "pageviews": 1.0, "visitors": 1.0},
		},
		{
			"/batch", list{
				person(object{"type": "track", "name": "screen_view", "eventId": "e2e-2", "path": page + "/batch",
					"timestamp": now()}),
				person(object{"type": "track", "name": "screen_view", "eventId": "e2e-3", "path": page + "/batch?q=1",
					"timestamp": now()}),
				person(object{"type": "outgoing_link", "eventId": "e2e-4", "href": "https://example.org/",
					"text": "out", "timestamp": now()}),
			},
			website, "pages", filter("path", "eq", "/e2e/batch"),
			object{"path": "/e2e/batch", "pageviews": 2.0, "visitors": 1.0},
		},
		{
			"/track", list{
				object{"name": "e2e_sale", "websiteId": r.WebsiteID, "profileId": "p1", "properties": object{"n": 1}},
				object{"name": "e2e_sale", "websiteId": r.WebsiteID, "profileId": "p2"},
			},
			website, "custom_events", filter("event_name", "eq", "e2e_sale"),
			object{"name": "e2e_sale", "total_events": 2.0, "unique_users": 2.0, "events_with_properties": 1.0},
		},
		{
			"/errors", list{person(object{"eventId": "e2e-5", "message": "e2e went wrong", "errorType": "TypeError",
				"path": "/e2e", "timestamp": now()})},
			website, "errors", filter("message", "eq", "e2e went wrong"),
			object{"message": "e2e went wrong", "error_type": "TypeError", "count": 1.0, "users": 1.0},
		},
		{
			"/vitals", list{
				person(object{"eventId": "e2e-6", "metricName": "LCP", "metricValue": 1234.4, "path": "/e2e/vitals",
					"timestamp": now()}),
				person(object{"eventId": "e2e-7", "metricName": "CLS", "metricValue": 0.0123, "path": "/e2e/vitals",
					"timestamp": now()}),
			},
			website, "performance", filter("path", "eq", "/e2e/vitals"),
			object{"path": "/e2e/vitals", "samples": 2.0, "p75_lcp": 1234.0, "p75_cls": 0.0123},
		},
		{
			"/link-visits", list{
				object{"eventId": "e2e-8", "linkId": r.LinkID, "referrer": "https://e2e.example/post",
					"userAgent": browser},
				object{"eventId": "e2e-9", "linkId": r.LinkID, "referrer": "https://e2e.example/",
					"userAgent": browser},
			},
			link, "link_total_clicks", filter("referrer", "eq", "e2e.example"),
			object{"total": 2.0},
		},
		{
			"/uptime-checks", list{
				object{"eventId": "e2e-10", "scheduleId": r.ScheduleID, "timestamp": now(), "status": 1,
					"httpCode": 200, "totalMs": 120, "probeRegion": "e2e"},
				object{"eventId": "e2e-11", "scheduleId": r.ScheduleID, "timestamp": now(), "status": 0,
					"httpCode": 503, "probeRegion": "e2e"},
			},
			monitor, "uptime_overview", filter("probe_region", "eq", "e2e"),
			object{"total_checks": 2.0, "successful_checks": 1.0, "uptime_percentage": 50.0,
				"max_response_time": 120.0},
		},
	} {
		t.Run(row.route, func(t *testing.T) {
			// A client that lost the answer sends again. Only /track would count that, because these events have no id.
			times := 2
			if row.route == "/track" {
				times = 1
			}
			for range times {
				mustTrack(t, r, row.route, row.body)
			}
			rows := ask(t, r, row.subject, row.parameter, row.with)
			if len(rows) != 1 {
				t.Fatalf("%s has %d rows, want 1: %v", row.parameter, len(rows), rows)
			}
			got := object{}
			for column := range row.want {
				got[column] = rows[0][column]
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("%s (want, got):\n%s", row.parameter, diff)
			}
		})
	}
	t.Run("outgoing links are in the session", func(t *testing.T) {
		rows := ask(t, r, website, "sessions", filter("session_id", "eq", "sess_e2e"))
		if len(rows) != 1 || fmt.Sprint(rows[0]["page_views"], rows[0]["total_events"]) != "3 4" {
			t.Errorf("want one session of 3 pageviews and 4 events, got %v", rows)
		}
	})
}
