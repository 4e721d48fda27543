package httpapi

import (
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/internal/openapi"
	"github.com/sightline-analytics/sightline/query"
	requests "github.com/sightline-analytics/sightline/query/ask"
)

// A vocabulary describes what an engine can be asked, as components of the document.
type vocabulary struct {
	types    []query.Info
	datasets []query.DatasetInfo
	schemas  map[string]*openapi.Schema
	filters  map[string]string // the names of the schemas of filters, by their fields and operators
}

// describeQueries returns the schemas of queries and of their answers: for each query type its parameter, its rows and
// its result.
func describeQueries(types []query.Info, datasets []query.DatasetInfo) map[string]*openapi.Schema {
	v := &vocabulary{types: types, datasets: datasets, schemas: optionComponents(), filters: map[string]string{}}
	v.filterParts()
	var parameters, results []*openapi.Schema
	names := make([]string, len(types))
	for i := range types {
		info := &types[i]
		names[i] = info.Name
		base := componentName(info.Name)
		v.schemas[base+"Parameter"] = v.parameter(info)
		v.schemas[base+"Row"] = row(info)
		v.schemas[base+"Result"] = result(info.Name, openapi.Ref(base+"Row"))
		parameters = append(parameters, openapi.Ref(base+"Parameter"))
		results = append(results, openapi.Ref(base+"Result"))
	}
	sets := make([]string, len(datasets))
	for i := range datasets {
		d := &datasets[i]
		sets[i] = d.Name
		base := "Chosen" + componentName(d.Name)
		v.schemas[base+"Parameter"] = v.choice(d)
		v.schemas[base+"Row"] = chosenRow(d)
		v.schemas[base+"Result"] = result(d.Name, openapi.Ref(base+"Row"))
		parameters = append(parameters, openapi.Ref(base+"Parameter"))
		results = append(results, openapi.Ref(base+"Result"))
	}
	v.schemas["QueryType"] = openapi.OneOf("The name of a query type", names...)
	v.schemas["Parameter"] = openapi.Any("A query type, or metrics of a dataset. Fields that a parameter leaves out come from the query.", parameters...)
	v.schemas["Result"] = openapi.Any("The answer to one parameter. If the parameter failed, success is false, and error and code say why.",
		append(results, openapi.Ref("FailedResult"))...)
	v.schemas["FailedResult"] = openapi.Object("A parameter that failed.",
		openapi.Member("parameter", openapi.Text("The name of the query type or dataset, as in the request")),
		openapi.Member("id", openapi.Text("")),
		openapi.Member("success", &openapi.Schema{Const: false}),
		openapi.Member("data", openapi.List("Empty", &openapi.Schema{}, 0, 0)),
		openapi.Member("error", openapi.Text("What is wrong, for people")),
		openapi.Member("code", openapi.Ref("ParameterCode")),
		openapi.Member("meta", openapi.Ref("ResultMeta")),
	).Needs("parameter", "success", "data", "error", "code")
	v.schemas["Query"] = v.query()
	v.schemas["MandatoryFilter"] = filterSchema("MandatoryFilter",
		slices.DeleteFunc(v.allFilters(), func(name string) bool { return name == websiteField }), true)
	v.definitions()
	return v.schemas
}

// componentName returns the name of a query type in the names of components: summary_metrics becomes SummaryMetrics. A
// component's name has letters, digits and _, - and dots only.
func componentName(name string) string {
	var b strings.Builder
	for part := range strings.FieldsFuncSeq(name,
		func(r rune) bool { return r == '_' || r == '-' || r == ' ' || r == '.' }) {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

// column returns the schema of the cells of a column.
func column(f query.OutputField) *openapi.Schema {
	about := f.Label
	if f.Description != "" {
		about += ": " + strings.TrimSuffix(f.Description, ".")
	}
	if f.Unit != "" {
		about += " (" + f.Unit + ")"
	}
	s := map[query.Format]*openapi.Schema{
		query.String:   openapi.Text(about),
		query.Date:     openapi.Text(about),
		query.Integer:  {Type: openapi.Types{"integer"}, Description: about},
		query.Number:   openapi.Decimal(about),
		query.Boolean:  openapi.Truth(about),
		query.DateTime: openapi.Moment(about),
		query.JSON:     {Description: about},
	}[f.Type]
	if f.Nullable {
		return s.OrNull()
	}
	return s
}

// The field that has the website of rows, and the column of its name.
const (
	websiteField = "website"
	websiteName  = "website_name"
)

// row returns the schema of the rows of a query type. Fields of groupBy come before its columns.
func row(info *query.Info) *openapi.Schema {
	s := openapi.Object(info.Title + ". " + strings.TrimSuffix(info.Description, ".") + ".")
	for _, f := range info.Output {
		s.Properties = append(s.Properties, openapi.Member(f.Name, column(f)))
		s.Required = append(s.Required, f.Name)
	}
	for _, name := range info.Groupable {
		if s.Properties.Named(name) == nil {
			s.Properties = append(s.Properties, openapi.Member(name, openapi.Text("With groupBy")))
		}
		if name == websiteField {
			s.Properties = append(s.Properties, openapi.Member(websiteName, openapi.Text("With groupBy `website`")))
		}
	}
	for _, f := range info.Several {
		s.Properties = append(s.Properties, openapi.Member(f.Name, openapi.Text("With `"+websitesParam+"`")))
	}
	if groupsProperties(info) {
		s.Patterned = map[string]*openapi.Schema{propertyPattern: openapi.Text("With groupBy")}
	}
	return s
}

func groupsProperties(info *query.Info) bool {
	return len(info.PropertyOperators) > 0 && len(info.Groupable) > 0
}

const propertyPattern = "^property:."

// chosenRow returns the schema of rows whose metrics and dimensions the parameter chose.
func chosenRow(d *query.DatasetInfo) *openapi.Schema {
	s := openapi.Object("The dimensions and then the metrics that the parameter chose: " + strings.ToLower(d.Title) +
		".")
	for _, f := range slices.Concat(d.Dimensions, d.Metrics) {
		if s.Properties.Named(f.Name) == nil {
			s.Properties = append(s.Properties, openapi.Member(f.Name, column(f)))
		}
		if f.Name == websiteField {
			s.Properties = append(s.Properties,
				openapi.Member(websiteName, openapi.Text("With the dimension `website`")))
		}
	}
	s.Patterned = map[string]*openapi.Schema{}
	if d.Properties {
		s.Patterned[propertyPattern] = openapi.Text("A property")
	}
	s.Patterned["^[A-Za-z0-9_]{1,64}$"] = openapi.Ref(openapi.NumberTextOrNull).
		About("A metric under a name of the parameter's choice")
	return s
}

// result returns the schema of the answer to one parameter.
func result(name string, row *openapi.Schema) *openapi.Schema {
	beside := openapi.Object("")
	beside.Additional = &openapi.Schema{Type: openapi.Types{"number", "null"}}
	totals := openapi.Object("The metrics over all rows, with totals")
	totals.Additional = openapi.Ref(openapi.ScalarOrNull)
	return openapi.Object("The answer to a parameter.",
		openapi.Member("parameter", &openapi.Schema{Type: openapi.Types{"string"}, Const: name}),
		openapi.Member("id", openapi.Text("The id of the parameter")),
		openapi.Member("success", &openapi.Schema{Type: openapi.Types{"boolean"}, Const: true}),
		openapi.Member("data", openapi.List("", row, 0, 0)),
		openapi.Member("previous",
			openapi.List("With compare: for each row the row of the other period, or null", row.OrNull(), 0, 0)),
		openapi.Member("changes",
			openapi.List("With compare: for each row the changes of its metrics in percent, or null", beside.OrNull(),
				0, 0)),
		openapi.Member("totals", totals),
		openapi.Member("meta", openapi.Ref("ResultMeta")),
	).Needs("parameter", "success", "data", "meta")
}

// sharedOptions are the options whose schemas are components, by the names of these.
var sharedOptions = map[string]string{"preset": "Preset", "granularity": "Granularity", "weekStart": "WeekStart",
	"compare": "Compare"}

// options returns the options that all query types have. Their filters have the schema filter.
func options(filter *openapi.Schema) (all []openapi.Property) {
	for _, option := range requests.OptionSchemas() {
		switch component := sharedOptions[option.Name]; {
		case component != "":
			option.Schema = openapi.Ref(component)
		case option.Name == "filters":
			option.Schema = openapi.List("All must match; at most 50 conditions in all", filter, 0, maxFilters)
		case option.Schema == nil:
			continue
		}
		all = append(all, option)
	}
	return all
}

// optionComponents returns the schemas of sharedOptions.
func optionComponents() map[string]*openapi.Schema {
	found := map[string]*openapi.Schema{}
	for _, option := range requests.OptionSchemas() {
		if component := sharedOptions[option.Name]; component != "" {
			found[component] = option.Schema
		}
	}
	return found
}

// maxFilters is the maximum number of filters in a list.
const maxFilters = 50

// allFilters returns the fields that filters of some query type may name.
func (v *vocabulary) allFilters() (fields []string) {
	for i := range v.types {
		for _, name := range v.types[i].Filters {
			if !slices.Contains(fields, name) {
				fields = append(fields, name)
			}
		}
	}
	return fields
}

// query returns the schema of a query.
func (v *vocabulary) query() *openapi.Schema {
	s := openapi.Object("Dates or a preset are required, unless each parameter has its own range. If a query has both, the preset takes precedence; `meta` has the dates that were used.",
		openapi.Member("parameters",
			openapi.List("Names of query types, or parameters",
				openapi.Any("", openapi.Ref("QueryType"), openapi.Ref("Parameter")), 1, 50)),
		openapi.Member("startDate", requests.BoundSchema("The first day, at most 3660 days before the last, or "+
			"a time to the minute such as `2026-11-29T08:30` or `2026-11-29T08:30+01:00`")),
		openapi.Member("endDate", requests.BoundSchema("The last day, inclusive, or a time, exclusive")),
		openapi.Member("timeZone",
			openapi.Text("IANA name; also `timezone`. A zone in the address takes precedence. Default `UTC`")),
	)
	s.Properties = append(s.Properties, options(openapi.Ref(v.filterOf(v.allFilters(), true)))...)
	groups := openapi.Any("Fields to group by", openapi.Text(""), openapi.List("", openapi.Text(""), 0, 50))
	s.Properties = append(s.Properties,
		openapi.Member("groupBy", groups),
		openapi.Member("sortBy", openapi.Text(aboutSortBy)),
		openapi.Member("id", openapi.Text("Returned as `queryId`")),
	)
	return s.Needs("parameters")
}

// parameter returns the schema of a parameter with this query type.
func (v *vocabulary) parameter(info *query.Info) *openapi.Schema {
	s := openapi.Object(info.Title + ". Needs `" + string(info.Subject) + "_id` in the address.")
	s.Properties = append(s.Properties,
		openapi.Member("name", &openapi.Schema{Type: openapi.Types{"string"}, Const: info.Name,
			Description: "The query type"}))
	s.Properties = append(s.Properties, v.ofParameter(v.filterOf(info.Filters, len(info.PropertyOperators) > 0))...)
	if len(info.Groupable) > 0 {
		s.Properties = append(s.Properties, openapi.Member("groupBy", groupBy(info)))
	}
	if len(info.Sortable) > 0 {
		s.Properties = append(s.Properties, openapi.Member("sortBy", sortBy(info)))
	}
	parts := v.parts()
	for _, name := range slices.Concat(info.Needs, info.MayHave) {
		s.Properties = append(s.Properties, openapi.Member(name, parts[name]))
	}
	var saved openapi.Property
	switch {
	case slices.Contains(info.Needs, "goals"):
		saved = openapi.Member("saved",
			openapi.Any("Goals that are saved for the website, beside or in place of `goals`: `true` for all, or their names",
				&openapi.Schema{Type: openapi.Types{"boolean"}, Const: true}, definitionName(""),
				openapi.List("", definitionName(""), 1, 20)))
	case slices.Contains(info.Needs, "steps"):
		saved = openapi.Member("saved",
			definitionName("The name of a funnel that is saved for the website, in place of `steps`"))
	default:
		return s.Needs(append([]string{"name"}, info.Needs...)...)
	}
	bySaved := *s
	bySaved.Properties = append(slices.DeleteFunc(slices.Clone(s.Properties),
		func(p openapi.Property) bool { return p.Name == "steps" }), saved)
	return openapi.Any(s.Description, s.Needs(append([]string{"name"}, info.Needs...)...),
		bySaved.Needs("name", "saved"))
}

// ofParameter returns the fields that every parameter may have.
func (v *vocabulary) ofParameter(filter string) []openapi.Property {
	return append([]openapi.Property{
		openapi.Member("id", openapi.Text("Returned with the answer")),
		openapi.Member("start_date", requests.BoundSchema("The first day or a time, for this parameter alone")),
		openapi.Member("end_date", requests.BoundSchema("The last day or a time, for this parameter alone")),
	}, options(openapi.Ref(filter))...)
}

const aboutSortBy = "A column of the answer; with `compare`, `difference` for the rows of both periods"

// sortBy returns the schema of what rows of a type may be sorted by.
func sortBy(info *query.Info) *openapi.Schema {
	if info.Difference == "" {
		return openapi.OneOf("A column", info.Sortable...)
	}
	return openapi.OneOf("A column; with `compare`, `difference` for the rows of both periods, by how much more `"+
		info.Difference+"` is", append(slices.Clone(info.Sortable), query.DifferenceOrder)...)
}

func groupBy(info *query.Info) *openapi.Schema {
	field := openapi.OneOf("", info.Groupable...)
	if groupsProperties(info) {
		field = openapi.Any("", field, &openapi.Schema{Type: openapi.Types{"string"}, Pattern: propertyPattern})
	}
	return openapi.List("Fields to group by", field, 0, 50)
}

// choice returns the schema of a parameter that chooses metrics of a dataset.
func (v *vocabulary) choice(d *query.DatasetInfo) *openapi.Schema {
	s := openapi.Object("Metrics and dimensions of your choice: " + strings.ToLower(d.Title) + ". Needs `" +
		string(d.Subject) + "_id` in the address.")
	metric := openapi.OneOf("", columnNames(d.Metrics)...)
	if len(d.PropertyMetrics) > 0 {
		metric = openapi.Any("", metric, openapi.Object("Computed from a property",
			openapi.Member("metric", openapi.OneOf("", d.PropertyMetrics...)),
			openapi.Member("property", keyText("The key of the property")),
			openapi.Member("as", &openapi.Schema{Type: openapi.Types{"string"}, Pattern: "^[A-Za-z0-9_]{1,64}$",
				Description: "The name of the column"}),
		).Needs("metric", "property"))
	}
	dimension := openapi.OneOf("", columnNames(d.Dimensions)...)
	if d.Properties {
		dimension = openapi.Any("", dimension, &openapi.Schema{Type: openapi.Types{"string"}, Pattern: propertyPattern})
	}
	s.Properties = append(s.Properties,
		openapi.Member("dataset",
			&openapi.Schema{Type: openapi.Types{"string"}, Const: d.Name,
				Description: "Where the metrics come from, in place of a query type"}),
		openapi.Member("metrics", openapi.List("Metrics of the dataset, or computed from a property", metric, 1, 10)),
		openapi.Member("dimensions", openapi.List("Fields to group by", dimension, 0, 4)),
	)
	s.Properties = append(s.Properties, v.ofParameter(v.filterOf(d.Filters, d.Properties))...)
	s.Properties = append(s.Properties, openapi.Member("sortBy", openapi.Text(aboutSortBy)))
	return s.Needs("dataset", "metrics")
}

func columnNames(all []query.OutputField) (names []string) {
	for _, f := range all {
		names = append(names, f.Name)
	}
	return names
}
