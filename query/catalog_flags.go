package query

import (
	"github.com/sightline-analytics/sightline/query/expr"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

func flagTypes() []Type {
	return []Type{
		{Name: "flag_exposures", Title: "Flag exposures", Category: "Feature Flags", Visualization: "table", Tags: []string{"flags", "experiments"},
			Description: "Who was shown what by a feature flag, as events $flag_evaluated tell",
			Subject:     store.KindWebsite, Source: "exposures", Shape: Breakdown, Dimensions: []string{"flag", "variant"}, SkipEmpty: "flag",
			Columns: []string{"flag", "variant", "visitors", "sessions", "exposures"},
			Order:   []string{"-visitors"}},
	}
}

// exposed are the events by which clients tell what a flag was for somebody.
var exposed = expr.And(expr.Or(ofKind(store.PageEvent), ofKind(store.Custom)), expr.Eq(row("name"), expr.Lit("$flag_evaluated")))

// flagVariant is the key of the variant, or without one whether the flag was enabled.
var flagVariant = expr.Call(dialect.Coalesce,
	expr.Call(dialect.NullIf, propertyText(expr.Lit("variant")), expr.Lit("")), propertyText(expr.Lit("enabled")))

// propertyText is a property that is a text, true or false; ” for any other.
func propertyText(name expr.Expr) expr.Expr {
	return expr.Call(dialect.JSONText, row("properties"), name)
}

func exposureMetrics() []metric {
	return []metric{
		{source: "exposures", column: countColumn("visitors", "Visitors", "Distinct visitors who were shown it"), expr: visitors},
		{source: "exposures", column: countColumn("sessions", "Sessions", "Distinct session ids that were shown it"), expr: sessionIDs},
		{source: "exposures", column: countColumn("exposures", "Exposures", "Events $flag_evaluated"), expr: expr.Call(dialect.Count)},
	}
}
