package builtin

import (
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/store"
)

func funnelTypes() []catalog.Type {
	return []catalog.Type{
		{Name: "funnel", Title: "Funnel", Category: "Behavior", Visualization: "bar",
			AlsoCalled:  []string{"dropoff", "funnels", "steps"},
			Tags:        []string{"behavior", "conversion"},
			Description: "How many visitors or sessions do the steps of the parameter one after the other, and how long they take",
			Subject:     store.KindWebsite, Source: "funnel", Shape: catalog.Breakdown, Dimensions: []string{"step"},
			LedBy: "entered",
			Needs: []string{"steps"}, MayHave: []string{"window", "within", "order", "exclude"},
			Columns: []string{"step", "name", "visitors", "conversion_rate", "step_rate", "dropoff", "median_seconds"}},
	}
}
