package catalog

import (
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

func vitalMetrics() []BoundMetric {
	metrics := []BoundMetric{
		{source: "vitals", Output: countColumn("samples", "Samples", "Measured values"),
			Expr: expr.Call(dialect.Count)},
		{source: "vitals", Output: countColumn("visitors", "Visitors", "Distinct visitors measured"), Expr: visitors},
		{source: "vitals", Output: precise(NumberOutput("avg_value", "Mean", "ms", "Mean; CLS has no unit")),
			Expr: averageIn(unit, Row("value"))},
	}
	for _, p := range percentiles {
		metrics = append(metrics,
			BoundMetric{source: "vitals",
				Output: precise(NumberOutput(p.name, p.name, "ms", "Percentile; CLS has no unit")),
				Expr:   quantileIn(unit, Row("value"), p.permille)})
	}
	for _, v := range []struct{ name, label, metric string }{
		{"p75_lcp", "LCP", "LCP"}, {"p75_fcp", "FCP", "FCP"}, {"p75_inp", "INP", "INP"}, {"p75_ttfb", "TTFB", "TTFB"},
	} {
		metrics = append(metrics,
			BoundMetric{source: "vitals", Output: NumberOutput(v.name, v.label, "ms", "75th percentile"),
				Expr: vital(v.metric, expr.Int(1))})
	}
	cls := NumberOutput("p75_cls", "CLS", "", "75th percentile")
	cls.Decimals = 4
	return append(metrics, BoundMetric{source: "vitals", Output: cls, Expr: vital("CLS", expr.Int(10_000))})
}

// vital is the 75th percentile of one metric.
func vital(metric string, unit expr.Expr) expr.Expr {
	return quantileIn(unit, When(expr.Eq(Row("metric_name"), expr.Arg(dialect.Text, metric)), Row("value")), 750)
}

// percentiles by name, in thousandths.
var percentiles = []struct {
	name     string
	permille int64
}{{"p50", 500}, {"p75", 750}, {"p90", 900}, {"p95", 950}, {"p99", 990}}

// precise gives CLS, the one vital that is not in milliseconds, the decimals it needs.
func precise(c Output) Output {
	c.Decimals, c.PreciseFor = 4, "CLS"
	return c
}

// unit is the number that divides a stored value of the metric of the row before it is shown.
var unit = expr.Call(dialect.Max, IfElse(expr.Eq(Row("metric_name"), expr.Lit("CLS")), expr.Int(10_000), expr.Int(1)))

func spanMetrics() []BoundMetric {
	sum := func(name, label, about string, of expr.Ident) BoundMetric {
		return BoundMetric{source: "spans", Output: countColumn(name, label, about),
			Expr: expr.Call(dialect.Sum, Row(of))}
	}
	return []BoundMetric{
		{source: "spans", Output: countColumn("sessions", "Sessions", "Distinct session ids"), Expr: sessionIDs},
		{source: "spans", Output: countColumn("visitors", "Visitors", "Distinct visitors"), Expr: visitors},
		sum("rage_clicks", "Rage clicks", "Fast clicks on the same spot", "rage_clicks"),
		sum("dead_clicks", "Dead clicks", "Clicks that changed nothing", "dead_clicks"),
		sum("errors", "Errors", "Errors while the page was open", "errors"),
	}
}
