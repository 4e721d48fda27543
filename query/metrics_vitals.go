package query

import (
	"github.com/sightline-analytics/sightline/query/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

func vitalMetrics() []metric {
	terms := []metric{
		{source: "vitals", column: countColumn("samples", "Samples", "Measured values"), expr: expr.Call(dialect.Count)},
		{source: "vitals", column: countColumn("visitors", "Visitors", "Distinct visitors measured"), expr: visitors},
		{source: "vitals", column: precise(numberColumn("avg_value", "Mean", "ms", "Mean; CLS has no unit")), expr: averageIn(unit, row("value"))},
	}
	for _, p := range percentiles {
		terms = append(terms, metric{source: "vitals", column: precise(numberColumn(p.name, p.name, "ms", "Percentile; CLS has no unit")),
			expr: quantileIn(unit, row("value"), p.permille)})
	}
	for _, v := range []struct{ name, label, metric string }{
		{"p75_lcp", "LCP", "LCP"}, {"p75_fcp", "FCP", "FCP"}, {"p75_inp", "INP", "INP"}, {"p75_ttfb", "TTFB", "TTFB"},
	} {
		terms = append(terms, metric{source: "vitals", column: numberColumn(v.name, v.label, "ms", "75th percentile"), expr: vital(v.metric, expr.Int(1))})
	}
	cls := numberColumn("p75_cls", "CLS", "", "75th percentile")
	cls.Decimals = 4
	return append(terms, metric{source: "vitals", column: cls, expr: vital("CLS", expr.Int(10_000))})
}

// vital is the 75th percentile of one metric.
func vital(metric string, unit expr.Expr) expr.Expr {
	return quantileIn(unit, when(expr.Eq(row("metric_name"), expr.Arg(dialect.Text, metric)), row("value")), 750)
}

// percentiles by name, in thousandths.
var percentiles = []struct {
	name     string
	permille int64
}{{"p50", 500}, {"p75", 750}, {"p90", 900}, {"p95", 950}, {"p99", 990}}

// precise gives CLS, the one vital that is not in milliseconds, the decimals it needs.
func precise(c column) column {
	c.Decimals, c.PreciseFor = 4, "CLS"
	return c
}

// unit is what a stored value of the row's metric is divided by to be shown.
var unit = expr.Call(dialect.Max, ifElse(expr.Eq(row("metric_name"), expr.Lit("CLS")), expr.Int(10_000), expr.Int(1)))

func spanMetrics() []metric {
	sum := func(name, label string, of expr.Ident) metric {
		return metric{source: "spans", column: countColumn(name, label, ""), expr: expr.Call(dialect.Sum, row(of))}
	}
	return []metric{
		{source: "spans", column: countColumn("sessions", "Sessions", "Distinct session ids"), expr: sessionIDs},
		{source: "spans", column: countColumn("visitors", "Visitors", "Distinct visitors"), expr: visitors},
		sum("rage_clicks", "Rage clicks", "rage_clicks"),
		sum("dead_clicks", "Dead clicks", "dead_clicks"),
		sum("errors", "Errors", "errors"),
	}
}
