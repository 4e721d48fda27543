package catalog

import (
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

func checkMetrics() []BoundMetric {
	up := expr.Eq(Row("status"), expr.Int(int64(store.Up)))
	judged := expr.Le(Row("status"), expr.Int(int64(store.Up)))
	total, ttfb := When(up, Row("total")), When(up, Row("ttfb"))
	// ArgMaxList leaves out rows without a value, such as checks that do not report the certificate. Values that the
	// other checks do not report become a number first.
	says := expr.Or(expr.IsNotNull(Row("ssl_expiry")), expr.IsNotNull(Row("ssl_valid")))
	last := func(name expr.Ident) expr.Expr {
		return expr.Call(dialect.NullIf, Latest(When(says, expr.Call(dialect.Coalesce, Row(name), expr.Int(-1)))),
			expr.Int(-1))
	}
	metrics := []BoundMetric{
		{source: "checks", Output: NumberOutput("uptime_percentage", "Uptime", "%",
			"Checks that are up, of those up or down"),
			Expr: percent(expr.Call(dialect.CountIf, up), expr.Call(dialect.CountIf, judged))},
		{source: "checks", Output: countColumn("total_checks", "Checks", "Checks that are up or down"),
			Expr: expr.Call(dialect.CountIf, judged)},
		{source: "checks", Output: countColumn("successful_checks", "Successful checks", "Checks that are up"),
			Expr: expr.Call(dialect.CountIf, up)},
		{source: "checks", Output: NumberOutput("avg_response_time", "Mean response time", "ms",
			"Of checks that are up"), Expr: average(total)},
		{source: "checks", Output: NumberOutput("min_response_time", "Least response time", "ms",
			"Of checks that are up"), Expr: expr.Call(dialect.Ratio, expr.Call(dialect.Min, total), expr.Int(1))},
		{source: "checks", Output: NumberOutput("max_response_time", "Greatest response time", "ms",
			"Of checks that are up"), Expr: expr.Call(dialect.Ratio, expr.Call(dialect.Max, total), expr.Int(1))},
		{source: "checks", Output: NumberOutput("avg_ttfb", "Mean time to first byte", "ms", "Of checks that are up"),
			Expr: average(ttfb)},
		{source: "checks", Output: countColumn("count", "Checks", "Checks of any status"),
			Expr: expr.Call(dialect.Count)},
		{source: "checks", Output: countColumn("invalid_ssl_checks", "Invalid certificates", "Checks that found one"),
			Expr: expr.Call(dialect.CountIf, expr.Eq(Row("ssl_valid"), expr.Int(0)))},
		{source: "checks", Output: instantColumn("ssl_expiry", "Certificate expires",
			"As of the latest check that tested the certificate"), Expr: last("ssl_expiry")},
		{source: "checks", Output: flagColumn("ssl_valid", "Certificate valid",
			"As of the latest check that tested the certificate"), Expr: last("ssl_valid")},
		{source: "outages", Output: Output{Name: "downtime_seconds", Label: "Downtime", Unit: "s", Format: Number,
			Decimals: 2, Zero: true,
			Description: "Time from each check that is down to the next check"},
			Expr: toSeconds(expr.Call(dialect.Sum, expr.Sub(expr.Col("o", "until"), expr.Col("o", "since"))))},
	}
	for _, p := range percentiles {
		metrics = append(metrics,
			BoundMetric{source: "checks",
				Output: NumberOutput(p.name+"_response_time", p.name+" response time", "ms", "Of checks that are up"),
				Expr:   quantile(total, p.permille)},
			BoundMetric{source: "checks",
				Output: NumberOutput(p.name+"_ttfb", p.name+" time to first byte", "ms", "Of checks that are up"),
				Expr:   quantile(ttfb, p.permille)})
	}
	return metrics
}

// checkListMetrics are the values of single checks.
func checkListMetrics() []BoundMetric {
	of := func(c Output, e expr.Expr) BoundMetric {
		return BoundMetric{source: "checks", PerRow: true, Output: c, Expr: e}
	}
	optional := func(name, label, about string) Output {
		return Output{Name: name, Label: label, Description: about, Unit: "ms", Format: Integer}
	}
	return []BoundMetric{
		of(instantColumn("timestamp", "Time", "When it was made"), Row("time")),
		of(textColumn("url", "Address", "The address of the check"), Row("url")),
		of(optional("ttfb_ms", "Time to first byte", "Until the answer began"), Row("ttfb")),
		of(optional("total_ms", "Response time", "Until the answer was whole"), Row("total")),
		of(flagColumn("ssl_valid", "Certificate valid",
			"Result of the check; null when it did not test the certificate"), Row("ssl_valid")),
		of(textColumn("error", "Error", "Why it failed; empty when it did not"), Row("error")),
	}
}
