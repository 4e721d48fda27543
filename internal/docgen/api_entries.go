package docgen

const apiHead = `# HTTP API

<!-- Made from the route tables and from real answers by a test of internal/program/command; ` + "`make golden`" +
	` makes it again. -->

This page lists every endpoint with its key, its parameters, a request and a real answer. Answers come from the demo of
` + "`go run ./cmd/sightline`" +
	`; long arrays, objects and texts are cut here. [query-types.md](query-types.md) lists the query types and
[errors.md](errors.md) the error codes.

## Common rules

- Dates are as in ` + "`2027-01-31`, and times as in `2027-01-31T00:00:00Z`" + `.
- Bodies are JSON in UTF-8: send ` + "`Content-Type: application/json`" + `. A body has at most 1 MiB.
- Send a key or a panel token as ` + "`Authorization: Bearer KEY`" + ` or as ` + "`x-api-key: KEY`" +
	`. See [keys.md](keys.md).
- Answers to requests with a key have ` + "`X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset`" +
	` (Unix milliseconds).
- Each answer has ` + "`X-Request-ID`" + `, which also appears in the log and in the body of an error.
- GET answers have an ` + "`ETag`" + ` where the server knows when the data changed. A matching ` + "`If-None-Match`" +
	` is answered 304.
- Keys, websites, definitions and audit entries come in pages of 100, or of ` + "`limit`" + `. To read the next page, send ` + "`next`" + ` of the answer as ` + "`after`" + `. It is null on the last page.
- ` + "`GET /v1/openapi.json`" + ` describes all of this by OpenAPI 3.1, for generators of clients.
- Routes for GET also answer HEAD, and every path answers OPTIONS.
- Common errors: ` + "`AUTH_REQUIRED` and `FORBIDDEN` where a key is needed; `INVALID_JSON`, `VALIDATION_ERROR`, `PAYLOAD_TOO_LARGE`, `UNSUPPORTED_MEDIA_TYPE` and `REQUEST_TIMEOUT` where there is a body; `RATE_LIMITED`, `INTERNAL_SERVER_ERROR`, `SERVICE_UNAVAILABLE` and `TIMEOUT`" + ` everywhere.
`

const formsText = `
## Rows as CSV or NDJSON, errors as problems

A query with one parameter can answer with its rows alone. Ask for the form in ` + "`Accept`" + `:

` + "```" + `sh
curl -H "Authorization: Bearer $KEY" -H "Accept: text/csv" \
  "http://127.0.0.1:8080/v1/query?website_id=web_demo&parameters=pages&preset=last_7d" >pages.csv
` + "```" + `

| ` + "`Accept`" + ` | answer |
|---|---|
| ` + "`application/json`" + `, or no ` + "`Accept`" + ` | JSON |
| ` + "`text/csv`" + ` | CSV of RFC 4180 in UTF-8, with lines that end with a line feed; the first line has the names of the columns. With ` + "`bom=1`" + ` in the address it begins with the byte order mark of UTF-8, for Excel |
| ` + "`application/x-ndjson`" + ` | one row per line, as JSON |
| ` + "`application/problem+json`" + ` | for errors, on every route: the form of RFC 9457, with ` +
	"`type`, `title`, `status` and `detail`" + ` before the usual fields |

- Dates and numbers are as in JSON. In CSV null is an empty cell.
- Texts come from visitors. In CSV a text gets an apostrophe before it if it begins with ` + "`=`, `+`, `-`, `@`" +
	`, a tab or the end of a line, so that
  no spreadsheet runs it as a formula. A negative number such as ` + "`-12.5`" + ` stays a number, also as the value of a property.
- With ` + "`compare`" + ` CSV also has the columns ` + "`previous.NAME` and `changes.NAME`" +
	`, and each line of NDJSON the members ` + "`previous` and `changes`" + `.
- A request with several parameters, a batch, or one with ` + "`totals`" + ` is answered in JSON if ` + "`Accept`" +
	` allows it, and otherwise 406 ` + "`NOT_ACCEPTABLE`" + `.
- If the parameter fails, the whole request fails.
- The form has no ` + "`meta`" + `. If there are as many rows as ` + "`limit`" + `, ask for the next ` + "`page`" + `.
`

const trackHead = `
## Tracking

The server serves tracking under ` + "`" + TrackPrefix + "`" + `, and with ` + "`--track-addr`" +
	` also on a separate address, at ` + "`/`" + `. The common errors have other
codes here, see [errors.md](errors.md#tracking). [tracker.md](tracker.md#what-the-server-accepts) has the bounds of all fields: an
optional field that does not fit is cut or left out and named in ` + "`dropped`" +
	`. Requests without a key must look like a browser's.
The samples below are sent with a key where the route takes one.

Routes without a key find the website in the parameter ` + "`client_id`" + ` (or ` + "`website_id`" +
	`) of the address, or in the header
` + "`databuddy-client-id`" + `. ` + "`sent_at`" +
	` in the address is the time of sending by the sender's clock, in milliseconds.
`

// askDashboard asks for what a dashboard shows at first.
const askDashboard = `{
  "preset": "last_7d",
  "parameters": [
    {"name": "summary_metrics", "id": "totals", "compare": "previous_period"},
    {"name": "traffic", "limit": 3, "compare": "previous_period"},
    {"name": "summary", "id": "chart"},
    {"name": "pages", "limit": 3},
    {"name": "countries", "limit": 3},
    {"name": "pages", "id": "landed from Google", "limit": 3, "filters": [{"field": "referrer", "op": "eq", "value": "Google"}]}
  ]
}`

// endpoints has an entry for every route of both handlers.
var endpoints = map[string]endpoint{
	"POST /v1/query": {
		body:   "a [Query](#query), or an array of at most 20, each with an `id`",
		target: "/v1/query?website_id=web_demo&timezone=Europe/Berlin", request: askDashboard,
		text: "This request asks for a whole dashboard at once. An item of `parameters` may have options of its own, which replace those of the request; " +
			"`\"filters\": []` removes the filters. A parameter with `compare` or `totals` counts twice for rate limits. " +
			"[Comparison](definitions.md#comparison) explains `previous` and `changes`.",
		errors: "`MISSING_PROJECT_ID`; for single parameters `UNKNOWN_TYPE`, `WRONG_SUBJECT`, `INVALID_DATE_RANGE`, `INVALID_FILTER`, `INVALID_GROUP_BY`, `INVALID_SORT`, `TOO_MANY_ROWS`, `ANSWER_TOO_LARGE`",
	},
	"GET /v1/query": {
		text: "See [Query](#query).", of: "Query",
		target: "/v1/query?website_id=web_demo&parameters=countries&preset=last_7d&limit=2",
		errors: "as for `POST /v1/query`",
	},
	"POST /v1/query/compile": {
		text:   "[Performance](performance.md) explains both.",
		body:   "as for `POST /v1/query`",
		target: "/v1/query/compile?website_id=web_demo", request: `{"preset":"last_7d","parameters":["countries"]}`,
		errors: "as for `POST /v1/query`",
		skip:   "The answer has `data` with one entry per parameter: `source`, `why`, `plan`, `sql` and `args`; for a comparison also `previous`.",
	},
	"GET /v1/query/types": {
		target: "/v1/query/types?include_meta=true", keyless: true,
	},
	"GET /v1/query/websites": {target: "/v1/query/websites"},
	"GET /v1/query/links":    {target: "/v1/query/links"},
	"GET /v1/query/monitors": {target: "/v1/query/monitors"},
	"GET /v1/websites/{website_id}/analytics": {
		target: "/v1/websites/web_demo/analytics?preset=last_7d",
	},
	"GET /v1/export": {
		text:   "[Export](import.md#export) describes the formats and how to continue.",
		target: "/v1/export?website_id=web_demo&table=errors&startDate=2020-01-01&endDate=2020-01-02",
		skip:   "Without rows, the answer is the last line alone: `{\"export\":{\"rows\":0,\"complete\":true}}`.",
	},
	"DELETE /v1/visitors/{id}": {
		text:   "[privacy.md](privacy.md) has the details.",
		target: "/v1/visitors/nobody?website_id=web_demo&kind=profile",
	},
	"POST /v1/tokens": {
		body:   "a [Token request](#token-request)",
		target: "/v1/tokens", request: `{"ttl":900,"subject":"cus_1","resources":[{"kind":"website","id":"web_demo"}],"filters":[{"field":"country","op":"eq","value":"DE"}]}`,
	},
	"GET /v1/openapi.json": {
		text: "The document of a program with its own query types has these, too.", target: "/v1/openapi.json", keyless: true,
		skip: "The answer is an OpenAPI 3.1 document.",
	},
	"GET /v1/websites": {
		target: "/v1/websites", skip: "The answer is `{\"success\":true,\"websites\":[…],\"next\":null}`, with websites as in the next answer.",
	},
	"POST /v1/websites": {
		body: "a [Website](#website)", target: "/v1/websites",
		request: `{"domain":"blog.example","name":"Blog","blockedAddresses":["203.0.113.0/24"]}`, errors: "`CONFLICT`",
	},
	"GET /v1/websites/{website_id}": {target: "/v1/websites/web_demo"},
	"PATCH /v1/websites/{website_id}": {
		body: "some fields of a [Website](#website)", target: "/v1/websites/web_shop",
		request: `{"retentionDays":400,"keepTotals":true}`, errors: "`CONFLICT`",
	},
	"DELETE /v1/websites/{website_id}": {
		target: "/v1/websites/web_shop",
	},
	"GET /v1/tracker": {
		target: "/v1/tracker", keyless: true,
		skip: "The answer is `{\"success\":true,\"tracker\":{\"address\":\"/ingest\",\"script\":\"/tracker.js\",\"pinned\":\"/tracker/….js\",\"integrity\":\"sha384-…\"}}`.",
	},
	"GET /v1/websites/{website_id}/definitions": {
		text:   "See [asking.md](asking.md#saved-by-name).",
		target: "/v1/websites/web_demo/definitions",
		skip:   "The answer is `{\"success\":true,\"definitions\":[…],\"next\":null}`, with definitions as in the next answer.",
	},
	"POST /v1/websites/{website_id}/definitions": {
		body: "a [Definition](#definition)", target: "/v1/websites/web_demo/definitions",
		request: `{"kind":"segment","name":"Phones","body":{"filters":[{"field":"device_type","op":"eq","value":"mobile"}]}}`,
		errors:  "`CONFLICT`",
	},
	"DELETE /v1/websites/{website_id}/definitions": {
		target: "/v1/websites/web_demo/definitions?kind=segment&name=Phones", errors: "`NOT_FOUND`",
	},
	"GET /v1/websites/{website_id}/notices": {
		text: "[notices.md](notices.md) explains notices and reports.", target: "/v1/websites/web_demo/notices?limit=2",
	},
	"POST /v1/websites/{website_id}/notices": {errors: "`NOT_FOUND`"},
	"GET /v1/notices/end":                    {},
	"POST /v1/notices/end":                   {},
	"GET /v1/keys": {
		target: "/v1/keys",
		skip:   "The answer is `{\"success\":true,\"keys\":[…],\"next\":null}`, with keys as in the next answer.",
	},
	"POST /v1/keys": {
		body: "a [Key](#key)", target: "/v1/keys",
		request: `{"name":"Weekly report","scopes":["read:data"],"resources":[{"kind":"website","id":"web_demo"}],"expires":"2027-06-30T00:00:00Z"}`,
		errors:  "`CONFLICT`",
	},
	"GET /v1/keys/{id}": {target: "/v1/keys/key_panel"},
	"PATCH /v1/keys/{id}": {
		body: "some fields of a [Key](#key)", target: "/v1/keys/key_panel",
		request: `{"name":"Panel of the shop","disabled":false}`, errors: "`CONFLICT`",
	},
	"DELETE /v1/keys/{id}": {target: "/v1/keys/key_old"},
	"POST /v1/keys/{id}/rotate": {
		target: "/v1/keys/key_panel/rotate", request: `{"grace":"1h"}`, errors: "`CONFLICT`",
	},
	"GET /v1/self": {target: "/v1/self"},
	"GET /v1/audit": {
		target: "/v1/audit?limit=1",
		skip:   "The answer is `{\"success\":true,\"entries\":[…],\"next\":\"…\"}`; `next` is `null` on the last page. An entry has `time`, `requestId`, `keyId`, `start`, `token`, `subject`, `method`, `route`, `resource`, `scope`, `outcome` (`allowed`, `refused` or `failed`), `status`, `ip`, `userAgent` and `count`.",
	},
	"GET /health": {
		target: "/health", keyless: true,
	},
	"GET /health/live": {target: "/health/live", keyless: true},

	"GET /public/v1/flags/definitions": {
		target: "/public/v1/flags/definitions?clientId=web_demo",
	},
	"POST /public/v1/flags": {
		body:    "a [Flag](#flag)",
		target:  "/public/v1/flags",
		request: `{"clientId":"web_demo","key":"new-checkout","type":"rollout","defaultValue":false,"rolloutPercentage":25}`,
		errors:  "`CONFLICT`",
	},
	"PATCH /public/v1/flags/{id}": {
		body:   "some fields of a [Flag](#flag), and `clientId`",
		target: "/public/v1/flags/{id}", request: `{"clientId":"web_demo","rolloutPercentage":50}`,
		errors: "`NOT_FOUND`, `CONFLICT`, `PRECONDITION_FAILED`",
	},
	"DELETE /public/v1/flags/{id}": {
		target: "/public/v1/flags/{id}?clientId=web_demo", errors: "`NOT_FOUND`, `PRECONDITION_FAILED`",
	},
	"GET /public/v1/flags/evaluate": {
		target: "/public/v1/flags/evaluate?clientId=web_demo&key=dark-mode&userId=user_1", keyless: true,
	},
	"GET /public/v1/flags/bulk": {
		target: "/public/v1/flags/bulk?clientId=web_demo&keys=dark-mode&userId=user_1", keyless: true,
	},
	"POST /public/v1/flags/bulk": {
		body:    "a [Flag context](#flag-context)",
		target:  "/public/v1/flags/bulk",
		request: `{"clientId":"web_demo","keys":["dark-mode"],"userId":"user_1","properties":{"plan":"pro"}}`,
		keyless: true,
	},
	"POST /ofrep/v1/evaluate/flags/{key}": {
		body:    "`{context}` of OFREP: `targetingKey` and properties",
		target:  "/ofrep/v1/evaluate/flags/dark-mode?clientId=web_demo",
		request: `{"context":{"targetingKey":"user_1","plan":"pro"}}`, keyless: true,
		errors: "OFREP's `errorCode`, with 404 for an unknown flag",
	},
	"POST /ofrep/v1/evaluate/flags": {
		body: "as above", target: "/ofrep/v1/evaluate/flags?clientId=web_demo",
		request: `{"context":{"targetingKey":"user_1"}}`, keyless: true,
	},
	"GET /public/v1/flags/health": {target: "/public/v1/flags/health", keyless: true},

	"POST /ingest/": {
		body:   "a [Page event](#page-event); with `type` `outgoing_link` a [Click](#click), `error` an [Error](#error) or `web_vitals` a [Web vital](#web-vital)",
		errors: "`INGEST_UNKNOWN_EVENT_TYPE`, `INVALID_EVENT_SCHEMA`",
		target: "/?client_id=web_demo", keyless: true,
		request: `{"type":"track","name":"screen_view","eventId":"8d1f","path":"https://notes.example/pricing","title":"Pricing","anonymousId":"a1","sessionId":"s1"}`,
	},
	"GET /ingest/px.jpg": {
		text: "See [Page event](#page-event).", of: "PageEvent",
		target: "/px.jpg?client_id=web_demo&name=screen_view&path=https://notes.example/pricing", keyless: true,
		skip: "The answer is an image.",
	},
	"POST /ingest/batch": {
		body: "an array of the items of `POST /ingest/`", target: "/batch?client_id=web_demo", keyless: true,
		request: `[{"type":"outgoing_link","eventId":"8d20","href":"https://example.org/","text":"Source","path":"https://notes.example/","anonymousId":"a1","sessionId":"s1"}]`,
	},
	"POST /ingest/track": {
		body:   "a [Custom event](#custom-event), or an array",
		target: "/track", request: `{"name":"order_paid","websiteId":"web_demo","profileId":"user_1","properties":{"total":42}}`,
		errors: "`TRACK_MISSING_WEBSITE_ID`, `TRACK_WEBSITE_SCOPE_MISMATCH`, `TRACK_MISSING_CREDENTIALS`, `TRACK_KEY_REQUIRED`, `EVENT_TOO_OLD`",
	},
	"POST /ingest/events": {
		body: "a [Custom event](#custom-event), or an array", target: "/events?client_id=web_demo", keyless: true,
		request: `[{"name":"signup","eventId":"8d21","path":"https://notes.example/signup","anonymousId":"a1","sessionId":"s1"}]`,
	},
	"POST /ingest/errors": {
		body: "an [Error](#error), or an array", target: "/errors?client_id=web_demo", keyless: true,
		request: `[{"eventId":"8d22","message":"x is undefined","errorType":"TypeError","path":"https://notes.example/","anonymousId":"a1","sessionId":"s1"}]`,
	},
	"POST /ingest/vitals": {
		body: "a [Web vital](#web-vital), or an array", target: "/vitals?client_id=web_demo", keyless: true,
		request: `[{"eventId":"8d23","metricName":"LCP","metricValue":1834,"path":"https://notes.example/","anonymousId":"a1","sessionId":"s1"}]`,
	},
	"POST /ingest/engagement": {
		body: "an [Engagement](#engagement), or an array", target: "/engagement?client_id=web_demo", keyless: true,
		request: `[{"eventId":"8d24","path":"https://notes.example/","timeOnPage":42,"maxScrollDepth":80,"anonymousId":"a1","sessionId":"s1"}]`,
	},
	"POST /ingest/identify": {
		body:   "a [Profile](#profile)",
		target: "/identify", request: `{"websiteId":"web_demo","profileId":"user_1","traits":{"name":"Ada","plan":"pro"}}`,
		errors: "`IDENTIFY_MISSING_WEBSITE_ID`",
	},
	"POST /ingest/link-visits": {
		body: "[Link visits](#link-visit)", target: "/link-visits",
		request: `[{"linkId":"lnk_demo","eventId":"8d25","referrer":"https://example.org/","userAgent":"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36","country":"DE"}]`,
	},
	"POST /ingest/uptime-checks": {
		body: "[Uptime checks](#uptime-check)", target: "/uptime-checks",
		request: `[{"scheduleId":"mon_demo","eventId":"8d26","timestamp":1795284000000,"status":1,"httpCode":200,"totalMs":120}]`,
	},
	"GET /ingest/tracker.js":     {text: "See [tracker.md](tracker.md)."},
	"GET /ingest/tracker/{file}": {},
	"GET /ingest/health":         {target: "/health", keyless: true},
}

var objects = []object{
	{name: "Query", component: "Query", route: "POST /v1/query?website_id=web_demo", probe: `{FIELD}`},
	{name: "Parameter", component: "Parameter", of: "Query",
		text:  "It may also have the fields of a [Query](#query), for this parameter alone.",
		route: "POST /v1/query?website_id=web_demo", probe: `{"parameters":[{FIELD}]}`},
	{name: "Goal", component: "Goal", route: "POST /v1/query?website_id=web_demo",
		probe: `{"parameters":[{"name":"goals","goals":[{FIELD}]}]}`},
	{name: "Step", component: "Step", route: "POST /v1/query?website_id=web_demo",
		probe: `{"parameters":[{"name":"funnel","steps":[{FIELD}]}]}`},
	{name: "Action", component: "Action", route: "POST /v1/query?website_id=web_demo",
		probe: `{"parameters":[{"name":"retention","start":{FIELD}}]}`},
	{name: "Filter", component: "Filter",
		text:  "`GET /v1/query/types` lists the fields of each type. `gt`, `gte`, `lt`, `lte`, `exists` and `not_exists` are for properties; the last two take no `value`.",
		route: "POST /v1/query?website_id=web_demo", probe: `{"filters":[{FIELD}]}`},
	{name: "Did", component: "Did", route: "POST /v1/query?website_id=web_demo",
		probe: `{"filters":[{"did":{FIELD}}]}`},
	{name: "Token request", component: "TokenRequest", route: "POST /v1/tokens", probe: `{FIELD}`},
	{name: "Definition", component: "NewDefinition", route: "POST /v1/websites/web_demo/definitions", probe: `{FIELD}`},
	{name: "Website", component: "NewWebsite", text: "Answers also have `id` and `createdAt`.",
		route: "POST /v1/websites", probe: `{FIELD}`},
	{name: "Key", component: "NewKey", text: "[keys.md](keys.md) explains the scopes.", route: "POST /v1/keys",
		probe: `{FIELD}`},
	{name: "Flag", component: "NewFlag",
		text:  "Answers use the same names. [flags.md](flags.md) explains rules and buckets.",
		route: "POST /public/v1/flags", probe: `{FIELD}`},
	{name: "Flag context", component: "FlagContext", route: "POST /public/v1/flags/bulk", probe: `{FIELD}`},
	{name: "Page event", component: "PageEvent", route: "POST /ingest/?client_id=web_demo",
		probe: `{"type":"track","name":"screen_view","path":"/",FIELD}`},
	{name: "Click", component: "Click", route: "POST /ingest/?client_id=web_demo",
		probe: `{"type":"outgoing_link","href":"https://example.org/",FIELD}`},
	{name: "Custom event", component: "CustomEvent", route: "POST /ingest/track",
		probe: `{"websiteId":"web_demo","name":"n",FIELD}`},
	{name: "Error", component: "ScriptError", route: "POST /ingest/errors?client_id=web_demo",
		probe: `{"message":"m","path":"/",FIELD}`},
	{name: "Web vital", component: "WebVital", route: "POST /ingest/vitals?client_id=web_demo",
		probe: `{"path":"/","metricName":"LCP","metricValue":1,FIELD}`},
	{name: "Engagement", component: "Engagement", route: "POST /ingest/engagement?client_id=web_demo",
		probe: `{"path":"/",FIELD}`},
	{name: "Profile", component: "Profile", route: "POST /ingest/identify",
		probe: `{"websiteId":"web_demo","profileId":"u",FIELD}`},
	{name: "Link visit", component: "LinkVisit", route: "POST /ingest/link-visits",
		probe: `[{"linkId":"lnk_demo",FIELD}]`},
	{name: "Uptime check", component: "UptimeCheck", route: "POST /ingest/uptime-checks",
		probe: `[{"scheduleId":"mon_demo","status":1,"timestamp":1795284000000,FIELD}]`},
}
