package query

import (
	"github.com/sightline-analytics/sightline/query/expr"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

func checkMetrics() []metric {
	up := expr.Eq(row("status"), expr.Int(int64(store.Up)))
	judged := expr.Le(row("status"), expr.Int(int64(store.Up)))
	total, ttfb := when(up, row("total")), when(up, row("ttfb"))
	// Latest leaves out rows without a value, so an absent one is given a number first.
	last := func(name expr.Ident) expr.Expr {
		return expr.Call(dialect.NullIf, latest(expr.Call(dialect.Coalesce, row(name), expr.Int(-1))), expr.Int(-1))
	}
	terms := []metric{
		{source: "checks", column: numberColumn("uptime_percentage", "Uptime", "%", "Checks that are up, of those up or down"),
			expr: percent(expr.Call(dialect.CountIf, up), expr.Call(dialect.CountIf, judged))},
		{source: "checks", column: countColumn("total_checks", "Checks", "Checks that are up or down"), expr: expr.Call(dialect.CountIf, judged)},
		{source: "checks", column: countColumn("successful_checks", "Successful checks", ""), expr: expr.Call(dialect.CountIf, up)},
		{source: "checks", column: numberColumn("avg_response_time", "Mean response time", "ms", "Of checks that are up"), expr: average(total)},
		{source: "checks", column: numberColumn("min_response_time", "Least response time", "ms", "Of checks that are up"), expr: expr.Call(dialect.Ratio, expr.Call(dialect.Min, total), expr.Int(1))},
		{source: "checks", column: numberColumn("max_response_time", "Greatest response time", "ms", "Of checks that are up"), expr: expr.Call(dialect.Ratio, expr.Call(dialect.Max, total), expr.Int(1))},
		{source: "checks", column: numberColumn("avg_ttfb", "Mean time to first byte", "ms", "Of checks that are up"), expr: average(ttfb)},
		{source: "checks", column: countColumn("count", "Checks", "Checks of any status"), expr: expr.Call(dialect.Count)},
		{source: "checks", column: countColumn("invalid_ssl_checks", "Invalid certificates", "Checks that found one"),
			expr: expr.Call(dialect.CountIf, expr.Eq(row("ssl_valid"), expr.Int(0)))},
		{source: "checks", column: instantColumn("ssl_expiry", "Certificate expires", "As of the latest check"), expr: last("ssl_expiry")},
		{source: "checks", column: flagColumn("ssl_valid", "Certificate valid", "As of the latest check"), expr: last("ssl_valid")},
		{source: "outages", column: column{Name: "downtime_seconds", Label: "Downtime", Unit: "s", Format: Number, Decimals: 2, Zero: true,
			Description: "Time from each check that is down to the next check"},
			expr: toSeconds(expr.Call(dialect.Sum, expr.Sub(expr.Col("o", "until"), expr.Col("o", "since"))))},
	}
	for _, p := range percentiles {
		terms = append(terms,
			metric{source: "checks", column: numberColumn(p.name+"_response_time", p.name+" response time", "ms", "Of checks that are up"), expr: quantile(total, p.permille)},
			metric{source: "checks", column: numberColumn(p.name+"_ttfb", p.name+" time to first byte", "ms", "Of checks that are up"), expr: quantile(ttfb, p.permille)})
	}
	return terms
}

// checkListMetrics are the values of single checks.
func checkListMetrics() []metric {
	of := func(c column, e expr.Expr) metric { return metric{source: "checks", perRow: true, column: c, expr: e} }
	optional := func(name, label, unit string) column {
		return column{Name: name, Label: label, Unit: unit, Format: Integer}
	}
	return []metric{
		of(instantColumn("timestamp", "Time", ""), row("time")),
		of(textColumn("url", "Address", ""), row("url")),
		of(optional("ttfb_ms", "Time to first byte", "ms"), row("ttfb")),
		of(optional("total_ms", "Response time", "ms"), row("total")),
		of(flagColumn("ssl_valid", "Certificate valid", ""), row("ssl_valid")),
		of(textColumn("error", "Error", ""), row("error")),
	}
}
