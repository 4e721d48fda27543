package builtin

import (
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/store"
)

func blockedTypes() []catalog.Type {
	return []catalog.Type{
		{Name: "blocked_traffic", Title: "Blocked traffic", Category: "Traffic", Visualization: "table",
			AlsoCalled:  []string{"bots"},
			Tags:        []string{"bots", "tracking"},
			Description: "Ignored and refused requests to tracking, by reason and name of the bot; no other type counts them",
			Subject:     store.KindWebsite, Source: "blocked", Shape: catalog.Breakdown,
			Dimensions: []string{"reason", "bot_name"},
			Columns:    []string{"reason", "bot_name", "requests", "percentage", "last_seen"},
			Order:      []string{"-requests"}},
		{Name: "blocked_traffic_trends", Title: "Blocked traffic over time", Category: "Traffic",
			Visualization: "timeseries", Tags: []string{"bots", "tracking", "series"},
			Description: "Ignored and refused requests to tracking by day or hour; group by reason or bot_name to separate them",
			Subject:     store.KindWebsite, Source: "blocked", Shape: catalog.Series,
			Columns: []string{"date", "requests"}, Order: []string{"date"}},
	}
}
