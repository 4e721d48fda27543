package query

import (
	"github.com/sightline-analytics/sightline/query/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

func linkMetrics() []metric {
	// Distinct ids, since a visit that comes again after its id was forgotten is stored again.
	return []metric{{source: "visits", column: countColumn("clicks", "Clicks", "Visits of people"), expr: expr.Call(dialect.CountDistinct, row("event_id"))}}
}
