package httpapi

import (
	"github.com/sightline-analytics/sightline/internal/openapi"
	"github.com/sightline-analytics/sightline/store"
)

const tagDefinitions = "Definitions"

// describeDefinitions returns the rows of the document for saved goals, funnels and segments.
func (d *describer) describeDefinitions() map[string]described {
	site := openapi.Path("website_id", openapi.Text("The website"))
	kind := openapi.OneOf("", store.GoalDefinition, store.FunnelDefinition, store.SegmentDefinition)
	one := openapi.Of[definitionRecord](d.reflect)
	*d.reflect.Components["Definition"].Properties.Slot("kind") = kind
	return map[string]described{
		"GET " + definitionsPath: {Operation: openapi.Operation{ID: "listDefinitions", Tag: tagDefinitions, NotModified: true, Params: []openapi.Param{site},
			About:  "Every key that can read the website can list and use them.",
			Answer: openapi.Object("", openapi.Member("success", openapi.Truth("")), openapi.Member("definitions", openapi.List("", one, 0, 0))).Needs("success", "definitions")}},
		"POST " + definitionsPath: {Operation: openapi.Operation{ID: "saveDefinition", Tag: tagDefinitions, Params: []openapi.Param{site},
			About: "A definition of the same kind and name is replaced. A website may have 200 definitions.",
			Body: openapi.Object("", openapi.Member("kind", kind), openapi.Member("name", openapi.Text("")),
				openapi.Member("body", openapi.Map("A goal without its name, `{steps, window, within}` of a funnel, or `{filters}` of a segment", &openapi.Schema{}))).Needs("kind", "name", "body"),
			Answer: openapi.Object("", openapi.Member("success", openapi.Truth("")), openapi.Member("definition", one)).Needs("success", "definition")}},
		"DELETE " + definitionsPath: {Operation: openapi.Operation{ID: "removeDefinition", Tag: tagDefinitions,
			Params: []openapi.Param{site, openapi.Query("kind", kind).Must(), openapi.Query("name", openapi.Text("")).Must()}, Answer: done()},
			errors: []code{codeNotFound}},
	}
}
