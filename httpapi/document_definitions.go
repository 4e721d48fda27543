package httpapi

import (
	"slices"

	"github.com/sightline-analytics/sightline/internal/notice"
	"github.com/sightline-analytics/sightline/internal/openapi"
	"github.com/sightline-analytics/sightline/internal/saved"
	"github.com/sightline-analytics/sightline/store"
)

const tagDefinitions = "Definitions"

// describeDefinitions sets the schemas of definitions that do not follow from the declarations of their structs.
func (d *describer) describeDefinitions() {
	openapi.Of[definitionRecord](d.reflect)
	d.reflect.Components["Definition"] = ofKinds("What is saved for a website by a name.",
		d.reflect.Components["Definition"])
}

// definitionBodies are the components with the bodies of definitions, by their kinds.
func definitionBodies() map[store.DefinitionKind]string {
	return map[store.DefinitionKind]string{
		store.GoalDefinition: "GoalBody", store.FunnelDefinition: "FunnelBody", store.SegmentDefinition: "SegmentBody",
		store.AnnotationDefinition: "AnnotationBody", store.NoticeDefinition: "NoticeBody",
		store.ReportDefinition: "ReportBody",
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
			store.NoticeDefinition:     "Of a notice: what, when and where, see docs/notices.md",
			store.ReportDefinition:     "Of a report: `to`, and `parameters`, `every`, `zone` and `hour`",
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
	for _, name := range []string{"steps", "window", "within", "order", "exclude"} {
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
	v.schemas[of[store.NoticeDefinition]] = notice.Schema()
	v.schemas[of[store.ReportDefinition]] = notice.ReportSchema()
	v.schemas[of[store.AnnotationDefinition]] = openapi.Object("An annotation: what happened when.",
		openapi.Member("at", openapi.Any("A day in the time zone of the reader, or an instant; from 1970 to 2100",
			openapi.Day(""), openapi.Moment(""))),
		openapi.Member("text", &openapi.Schema{Type: openapi.Types{"string"}, MinLength: 1, MaxLength: saved.MaxText,
			Description: "Plain text. Several annotations may have the same one"})).Needs("at", "text")
}
