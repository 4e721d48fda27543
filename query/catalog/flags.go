package catalog

import (
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// Exposed holds for the events by which clients report the value of a flag for a user.
var Exposed = expr.And(expr.Or(OfKind(store.PageEvent), OfKind(store.Custom)),
	expr.Eq(Row("name"), expr.Lit("$flag_evaluated")))

// exposedFlag is the key of the flag that an event is an exposure to. Events without one are not exposures.
var exposedFlag = propertyText(expr.Lit("flag"))

// flagVariant is the key of the variant, or without one whether the flag was enabled.
var flagVariant = expr.Call(dialect.Coalesce,
	expr.Call(dialect.NullIf, propertyText(expr.Lit("variant")), expr.Lit("")), propertyText(expr.Lit("enabled")))

// propertyText is a property that is a text, true or false; ” for any other.
func propertyText(name expr.Expr) expr.Expr {
	return expr.Call(dialect.JSONText, Row("properties"), name)
}

func exposureMetrics() []BoundMetric {
	return []BoundMetric{
		{source: "exposures", Output: countColumn("visitors", "Visitors", "Distinct visitors who were shown it"),
			Expr: visitors},
		{source: "exposures", Output: countColumn("sessions", "Sessions", "Distinct session ids that were shown it"),
			Expr: sessionIDs},
		{source: "exposures", Output: countColumn("exposures", "Exposures", "Events $flag_evaluated"),
			Expr: expr.Call(dialect.Count)},
	}
}

// Outcomes of flags are custom events whose properties name the flag and a variant of it, and may
// have a status.
var (
	OutcomeFlag    = propertyText(expr.Lit("flag_key"))
	OutcomeVariant = propertyText(expr.Lit("variant"))
	OutcomeStatus  = propertyText(expr.Lit("status"))
)

// ChoosesOutcomes says whether a filter on f is about what people did, not about who was shown what.
func ChoosesOutcomes(f *Field) bool { return f.Name == "event_name" || f.Name == "namespace" }

// shownStatuses bounds the statuses of outcomes that a row shows.
const shownStatuses = 50

func outcomeMetrics() []BoundMetric {
	shown := func(name expr.Ident) expr.Expr { return expr.Col("o", name) }
	status := expr.Call(dialect.Concat, expr.Lit(`{"status":`), expr.Call(dialect.TextToJSON, shown("status")),
		expr.Lit(`,"visitors":`), expr.Call(dialect.IntToText, shown("visitors")), expr.Lit("}"))
	mostFirst := expr.List(expr.Sub(expr.Int(0), shown("visitors")), shown("status"))
	return []BoundMetric{
		{source: "outcomes", Output: countColumn("visitors", "Visitors",
			"Distinct visitors whose first exposure to the flag in the range was this variant"),
			Expr: expr.Call(dialect.CountDistinctHash, shown("visitor"))},
		{source: "outcomes", Output: countColumn("converted", "Converted",
			"Visitors of the variant with an outcome at or after that exposure"),
			Expr: expr.Call(dialect.CountDistinctHash, shown("converted"))},
		{source: "outcome_statuses",
			Output: textColumn("status_list", "Statuses", "Objects of status and visitors, joined by commas"),
			Expr:   expr.Call(dialect.StringAgg, status, mostFirst, expr.Int(shownStatuses))},
		{Output: NumberOutput("conversion_rate", "Conversion", "%", "Share of the visitors that converted"),
			Expr: percent(expr.Ref("converted"), expr.Ref("visitors"))},
		{Output: NumberOutput("conversion_low", "Conversion, low", "%",
			"Lower end of the 95 % interval of the conversion, after Wilson"),
			Expr: wilson(expr.Sub)},
		{Output: NumberOutput("conversion_high", "Conversion, high", "%",
			"Upper end of the 95 % interval of the conversion, after Wilson"),
			Expr: wilson(expr.Add)},
		{Output: Output{Name: "statuses", Label: "Statuses", Format: JSON,
			Description: "List of {status, visitors}: converted visitors by status of their outcomes, the 50 most frequent"},
			Expr: expr.Call(dialect.Concat, expr.Lit("["),
				expr.Call(dialect.Coalesce, expr.Ref("status_list"), expr.Lit("")), expr.Lit("]"))},
	}
}

// wilson is an end of the score interval of E. B. Wilson (1927) of k converted among n visitors,
// in percent:
//
//	100 · (2k + z² ± z·√(z² + 4k(n − k)/n)) / (2n + 2z²),  z = 1.96
//
// times 10 000 above and below, so that all but the root are whole numbers.
func wilson(end func(a, b expr.Expr) expr.Expr) expr.Expr {
	k, n := expr.Ref("converted"), expr.Ref("visitors")
	root := expr.Call(dialect.Sqrt, expr.Add(expr.Call(dialect.Ratio, expr.Int(38416), expr.Int(10_000)),
		expr.Call(dialect.Ratio, expr.Mul(expr.Int(4), expr.Mul(k, expr.Sub(n, k))), n)))
	centre := expr.Add(expr.Mul(expr.Int(20_000), k), expr.Int(38_416))
	return percent(end(centre, expr.Mul(expr.Int(19_600), root)),
		expr.Add(expr.Mul(expr.Int(20_000), n), expr.Int(76_832)))
}
