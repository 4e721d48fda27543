package builtin

import (
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/store"
)

func flagTypes() []catalog.Type {
	return []catalog.Type{
		{Name: "flag_exposures", Title: "Flag exposures", Category: "Feature Flags", Visualization: "table",
			AlsoCalled:  []string{"flags"},
			Tags:        []string{"flags", "experiments"},
			Description: "Visitors, sessions and exposures of each variant of a feature flag, from events $flag_evaluated",
			Subject:     store.KindWebsite, Source: "exposures", Shape: catalog.Breakdown,
			Dimensions: []string{"flag", "variant"},
			Columns:    []string{"flag", "variant", "visitors", "sessions", "exposures"},
			Order:      []string{"-visitors"}},
		{Name: "flag_outcomes", Title: "Flag outcomes", Category: "Feature Flags", Visualization: "table",
			AlsoCalled:  []string{"experiments"},
			Tags:        []string{"flags", "experiments"},
			Description: "Conversions after the exposure to a variant of a feature flag: outcome events of the flag, or events with the name in a filter",
			Subject:     store.KindWebsite, Source: "outcomes", Joins: []string{"outcome_statuses"},
			Shape: catalog.Breakdown, Dimensions: []string{"flag", "variant"},
			Columns: []string{"flag", "variant", "visitors", "converted", "conversion_rate", "conversion_low",
				"conversion_high", "statuses"},
			Order: []string{"-visitors"}},
	}
}
