package catalog

import (
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// FunnelColumns are the columns of the relation funnel, which has one row for each row of the answer: the place and the
// name of a step, how many persons reached it, the step before it and the first step, and the median of their times in
// thousandths of milliseconds. The first step stands for the step before itself.
var FunnelColumns = struct{ Step, Name, Reached, Before, Entered, Median expr.Ident }{"step", "name", "reached",
	"before", "entered", "median"}

func funnelMetrics() []BoundMetric {
	only := func(name expr.Ident) expr.Expr { return expr.Call(dialect.MaxNotNull, expr.Col("o", name)) }
	reached, before, entered := only(FunnelColumns.Reached), only(FunnelColumns.Before), only(FunnelColumns.Entered)
	median := expr.Call(dialect.Max, expr.Col("o", FunnelColumns.Median))
	return []BoundMetric{
		{Output: Output{Name: "step", Label: "Step", Format: Integer, Description: "Place of the step, from 1"},
			Expr: expr.Ref("step")},
		{source: "funnel", Output: textColumn("name", "Name", "Name of the step, or what it matches"),
			Expr: expr.Call(dialect.AnyValue, expr.Col("o", FunnelColumns.Name))},
		{source: "funnel", Output: countColumn("visitors", "Visitors",
			"Distinct visitors who reached the step; within sessions the column is called sessions"), Expr: reached},
		{source: "funnel", Output: countColumn("entered", "Entered",
			"Distinct visitors, or sessions, who reached the first step"), Expr: entered},
		{source: "funnel", Output: NumberOutput("conversion_rate", "Conversion", "%",
			"Share of the first step that reached this one"), Expr: percent(reached, entered)},
		{source: "funnel", Output: NumberOutput("step_rate", "Step conversion", "%",
			"Share of the step before that reached this one; 100 for the first"),
			Expr: IfElse(expr.Eq(only(FunnelColumns.Step), expr.Int(1)),
				expr.Call(dialect.Ratio, expr.Int(100), expr.Int(1)), percent(reached, before))},
		{source: "funnel", Output: countColumn("dropoff", "Drop-off",
			"Visitors or sessions that reached the step before and not this one"), Expr: expr.Sub(before, reached)},
		{source: "funnel", Output: NumberOutput("median_seconds", "Time", "s",
			"Median of the shortest times from the first step to this one"),
			Expr: expr.Call(dialect.Ratio, median, expr.Int(1_000_000))},
	}
}
