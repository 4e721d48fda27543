package httpapi

import (
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/internal/openapi"
	"github.com/sightline-analytics/sightline/query"
)

// keyText returns the schema of the key of a property.
func keyText(about string) *openapi.Schema {
	return &openapi.Schema{Type: openapi.Types{"string"}, Description: about, MinLength: 1, MaxLength: 128}
}

// Operators by the values that they take.
var (
	oneValue = []query.Op{query.Eq, query.Ne, query.Contains, query.NotContains, query.StartsWith,
		query.NotStartsWith, query.EndsWith, query.NotEndsWith, query.Matches, query.NotMatches}
	manyValues = []query.Op{query.In, query.NotIn}
	decimals   = []query.Op{query.Gt, query.Gte, query.Lt, query.Lte}
	noValue    = []query.Op{query.Exists, query.NotExists}
)

// filterParts adds the schemas that all filters share.
func (v *vocabulary) filterParts() {
	v.schemas["FilterValue"] = openapi.Ref(openapi.Scalar).About("A value to compare with")
	v.schemas["TextTest"] = openapi.Any("A text, or an operator with its value",
		openapi.Text("The text is equal"),
		openapi.Object("", openapi.Member("op", openapi.OneOf("", oneValue...)),
			openapi.Member("value", openapi.Ref("FilterValue"))).Needs("op", "value"),
		openapi.Object("", openapi.Member("op", openapi.OneOf("", manyValues...)),
			openapi.Member("value", openapi.List("", openapi.Ref("FilterValue"), 1, 500))).Needs("op", "value"),
	)
	v.schemas["Action"] = openapi.Any("Which events are meant: exactly one of event, page and click, and filters on fields of rows", actions()...)
	v.schemas["Goal"] = openapi.Any("An action whose events and visitors are counted", actions(
		openapi.Member("name", openapi.Text("Different from the names of the other goals")),
		goalValue())...)
	for _, one := range v.schemas["Goal"].AnyOf {
		one.Required = append(one.Required, "name")
	}
	v.schemas["Step"] = openapi.Any("A step of a funnel",
		actions(openapi.Member("name", openapi.Text("By default what the step matches")))...)
	exclusion := actions(openapi.Member("after", openapi.Whole("The number of the step before the event, from 1", 1, 9)),
		openapi.Member("before", openapi.Whole("The number of the next step", 2, 10)))
	for _, one := range exclusion {
		one.Required = append(one.Required, "after", "before")
	}
	v.schemas["Exclusion"] = openapi.Any("An event that ends a chain between two neighbouring steps", exclusion...)
	v.schemas["Did"] = openapi.Any("What else the person of a row did",
		actions(openapi.Member("in",
			openapi.OneOf("Where the action is looked for; default `session`", "session", "range")))...)
}

// goalValue returns the member of a goal that names what is added up.
func goalValue() openapi.Property {
	return openapi.Member("value", keyText("The key of a property whose decimals are added up"))
}

// actions returns a schema for each way to name an action, with further members.
func actions(more ...openapi.Property) (all []*openapi.Schema) {
	for _, kind := range []string{"event", "page", "click"} {
		members := append([]openapi.Property{openapi.Member(kind, openapi.Ref("TextTest")),
			openapi.Member("filters", openapi.List("", openapi.Ref("ActionFilter"), 0, maxFilters))}, more...)
		all = append(all, openapi.Object("", members...).Needs(kind))
	}
	return all
}

// parts returns the schemas of the parts that some query types ask about.
func (v *vocabulary) parts() map[string]*openapi.Schema {
	v.filterOf(query.ActionFields(), true)
	return map[string]*openapi.Schema{
		"goals": openapi.List("Goals with different names", openapi.Ref("Goal"), 1, 20),
		"steps": openapi.List("The steps in their order", openapi.Ref("Step"), 2, 10),
		"window": {Type: openapi.Types{"string"}, Pattern: "^[1-9][0-9]{0,5}[mhd]$",
			Description: "The longest time from the first step to the last, such as `30m`, `12h` or `7d`; at most 90 days"},
		"within":  openapi.OneOf("Whether the events of a chain belong to one visitor or to one session; default `visitor`", "visitor", "session"),
		"order":   openapi.OneOf("Whether the steps may be done in any order; default: one after the other", "any"),
		"exclude": openapi.List("Events that end a chain between two neighbouring steps", openapi.Ref("Exclusion"), 0, 5),
		"rolling": openapi.Truth("Whether a return counts in every period up to its own; default `false`"),
		"start":   openapi.Ref("Action").About("What puts a visitor into a cohort; default: any pageview or custom event"),
		"return":  openapi.Ref("Action").About("What counts as a return; default: any pageview or custom event"),
		"metric":  changedMetric(),
		"by": openapi.List("The dimensions whose values may explain the change; the default depends on `metric`",
			v.changeDimension(), 1, query.MaxBy),
		"minWeight": {Type: openapi.Types{"number"}, Minimum: new(0),
			Description: "Rows whose `weight` is nearer to 0 are left out; default 2; 0 keeps all"},
		"perDimension": openapi.Whole("Rows of one dimension at most; default 5", 1, query.MaxPerDimension),
		"from":         openapi.Text("The path that transitions come from"),
		"to":           openapi.Text("The path that transitions go to"),
	}
}

// changeDimension returns the schema of a dimension whose values may explain a change.
func (v *vocabulary) changeDimension() *openapi.Schema {
	var names []string
	for i := range v.datasets {
		for _, f := range v.datasets[i].Dimensions {
			if v.datasets[i].Name == query.DefaultDataset && f.Name != "date" {
				names = append(names, f.Name)
			}
		}
	}
	return openapi.Any("", openapi.OneOf("", names...),
		&openapi.Schema{Type: openapi.Types{"string"}, Pattern: propertyPattern, Description: "For goals"})
}

// changedMetric returns the schema of the metric whose change is explained.
func changedMetric() *openapi.Schema {
	return &openapi.Schema{Description: "The count whose change is explained, or the visitors of a goal",
		AnyOf: []*openapi.Schema{openapi.OneOf("", query.ChangedMetrics()...),
			openapi.Object("", openapi.Member("goal",
				openapi.Any("A goal; its name has no effect", openapi.Ref("Action"), openapi.Ref("Goal")))).Needs("goal")}}
}

// filterOf returns the name of the schema of filters on these fields, with or without properties. Query types with the
// same fields share one, which is called like the first of them.
func (v *vocabulary) filterOf(fields []string, properties bool) string {
	key := strings.Join(fields, ",")
	if properties {
		key += ",property:"
	}
	if name, ok := v.filters[key]; ok {
		return name
	}
	name := "Filter" // of whole queries
	if slices.Equal(fields, query.ActionFields()) {
		name = "ActionFilter"
	} else if i := slices.IndexFunc(v.types, func(info query.Info) bool {
		return slices.Equal(info.Filters, fields) && (len(info.PropertyOperators) > 0) == properties
	}); i >= 0 {
		name = componentName(v.types[i].Name) + "Filter"
	} else if i := slices.IndexFunc(v.datasets,
		func(d query.DatasetInfo) bool {
			return slices.Equal(d.Filters, fields) &&
				d.Properties == properties
		}); i >= 0 {
		name = "Chosen" + componentName(v.datasets[i].Name) + "Filter"
	}
	v.filters[key] = name
	s := filterSchema(name, fields, properties)
	s.AnyOf = append(s.AnyOf,
		openapi.Object("", openapi.Member("segment",
			definitionName("The name of filters that are saved for the website"))).Needs("segment"))
	v.schemas[name] = s
	return name
}

// filterSchema returns the schema called name of filters on these fields. They name no segments.
func filterSchema(name string, fields []string, properties bool) *openapi.Schema {
	condition := func(field *openapi.Schema, ops []query.Op, value *openapi.Schema) *openapi.Schema {
		s := openapi.Object("", openapi.Member("field", field), openapi.Member("op", openapi.OneOf("", ops...)))
		if value == nil {
			return s.Needs("field", "op")
		}
		s.Properties = append(s.Properties, openapi.Member("value", value))
		return s.Needs("field", "op", "value")
	}
	one, many := openapi.Ref("FilterValue"),
		openapi.List("A list for `in` and `not_in`", openapi.Ref("FilterValue"), 1, 500)
	known := openapi.OneOf("A field of rows", fields...)
	all := []*openapi.Schema{condition(known, oneValue, one), condition(known, manyValues, many)}
	if properties {
		property := &openapi.Schema{Type: openapi.Types{"string"}, Pattern: propertyPattern, MaxLength: 137,
			Description: "A property of rows, as `property:KEY`"}
		all = append(all, condition(property, slices.Concat(oneValue, decimals), one),
			condition(property, manyValues, many), condition(property, noValue, nil))
	}
	group := func(about string) *openapi.Schema { return openapi.List(about, openapi.Ref(name), 1, maxFilters) }
	all = append(all,
		openapi.Object("", openapi.Member("and", group("All of them match"))).Needs("and"),
		openapi.Object("", openapi.Member("or", group("At least one of them matches"))).Needs("or"),
		openapi.Object("", openapi.Member("not", openapi.Ref(name).About("It does not match"))).Needs("not"))
	if slices.Contains(fields, "utm_source") { // rows belong to visitors
		all = append(all, openapi.Object("", openapi.Member("did", openapi.Ref("Did"))).Needs("did"))
	}
	return openapi.Any("A condition on rows, or a group of conditions with at most 5 levels", all...)
}
