package httpapi

import (
	"github.com/sightline-analytics/sightline/exporter"
	"github.com/sightline-analytics/sightline/internal/openapi"
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
		{Name: tagDefinitions, Description: "Goals, funnels, segments, annotations, notices and reports that are saved by name, and what they send"},
		{Name: tagWebsites, Description: "Websites and their rules"},
		{Name: tagKeys, Description: "API keys"},
		{Name: tagAudit, Description: "The uses of keys"},
		{Name: tagHealth, Description: "The state of the service, and this document"},
		{Name: tagFlags, Description: "Feature flags and their evaluation"},
		{Name: tagOFREP, Description: "Feature flags by the remote evaluation protocol of OpenFeature"},
	}
}

// allOnAPage says what is special about lists for queries.
const allOnAPage = "The records are in the order of their creation. `total` counts the records of all pages."

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

// severalParam is the parameter of queries that names several websites.
func severalParam() openapi.Param {
	return openapi.Query(websitesParam, openapi.Text("In place of the others: the ids of 1 to 100 websites, joined by commas, or `*` for every website that the key may read"))
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
	for _, name := range []string{"startDate", "endDate", "preset", "complete", "granularity", "weekStart", "compare"} {
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
		openapi.Query(profilesParam,
			openapi.OneOf(
				"For `ndjson` with all tables of a website: also export the names of its profiles; default `false`",
				"true", "false")),
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
