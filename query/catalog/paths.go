package catalog

import (
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// The columns by which the parts from and to of a parameter choose rows.
const (
	FromColumn = "from_path"
	ToColumn   = "to_path"
)

// transitionMetrics count steps between pages. Visitors and sessions are numbers in the rows o.
func transitionMetrics() []BoundMetric {
	of := func(c Output, e expr.Expr) BoundMetric { return BoundMetric{source: "transitions", Output: c, Expr: e} }
	distinct := func(name expr.Ident) expr.Expr { return expr.Call(dialect.CountDistinctHash, expr.Col("o", name)) }
	return []BoundMetric{
		of(countColumn("transitions", "Steps", "Times that people went from the one page to the other"),
			expr.Call(dialect.Count)),
		of(countColumn("sessions", "Sessions", "Sessions with such a step"), distinct("session")),
		of(countColumn("visitors", "Visitors", "Distinct visitors with such a step"), distinct("visitor")),
	}
}
