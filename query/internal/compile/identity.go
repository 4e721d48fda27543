package compile

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// DailyIDs returns the statement that says how many of the pageviews and custom events in the range of p, as the caller
// may see them, have visitor ids that change each day, and how many there are: one row with two columns. It leaves out
// the filters of the caller.
func DailyIDs(p *plan.Plan, d *dialect.Dialect) store.Statement {
	seen := *p
	seen.Filters = nil
	c := newCompiler(&seen, d, days.Sealed{}, p.Counted())
	views := expr.Or(catalog.OfKind(store.Pageview),
		expr.And(expr.Or(catalog.OfKind(store.PageEvent), catalog.OfKind(store.Custom)), expr.Not(catalog.Hidden)))
	of := &part{tb: catalog.EventList, q: selection{from: relation{"events", "t"},
		columns: []named{{"daily", expr.Call(dialect.CountIf, catalog.HasDailyID)}, {"seen", expr.Call(dialect.Count)}},
		where:   slices.Concat(c.read(c.rng), []expr.Expr{views}, c.conditions(catalog.EventList))}}
	c.sessionsFor([]*part{of})
	statement := c.statement("daily ids", of.q)
	statement.Kinds = []dialect.Kind{dialect.Int, dialect.Int}
	return statement
}
