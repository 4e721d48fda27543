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
		{Name: "why", Title: "Why", Category: "Analytics", Visualization: "table",
			Tags:        []string{"overview", "comparison"},
			AlsoCalled:  []string{"explain", "reasons", "causes", "movers"},
			Description: "Which values of dimensions made a metric change between two periods, the surest first",
			Subject:     store.KindWebsite, Source: "changes", Shape: catalog.Breakdown,
			Dimensions: []string{catalog.ChangedDimension, catalog.ChangedValue}, Limit: 20,
			Columns: []string{"dimension", "value", "current", "previous", "difference", "expected", "weight"},
			Order:   []string{"-weight"},
			Needs:   []string{"metric"}, MayHave: []string{"by", "minWeight", "perDimension"}},
	}
}
