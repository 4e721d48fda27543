package httpapi

import (
	"slices"

	"github.com/sightline-analytics/sightline/internal/listing"
	"github.com/sightline-analytics/sightline/internal/openapi"
	"github.com/sightline-analytics/sightline/query/saved"
	"github.com/sightline-analytics/sightline/store"
)

const tagDefinitions = "Definitions"

// describeDefinitions returns the rows of the document for saved goals, funnels, segments and annotations.
func (d *describer) describeDefinitions() map[string]described {
	site := openapi.Path("website_id", openapi.Text("The website"))
	one := openapi.Of[definitionRecord](d.reflect)
	notes := openapi.List("What can match nothing in the definition", openapi.Text(""), 1, 0)
	d.reflect.Components["Definition"] = ofKinds("What is saved for a website by a name.",
		d.reflect.Components["Definition"])
	return map[string]described{
		"GET " + definitionsPath: {Operation: openapi.Operation{ID: "listDefinitions", Tag: tagDefinitions,
			NotModified: true, Params: append([]openapi.Param{site}, pageParams(listing.MaxLimit)...),
			About: "Every key that can read the website can list and use them. Annotations are only shown: queries do not use them.",
			Answer: openapi.Object("", openapi.Member("success", openapi.Truth("")),
				openapi.Member("definitions", openapi.List("", one, 0, 0)),
				openapi.Member("next", nextPage())).Needs("success", "definitions", "next")}},
		"POST " + definitionsPath: {Operation: openapi.Operation{ID: "saveDefinition", Tag: tagDefinitions,
			Params: []openapi.Param{site},
			About:  "A definition of the same kind and name is replaced. A website may have 200 goals, funnels and segments, and 500 annotations, of at most 64 KiB each and 4 MiB together.",
			Body:   openapi.Ref("NewDefinition"),
			Answer: openapi.Object("", openapi.Member("success", openapi.Truth("")), openapi.Member("definition", one),
				openapi.Member("meta", openapi.Object("Only if there are notes",
					openapi.Member("notes", notes)))).Needs("success", "definition")}, errors: []code{codeConflict}},
		"DELETE " + definitionsPath: {Operation: openapi.Operation{ID: "removeDefinition", Tag: tagDefinitions,
			Params: []openapi.Param{site, openapi.Query("kind", openapi.OneOf("", store.DefinitionKinds()...)).Must(),
				openapi.Query("name", definitionName("")).Must()}, Answer: done()},
			errors: []code{codeNotFound}},
	}
}

// definitionBodies are the components with the bodies of definitions, by their kinds.
func definitionBodies() map[store.DefinitionKind]string {
	return map[store.DefinitionKind]string{
		store.GoalDefinition: "GoalBody", store.FunnelDefinition: "FunnelBody", store.SegmentDefinition: "SegmentBody",
		store.AnnotationDefinition: "AnnotationBody",
	}
}

// ofKinds returns the schema of definitions in the form of s: for each kind a copy of s with its body.
func ofKinds(about string, s *openapi.Schema) *openapi.Schema {
	var all []*openapi.Schema
	for _, kind := range store.DefinitionKinds() {
		one := *s
		one.Properties = slices.Clone(s.Properties)
		*one.Properties.Slot("kind") = &openapi.Schema{Type: openapi.Types{"string"}, Const: kind}
		*one.Properties.Slot("name") = definitionName("Unique among the definitions of a kind of the website")
		*one.Properties.Slot("body") = openapi.Ref(definitionBodies()[kind]).About(map[store.DefinitionKind]string{
			store.GoalDefinition:       "Of a goal: `event`, `page` or `click`, and `filters` and `value`",
			store.FunnelDefinition:     "Of a funnel: `steps`, and `window` and `within`",
			store.SegmentDefinition:    "Of a segment: `filters`",
			store.AnnotationDefinition: "Of an annotation: `at` and `text`",
		}[kind])
		all = append(all, &one)
	}
	return openapi.Any(about, all...)
}

// definitionName returns the schema of the name of a saved definition.
func definitionName(about string) *openapi.Schema {
	return &openapi.Schema{Type: openapi.Types{"string"}, MinLength: 1, MaxLength: saved.MaxName, Description: about}
}

// definitions adds the schemas of definitions to save, and of their bodies.
func (v *vocabulary) definitions() {
	v.schemas["NewDefinition"] = ofKinds("What to save for a website by a name.",
		openapi.Object("", openapi.Member("kind", nil), openapi.Member("name", nil),
			openapi.Member("body", nil)).Needs("kind", "name", "body"))
	const alone = " It uses no other definition."
	parts, of := v.parts(), definitionBodies()
	v.schemas[of[store.GoalDefinition]] = openapi.Any("A goal without its name."+alone, actions(goalValue())...)
	funnel := openapi.Object("A funnel." + alone)
	for _, name := range []string{"steps", "window", "within"} {
		funnel.Properties = append(funnel.Properties, openapi.Member(name, parts[name]))
	}
	v.schemas[of[store.FunnelDefinition]] = funnel.Needs("steps")
	for _, d := range v.datasets {
		if d.Name == "pageviews" { // a segment can filter the rows of this dataset
			v.schemas["SegmentFilter"] = filterSchema("SegmentFilter", d.Filters, d.Properties)
		}
	}
	v.schemas[of[store.SegmentDefinition]] = openapi.Object("A segment."+alone,
		openapi.Member("filters",
			openapi.List("All must match; at most 50 conditions in all", openapi.Ref("SegmentFilter"), 0,
				maxFilters))).Needs("filters")
	v.schemas[of[store.AnnotationDefinition]] = openapi.Object("An annotation: what happened when.",
		openapi.Member("at", openapi.Any("A day in the time zone of the reader, or an instant; from 1970 to 2100",
			openapi.Day(""), openapi.Moment(""))),
		openapi.Member("text", &openapi.Schema{Type: openapi.Types{"string"}, MinLength: 1, MaxLength: saved.MaxText,
			Description: "Plain text. Several annotations may have the same one"})).Needs("at", "text")
}
