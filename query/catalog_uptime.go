package query

import (
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

func uptimeTypes() []Type {
	return []Type{
		{Name: "uptime_overview", Title: "Uptime", Category: "Uptime", Visualization: "metric", Tags: []string{"uptime", "totals"},
			Description: "Uptime, response times and certificate over the whole range",
			Subject:     store.KindSchedule, Source: "checks", Shape: Totals,
			Columns: []string{"uptime_percentage", "total_checks", "successful_checks", "avg_response_time", "p50_response_time", "p75_response_time",
				"p95_response_time", "p99_response_time", "min_response_time", "max_response_time", "avg_ttfb", "ssl_expiry", "ssl_valid"}},
		{Name: "uptime_time_series", Title: "Uptime over time", Category: "Uptime", Visualization: "timeseries", Tags: []string{"uptime", "series"},
			Description: "Uptime, downtime and response times by day or hour",
			Subject:     store.KindSchedule, Source: "checks", Joins: []string{"outages"}, Shape: Series,
			Columns: []string{"date", "uptime_percentage", "total_checks", "successful_checks", "downtime_seconds", "avg_response_time", "p50_response_time",
				"p95_response_time", "max_response_time", "avg_ttfb", "p50_ttfb", "p95_ttfb"},
			Order: []string{"date"}},
		{Name: "uptime_status_breakdown", Title: "Statuses", Category: "Uptime", Visualization: "table", Tags: []string{"uptime"},
			Description: "Checks by their outcome and HTTP status",
			Subject:     store.KindSchedule, Source: "checks", Shape: Breakdown, Dimensions: []string{"status", "http_code"},
			Columns: []string{"status", "http_code", "count", "percentage"}, Order: []string{"-count"}},
		{Name: "uptime_recent_checks", Title: "Checks", Category: "Uptime", Visualization: "table", Tags: []string{"uptime", "list"},
			Description: "Single checks, the latest first",
			Subject:     store.KindSchedule, Source: "checks", Shape: List,
			Columns: []string{"timestamp", "url", "status", "http_code", "ttfb_ms", "total_ms", "probe_region", "ssl_valid", "error"},
			Order:   []string{"-timestamp"}},
		{Name: "uptime_response_time_trends", Title: "Response times", Category: "Uptime", Visualization: "timeseries", Tags: []string{"uptime", "speed", "series"},
			Description: "Response times by day or hour",
			Subject:     store.KindSchedule, Source: "checks", Shape: Series,
			Columns: []string{"date", "avg_response_time", "p50_response_time", "p75_response_time", "p90_response_time", "p95_response_time",
				"p99_response_time", "min_response_time", "max_response_time", "avg_ttfb"},
			Order: []string{"date"}},
		{Name: "uptime_ssl_status", Title: "Certificate", Category: "Uptime", Visualization: "metric", Tags: []string{"uptime", "ssl"},
			Description: "The certificate as seen by the latest check that tested it",
			Subject:     store.KindSchedule, Source: "checks", Shape: Totals, Columns: []string{"ssl_expiry", "ssl_valid", "invalid_ssl_checks"}},
		{Name: "uptime_by_region", Title: "Regions", Category: "Uptime", Visualization: "table", Tags: []string{"uptime", "regions"},
			Description: "Uptime and response times by the region of the probe",
			Subject:     store.KindSchedule, Source: "checks", Shape: Breakdown, Dimensions: []string{"probe_region"}, SkipZero: "total_checks",
			Columns: []string{"region=probe_region", "uptime_percentage", "total_checks", "avg_response_time", "p95_response_time"},
			Order:   []string{"region"}},
	}
}

func checkMetrics() []metric {
	up := expr.Eq(row("status"), expr.Int(int64(store.Up)))
	judged := expr.Le(row("status"), expr.Int(int64(store.Up)))
	total, ttfb := when(up, row("total")), when(up, row("ttfb"))
	// ArgMaxList leaves out rows without a value: those of checks that say nothing of the certificate. What
	// the others do not say is given a number first.
	says := expr.Or(expr.IsNotNull(row("ssl_expiry")), expr.IsNotNull(row("ssl_valid")))
	last := func(name expr.Ident) expr.Expr {
		return expr.Call(dialect.NullIf, latest(when(says, expr.Call(dialect.Coalesce, row(name), expr.Int(-1)))), expr.Int(-1))
	}
	metrics := []metric{
		{source: "checks", column: numberColumn("uptime_percentage", "Uptime", "%", "Checks that are up, of those up or down"),
			expr: percent(expr.Call(dialect.CountIf, up), expr.Call(dialect.CountIf, judged))},
		{source: "checks", column: countColumn("total_checks", "Checks", "Checks that are up or down"), expr: expr.Call(dialect.CountIf, judged)},
		{source: "checks", column: countColumn("successful_checks", "Successful checks", "Checks that are up"), expr: expr.Call(dialect.CountIf, up)},
		{source: "checks", column: numberColumn("avg_response_time", "Mean response time", "ms", "Of checks that are up"), expr: average(total)},
		{source: "checks", column: numberColumn("min_response_time", "Least response time", "ms", "Of checks that are up"), expr: expr.Call(dialect.Ratio, expr.Call(dialect.Min, total), expr.Int(1))},
		{source: "checks", column: numberColumn("max_response_time", "Greatest response time", "ms", "Of checks that are up"), expr: expr.Call(dialect.Ratio, expr.Call(dialect.Max, total), expr.Int(1))},
		{source: "checks", column: numberColumn("avg_ttfb", "Mean time to first byte", "ms", "Of checks that are up"), expr: average(ttfb)},
		{source: "checks", column: countColumn("count", "Checks", "Checks of any status"), expr: expr.Call(dialect.Count)},
		{source: "checks", column: countColumn("invalid_ssl_checks", "Invalid certificates", "Checks that found one"),
			expr: expr.Call(dialect.CountIf, expr.Eq(row("ssl_valid"), expr.Int(0)))},
		{source: "checks", column: instantColumn("ssl_expiry", "Certificate expires", "As of the latest check that tested the certificate"), expr: last("ssl_expiry")},
		{source: "checks", column: flagColumn("ssl_valid", "Certificate valid", "As of the latest check that tested the certificate"), expr: last("ssl_valid")},
		{source: "outages", column: column{Name: "downtime_seconds", Label: "Downtime", Unit: "s", Format: Number, Decimals: 2, Zero: true,
			Description: "Time from each check that is down to the next check"},
			expr: toSeconds(expr.Call(dialect.Sum, expr.Sub(expr.Col("o", "until"), expr.Col("o", "since"))))},
	}
	for _, p := range percentiles {
		metrics = append(metrics,
			metric{source: "checks", column: numberColumn(p.name+"_response_time", p.name+" response time", "ms", "Of checks that are up"), expr: quantile(total, p.permille)},
			metric{source: "checks", column: numberColumn(p.name+"_ttfb", p.name+" time to first byte", "ms", "Of checks that are up"), expr: quantile(ttfb, p.permille)})
	}
	return metrics
}

// checkListMetrics are the values of single checks.
func checkListMetrics() []metric {
	of := func(c column, e expr.Expr) metric { return metric{source: "checks", perRow: true, column: c, expr: e} }
	optional := func(name, label, about string) column {
		return column{Name: name, Label: label, Description: about, Unit: "ms", Format: Integer}
	}
	return []metric{
		of(instantColumn("timestamp", "Time", "When it was made"), row("time")),
		of(textColumn("url", "Address", "The address of the check"), row("url")),
		of(optional("ttfb_ms", "Time to first byte", "Until the answer began"), row("ttfb")),
		of(optional("total_ms", "Response time", "Until the answer was whole"), row("total")),
		of(flagColumn("ssl_valid", "Certificate valid", "Result of the check; null when it did not test the certificate"), row("ssl_valid")),
		of(textColumn("error", "Error", "Why it failed; empty when it did not"), row("error")),
	}
}
