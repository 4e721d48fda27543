package builtin

import (
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/store"
)

// journeyTypes are about what people do after each other.
func journeyTypes() []catalog.Type {
	return []catalog.Type{
		{Name: "retention", Title: "Retention", Category: "Behavior", Visualization: "table",
			AlsoCalled:  []string{"cohorts", "returning"},
			Tags:        []string{"visitors", "retention"},
			Description: "How many visitors of each day, week (the default) or month return later, from their first start event; needs visitor ids that last, from profileId",
			Subject:     store.KindWebsite, Source: "cohorts", Shape: catalog.Series, Dimensions: []string{"period"},
			Columns: []string{"date", "period", "cohort_size", "visitors", "percentage"}, ShareOf: "cohort_size",
			Order: []string{"date", "period"}, MayHave: []string{"start", "return", "rolling"}, TellsIdentity: true},
		{Name: "paths", Title: "Paths", Category: "Behavior", Visualization: "table",
			AlsoCalled:  []string{"flow", "journeys", "navigation", "userflow"},
			Tags:        []string{"pages", "sessions", "paths"},
			Description: "Steps from page to page within sessions; an empty path is the entry or the exit",
			Subject:     store.KindWebsite, Source: "transitions", Shape: catalog.Breakdown,
			Dimensions: []string{"from_path", "to_path"},
			Columns:    []string{"from_path", "to_path", "transitions", "sessions", "visitors", "percentage"},
			ShareIn:    "from_path",
			Order:      []string{"-transitions"}, MayHave: []string{"from", "to"}},
	}
}
