package query

import (
	"github.com/sightline-analytics/sightline/query/expr"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

func blockedTypes() []Type {
	return []Type{
		{Name: "blocked_traffic", Title: "Blocked traffic", Category: "Traffic", Visualization: "table", Tags: []string{"bots", "tracking"},
			Description: "What tracking turned away, by reason and name of the bot: no other type counts it",
			Subject:     store.KindWebsite, Source: "blocked", Shape: Breakdown, Dimensions: []string{"reason", "bot_name"},
			Columns: []string{"reason", "bot_name", "requests", "percentage", "last_seen"}, Order: []string{"-requests"}},
		{Name: "blocked_traffic_trends", Title: "Blocked traffic over time", Category: "Traffic", Visualization: "timeseries", Tags: []string{"bots", "tracking", "series"},
			Description: "What tracking turned away by day or hour; groupBy reason or bot_name tells them apart",
			Subject:     store.KindWebsite, Source: "blocked", Shape: Series, Columns: []string{"date", "requests"}, Order: []string{"date"}},
	}
}

func blockedMetrics() []metric {
	return []metric{
		{source: "blocked", column: countColumn("requests", "Requests", "Turned away: requests refused before their events are looked at, else single events"),
			expr: expr.Call(dialect.Sum, row("requests"))},
		{source: "blocked", column: instantColumn("last_seen", "Last seen", "To some seconds: requests are counted together"),
			expr: expr.Call(dialect.Max, row("time"))},
	}
}
