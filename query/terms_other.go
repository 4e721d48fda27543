package query

import (
	"github.com/sightline-analytics/sightline/query/expr"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

func linkTerms() []term {
	// Distinct ids, since a visit that comes again after its id was forgotten is stored again.
	return []term{{on: "visits", column: countColumn("clicks", "Clicks", "Visits of people"), expr: expr.Call(dialect.Uniq, row("event_id"))}}
}

func checkTerms() []term {
	up := expr.Eq(row("status"), expr.Int(int64(store.Up)))
	judged := expr.Le(row("status"), expr.Int(int64(store.Up)))
	total, ttfb := where(up, row("total")), where(up, row("ttfb"))
	// Latest leaves out rows without a value, so an absent one is given a number first.
	last := func(name expr.Ident) expr.Expr {
		return expr.Call(dialect.NullIf, latest(expr.Call(dialect.Coalesce, row(name), expr.Int(-1))), expr.Int(-1))
	}
	terms := []term{
		{on: "checks", column: numberColumn("uptime_percentage", "Uptime", "%", "Checks that are up, of those up or down"),
			expr: percent(expr.Call(dialect.CountIf, up), expr.Call(dialect.CountIf, judged))},
		{on: "checks", column: countColumn("total_checks", "Checks", "Checks that are up or down"), expr: expr.Call(dialect.CountIf, judged)},
		{on: "checks", column: countColumn("successful_checks", "Successful checks", ""), expr: expr.Call(dialect.CountIf, up)},
		{on: "checks", column: numberColumn("avg_response_time", "Mean response time", "ms", "Of checks that are up"), expr: average(total)},
		{on: "checks", column: numberColumn("min_response_time", "Least response time", "ms", "Of checks that are up"), expr: expr.Call(dialect.Ratio, expr.Call(dialect.Min, total), expr.Int(1))},
		{on: "checks", column: numberColumn("max_response_time", "Greatest response time", "ms", "Of checks that are up"), expr: expr.Call(dialect.Ratio, expr.Call(dialect.Max, total), expr.Int(1))},
		{on: "checks", column: numberColumn("avg_ttfb", "Mean time to first byte", "ms", "Of checks that are up"), expr: average(ttfb)},
		{on: "checks", column: instantColumn("ssl_expiry", "Certificate expires", "As of the latest check"), expr: last("ssl_expiry")},
		{on: "checks", column: flagColumn("ssl_valid", "Certificate valid", "As of the latest check"), expr: last("ssl_valid")},
		{on: "outages", column: column{Name: "downtime_seconds", Label: "Downtime", Unit: "s", Format: Number, Decimals: 2, Zero: true,
			About: "Time from each check that is down to the next check"},
			expr: thousandth(expr.Call(dialect.Sum, expr.Sub(expr.Col("o", "until"), expr.Col("o", "since"))))},
	}
	for _, p := range []struct {
		name     string
		permille int64
	}{{"p50", 500}, {"p75", 750}, {"p90", 900}, {"p95", 950}, {"p99", 990}} {
		terms = append(terms,
			term{on: "checks", column: numberColumn(p.name+"_response_time", p.name+" response time", "ms", "Of checks that are up"), expr: quantile(total, p.permille)},
			term{on: "checks", column: numberColumn(p.name+"_ttfb", p.name+" time to first byte", "ms", "Of checks that are up"), expr: quantile(ttfb, p.permille)})
	}
	return terms
}
