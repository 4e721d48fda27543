package catalog

import (
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// The columns of an answer that says which values made a metric change.
const (
	ChangedDimension = "dimension"
	ChangedValue     = "value"
	CurrentColumn    = "current"
	PreviousColumn   = "previous"
	differenceColumn = "difference"
	expectedColumn   = "expected"
	weightColumn     = "weight"
)

// changeMetrics are the columns of the table changes. No statement reads it: package finish makes its rows of the
// answers to other plans.
func changeMetrics() []BoundMetric {
	of := func(c Output) BoundMetric {
		return BoundMetric{source: "changes", Output: c, Expr: expr.Call(dialect.Max, expr.Col("o", expr.Ident(c.Name)))}
	}
	dimension := func(name expr.Ident, label, about string) BoundMetric {
		return BoundMetric{Output: textColumn(string(name), label, about), Expr: expr.Ref(name)}
	}
	difference := Output{Name: differenceColumn, Label: "Difference", Format: Integer,
		Description: "Current minus previous"}
	return []BoundMetric{
		dimension(ChangedDimension, "Dimension", "Field whose value the row is about"),
		dimension(ChangedValue, "Value", "Value of the dimension, as groupBy shows it"),
		of(countColumn(CurrentColumn, "Current", "The metric with this value in the range")),
		of(countColumn(PreviousColumn, "Previous", "The same in the period that the range is compared with")),
		of(difference),
		of(NumberOutput(expectedColumn, "Expected", "",
			"What current would be if the share of the value had not changed; null if the metric was 0")),
		of(NumberOutput(weightColumn, "Weight", "",
			"How surely the share of the value changed, with the sign of the change: the signed root of the G statistic")),
	}
}

// Explains reports whether answers of ty say which values made a metric change.
func (ty *BoundType) Explains() bool { return ty.Table != nil && ty.Table.Rows == ChangeRows }

// ChangeOutputs are the columns of the totals of an answer that explains a change.
func ChangeOutputs() []Output {
	return []Output{
		{Name: CurrentColumn, Format: Integer, Zero: true}, {Name: PreviousColumn, Format: Integer, Zero: true},
		{Name: differenceColumn, Format: Integer, Zero: true}, NumberOutput("change", "Change", "%", ""),
	}
}

// Goals returns the type with a row for each goal of a parameter; nil if r has none.
func (r *Registry) Goals() *BoundType {
	for _, ty := range r.types {
		if ty.Shape == Breakdown && ty.Table.Rows == GoalRows {
			return ty
		}
	}
	return nil
}
