package matrix

import (
	"cmp"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/httpapi"
	"github.com/sightline-analytics/sightline/track"
)

// A route is a row of one of the handlers' tables.
type route struct {
	host         string
	method, path string
	class        auth.Class
	anonymous    auth.Class // class of callers without a key
	access       string     // httpapi.Access or track.Access
}

func (r route) String() string { return r.host + " " + r.method + " " + r.path }

// routes returns all routes of both handlers.
func routes() (all []route) {
	for _, r := range httpapi.Routes() {
		all = append(all, route{hostAPI, r.Method, r.Path, r.Class, cmp.Or(r.Anonymous, r.Class),
			string(r.Access)})
	}
	for _, r := range track.Routes() {
		if r.Access != track.Open { // a public file
			all = append(all, route{hostTrack, r.Method, r.Path, r.Class, cmp.Or(r.Anonymous, r.Class),
				string(r.Access)})
		}
	}
	return all
}

// A sample is a valid request to a route, and a description of its answer.
type sample struct {
	kinds  []string // kinds of resources that the route is about
	target string   // {kind} and {id} stand for the resource
	body   string
	answer string // part of the answer to the right key
	etag   bool
	random bool   // every answer differs
	own    bool   // the answer differs by key
	stream string // the type of an answer that is sent in pieces
}

const (
	ask      = `{"parameters":["{type}"],"startDate":"2026-02-01","endDate":"2026-02-02"}`
	asked    = "&parameters={type}&startDate=2026-02-01&endDate=2026-02-02"
	person   = `"anonymousId":"a1","sessionId":"s1","timestamp":1772625600000`
	aWebsite = "website_id={id}"
)

// samples has a sample for every route. The tests fail for a route without one.
func samples() map[string]sample {
	site := []string{auth.KindWebsite}
	return map[string]sample{
		"httpapi POST /v1/query": {kinds: kinds, target: "/v1/query?{kind}_id={id}", body: ask,
			answer: `"data":[{`},
		"httpapi GET /v1/query": {kinds: kinds, target: "/v1/query?{kind}_id={id}" + asked,
			answer: `"data":[{`, etag: true},
		"httpapi POST /v1/query/compile": {kinds: kinds, target: "/v1/query/compile?{kind}_id={id}", body: ask,
			answer: `"sql":`},
		"httpapi GET /v1/query/types":    {target: "/v1/query/types", answer: `"types":[`, etag: true},
		"httpapi GET /v1/query/websites": {target: "/v1/query/websites", answer: `"id":"listed"`, etag: true},
		"httpapi GET /v1/query/links":    {target: "/v1/query/links", answer: `"id":"listed"`, etag: true},
		"httpapi GET /v1/query/monitors": {target: "/v1/query/monitors", answer: `"id":"listed"`, etag: true},
		"httpapi GET /v1/websites/{website_id}/analytics": {kinds: site, etag: true,
			target: "/v1/websites/{id}/analytics?startDate=2026-02-01&endDate=2026-02-02", answer: `"totals":{`},
		"httpapi GET /v1/export": {kinds: kinds, target: "/v1/export?{kind}_id={id}",
			answer: `"complete":true}}`, stream: "application/x-ndjson"},
		"httpapi DELETE /v1/visitors/{id}": {kinds: site, target: "/v1/visitors/v%201?website_id={id}",
			answer: `"removed":{"events":3`},
		"httpapi POST /v1/tokens": {target: "/v1/tokens", body: `{"ttl":60}`,
			answer: `"token":"slt_`, random: true},
		"httpapi GET /v1/websites": {target: "/v1/websites", answer: `"id":"listed"`,
			etag: true, own: true},
		"httpapi POST /v1/websites": {target: "/v1/websites", body: `{"domain":"new.example"}`,
			answer: `"domain":"new.example"`, random: true},
		"httpapi GET /v1/websites/{website_id}": {kinds: site, target: "/v1/websites/{id}",
			answer: `"retentionDays":0`, etag: true, own: true},
		"httpapi PATCH /v1/websites/{website_id}": {kinds: site, target: "/v1/websites/{id}",
			body: `{"monthlyEvents":500}`, answer: `"monthlyEvents":500`, own: true},
		"httpapi DELETE /v1/websites/{website_id}": {kinds: site, target: "/v1/websites/{id}",
			answer: `"success":true`},
		"httpapi GET /v1/tracker": {target: "/v1/tracker", answer: `"address":"/ingest"`,
			etag: true},
		"httpapi GET /v1/websites/{website_id}/definitions": {kinds: site, target: "/v1/websites/{id}/definitions",
			answer: `"definitions":[`, etag: true, own: true},
		"httpapi POST /v1/websites/{website_id}/definitions": {kinds: site, target: "/v1/websites/{id}/definitions",
			body: `{"kind":"goal","name":"Signup","body":{"event":"signup"}}`, answer: `"name":"Signup"`, random: true},
		"httpapi DELETE /v1/websites/{website_id}/definitions": {kinds: site,
			target: "/v1/websites/{id}/definitions?kind=segment&name=Mobile", answer: `"success":true`},
		"httpapi GET /v1/keys": {target: "/v1/keys", answer: `"keys":[{"id":"key_`,
			etag: true, own: true},
		"httpapi POST /v1/keys": {target: "/v1/keys",
			body: `{"scopes":["read:data"],"resources":[{"kind":"website","id":"listed"}]}`, answer: `"secret":"sl_`,
			random: true},
		"httpapi GET /v1/keys/{id}": {target: "/v1/keys/key_managed",
			answer: `"id":"key_managed"`, etag: true},
		"httpapi PATCH /v1/keys/{id}": {target: "/v1/keys/key_managed", body: `{"name":"N"}`,
			answer: `"name":"N"`},
		"httpapi DELETE /v1/keys/{id}": {target: "/v1/keys/key_leaving",
			answer: `"state":"revoked"`},
		"httpapi POST /v1/keys/{id}/rotate": {target: "/v1/keys/key_managed/rotate",
			body: `{"grace":"1h"}`, answer: `"secret":"sl_`, random: true},
		"httpapi GET /v1/self": {target: "/v1/self", answer: `"self":{"kind":"`,
			etag: true, own: true},
		"httpapi GET /v1/audit": {target: "/v1/audit", answer: `"entries":[`,
			random: true},
		"httpapi GET /health":      {target: "/health", answer: `"success":true`},
		"httpapi GET /health/live": {target: "/health/live", answer: `"success":true`},
		"httpapi GET /v1/openapi.json": {target: "/v1/openapi.json",
			answer: `"openapi":"3.1.0"`, etag: true},

		"httpapi GET /public/v1/flags/definitions": {kinds: site, target: "/public/v1/flags/definitions?clientId={id}",
			answer: `"key":"there"`, etag: true},
		"httpapi POST /public/v1/flags": {kinds: site, target: "/public/v1/flags", answer: `"key":"new"`, etag: true,
			random: true,
			body:   `{"clientId":"{id}","key":"new","type":"boolean","defaultValue":true}`},
		"httpapi PATCH /public/v1/flags/{id}": {kinds: site, target: "/public/v1/flags/flag",
			body: `{"clientId":"{id}","name":"N"}`, answer: `"name":"N"`, etag: true},
		"httpapi DELETE /public/v1/flags/{id}": {kinds: site, target: "/public/v1/flags/flag?clientId={id}",
			answer: `"success":true`},
		"httpapi GET /public/v1/flags/evaluate": {target: "/public/v1/flags/evaluate?key=there&clientId=" +
			listed, answer: `"enabled":true`, etag: true},
		"httpapi GET /public/v1/flags/bulk": {target: "/public/v1/flags/bulk?clientId=" + listed,
			answer: `"there":{"enabled":true`, etag: true},
		"httpapi POST /public/v1/flags/bulk": {target: "/public/v1/flags/bulk", body: `{"clientId":"` +
			listed + `"}`, answer: `"there":{"enabled":true`, etag: true},
		"httpapi POST /ofrep/v1/evaluate/flags/{key}": {target: "/ofrep/v1/evaluate/flags/there?clientId=" + listed,
			body: `{"context":{}}`, answer: `"value":true`},
		"httpapi POST /ofrep/v1/evaluate/flags": {target: "/ofrep/v1/evaluate/flags?clientId=" + listed,
			body: `{"context":{}}`, answer: `"value":true`, etag: true},
		"httpapi GET /public/v1/flags/health": {target: "/public/v1/flags/health", answer: `"status":"ok"`},

		"track POST /": {kinds: site, target: "/?" + aWebsite, answer: `"eventId":"e1"`,
			body: `{"type":"track","name":"screen_view","eventId":"e1","path":"https://listed.example.com/",` + person +
				`}`},
		"track GET /px.jpg": {kinds: site, target: "/px.jpg?" + aWebsite +
			"&name=screen_view&eventId=e1&path=https://listed.example.com/&anonymousId=a1&sessionId=s1&timestamp=1772625600000",
			answer: "GIF89a"},
		"track POST /batch": {kinds: site, target: "/batch?" + aWebsite,
			answer: `"batched":{"outgoing_link":0,"track":1}`,
			body: `[{"type":"track","name":"screen_view","eventId":"e1","path":"https://listed.example.com/",` +
				person + `}]`},
		"track POST /track": {kinds: site, target: "/track", answer: `"eventId":"e1"`,
			body: `{"name":"sale","eventId":"e1","websiteId":"{id}"}`},
		"track POST /events": {kinds: site, target: "/events?" + aWebsite, answer: `"count":1`,
			body: `[{"eventName":"sale","eventId":"e1","path":"/",` + person + `}]`},
		"track POST /errors": {kinds: site, target: "/errors?" + aWebsite, answer: `"count":1`,
			body: `[{"eventId":"e1","message":"it broke","path":"/",` + person + `}]`},
		"track POST /vitals": {kinds: site, target: "/vitals?" + aWebsite, answer: `"count":1`,
			body: `[{"eventId":"e1","metricName":"LCP","metricValue":1200,"path":"/",` + person + `}]`},
		"track POST /engagement": {kinds: site, target: "/engagement?" + aWebsite, answer: `"count":1`,
			body: `[{"eventId":"e1","path":"/","activeMs":1000,` + person + `}]`},
		"track POST /identify": {kinds: site, target: "/identify", answer: `"type":"identify"`,
			body: `{"profileId":"u1","websiteId":"{id}","traits":{"name":"Ada"}}`},
		"track POST /link-visits": {kinds: []string{auth.KindLink}, target: "/link-visits", answer: `"link_visit":1`,
			body: `[{"eventId":"e1","linkId":"{id}"}]`},
		"track POST /uptime-checks": {kinds: []string{auth.KindSchedule}, target: "/uptime-checks",
			answer: `"uptime_check":1`,
			body:   `[{"eventId":"e1","scheduleId":"{id}","timestamp":1772625600000,"status":1}]`},
	}
}

// sampleOf returns the sample of r, or fails t.
func sampleOf(t *testing.T, r route) sample {
	t.Helper()
	s, ok := samples()[r.String()]
	if !ok {
		t.Fatalf("add a sample request for %s to samples, so that its permissions are tested", r)
	}
	return s
}

// typeOf returns a query type for a kind of resource.
var typeOf = map[string]string{auth.KindWebsite: "summary_metrics", auth.KindLink: "link_total_clicks",
	auth.KindSchedule: "uptime_overview"}

// request returns a request of s about a resource, with headers of a browser.
func (s sample) request(r route, kind, id string) *http.Request {
	fill := strings.NewReplacer("{kind}", kind, "{id}", id, "{type}", typeOf[kind])
	req := httptest.NewRequest(r.method, fill.Replace(s.target), strings.NewReader(fill.Replace(s.body)))
	req.Header.Set("User-Agent", browser)
	if s.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	return req
}

const browser = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36"

// subjects returns the kinds of s, or one empty kind.
func (s sample) subjects() []string {
	if len(s.kinds) == 0 {
		return []string{""}
	}
	return s.kinds
}
