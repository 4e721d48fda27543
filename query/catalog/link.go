package catalog

import (
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

func linkMetrics() []BoundMetric {
	// Distinct ids, since a visit that comes again after its id was forgotten is stored again.
	return []BoundMetric{{source: "visits", Output: countColumn("clicks", "Clicks", "Visits of people"),
		Expr: expr.Call(dialect.CountDistinct, Row("event_id"))}}
}
