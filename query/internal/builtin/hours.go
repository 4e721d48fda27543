package builtin

import (
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/store"
)

func hourTypes() []catalog.Type {
	return []catalog.Type{
		{Name: "hours", Title: "Hours of the week", Category: "Analytics", Visualization: "table",
			Tags:        []string{"overview", "time"},
			AlsoCalled:  []string{"heatmap", "weekdays"},
			Description: "Pageviews and visitors by local day of the week and hour: 168 rows",
			Subject:     store.KindWebsite, Source: "pageviews", Shape: catalog.Breakdown,
			Dimensions: []string{"weekday", "hour_of_day"}, ZeroFill: true, Limit: 7 * 24,
			Columns: []string{"weekday", "hour_of_day", "pageviews", "visitors"},
			Order:   []string{"weekday", "hour_of_day"}},
	}
}
