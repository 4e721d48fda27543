package catalog

import (
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

func blockedMetrics() []BoundMetric {
	return []BoundMetric{
		{source: "blocked", Output: countColumn("requests", "Requests",
			"Requests that were refused before their events were read, and single events that were ignored or refused"),
			Expr: expr.Call(dialect.Sum, Row("requests"))},
		{source: "blocked", Output: instantColumn("last_seen", "Last seen",
			"To some seconds: requests are counted together"),
			Expr: expr.Call(dialect.Max, Row("time"))},
	}
}
