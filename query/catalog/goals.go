package catalog

import (
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// GoalColumns are the numbers of a goal that its conversions give, by the names that they have in the relation goals.
// The last three are null for a goal without a value.
var GoalColumns = struct{ Visitors, Conversions, Valued, Multiples, Rest expr.Ident }{
	"visitors", "conversions", "valued", "multiples", "rest",
}

// GoalAudience is the column of the relation goals with the number of all visitors that the visitors of a goal are
// compared with.
const GoalAudience = expr.Ident("audience")

// goalMetrics are columns of the relation goals, which has one row for each row of the answer.
func goalMetrics() []BoundMetric {
	only := func(name expr.Ident) expr.Expr { return expr.Call(dialect.Max, expr.Col("o", name)) }
	value := func(name, label, about string, of expr.Expr) BoundMetric {
		m := BoundMetric{source: "goals", Output: NumberOutput(name, label, "", about),
			Expr: sumOfParts(only(GoalColumns.Multiples), only(GoalColumns.Rest), of)}
		m.Decimals, m.Most = 4, MostSum
		return m
	}
	return []BoundMetric{
		{source: "goals", Output: countColumn("visitors", "Visitors", "Distinct visitors of the conversions"),
			Expr: only(GoalColumns.Visitors)},
		{source: "goals", Output: countColumn("conversions", "Conversions", "Events that the goal means"),
			Expr: only(GoalColumns.Conversions)},
		{source: "goals", Output: NumberOutput("conversion_rate", "Conversion", "%",
			"Share of all visitors with an event in the range that reached the goal"),
			Expr: percent(only(GoalColumns.Visitors), only(GoalAudience))},
		value("value", "Value", "Sum of the property that the goal names, over the conversions where it is a number; null without a name", expr.Int(tenThousandths)),
		value("avg_value", "Mean value", "Value per conversion that has one",
			expr.Mul(only(GoalColumns.Valued), expr.Int(tenThousandths))),
	}
}
