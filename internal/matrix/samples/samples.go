// Package samples has a valid request to every route. The route matrix sends them with keys in every state, and the
// comparison of two programs sends them to both. It imports nothing that answers requests.
package samples

import "strings"

// The kinds of resources, as requests name them.
const (
	website = "website"
	link    = "link"
	monitor = "schedule"
)

// Kinds lists the kinds of resources.
func Kinds() []string { return []string{website, link, monitor} }

// Listed is the id of the resources that samples name.
const Listed = "listed"

// A Sample is a valid request to a route, and a description of its answer.
type Sample struct {
	Kinds  []string // kinds of resources that the route is about
	Target string   // {kind} and {id} stand for the resource
	Body   string
	Answer string // part of the answer to the right key
	ETag   bool
	Random bool   // every answer differs
	Own    bool   // the answer differs by key
	Stream string // the type of an answer that is sent in pieces
	Page   bool   // the answer is a page for people
}

const (
	ask      = `{"parameters":["{type}"],"startDate":"2026-02-01","endDate":"2026-02-02"}`
	asked    = "&parameters={type}&startDate=2026-02-01&endDate=2026-02-02"
	person   = `"anonymousId":"a1","sessionId":"s1","timestamp":1772625600000`
	aWebsite = "website_id={id}"
)

// All has a sample for every route, by its handler, method and path. Tests fail for a route without one.
func All() map[string]Sample {
	site := []string{website}
	return map[string]Sample{
		"httpapi POST /v1/query": {Kinds: Kinds(), Target: "/v1/query?{kind}_id={id}", Body: ask,
			Answer: `"data":[{`},
		"httpapi GET /v1/query": {Kinds: Kinds(), Target: "/v1/query?{kind}_id={id}" + asked,
			Answer: `"data":[{`, ETag: true},
		"httpapi POST /v1/query/compile": {Kinds: Kinds(), Target: "/v1/query/compile?{kind}_id={id}", Body: ask,
			Answer: `"sql":`},
		"httpapi GET /v1/query/types":    {Target: "/v1/query/types", Answer: `"types":[`, ETag: true},
		"httpapi GET /v1/query/websites": {Target: "/v1/query/websites", Answer: `"id":"listed"`, ETag: true},
		"httpapi GET /v1/query/links":    {Target: "/v1/query/links", Answer: `"id":"listed"`, ETag: true},
		"httpapi GET /v1/query/monitors": {Target: "/v1/query/monitors", Answer: `"id":"listed"`, ETag: true},
		"httpapi GET /v1/websites/{website_id}/analytics": {Kinds: site, ETag: true,
			Target: "/v1/websites/{id}/analytics?startDate=2026-02-01&endDate=2026-02-02", Answer: `"totals":{`},
		"httpapi GET /v1/export": {Kinds: Kinds(), Target: "/v1/export?{kind}_id={id}",
			Answer: `"complete":true}}`, Stream: "application/x-ndjson"},
		"httpapi DELETE /v1/visitors/{id}": {Kinds: site, Target: "/v1/visitors/v%201?website_id={id}",
			Answer: `"removed":{"events":3`},
		"httpapi POST /v1/tokens": {Target: "/v1/tokens", Body: `{"ttl":60}`,
			Answer: `"token":"slt_`, Random: true},
		"httpapi GET /v1/websites": {Target: "/v1/websites", Answer: `"id":"listed"`,
			ETag: true, Own: true},
		"httpapi POST /v1/websites": {Target: "/v1/websites", Body: `{"domain":"new.example"}`,
			Answer: `"domain":"new.example"`, Random: true},
		"httpapi GET /v1/websites/{website_id}": {Kinds: site, Target: "/v1/websites/{id}",
			Answer: `"retentionDays":0`, ETag: true, Own: true},
		"httpapi PATCH /v1/websites/{website_id}": {Kinds: site, Target: "/v1/websites/{id}",
			Body: `{"monthlyEvents":500}`, Answer: `"monthlyEvents":500`, Own: true},
		"httpapi DELETE /v1/websites/{website_id}": {Kinds: site, Target: "/v1/websites/{id}",
			Answer: `"success":true`},
		"httpapi GET /v1/tracker": {Target: "/v1/tracker", Answer: `"address":"/ingest"`,
			ETag: true},
		"httpapi GET /v1/websites/{website_id}/definitions": {Kinds: site, Target: "/v1/websites/{id}/definitions",
			Answer: `"definitions":[`, ETag: true, Own: true},
		"httpapi POST /v1/websites/{website_id}/definitions": {Kinds: site, Target: "/v1/websites/{id}/definitions",
			Body: `{"kind":"goal","name":"Signup","body":{"event":"signup"}}`, Answer: `"name":"Signup"`, Random: true},
		"httpapi DELETE /v1/websites/{website_id}/definitions": {Kinds: site,
			Target: "/v1/websites/{id}/definitions?kind=segment&name=Mobile", Answer: `"success":true`},
		"httpapi GET /v1/keys": {Target: "/v1/keys", Answer: `"keys":[{"id":"key_`,
			ETag: true, Own: true},
		"httpapi POST /v1/keys": {Target: "/v1/keys",
			Body: `{"scopes":["read:data"],"resources":[{"kind":"website","id":"listed"}]}`, Answer: `"secret":"sl_`,
			Random: true},
		"httpapi GET /v1/keys/{id}": {Target: "/v1/keys/key_managed",
			Answer: `"id":"key_managed"`, ETag: true},
		"httpapi PATCH /v1/keys/{id}": {Target: "/v1/keys/key_managed", Body: `{"name":"N"}`,
			Answer: `"name":"N"`},
		"httpapi DELETE /v1/keys/{id}": {Target: "/v1/keys/key_leaving",
			Answer: `"state":"revoked"`},
		"httpapi POST /v1/keys/{id}/rotate": {Target: "/v1/keys/key_managed/rotate",
			Body: `{"grace":"1h"}`, Answer: `"secret":"sl_`, Random: true},
		"httpapi GET /v1/self": {Target: "/v1/self", Answer: `"self":{"kind":"`,
			ETag: true, Own: true},
		"httpapi GET /v1/audit": {Target: "/v1/audit", Answer: `"entries":[`,
			Random: true},
		"httpapi GET /health":      {Target: "/health", Answer: `"success":true`},
		"httpapi GET /health/live": {Target: "/health/live", Answer: `"success":true`},
		"httpapi GET /v1/openapi.json": {Target: "/v1/openapi.json",
			Answer: `"openapi":"3.1.0"`, ETag: true},

		"httpapi GET /v1/websites/{website_id}/notices": {Kinds: site, Target: "/v1/websites/{id}/notices",
			Answer: `"deliveries":[`, ETag: true},
		"httpapi POST /v1/websites/{website_id}/notices": {Kinds: site, Target: "/v1/websites/{id}/notices",
			Body: `{"name":"Spike"}`, Answer: `"success":true`},
		"httpapi GET /v1/notices/end":  {Target: "/v1/notices/end?token=x", Answer: "No more of this mail", Page: true},
		"httpapi POST /v1/notices/end": {Target: "/v1/notices/end?token=x", Answer: "not complete", Page: true},
		"httpapi GET /public/v1/flags/definitions": {Kinds: site, Target: "/public/v1/flags/definitions?clientId={id}",
			Answer: `"key":"there"`, ETag: true},
		"httpapi POST /public/v1/flags": {Kinds: site, Target: "/public/v1/flags", Answer: `"key":"new"`, ETag: true,
			Random: true,
			Body:   `{"clientId":"{id}","key":"new","type":"boolean","defaultValue":true}`},
		"httpapi PATCH /public/v1/flags/{id}": {Kinds: site, Target: "/public/v1/flags/flag",
			Body: `{"clientId":"{id}","name":"N"}`, Answer: `"name":"N"`, ETag: true},
		"httpapi DELETE /public/v1/flags/{id}": {Kinds: site, Target: "/public/v1/flags/flag?clientId={id}",
			Answer: `"success":true`},
		"httpapi GET /public/v1/flags/evaluate": {Target: "/public/v1/flags/evaluate?key=there&clientId=" +
			Listed, Answer: `"enabled":true`, ETag: true},
		"httpapi GET /public/v1/flags/bulk": {Target: "/public/v1/flags/bulk?clientId=" + Listed,
			Answer: `"there":{"enabled":true`, ETag: true},
		"httpapi POST /public/v1/flags/bulk": {Target: "/public/v1/flags/bulk", Body: `{"clientId":"` +
			Listed + `"}`, Answer: `"there":{"enabled":true`, ETag: true},
		"httpapi POST /ofrep/v1/evaluate/flags/{key}": {Target: "/ofrep/v1/evaluate/flags/there?clientId=" + Listed,
			Body: `{"context":{}}`, Answer: `"value":true`},
		"httpapi POST /ofrep/v1/evaluate/flags": {Target: "/ofrep/v1/evaluate/flags?clientId=" + Listed,
			Body: `{"context":{}}`, Answer: `"value":true`, ETag: true},
		"httpapi GET /public/v1/flags/health": {Target: "/public/v1/flags/health", Answer: `"status":"ok"`},

		"track POST /": {Kinds: site, Target: "/?" + aWebsite, Answer: `"eventId":"e1"`,
			Body: `{"type":"track","name":"screen_view","eventId":"e1","path":"https://listed.example.com/",` + person +
				`}`},
		"track GET /px.jpg": {Kinds: site, Target: "/px.jpg?" + aWebsite +
			"&name=screen_view&eventId=e1&path=https://listed.example.com/&anonymousId=a1&sessionId=s1&timestamp=1772625600000",
			Answer: "GIF89a"},
		"track POST /batch": {Kinds: site, Target: "/batch?" + aWebsite,
			Answer: `"batched":{"outgoing_link":0,"track":1}`,
			Body: `[{"type":"track","name":"screen_view","eventId":"e1","path":"https://listed.example.com/",` +
				person + `}]`},
		"track POST /track": {Kinds: site, Target: "/track", Answer: `"eventId":"e1"`,
			Body: `{"name":"sale","eventId":"e1","websiteId":"{id}"}`},
		"track POST /events": {Kinds: site, Target: "/events?" + aWebsite, Answer: `"count":1`,
			Body: `[{"eventName":"sale","eventId":"e1","path":"/",` + person + `}]`},
		"track POST /errors": {Kinds: site, Target: "/errors?" + aWebsite, Answer: `"count":1`,
			Body: `[{"eventId":"e1","message":"it broke","path":"/",` + person + `}]`},
		"track POST /vitals": {Kinds: site, Target: "/vitals?" + aWebsite, Answer: `"count":1`,
			Body: `[{"eventId":"e1","metricName":"LCP","metricValue":1200,"path":"/",` + person + `}]`},
		"track POST /engagement": {Kinds: site, Target: "/engagement?" + aWebsite, Answer: `"count":1`,
			Body: `[{"eventId":"e1","path":"/","activeMs":1000,` + person + `}]`},
		"track POST /identify": {Kinds: site, Target: "/identify", Answer: `"type":"identify"`,
			Body: `{"profileId":"u1","websiteId":"{id}","traits":{"name":"Ada"}}`},
		"track POST /link-visits": {Kinds: []string{link}, Target: "/link-visits", Answer: `"link_visit":1`,
			Body: `[{"eventId":"e1","linkId":"{id}"}]`},
		"track POST /uptime-checks": {Kinds: []string{monitor}, Target: "/uptime-checks",
			Answer: `"uptime_check":1`,
			Body:   `[{"eventId":"e1","scheduleId":"{id}","timestamp":1772625600000,"status":1}]`},
	}
}

// Of returns the target and the body of s about a resource.
func (s Sample) Of(kind, id string) (target, body string) {
	types := map[string]string{website: "summary_metrics", link: "link_total_clicks", monitor: "uptime_overview"}
	fill := strings.NewReplacer("{kind}", kind, "{id}", id, "{type}", types[kind])
	return fill.Replace(s.Target), fill.Replace(s.Body)
}

// Subjects returns the kinds of s, or one empty kind.
func (s Sample) Subjects() []string {
	if len(s.Kinds) == 0 {
		return []string{""}
	}
	return s.Kinds
}
