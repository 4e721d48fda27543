package compile

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/schema"
)

// ReachOf returns the days around a day that the rows of a sealed table are computed from.
func ReachOf(t *schema.DayTable) catalog.Reach {
	if t.OfSessions {
		return catalog.ReachOfSessions
	}
	return catalog.ReachOfEvents
}

// Differences returns the statement that counts, by day, missing and surplus rows of a table. Each computed row counts
// 1 and each sealed row -1, so that the sum of equal rows is 0.
func Differences(d *dialect.Dialect, website store.Subject, rng calendar.Interval, t *schema.DayTable) store.Statement {
	c := newDerivation(d, website, rng)
	derived := c.derived(t)
	derived.order = nil
	c.with("derived", c.build(derived))
	computed := selection{from: relation{"derived", "x"}}
	kept := selection{from: relation{t.Name, "t"}, where: c.readKept(expr.Ident(t.Day), rng)}
	differing := selection{from: relation{"compared", "u"}, group: len(derived.columns)}
	for _, col := range derived.columns {
		computed.columns = append(computed.columns, named{col.as, expr.Col("x", col.as)})
		kept.columns = append(kept.columns, named{col.as, catalog.Row(col.as)})
		differing.columns = append(differing.columns, named{col.as, expr.Col("u", col.as)})
	}
	computed.columns = append(computed.columns, named{"copies", expr.Int(1)})
	kept.columns = append(kept.columns, named{"copies", expr.Int(-1)})
	differing.columns = append(differing.columns, named{"copies", expr.Call(dialect.Sum, expr.Col("u", "copies"))})
	c.with("compared", unionAll(c.build(computed), c.build(kept)))
	c.with("differing", c.build(differing))
	copies := expr.Col("x", "copies")
	stmt := c.statement("verify "+t.Name, selection{
		from: relation{"differing", "x"}, group: 1,
		where: []expr.Expr{expr.Ne(copies, expr.Int(0))},
		order: []ordering{{e: expr.Out("day")}},
		columns: []named{
			{"day", expr.Call(dialect.FloorDiv, expr.Col("x", expr.Ident(t.Day)), expr.Int(calendar.Day))},
			{"missing", expr.Call(dialect.SumIf, copies, expr.Gt(copies, expr.Int(0)))},
			{"surplus", expr.Call(dialect.SumIf, expr.Sub(expr.Int(0), copies), expr.Lt(copies, expr.Int(0)))},
		},
	})
	stmt.Kinds = slices.Repeat([]dialect.Kind{dialect.Int}, 3)
	return stmt
}
