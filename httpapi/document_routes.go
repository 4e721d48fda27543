package httpapi

import (
	"maps"

	"github.com/sightline-analytics/sightline/exporter"
	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/internal/listing"
	"github.com/sightline-analytics/sightline/internal/openapi"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// A described route is what the document says of a route beside its row in the table of routes.
type described struct {
	openapi.Operation        // without Summary and Security, which follow from the route
	errors            []code // beside those that follow from the access and the body of the route
}

// The groups of operations.
const (
	tagQueries = "Queries"
	tagExports = "Exports"
	tagTokens  = "Panel tokens"
	tagHealth  = "Health"
	tagFlags   = "Feature flags"
	tagOFREP   = "OpenFeature"
)

func tags() []openapi.Tag {
	return []openapi.Tag{
		{Name: tagQueries, Description: "Questions about websites, links and monitors"},
		{Name: tagExports, Description: "Raw rows"},
		{Name: tagTokens, Description: "Short-lived credentials for browsers"},
		{Name: tagDefinitions, Description: "Goals, funnels, segments and annotations that are saved by name"},
		{Name: tagWebsites, Description: "Websites and their rules"},
		{Name: tagKeys, Description: "API keys"},
		{Name: tagAudit, Description: "The uses of keys"},
		{Name: tagHealth, Description: "The state of the service, and this document"},
		{Name: tagFlags, Description: "Feature flags and their evaluation"},
		{Name: tagOFREP, Description: "Feature flags by the remote evaluation protocol of OpenFeature"},
	}
}

// allOnAPage says what is special about lists for queries.
const allOnAPage = "The records are in the order of their creation. `total` counts those of all pages."

// describe returns the row of the document for each route, by its method and path. A new route needs a row here and one
// in routes.
func (d *describer) describe() map[string]described {
	all := map[string]described{
		"POST /v1/query": {Operation: openapi.Operation{ID: "runQuery", Tag: tagQueries,
			Params: append(subjectParams(), bomQuery()),
			About:  "A batch answers with one entry per query. If a parameter fails, its entry of `data` has `success: false`, `error` and `code`, and the others still answer.",
			Body: openapi.Any("", openapi.Ref("Query"),
				openapi.List("", openapi.Ref("Query"), 1, query.DefaultBatch)),
			Answer: openapi.Any("", openapi.Ref("QueryAnswer"), openapi.Ref("BatchAnswer")), Forms: rowForms()},
			errors: []code{codeNoSubject, codeNotAcceptable}},
		"GET /v1/query": {Operation: openapi.Operation{ID: "getQuery", Tag: tagQueries,
			Params: append(append(subjectParams(), d.queryParams()...), bomQuery()), NotModified: true,
			About: "The fields of a query are parameters of the address: `parameters` and `groupBy` as names joined by commas, `filters` as JSON.", Answer: openapi.Ref("QueryAnswer"), Forms: rowForms()},
			errors: []code{codeNoSubject, codeNotAcceptable}},
		"POST /v1/query/compile": {Operation: openapi.Operation{ID: "explainQuery", Tag: tagQueries,
			Params: subjectParams(),
			About:  "The query is not run. The answer has the SQL of each parameter, and the `source` that would answer now: `remembered`, `merged` or `statement`, in this order. `why` says why the source before it would not answer.",
			Body: openapi.Any("", openapi.Ref("Query"),
				openapi.List("", openapi.Ref("Query"), 1, query.DefaultBatch)),
			Answer: openapi.Any("", openapi.Of[explainedBody](d.reflect), openapi.Ref("BatchExplanation"))},
			errors: []code{codeNoSubject}},
		"GET /v1/query/types": {Operation: openapi.Operation{ID: "listQueryTypes", Tag: tagQueries, NotModified: true,
			Answer: openapi.Of[typesBody](d.reflect),
			Params: []openapi.Param{openapi.Query("include_meta",
				openapi.Truth("Also return descriptions, columns and hints for charts; default `false`"))}}},
		"GET /v1/query/websites": {Operation: openapi.Operation{ID: "listWebsites", Tag: tagQueries, NotModified: true,
			Answer: openapi.Of[websitesBody](d.reflect), About: allOnAPage,
			Params: pagesOf(listing.MaxLimit, listing.MaxLimit)}},
		"GET /v1/query/links": {Operation: openapi.Operation{ID: "listLinks", Tag: tagQueries, NotModified: true,
			Answer: openapi.Of[linksBody](d.reflect), About: allOnAPage,
			Params: pagesOf(listing.MaxLimit, listing.MaxLimit)}},
		"GET /v1/query/monitors": {Operation: openapi.Operation{ID: "listMonitors", Tag: tagQueries, NotModified: true,
			Answer: openapi.Of[monitorsBody](d.reflect), About: allOnAPage,
			Params: pagesOf(listing.MaxLimit, listing.MaxLimit)}},
		"GET /v1/websites/{website_id}/analytics": {Operation: openapi.Operation{ID: "getOverview", Tag: tagQueries,
			NotModified: true, Answer: openapi.Of[overviewBody](d.reflect),
			About: "Totals, a series, and the first ten pages, sources, countries and devices.",
			Params: append([]openapi.Param{openapi.Path("website_id", openapi.Text("The website"))},
				d.overviewParams()...)}},
		"GET /v1/export": {Operation: openapi.Operation{ID: "exportRows", Tag: tagExports,
			Params: append(subjectParams()[:3], d.exportParams()...),
			About:  "The answer is sent in pieces, so its length is not known before. If it cannot be sent to its end, the connection breaks. The last line of NDJSON says that the export is complete.",
			Forms:  d.exportForms()}, errors: []code{codeNoSubject}},
		"DELETE /v1/visitors/{id}": {Operation: openapi.Operation{ID: "eraseVisitor", Tag: tagExports,
			Answer: openapi.Of[erasedBody](d.reflect),
			About: "Removes the rows of the visitor from every table, and its profile. All answers are without it from then on. " +
				"`removed` counts rows by table, and profiles. `linked` has the ids of the other kind in the removed rows, at most 100: erase them too if they are the same person. " +
				"`notice` says what could not be looked for: hashes of ids of visitors on earlier days. An id without rows is not an error.",
			Params: []openapi.Param{openapi.Path("id", openapi.Text("The id of the visitor or the profile")),
				openapi.Query("website_id", openapi.Text("The website")).Must(),
				openapi.Query("kind",
					openapi.OneOf("The kind of id in the path: `visitor` (default), an id as the browser has it or as exports show it; or `profile`, a `profileId`", "visitor", "profile"))}}},
		"POST /v1/tokens": {Operation: openapi.Operation{ID: "createToken", Tag: tagTokens,
			Body: openapi.Ref("TokenRequest"), Answer: openapi.Of[tokenBody](d.reflect)}},
		"GET /v1/openapi.json": {Operation: openapi.Operation{ID: "getDocument", Tag: tagHealth, NotModified: true,
			Params: []openapi.Param{openapi.Query("form",
				openapi.OneOf("`plain` has no alternatives of several schemas, for generators of clients that cannot choose among them", "plain"))},
			Answer: openapi.Map("An OpenAPI document", &openapi.Schema{})}},
		"GET /health": {Operation: openapi.Operation{ID: "getHealth", Tag: tagHealth, Answer: d.report(),
			Further: map[int]string{503: "Unhealthy"},
			About:   "The status is 503 if a part is not available. `clickhouse` stands for the store of events, also for DuckDB. If further parts are not available, `checks` names them, such as `{\"flags\": false}`."}},
		"GET /health/live": {Operation: openapi.Operation{ID: "getLiveness", Tag: tagHealth, Answer: done()}},

		"GET /public/v1/flags/definitions": {Operation: openapi.Operation{ID: "listFlags", Tag: tagFlags,
			NotModified: true, Answer: openapi.Of[definitionsBody](d.reflect),
			Params: []openapi.Param{clientParam(),
				openapi.Query("environment",
					openapi.Text("Only flags of this environment; default: flags without one"))}}},
		"POST /public/v1/flags": {Operation: openapi.Operation{ID: "createFlag", Tag: tagFlags,
			Body: openapi.Ref("NewFlag"), Answer: openapi.Of[flagBody](d.reflect),
			About: "Creating a flag with the key of a removed one restores it with its id and history."},
			errors: []code{codeConflict, codeFull}},
		"PATCH /public/v1/flags/{id}": {Operation: openapi.Operation{ID: "changeFlag", Tag: tagFlags,
			Params: []openapi.Param{flagID(), ifMatch()}, Body: openapi.Ref("FlagPatch"),
			Answer: openapi.Of[flagBody](d.reflect),
			About:  "Fields that the body leaves out do not change. With `If-Match` the change is made only at that revision."}, errors: []code{codeNotFound, codeConflict, codePrecondition, codeFull}},
		"DELETE /public/v1/flags/{id}": {Operation: openapi.Operation{ID: "removeFlag", Tag: tagFlags,
			Params: []openapi.Param{flagID(), ifMatch(), clientParam()}, Answer: done()},
			errors: []code{codeNotFound, codePrecondition, codeFull}},
		"GET /public/v1/flags/evaluate": {Operation: openapi.Operation{ID: "evaluateFlag", Tag: tagFlags,
			NotModified: true, Answer: openapi.Of[resultBody](d.reflect),
			Params: append([]openapi.Param{clientParam(), openapi.Query("key", openapi.Text("The flag")).Must()},
				contextParams()...)}},
		"GET /public/v1/flags/bulk": {Operation: openapi.Operation{ID: "evaluateFlags", Tag: tagFlags,
			NotModified: true, Answer: openapi.Of[resultsBody](d.reflect),
			About: "Without `keys` the answer has all flags of the client, if they have at most 1 MiB.",
			Params: append([]openapi.Param{clientParam(),
				openapi.Joined("keys", openapi.List("Keys of at most 100 flags, joined by commas", openapi.Text(""), 0,
					flags.MaxKeys))}, contextParams()...)}},
		"POST /public/v1/flags/bulk": {Operation: openapi.Operation{ID: "evaluateFlagsByBody", Tag: tagFlags,
			Params: []openapi.Param{openapi.Query("clientId", openapi.Text("The client, unless the body names it"))},
			Body:   openapi.Ref("FlagContext"), Answer: openapi.Of[resultsBody](d.reflect)}},
		"POST /ofrep/v1/evaluate/flags/{key}": {Operation: openapi.Operation{ID: "evaluateOFREP", Tag: tagOFREP,
			Body: openapi.Ref("OFREPRequest"), Answer: openapi.Of[ofrepResult](d.reflect),
			About:  "OFREP, the remote evaluation protocol of OpenFeature. The header `X-Client-Id` names the client; without it, the key does.",
			Params: append([]openapi.Param{openapi.Path("key", openapi.Text("The flag"))}, ofrepClient()...)},
			errors: []code{codeNotFound}},
		"POST /ofrep/v1/evaluate/flags": {Operation: openapi.Operation{ID: "evaluateAllOFREP", Tag: tagOFREP,
			NotModified: true, Body: openapi.Ref("OFREPRequest"), Params: ofrepClient(),
			About: "All flags of the client. A flag that reads a part of the context that is too large has an errorCode in place of a value.",
			Answer: openapi.Object("All flags of the client",
				openapi.Member("flags", openapi.List("", openapi.Of[ofrepResult](d.reflect), 0, 0))).Needs("flags")}},
		"GET /public/v1/flags/health": {Operation: openapi.Operation{ID: "getFlagsHealth", Tag: tagFlags,
			Answer: openapi.Object("", openapi.Member("success", openapi.Truth("")),
				openapi.Member("service", openapi.Text("")),
				openapi.Member("status", openapi.OneOf("", "ok", "stale"))).Needs("success", "service", "status")}},
	}
	maps.Copy(all, d.describeWebsites())
	maps.Copy(all, d.describeKeys())
	maps.Copy(all, d.describeDefinitions())
	return all
}

// done returns the schema of an answer that says nothing but success.
func done() *openapi.Schema {
	return openapi.Object("",
		openapi.Member("success", &openapi.Schema{Type: openapi.Types{"boolean"}, Const: true})).Needs("success")
}

// subjectParams are the parameters that name the subject of a query, and the time zone.
func subjectParams() (all []openapi.Param) {
	for _, s := range subjects {
		all = append(all, openapi.Query(s.param,
			openapi.Text("The id of the "+s.word+
				"; exactly one of `website_id`, `link_id` and `schedule_id` is required")))
	}
	return append(all, openapi.Query("timezone",
		openapi.Text("IANA name of the time zone of days, such as `Europe/Berlin`; default `UTC`")))
}

// queryParams are the fields of a query as parameters of an address.
func (d *describer) queryParams() (all []openapi.Param) {
	fields := d.queries["Query"].Properties
	for _, f := range fields {
		switch f.Name {
		case "parameters":
			all = append(all, openapi.Joined(f.Name,
				openapi.List("Names of query types, joined by commas", openapi.Ref("QueryType"), 1, 50)).Must())
		case "groupBy":
			all = append(all, openapi.Joined(f.Name,
				openapi.List("Fields to group by, joined by commas", openapi.Text(""), 0, 50)))
		case "filters":
			all = append(all, openapi.AsJSON(f.Name, f.Schema.Description, f.Schema.About("")))
		default:
			all = append(all, openapi.Query(f.Name, f.Schema))
		}
	}
	return all
}

// overviewParams are the parameters of an overview.
func (d *describer) overviewParams() (all []openapi.Param) {
	all = append(all, openapi.Query("timezone", openapi.Text("IANA name; default `UTC`")))
	for _, name := range []string{"startDate", "endDate", "preset", "granularity", "weekStart", "compare"} {
		p := openapi.Query(name, d.queries["Query"].Properties.Named(name))
		if name == "preset" {
			p.About = "In place of dates; default `last_30d`"
		}
		all = append(all, p)
	}
	filters := d.queries["Query"].Properties.Named("filters")
	return append(all, openapi.AsJSON("filters", filters.Description, filters.About("")))
}

// exportParams are the parameters of an export beside its subject.
func (d *describer) exportParams() []openapi.Param {
	var formats, tables []string
	for _, f := range d.formats {
		formats = append(formats, f.Name)
	}
	for _, kind := range []store.SubjectKind{store.KindWebsite, store.KindLink, store.KindSchedule} {
		tables = append(tables, exporter.Tables(kind)...)
	}
	return []openapi.Param{
		openapi.Query("format", openapi.OneOf("Default `ndjson`", formats...)),
		openapi.Query("table",
			openapi.OneOf("The only table to export: `events`, `errors`, `vitals`, `spans` or `blocked` of a website, `visits` of a link, `checks` of a monitor; required for formats with one table, such as `csv`, of a website", tables...)),
		openapi.Query("startDate", openapi.Day("The first day in UTC; default: all rows")),
		openapi.Query("endDate", openapi.Day("The last day in UTC, inclusive")),
		openapi.Query("after", openapi.Text("The cursor of a mark, to continue an interrupted export")),
		openapi.Query("escapeFormulas",
			openapi.OneOf("For `csv`: put an apostrophe before texts that spreadsheets would run as formulas; default `true`",
				"true", "false")),
		bomQuery(),
	}
}

func bomQuery() openapi.Param {
	return openapi.Query(bomParam,
		openapi.OneOf("For `csv`: `1` puts the byte order mark of UTF-8 first, for Excel; default `0`", "0", "1"))
}

func (d *describer) exportForms() map[string]*openapi.Schema {
	forms := map[string]*openapi.Schema{}
	for _, f := range d.formats {
		forms[f.Type] = openapi.Text("")
	}
	return forms
}

func clientParam() openapi.Param {
	return openapi.Query("clientId", openapi.Text("The client of the flags: a website or an organization")).Must()
}

func flagID() openapi.Param { return openapi.Path("id", openapi.Text("The id of the flag")) }

func ifMatch() openapi.Param {
	return openapi.Header("If-Match",
		openapi.Text("Revisions of the flag as entity tags, such as `\"3\"`; any revision by default"))
}

func contextParams() (all []openapi.Param) {
	for _, name := range contextFields {
		all = append(all, openapi.Query(name, openapi.Text(contextID().Description)))
	}
	return append(all, openapi.AsJSON("properties", flagProperties().Description, flagProperties().About("")))
}

func ofrepClient() []openapi.Param {
	return []openapi.Param{openapi.Query("clientId", openapi.Text("The client")),
		openapi.Header("X-Client-Id", openapi.Text("The client"))}
}
