package catalog

import (
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

func blockedTypes() []Type {
	return []Type{
		{Name: "blocked_traffic", Title: "Blocked traffic", Category: "Traffic", Visualization: "table", Tags: []string{"bots", "tracking"},
			Description: "Ignored and refused requests to tracking, by reason and name of the bot; no other type counts them",
			Subject:     store.KindWebsite, Source: "blocked", Shape: Breakdown, Dimensions: []string{"reason", "bot_name"},
			Columns: []string{"reason", "bot_name", "requests", "percentage", "last_seen"}, Order: []string{"-requests"}},
		{Name: "blocked_traffic_trends", Title: "Blocked traffic over time", Category: "Traffic", Visualization: "timeseries", Tags: []string{"bots", "tracking", "series"},
			Description: "Ignored and refused requests to tracking by day or hour; group by reason or bot_name to separate them",
			Subject:     store.KindWebsite, Source: "blocked", Shape: Series, Columns: []string{"date", "requests"}, Order: []string{"date"}},
	}
}

func blockedMetrics() []BoundMetric {
	return []BoundMetric{
		{source: "blocked", Output: countColumn("requests", "Requests", "Requests that were refused before their events were read, and single events that were ignored or refused"),
			Expr: expr.Call(dialect.Sum, Row("requests"))},
		{source: "blocked", Output: instantColumn("last_seen", "Last seen", "To some seconds: requests are counted together"),
			Expr: expr.Call(dialect.Max, Row("time"))},
	}
}
