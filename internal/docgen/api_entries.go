package docgen

const apiHead = `# HTTP API

<!-- Made from the route tables and from real answers by a test of internal/program/command; ` + "`make golden`" + ` makes it again. -->

This page lists every endpoint with its key, its parameters, a request and a real answer. Answers come from the demo of
` + "`go run ./cmd/sightline`" + `; long arrays, objects and texts are cut here. [query-types.md](query-types.md) lists the query types and
[errors.md](errors.md) the error codes.

## Common rules

- Bodies are JSON in UTF-8: send ` + "`Content-Type: application/json`" + `. A body has at most 1 MiB.
- Send a key or a panel token as ` + "`Authorization: Bearer KEY`" + ` or as ` + "`x-api-key: KEY`" + `. See [keys.md](keys.md).
- Answers to requests with a key have ` + "`X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset`" + ` (Unix seconds).
- Each answer has ` + "`X-Request-ID`" + `, which also appears in the log and in the body of an error.
- GET answers have an ` + "`ETag`" + ` where the server knows when the data changed. A matching ` + "`If-None-Match`" + ` is answered 304.
- [openapi.json](openapi.json) describes all of this by OpenAPI 3.1, for generators of clients. Your server has its own at ` + "`GET /v1/openapi.json`" + `.
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
| ` + "`text/csv`" + ` | CSV of RFC 4180 in UTF-8, with lines that end with a line feed; the first line has the names of the columns |
| ` + "`application/x-ndjson`" + ` | one row per line, as JSON |
| ` + "`application/problem+json`" + ` | for errors, on every route: the form of RFC 9457, with ` + "`type`, `title`, `status` and `detail`" + ` before the usual fields |

- Dates and numbers are as in JSON. In CSV null is an empty cell.
- Texts come from visitors. In CSV a text gets an apostrophe before it if it begins with ` + "`=`, `+`, `-`, `@`" + `, a tab or the end of a line, so that
  no spreadsheet runs it as a formula.
- With ` + "`compare`" + ` CSV also has the columns ` + "`previous.NAME` and `changes.NAME`" + `, and each line of NDJSON the members ` + "`previous` and `changes`" + `.
- A request with several parameters, a batch, or one with ` + "`totals`" + ` is answered in JSON if ` + "`Accept`" + ` allows it, and otherwise 406 ` + "`NOT_ACCEPTABLE`" + `.
- If the parameter fails, the whole request fails.
- The form has no ` + "`meta`" + `. If there are as many rows as ` + "`limit`" + `, ask for the next ` + "`page`" + `.
`

const trackHead = `
## Tracking

The server serves tracking under ` + "`" + TrackPrefix + "`" + `, and with ` + "`--track-addr`" + ` also on a separate address, at ` + "`/`" + `. The common errors have other
codes here, see [errors.md](errors.md#tracking). [tracker.md](tracker.md#what-the-server-accepts) has the bounds of all fields: an
optional field that does not fit is cut or left out and named in ` + "`dropped`" + `. Requests without a key must look like a browser's.
The samples below are sent with a key where the route takes one.

Routes without a key find the website in the parameter ` + "`client_id`" + ` (or ` + "`website_id`" + `) of the address, or in the header
` + "`databuddy-client-id`" + `. ` + "`sent_at`" + ` in the address is the time of sending by the sender's clock, in milliseconds.
`

var subjectParams = []field{
	{"website_id", "string", "the website to query; exactly one of `website_id`, `link_id` and `schedule_id` is required"},
	{"link_id", "string", "the short link to query"},
	{"schedule_id", "string", "the uptime monitor to query"},
	{"timezone", "string", "IANA name of the time zone of days, such as `Europe/Berlin`; default `UTC`"},
}

var flagClient = field{"clientId", "string", "the client, required"}

var flagContext = []field{
	{"userId, email, organizationId, teamId, environment", "string", "the person or program that the flag is evaluated for"},
	{"properties", "JSON object", "further properties that rules compare with; at most 100"},
}

const askTwo = `{"preset":"last_7d","parameters":["summary_metrics","traffic"],"limit":2}`

// endpoints has an entry for every route of both handlers.
var endpoints = map[string]endpoint{
	"POST /v1/query": {
		text:   "A batch answers `{success, batch: true, results}` with one entry per query. If a parameter fails, its entry of `data` has `success: false`, `error` and `code`, and the others still answer.",
		params: subjectParams, body: "a [Query](#query), or an array of at most 20, each with an `id`",
		target: "/v1/query?website_id=web_demo&timezone=Europe/Berlin", request: askTwo,
		errors: "`MISSING_PROJECT_ID`; for single parameters `UNKNOWN_TYPE`, `WRONG_SUBJECT`, `INVALID_DATE_RANGE`, `INVALID_FILTER`, `INVALID_GROUP_BY`, `INVALID_SORT`, `TOO_MANY_ROWS`, `ANSWER_TOO_LARGE`",
	},
	"GET /v1/query": {
		text: "The fields of a [Query](#query) are parameters of the address: `parameters` and `groupBy` as names joined by commas, `filters` as JSON.", params: subjectParams,
		target: "/v1/query?website_id=web_demo&parameters=countries&preset=last_7d&limit=2", errors: "as for `POST /v1/query`",
	},
	"POST /v1/query/compile": {
		text: "The query is not run. The answer has the SQL of each parameter, and the `source` that would answer now: `remembered`, `merged` or `statement`, in this order. `why` says why the source before it would not answer. [The layers](kept.md) explains both.", params: subjectParams,
		body:   "as for `POST /v1/query`",
		target: "/v1/query/compile?website_id=web_demo", request: `{"preset":"last_7d","parameters":["countries"]}`,
		errors: "as for `POST /v1/query`", skip: "The answer has `data` with one entry per parameter: `source`, `why`, `plan`, `sql` and `args`; for a comparison also `previous`.",
	},
	"GET /v1/query/types": {
		params: []field{{"include_meta", "boolean", "also return descriptions, columns and hints for charts; default `false`"}},
		target: "/v1/query/types?include_meta=true", keyless: true,
	},
	"GET /v1/query/websites": {target: "/v1/query/websites"},
	"GET /v1/query/links":    {target: "/v1/query/links"},
	"GET /v1/query/monitors": {target: "/v1/query/monitors"},
	"GET /v1/websites/{website_id}/analytics": {
		text: "Totals, a series, and the first ten pages, sources, countries and devices.",
		params: []field{
			{"startDate, endDate", "date", "YYYY-MM-DD, both inclusive"}, {"preset", "string", "in place of dates; default `last_30d`"},
			{"timezone", "string", "IANA name; default `UTC`"}, {"compare", "string", "`previous_period`, `previous_year` or `none`, which is the default"},
			{"granularity", "string", "`daily` (default), `hourly`, `weekly` or `monthly`"}, {"filters", "JSON array", "[Filters](#filter)"},
		},
		target: "/v1/websites/web_demo/analytics?preset=last_7d",
	},
	"GET /v1/export": {
		text: "The answer is sent in pieces, so its length is not known before. If it cannot be sent to its end, the connection breaks. " +
			"The last line of NDJSON says that the export is complete. [export.md](export.md) describes the formats and how to continue.",
		params: []field{
			{"website_id, link_id, schedule_id", "string", "exactly one of them"},
			{"format", "string", "`ndjson` (default), `csv` or `parquet`"},
			{"table", "string", "the only table to export: `events`, `errors`, `vitals`, `spans` or `blocked` of a website, `visits` of a link, `checks` of a monitor; " +
				"required for `csv` and `parquet` of a website"},
			{"startDate, endDate", "date", "YYYY-MM-DD in UTC, both inclusive; default: all rows"},
			{"after", "string", "the cursor of a mark, to continue an interrupted export"},
			{"escapeFormulas", "boolean", "for `csv`: put an apostrophe before texts that spreadsheets would run as formulas"},
		},
		target: "/v1/export?website_id=web_demo&table=errors&startDate=2020-01-01&endDate=2020-01-02",
		skip:   "Without rows, the answer is the last line alone: `{\"export\":{\"rows\":0,\"complete\":true}}`.",
	},
	"DELETE /v1/visitors/{id}": {
		text: "Removes the rows of the visitor from every table, and its profile. All answers are without it from then on. " +
			"`removed` counts rows by table, and profiles. `linked` has the ids of the other kind in the removed rows, at most 100: erase them too if they are the same person. " +
			"`notice` says what could not be looked for: hashes of ids of visitors on earlier days. An id without rows is not an error. " +
			"[privacy.md](privacy.md) has the details.",
		params: []field{
			{"website_id", "string", "the website, required"},
			{"kind", "string", "the kind of id in the path: `visitor` (default), an id as the browser has it or as exports show it; or `profile`, a `profileId`"},
		},
		target: "/v1/visitors/nobody?website_id=web_demo&kind=profile",
	},
	"POST /v1/tokens": {
		body:   "a [Token request](#token-request)",
		target: "/v1/tokens", request: `{"ttl":900,"subject":"cus_1","resources":[{"kind":"website","id":"web_demo"}],"filters":[{"field":"country","op":"eq","value":"DE"}]}`,
	},
	"GET /v1/openapi.json": {
		text: "[openapi.json](openapi.json) is the document of `cmd/sightline`. The document of a program with its own query types has these, too.", target: "/v1/openapi.json", keyless: true,
		skip: "The answer is an OpenAPI 3.1 document.",
	},
	"GET /v1/websites": {
		target: "/v1/websites", skip: "The answer is `{\"success\":true,\"websites\":[…]}`, with websites as in the next answer.",
	},
	"POST /v1/websites": {
		text: "Only a key that reaches everything of its owner can add websites. The server chooses the id.",
		body: "a [Website](#website)", target: "/v1/websites", request: `{"domain":"blog.example","name":"Blog","blockedAddresses":["203.0.113.0/24"]}`,
	},
	"GET /v1/websites/{website_id}": {target: "/v1/websites/web_demo"},
	"PATCH /v1/websites/{website_id}": {
		text: "Fields that the body leaves out do not change. Servers apply the change within a second.",
		body: "some fields of a [Website](#website)", target: "/v1/websites/web_shop", request: `{"retentionDays":400,"keepTotals":true}`,
	},
	"DELETE /v1/websites/{website_id}": {
		text: "Within a second the server accepts no more events for the website, and shows no statistics of it. Its feature flags, saved definitions and profiles are deleted. " +
			"Its rows stay stored, and its id is never given to another owner.",
		target: "/v1/websites/web_shop",
	},
	"GET /v1/tracker": {
		text:   "The element `<script src=\"…\" data-client-id=\"…\" defer>` loads `address` with `script`, or with `pinned` and the attribute `integrity`. If `address` is a path, it is below the address of this API.",
		target: "/v1/tracker", keyless: true, skip: "The answer is `{\"success\":true,\"tracker\":{\"address\":\"/ingest\",\"script\":\"/tracker.js\",\"pinned\":\"/tracker/….js\",\"integrity\":\"sha384-…\"}}`.",
	},
	"GET /v1/websites/{website_id}/definitions": {
		text:   "Every key that can read the website can list and use them: see [asking.md](asking.md#saved-by-name).",
		target: "/v1/websites/web_demo/definitions", skip: "The answer is `{\"success\":true,\"definitions\":[…]}`, with definitions as in the next answer.",
	},
	"POST /v1/websites/{website_id}/definitions": {
		text: "A definition of the same kind and name is replaced. A website may have 200 definitions.",
		body: "a [Definition](#definition)", target: "/v1/websites/web_demo/definitions",
		request: `{"kind":"segment","name":"Phones","body":{"filters":[{"field":"device_type","op":"eq","value":"mobile"}]}}`,
	},
	"DELETE /v1/websites/{website_id}/definitions": {
		params: []field{{"kind", "string", "`goal`, `funnel` or `segment`; required"}, {"name", "string", "required"}},
		target: "/v1/websites/web_demo/definitions?kind=segment&name=Phones", errors: "`NOT_FOUND`",
	},
	"GET /v1/keys": {
		target: "/v1/keys", text: "Keys that grant more than yours are not listed; revoked and expired ones are.",
		skip: "The answer is `{\"success\":true,\"keys\":[…]}`, with keys as in the next answer.",
	},
	"POST /v1/keys": {
		text: "The secret is shown once. What the request leaves open is as in your key: filters, query types, expiry and limit.",
		body: "a [Key](#key)", target: "/v1/keys", request: `{"name":"Weekly report","scopes":["read:data"],"resources":[{"kind":"website","id":"web_demo"}],"expires":"2027-06-30T00:00:00Z"}`,
	},
	"GET /v1/keys/{id}": {target: "/v1/keys/key_panel"},
	"PATCH /v1/keys/{id}": {
		text: "Fields that the body leaves out do not change; `null` removes `types`, `perMinute` or `expires`. The secret stays the same.",
		body: "some fields of a [Key](#key)", target: "/v1/keys/key_panel", request: `{"name":"Panel of the shop","disabled":false}`,
	},
	"DELETE /v1/keys/{id}": {text: "The key and its panel tokens end within a second, for good. It stays in the list.", target: "/v1/keys/key_old"},
	"POST /v1/keys/{id}/rotate": {
		text: "The secret is shown once.", body: "`grace`: how long the replaced secret stays valid, in seconds or as a duration such as `1h`, at most 30 days; default: it ends at once",
		target: "/v1/keys/key_panel/rotate", request: `{"grace":"1h"}`,
	},
	"GET /v1/audit": {
		text: "An entry with a `count` stands for several equal requests. Entries appear within a second.",
		params: []field{
			{"key", "string", "only uses of this key"}, {"from, to", "string", "only entries from this instant on, and before that one, such as `2027-01-31T00:00:00Z`"},
			{"limit", "number", "1 to 1000; default 100"}, {"after", "string", "`next` of the page before"},
		},
		target: "/v1/audit?limit=1",
		skip:   "The answer is `{\"success\":true,\"entries\":[…],\"next\":\"…\"}`; `next` is `null` on the last page. An entry has `time`, `requestId`, `keyId`, `start`, `token`, `subject`, `method`, `route`, `resource`, `scope`, `outcome` (`allowed`, `refused` or `failed`), `status`, `ip`, `userAgent` and `count`.",
	},
	"GET /health": {
		text: "The status is 503 if a part is not available. `clickhouse` stands for the store of events, also for DuckDB. " +
			"If further parts are not available, `checks` names them, such as `{\"flags\": false}`.",
		target: "/health", keyless: true,
	},
	"GET /health/live": {target: "/health/live", keyless: true},

	"GET /public/v1/flags/definitions": {
		params: []field{flagClient, {"environment", "string", "only flags of this environment; default: flags without one"}},
		target: "/public/v1/flags/definitions?clientId=web_demo",
	},
	"POST /public/v1/flags": {
		text: "Creating a flag with the key of a removed one restores it with its id and history.", body: "a [Flag](#flag)",
		target: "/public/v1/flags", request: `{"clientId":"web_demo","key":"new-checkout","type":"rollout","defaultValue":false,"rolloutPercentage":25}`,
		errors: "`CONFLICT`",
	},
	"PATCH /public/v1/flags/{id}": {
		text: "Fields that the body leaves out do not change. With `If-Match` the change is made only at that revision.", body: "some fields of a [Flag](#flag), and `clientId`",
		target: "/public/v1/flags/{id}", request: `{"clientId":"web_demo","rolloutPercentage":50}`,
		errors: "`NOT_FOUND`, `CONFLICT`, `PRECONDITION_FAILED`",
	},
	"DELETE /public/v1/flags/{id}": {
		params: []field{flagClient}, target: "/public/v1/flags/{id}?clientId=web_demo", errors: "`NOT_FOUND`, `PRECONDITION_FAILED`",
	},
	"GET /public/v1/flags/evaluate": {
		params: append([]field{flagClient, {"key", "string", "the flag, required"}}, flagContext...),
		target: "/public/v1/flags/evaluate?clientId=web_demo&key=dark-mode&userId=user_1", keyless: true,
	},
	"GET /public/v1/flags/bulk": {
		text:   "Without `keys` the answer has all flags of the client, if they have at most 1 MiB.",
		params: append([]field{flagClient, {"keys", "string", "keys of at most 100 flags, joined by commas"}}, flagContext...),
		target: "/public/v1/flags/bulk?clientId=web_demo&keys=dark-mode&userId=user_1", keyless: true,
	},
	"POST /public/v1/flags/bulk": {
		body:   "the parameters of `GET /public/v1/flags/bulk` as an object; `keys` is an array",
		target: "/public/v1/flags/bulk", request: `{"clientId":"web_demo","keys":["dark-mode"],"userId":"user_1","properties":{"plan":"pro"}}`, keyless: true,
	},
	"POST /ofrep/v1/evaluate/flags/{key}": {
		text: "OFREP, the remote evaluation protocol of OpenFeature. The header `X-Client-Id` names the client; without it, the key does.",
		body: "`{context}` of OFREP: `targetingKey` and properties", target: "/ofrep/v1/evaluate/flags/dark-mode?clientId=web_demo",
		request: `{"context":{"targetingKey":"user_1","plan":"pro"}}`, keyless: true, errors: "OFREP's `errorCode`, with 404 for an unknown flag",
	},
	"POST /ofrep/v1/evaluate/flags": {
		text: "All flags of the client.", body: "as above", target: "/ofrep/v1/evaluate/flags?clientId=web_demo",
		request: `{"context":{"targetingKey":"user_1"}}`, keyless: true,
	},
	"GET /public/v1/flags/health": {target: "/public/v1/flags/health", keyless: true},

	"POST /ingest/": {
		body: "a [Page event](#page-event); with `type` `outgoing_link` a [Click](#click), `error` an [Error](#error) or `web_vitals` a [Web vital](#web-vital)",
		text: "The tracker sends page events here.", errors: "`INGEST_UNKNOWN_EVENT_TYPE`, `INVALID_EVENT_SCHEMA`",
		target: "/?client_id=web_demo", keyless: true,
		request: `{"type":"track","name":"screen_view","eventId":"8d1f","path":"https://notes.example/pricing","title":"Pricing","anonymousId":"a1","sessionId":"s1"}`,
	},
	"GET /ingest/px.jpg": {
		text: "The answer is always a GIF of one pixel.", params: []field{{"client_id", "string", "the website, required"}, {"any field", "", "of a [Page event](#page-event)"}},
		target: "/px.jpg?client_id=web_demo&name=screen_view&path=https://notes.example/pricing", keyless: true, skip: "The answer is an image.",
	},
	"POST /ingest/batch": {
		body: "an array of the items of `POST /ingest/`", target: "/batch?client_id=web_demo", keyless: true,
		request: `[{"type":"outgoing_link","eventId":"8d20","href":"https://example.org/","text":"Source","path":"https://notes.example/","anonymousId":"a1","sessionId":"s1"}]`,
	},
	"POST /ingest/track": {
		text: "Your server and the Node client send custom events here.", body: "a [Custom event](#custom-event), or an array",
		target: "/track", request: `{"name":"order_paid","websiteId":"web_demo","profileId":"user_1","properties":{"total":42}}`,
		errors: "`TRACK_MISSING_WEBSITE_ID`, `TRACK_WEBSITE_SCOPE_MISMATCH`, `TRACK_MISSING_CREDENTIALS`, `TRACK_KEY_REQUIRED`, `EVENT_TOO_OLD`",
	},
	"POST /ingest/events": {
		body: "a [Custom event](#custom-event), or an array", target: "/events?client_id=web_demo", keyless: true,
		request: `[{"name":"signup","eventId":"8d21","path":"https://notes.example/signup","anonymousId":"a1","sessionId":"s1"}]`,
	},
	"POST /ingest/errors": {
		text: "A body has at most 128 KiB.", body: "an [Error](#error), or an array", target: "/errors?client_id=web_demo", keyless: true,
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
		text: "It stores traits of a user under the `profileId` of their events.", body: "a [Profile](#profile)",
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
	"GET /ingest/tracker.js":     {text: "The script for pages, see [tracker.md](tracker.md)."},
	"GET /ingest/tracker/{file}": {text: "The script by the hash of its content. `websites tag` prints the element that loads it."},
	"GET /ingest/health":         {target: "/health", keyless: true},
}

var objects = []object{
	{"Query", "Dates or a preset are required, unless each parameter has its own range. If a query has both, the preset takes precedence; `meta` has the dates that were used.", "POST /v1/query?website_id=web_demo", `{FIELD}`, []field{
		{"parameters", "array", "names of query types, or [Parameters](#parameter); 1 to 50, required"},
		{"startDate, endDate", "date", "YYYY-MM-DD, both inclusive, at most 3660 days"},
		{"preset", "string", "in place of dates: `today`, `yesterday`, `last_7d`, `last_14d`, `last_30d`, `last_90d`, `last_180d`, `last_365d`, `this_week`, `last_week`, `this_month`, `last_month`, `last_6m`, `last_12m`, `this_year`, `last_year`, `all_time`"},
		{"timeZone", "string", "IANA name; also `timezone`. A zone in the address takes precedence"},
		{"limit", "number", "rows per parameter, 1 to 10000; default 100"},
		{"page", "number", "from 1; default 1"},
		{"filters", "array", "[Filters](#filter), with at most 50 conditions in all; all must match"},
		{"granularity", "string", "`daily` (default), `weekly`, `monthly`, or `hourly` for at most 30 days"},
		{"weekStart", "string", "`sunday` (default) or `monday`: the first day of weeks, also of `this_week` and `last_week`"},
		{"compare", "string", "`previous_period`, `previous_year` or `none`, which is the default"},
		{"groupBy", "string or array", "fields to group by, at most 50"},
		{"sortBy", "string", "a column of the answer"},
		{"sortOrder", "string", "`asc` or `desc`"},
		{"id", "string", "returned as `queryId`"},
	}},
	{"Parameter", "Fields that a parameter leaves out come from the query.", "POST /v1/query?website_id=web_demo", `{"parameters":[{FIELD}]}`, []field{
		{"name", "string", "a query type, required"},
		{"start_date, end_date", "date", "dates for this parameter alone"},
		{"preset, limit, page, filters, granularity, weekStart, compare, groupBy, sortBy, sortOrder", "", "as in a [Query](#query), for this parameter alone"},
		{"id", "string", "returned with the answer"},
	}},
	{"Filter", "`GET /v1/query/types` lists the fields of each type.", "POST /v1/query?website_id=web_demo", `{"filters":[{FIELD}]}`, []field{
		{"field", "string", "a field, or `property:KEY`; required without a group"},
		{"op", "string", "`eq`, `ne`, `contains`, `not_contains`, `starts_with`, `not_starts_with`, `ends_with`, `not_ends_with`, `matches`, `not_matches`, `in`, `not_in`; of properties also `gt`, `gte`, `lt`, `lte`, `exists`, `not_exists`; required without a group"},
		{"value", "string or array", "an array, of at most 500, for `in` and `not_in`; none for `exists` and `not_exists`"},
		{"and, or", "array", "a group in place of a condition: all, or any, of its [Filters](#filter) match; at most 5 levels"},
		{"not", "object", "a group of one [Filter](#filter) that does not match"},
		{"did", "object", "in place of a condition: what else the person of a row did. `{event, page, click, filters, in}`: exactly one of the first three, as a text or `{op, value}`; `in` is `session` (default) or `range`"},
	}},
	{"Token request", "Fields that the request leaves out stay as the key has them.", "POST /v1/tokens", `{FIELD}`, []field{
		{"ttl", "number or string", "1 to 86400 seconds, or a duration such as `15m`; default 3600"},
		{"scopes, types", "array", "scopes and query types"},
		{"resources", "array", "`{kind, id}`; kinds are `website`, `link` and `schedule`"},
		{"filters", "array", "mandatory [Filters](#filter) for every answer; a group has either fields of sessions or fields of rows"},
		{"subject", "string", "your customer's id, for the audit trail"},
	}},
	{"Definition", "", "POST /v1/websites/web_demo/definitions", `{FIELD}`, []field{
		{"kind", "string", "`goal`, `funnel` or `segment`"},
		{"name", "string", "up to 100 characters, unique among those of the kind"},
		{"body", "object", "of a goal: `event`, `page` or `click`, `filters`, `value`; of a funnel: `steps`, `window`, `within`; of a segment: `filters`. They mean the same as in a query, and cannot use other definitions"},
	}},
	{"Website", "The rules on origins and addresses apply to senders without a key. Answers also have `id` and `createdAt`.", "POST /v1/websites", `{FIELD}`, []field{
		{"domain", "string", "the host, such as `shop.example`; required. Its pages and those of its subdomains may send events"},
		{"name", "string", "up to 255 characters; empty: the domain"},
		{"isPublic", "boolean", "shown in lists; it grants no access"},
		{"allowedOrigins", "array", "further pages that may send events: a host, `*.host`, `*`, `null`, or the origin of an app such as `capacitor://localhost`. With a list, events without an origin are rejected"},
		{"allowedAddresses", "array", "the only addresses or networks that may send events; empty: all"},
		{"blockedAddresses", "array", "addresses or networks that may not send events"},
		{"keyedEvents", "boolean", "custom events need a key"},
		{"monthlyEvents", "number", "events that are accepted in a UTC month; 0: no limit"},
		{"paused", "boolean", "all events are rejected, with and without a key"},
		{"retentionDays", "number", "rows that are older are removed, and do not come back; 0 keeps all, otherwise at least 7"},
		{"keepTotals", "boolean", "the totals of removed days stay, for answers without filters"},
	}},
	{"Key", "A key never grants more than the key that creates or changes it.", "POST /v1/keys", `{FIELD}`, []field{
		{"name", "string", "up to 255 characters"},
		{"scopes", "array", "required; see [keys.md](keys.md)"},
		{"all", "boolean", "everything that the owner has now and later; required, unless there are `resources`"},
		{"resources", "array", "`{kind, id}`; kinds are `website`, `link` and `schedule`"},
		{"filters", "array", "mandatory [Filters](#filter) for every answer"},
		{"types", "array", "the query types that the key may use; `null`: all"},
		{"perMinute", "number", "requests per minute, in place of the default limits; `null`: the default limits"},
		{"expires", "string", "an instant such as `2027-01-31T00:00:00Z`; `null`: never"},
		{"disabled", "boolean", "a disabled key is refused until this is `false` again"},
	}},
	{"Flag", "Answers use the same names. [flags.md](flags.md) explains rules and buckets.", "POST /public/v1/flags", `{FIELD}`, []field{
		{"clientId, key, type, defaultValue", "", "required for a new flag; `type` is `boolean`, `rollout` or `multivariant`, `defaultValue` a boolean"},
		{"name, description, environment", "string", "up to 100, 500 and 64 characters"},
		{"status", "string", "`active` (default), `inactive` or `archived`"},
		{"payload", "object", "up to 32 KiB"},
		{"rolloutPercentage", "number", "0 to 100"},
		{"rolloutBy", "string", "`user` (default), `organization` or `team`"},
		{"rules, variants, schedule, dependencies, targetGroupIds", "array", "at most 100, 32, 50, 32 and 32"},
		{"hashVersion", "number", "`2` (default) or `1`"},
		{"persistAcrossAuth", "boolean", "default `false`"},
	}},
	{"Page event", "", "POST /ingest/?client_id=web_demo", `{"type":"track","name":"screen_view","path":"/",FIELD}`, append([]field{
		{"name", "string", "`screen_view` or `page_view`, `page_exit`, or a name of your own; required"},
		{"path", "string", "URL or path of the page; required"},
		{"title, referrer, language, timezone, screen_resolution, viewport_size", "string", ""},
		{"utm_source, utm_medium, utm_campaign, utm_term, utm_content, gclid", "string", "campaign; also read from the query of `path`"},
		{"load_time, dom_ready_time, ttfb", "number", "milliseconds, of a page view"},
		{"time_on_page, scroll_depth, interaction_count", "number", "seconds, percent and count, of a `page_exit`"},
		{"properties", "object", "up to 50 keys"},
	}, eventFields...)},
	{"Click", "", "POST /ingest/?client_id=web_demo", `{"type":"outgoing_link","href":"https://example.org/",FIELD}`, append([]field{{"href", "string", "required"}, {"text, path", "string", ""}, {"properties", "object", ""}}, eventFields...)},
	{"Custom event", "", "POST /ingest/track", `{"websiteId":"web_demo","name":"n",FIELD}`, append([]field{
		{"name", "string", "also `eventName`; required"},
		{"websiteId", "string", "the website, for a key with several and on `/track` without a key"},
		{"path, namespace, source", "string", ""}, {"properties", "object", "up to 50 keys"},
	}, eventFields...)},
	{"Error", "", "POST /ingest/errors?client_id=web_demo", `{"message":"m","path":"/",FIELD}`, append([]field{
		{"message, path", "string", "required"}, {"errorType, filename, stack", "string", ""}, {"lineno, colno", "number", ""},
	}, eventFields...)},
	{"Web vital", "", "POST /ingest/vitals?client_id=web_demo", `{"path":"/","metricName":"LCP","metricValue":1,FIELD}`, append([]field{
		{"path", "string", "required"}, {"metricName", "string", "`FCP`, `LCP`, `CLS`, `INP`, `TTFB` or `FPS`"},
		{"metricValue", "number", "milliseconds; CLS has no unit"},
	}, eventFields...)},
	{"Engagement", "The activity of one visitor on one page.", "POST /ingest/engagement?client_id=web_demo", `{"path":"/",FIELD}`, append([]field{
		{"path", "string", "required"}, {"timeOnPage, activeTime", "number", "seconds"}, {"maxScrollDepth", "number", "percent"},
		{"timeToFirstInteraction", "number", "milliseconds"}, {"pageIndex", "number", "pages before this one in the session"},
		{"scrollCount, clickCount, keyCount, interactionCount, copyCount, rageClickCount, deadClickCount, formFieldCount, formSubmitCount, errorCount", "number", ""},
		{"exitType", "string", "`navigation`, `spa`, `hidden` or `unload`"},
	}, eventFields...)},
	{"Profile", "", "POST /ingest/identify", `{"websiteId":"web_demo","profileId":"u",FIELD}`, []field{
		{"profileId", "string", "required"}, {"websiteId", "string", "as in a [Custom event](#custom-event)"},
		{"traits", "object", "texts up to 255 characters, numbers, booleans; `null` removes a trait"},
	}},
	{"Link visit", "", "POST /ingest/link-visits", `[{"linkId":"lnk_demo",FIELD}]`, []field{
		{"linkId", "string", "required"}, {"eventId, timestamp", "", "as in events"}, {"referrer, userAgent", "string", "of the visitor"},
		{"country, region, city", "string", "of the visitor; or `ip`, which is read and not stored"}, {"ip", "string", ""},
	}},
	{"Uptime check", "", "POST /ingest/uptime-checks", `[{"scheduleId":"mon_demo","status":1,"timestamp":1795284000000,FIELD}]`, []field{
		{"scheduleId, timestamp", "", "required"}, {"status", "number", "0 down, 1 up, 2 pending, 3 maintenance; required"},
		{"eventId, url, probeRegion, error", "string", ""}, {"httpCode, ttfbMs, totalMs", "number", "milliseconds"},
		{"sslValid", "boolean", ""}, {"sslExpiry", "time", ""},
	}},
}

// eventFields belong to every item of tracking that a visitor caused.
var eventFields = []field{
	{"eventId", "string", "a repeat with the same id is ignored"},
	{"timestamp", "number or string", "default: the time of arrival"},
	{"anonymousId, sessionId, profileId", "string", "ids of the browser, the session and the user"},
	{"anonymizeVisitorIds", "boolean", "`false` stores `anonymousId` without hashing; default `true`"},
}
